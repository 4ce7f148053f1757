"""Units for the variables: the diagonal metric W, learned from estimates that are made anyway.

W gives each variable the variance of its slope as a weight, the diagonal of Fisher's information: a
variable measured in units c times as large has slopes c times as large and ways to go 1/c times as
long, so with W a run is the same in any units. How much of the spread of these variances is luck is
seen by comparing the odd estimates with the even ones; the logarithms are drawn towards their mean
by that part (empirical Bayes), so that W = I where nothing tells the variables apart. A few equal
slopes are no small variance: it is taken to be an eighth of the mean square at least. A variable
that had no slope at all in some half of the estimates has no unit, and the mean weight.

Condition: a domain with bounds only, since other projections are Euclidean.
"""

from __future__ import annotations

import numpy as np

from zooadmm.methods.auto.constants import FEW, ROUNDED
from zooadmm.methods.auto.steps.state import Gathered
from zooadmm.problem.arrays import Vector
from zooadmm.problem.problem import Problem

NONE = np.ones(1)
"""W = I"""


def applicable(problem: Problem) -> bool:
    """Whether the steps of a problem can be taken in other units."""
    return problem.domain.bounds() is not None


def learned(gathered: Gathered) -> Vector:
    """The weights W, of geometric mean 1; a single 1 where nothing tells the variables apart."""
    if gathered.number < FEW:
        return NONE
    halves = [_variances(gathered, half) for half in (0, 1)]
    least = ROUNDED**2 * max(float(v.max()) for v in halves)
    seen = (halves[0] > least) & (halves[1] > least)
    if not seen.any():
        return NONE
    odd, even = (np.log(v[seen]) for v in halves)
    logs = (odd + even) / 2
    if _proportional(logs, gathered.mean[seen], least):
        return NONE
    spread, luck = float(logs.var()), float(np.square((odd - even) / 2).mean())
    if not spread > luck:
        return NONE
    weights = np.ones(len(seen))
    weights[seen] = np.exp((1.0 - luck / spread) * (logs - logs.mean()))
    return weights


def _proportional(logs: Vector, mean: Vector, least: float) -> bool:
    """Whether the noise of a slope is in proportion to the slope itself, and tells no units.

    For slopes that are normally spread the logarithm of var/mean^2 has variance 4.9; below 1 noise
    is taken to be in proportion.
    """
    ratios = logs - np.log(np.maximum(np.square(mean), least))
    return float(ratios.var()) < 1.0


def _variances(gathered: Gathered, half: int) -> Vector:
    n = (gathered.number + 1 - half) // 2
    squares = gathered.squares[half] / n
    variances: Vector = squares - np.square(gathered.sums[half] / n)
    return np.maximum(variances, squares / FEW)
