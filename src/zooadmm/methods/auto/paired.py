"""Points compared by values on the same observations, or by as many values of a noisy loss."""

from __future__ import annotations

import numpy as np

from zooadmm.methods.auto.constants import SMALL_PART
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Vector


def beside_first(answer: Answer, missing: float = SMALL_PART) -> tuple[Vector, Vector]:
    """What each row has more than row 0 in the mean, and its standard error.

    missing: the part of its values that a row may lack by chance; a row that lacks more is
    infinite, and so is its error. A column that is finite nowhere does not count. Rows that are as
    infinite as row 0 differ by 0.

    >>> beside_first(np.array([[1.0, 3.0], [2.0, 3.0], [0.0, np.nan]]))
    (array([0.5, inf]), array([0.5, inf]))
    """
    answer = answer[:, np.isfinite(answer).any(axis=0) | np.isposinf(answer).all(axis=0)]
    with np.errstate(invalid="ignore"):
        differences = answer[1:] - answer[:1]
    differences[np.isposinf(answer[1:]) & np.isposinf(answer[:1])] = 0.0
    seen = np.isfinite(differences)
    n = seen.sum(axis=1)
    usable = n >= (1.0 - missing) * differences.shape[1]
    filled = np.where(seen, differences, 0.0)
    means = np.where(usable, filled.sum(axis=1) / np.maximum(n, 1), np.inf)
    centered = np.where(seen, differences - np.where(usable, means, 0.0)[:, None], 0.0)
    unit = np.ldexp(1.0, np.frexp(np.abs(centered).max(axis=1, initial=0.0))[1] - 1)
    spread = np.square(centered / unit[:, None]).sum(axis=1) / np.maximum(n - 1, 1)  # no overflow
    return means, np.where(usable, unit * np.sqrt(spread / np.maximum(n, 1)), np.inf)
