"""Difference intervals that know the noise (Moré and Wild 2012; Shi, Xuan, Oztoprak, Nocedal).

For noise of standard deviation sigma and a second derivative L along a direction, the interval

    h = 8^(1/4) sqrt(sigma / L)

makes the mean squared error of the forward difference (f(x + h) - f(x)) / h least.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.yardstick.task import Array

ROUNDING = 1e-16
CLEAR, NEAR = 100.0, 0.1
"""tau_1: a second difference must exceed so many sigma. tau_2: and values differ by no more."""
TRIALS = 3
LEAST_CURVATURE = 1e-2
"""Where a second derivative cannot be seen; it keeps intervals below 17 sqrt(sigma)."""


def interval(sigma: float, curvature: float) -> float:
    """h for noise sigma and second derivative L.

    >>> round(interval(1e-4, 2.0), 6)
    0.011892
    """
    return float(8**0.25 * np.sqrt(sigma / max(curvature, LEAST_CURVATURE)))


def curvature(
    f: Callable[[Array], float], x: Array, direction: Array, value: float, sigma: float
) -> float:
    """|second derivative| along a direction by Moré and Wild's test, two values a trial.

    h starts at (sigma / 1)^(1/4) and is corrected once by the estimate it gave; an estimate counts
    if the second difference is above 100 sigma and the values differ by at most a tenth.
    """
    h = float(sigma**0.25)
    found = 0.0
    for _ in range(TRIALS):
        up, down = f(x + h * direction), f(x - h * direction)
        second = abs(up - 2 * value + down)
        close = max(abs(up - value), abs(down - value)) <= NEAR * max(
            abs(value), abs(up), abs(down)
        )
        found = second / h**2
        if second >= CLEAR * sigma and close:
            return found
        h = (sigma / max(found, LEAST_CURVATURE)) ** 0.25 if close else h / 10
    return found


def forward_gradient(f: Callable[[Array], float], x: Array, value: float, steps: Array) -> Array:
    """n values: the slope along each variable by its own interval."""
    slopes = np.empty(len(x))
    for i, step in enumerate(steps):
        ahead = x.copy()
        ahead[i] += step
        slopes[i] = (f(ahead) - value) / (ahead[i] - x[i])
    return slopes
