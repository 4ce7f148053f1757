"""L-BFGS with noise-aware differences, after Shi, Xuan, Oztoprak and Nocedal.

The line search is relaxed: f(x + a p) <= f(x) + c a g'p + 2 sigma. A pair (s, y) is used only where
its curvature stands out of the noise of the differences. When the search fails, the intervals are
estimated anew, once; when it fails again the run ends.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from benchmarks.noise.differences import ROUNDING, curvature, forward_gradient, interval
from benchmarks.yardstick.oracle import Oracle, Spent
from benchmarks.yardstick.task import Array, Task

MEMORY = 10
DECREASE = 1e-4
BACKTRACKS = 20


def noise_aware_lbfgs(task: Task, f: Oracle, seed: int) -> Array:
    """The last iterate; sigma is known to it, as in the paper."""
    x = task.x0
    with contextlib.suppress(Spent):
        for iterate in _iterates(task, f):
            x = iterate
    return x


def _iterates(task: Task, f: Oracle) -> Iterator[Array]:
    x = task.x0.copy()
    value = f(x)
    sigma = max(task.noise, ROUNDING * max(1.0, abs(value)))
    steps = _intervals(f, x, value, sigma)
    gradient = forward_gradient(f, x, value, steps)
    pairs: list[tuple[Array, Array]] = []
    failures = 0
    while failures < 2:
        p = -_two_loops(gradient, pairs)
        if p @ gradient >= 0:
            p, pairs = -gradient, []
        found = _search(f, x, value, p, float(gradient @ p), sigma, first=not pairs)
        if found is None:
            failures += 1
            pairs = []
            steps = _intervals(f, x, value, sigma)
            gradient = forward_gradient(f, x, value, steps)
            continue
        moved, value = found
        yield moved
        after = forward_gradient(f, moved, value, steps)
        s, y = moved - x, after - gradient
        uncertain = 2 * sigma / steps  # of each slope
        if s @ y > float(np.linalg.norm(s * uncertain)) and s @ y > 1e-10 * (y @ y):
            pairs = [*pairs[-(MEMORY - 1) :], (s, y)]
        x, gradient, failures = moved, after, 0


def _intervals(f: Oracle, x: Array, value: float, sigma: float) -> Array:
    """One interval a variable, by the second derivative along it."""
    axes = np.eye(len(x))
    return np.array([interval(sigma, curvature(f, x, axis, value, sigma)) for axis in axes])


def _search(
    f: Oracle, x: Array, value: float, p: Array, slope: float, sigma: float, first: bool
) -> tuple[Array, float] | None:
    """Backtracking by quadratic interpolation; None where no step is good enough."""
    step = min(1.0, 1.0 / float(np.linalg.norm(p))) if first else 1.0
    for _ in range(BACKTRACKS):
        moved = x + step * p
        found = f(moved)
        if found <= value + DECREASE * step * slope + 2 * sigma:
            return moved, found
        bend = 2 * (found - value - step * slope)
        best = -slope * step**2 / bend if np.isfinite(bend) and bend > 0 else 0.0
        step = float(np.clip(best, 0.1 * step, 0.5 * step))
    return None


def _two_loops(gradient: Array, pairs: list[tuple[Array, Array]]) -> Array:
    """H g by Nocedal's two loops."""
    q = gradient.copy()
    weights = []
    for s, y in reversed(pairs):
        weights.append(float(s @ q) / float(s @ y))
        q -= weights[-1] * y
    if pairs:
        s, y = pairs[-1]
        q *= float(s @ y) / float(y @ y)
    for (s, y), weight in zip(pairs, reversed(weights), strict=True):
        q += (weight - float(y @ q) / float(s @ y)) * s
    return q
