"""Observations that judge trial points by values, paired with those at x."""

from __future__ import annotations

import numpy as np

from zooadmm.methods.auto.constants import FEWEST_VALUES, JUDGES
from zooadmm.methods.auto.paired import beside_first
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Vector


def number(slopes: int, samples: int) -> int:
    """How many observations judge, beside a batch of this many slopes.

    From half of n on all n judge, and no error is left.
    """
    target = max(FEWEST_VALUES, int(JUDGES * slopes))
    return samples if target >= 0.5 * samples else target


def paired(answer: Answer) -> tuple[Vector, Vector]:
    """Mean and standard error of what each row has more than row 0; inf where values are not."""
    answer = answer[:, np.isfinite(answer[0])]
    if answer.shape[1] <= 1:
        unknown = np.full(len(answer) - 1, np.inf)
        return unknown, unknown
    return beside_first(answer, missing=0.0)
