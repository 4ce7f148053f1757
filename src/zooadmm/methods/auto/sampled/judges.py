"""Observations that judge trial points by values, paired with those at x."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import FEWEST_VALUES
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Vector

JUDGES = 0.05
"""Observations that judge trials, per slope of a batch: four points cost a fifth of the slopes."""


def number(slopes: int, samples: int) -> int:
    """How many observations judge beside a batch of so many slopes.

    From half of n on all n judge, and no error is left.
    """
    target = max(FEWEST_VALUES, int(JUDGES * slopes))
    return samples if target >= 0.5 * samples else target


def paired(answer: Answer) -> tuple[Vector, Vector]:
    """Mean and standard error of what each row has more than row 0; inf where values are not."""
    with np.errstate(invalid="ignore"):
        apart = answer[1:] - answer[0]
    apart = apart[:, np.isfinite(answer[0])]
    seen = np.isfinite(apart)
    usable = seen.all(axis=1) & (apart.shape[1] >= 2)
    filled = np.where(seen, apart, 0.0)
    count = max(apart.shape[1], 2)
    change = np.where(usable, filled.sum(axis=1) / count, np.inf)
    error = filled.std(axis=1, ddof=1) / math.sqrt(count) if apart.shape[1] >= 2 else change
    return change, error
