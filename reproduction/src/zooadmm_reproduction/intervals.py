"""Measured numbers with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
"""Of every interval in the report."""


@dataclass(frozen=True)
class Interval:
    """A measured number and the 95% interval around it; without limits if there was one trial.

    >>> print(Interval(0.5, 0.4, 0.6))
    0.5 [0.4, 0.6]
    """

    middle: float
    low: float
    high: float

    @property
    def bounded(self) -> bool:
        """Whether the interval says anything; that of a single trial does not."""
        return bool(np.isfinite(self.high))

    def __str__(self) -> str:
        if not self.bounded:
            return f"{self.middle:.3g} (one trial, no interval)"
        return f"{self.middle:.3g} [{self.low:.3g}, {self.high:.3g}]"

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high


def mean_of(values: Sequence[float]) -> Interval:
    """The mean of independent trials with Student's interval.

    One trial tells nothing of its spread: its interval is the whole line, so that every verdict on
    it is undecided.

    >>> print(mean_of([1.0, 2.0, 3.0]))
    2 [-0.484, 4.48]
    >>> print(mean_of([1.0]))
    1 (one trial, no interval)
    """
    data = np.asarray(values, dtype=np.float64)
    if len(data) == 0 or not np.isfinite(data).all():
        raise ValueError(f"values must be finite numbers, one for each trial, not {list(values)}.")
    middle = float(data.mean())
    if len(data) < 2:
        return Interval(middle, -np.inf, np.inf)
    spread = data.std(ddof=1) / np.sqrt(len(data))
    width = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(data) - 1) * spread)
    return Interval(middle, middle - width, middle + width)


def exactly(value: float) -> Interval:
    """A number that was computed, not measured in trials: an optimum, for instance.

    >>> exactly(2.0).low
    2.0
    """
    return Interval(value, value, value)


def geometric_mean_of(values: Sequence[float]) -> Interval:
    """The geometric mean of positive numbers, ratios or seconds, with its interval.

    >>> print(geometric_mean_of([1.0, 4.0, 2.0]))
    2 [0.357, 11.2]
    """
    if min(values, default=0.0) <= 0.0:
        raise ValueError(f"values must be positive, one for each trial, not {list(values)}.")
    logs = mean_of([float(log) for log in np.log(values)])
    return Interval(*(float(np.exp(log)) for log in (logs.middle, logs.low, logs.high)))


def exponent_of(x: Sequence[float], y: Sequence[float]) -> Interval:
    """The exponent p of y ~ c x^p, by least squares on logarithms, with Student's interval.

    The points count as independent; give one for each trial and x, not their means.

    >>> print(exponent_of([1, 10, 100, 1000], [1.0, 0.1, 0.01, 0.001]))
    -1 [-1, -1]
    """
    if len(set(x)) < 3:
        raise ValueError(f"x has {len(set(x))} distinct values; an exponent needs at least 3.")
    if not (np.isfinite(y).all() and min(y) > 0.0):
        raise ValueError("y must be positive and finite, to have logarithms.")
    fit = stats.linregress(np.log(x), np.log(y))
    width = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(x) - 2) * fit.stderr)
    return Interval(float(fit.slope), float(fit.slope) - width, float(fit.slope) + width)
