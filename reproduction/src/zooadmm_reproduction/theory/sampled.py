"""Means over many samples, and whether they agree with exact values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from zooadmm_reproduction.claims import Verdict
from zooadmm_reproduction.intervals import CONFIDENCE, Interval
from zooadmm_reproduction.rows import Row, short
from zooadmm_reproduction.theory.verdicts import Check

ROUNDING = 1e-4
"""Relative: rows keep six digits."""


def mean_and_error(values: NDArray[np.float64]) -> Row:
    """What is kept of samples: their number, their mean and its standard error.

    >>> mean_and_error(np.array([1.0, 2.0, 3.0]))
    {'samples': 3, 'mean': 2.0, 'error': 0.57735}
    """
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return {"samples": len(values), "mean": short(float(values.mean())), "error": short(error)}


def measured(row: Row, count: int) -> Interval:
    """The mean with an interval so wide that all of `count` such hold, 95% of the time.

    Bonferroni's: for comparing many means with exact values.
    """
    mean, error, samples = (float(row[name]) for name in ("mean", "error", "samples"))
    width = float(stats.t.ppf(1 - (1 - CONFIDENCE) / (2 * count), samples - 1)) * error
    return Interval(mean, mean - width, mean + width)


def agree(points: Sequence[Check]) -> Verdict:
    """Whether every exact value is in the interval of its mean, up to rounding."""
    within = [
        point.measured.low <= point.bound * (1 + ROUNDING)
        and point.bound * (1 - ROUNDING) <= point.measured.high
        for point in points
    ]
    if not within:
        raise ValueError("points has none; there must be something to agree with.")
    return Verdict.HOLDS if all(within) else Verdict.FAILS
