"""The scale of the problem, found once at x_1 along the path of a step as its length grows.

With the mean g of K gradient estimates at x_1, u(tau) is the step of structure from x_1 along -g
of length tau. F(u(tau)) - F(x_1) is measured on common observations for a range of tau, factors of
4 apart, which moves on while its best tau is at an end. K is doubled until the decrease stands out
from its standard error. The best u is where the descent begins, and its distance from x_1 and the
noise of the K estimates set the first step size.

A gradient takes m + 1 values an observation and a point on the way takes one, so the search is
cheap, and it makes the method indifferent to the units of the loss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from zooadmm.methods.auto.constants import (
    AT_ONCE,
    CERTAIN,
    FACTORS,
    FEW,
    FEWEST_VALUES,
    JUDGES,
    MANY,
    MOST_ROUNDS,
    SMALL_PART,
)
from zooadmm.methods.auto.paired import beside_first
from zooadmm.methods.auto.steps.state import Scale
from zooadmm.oracle.queries import Answer

WARY = tuple(factor for factor in FACTORS if factor <= 1.0)
"""Lengths of a first step beside that of differences, where each value is played on an item: no
longer than points that were tried."""


def width(estimates: int, num_directions: int) -> int:
    """Values that judge a point, at a small part of the price of these gradient estimates."""
    return max(FEWEST_VALUES, min(AT_ONCE, math.ceil(JUDGES * estimates * num_directions)))


def most_estimates(budget: int, block: int) -> int:
    """How many estimates a run may gather at x_1, at `block` evaluations each.

    They take a small part of a known budget; searches take as much again.
    """
    return MANY if budget == 0 else max(FEW, min(MANY, int(SMALL_PART * budget / block)))


def best(answer: Answer) -> tuple[int, float, float]:
    """(j, mean, standard error) of the lowest row beside row 0; rows not finite are the worst."""
    means, errors = beside_first(answer)
    j = int(np.argmin(means))
    return j, float(means[j]), float(errors[j])


def longest(answer: Answer) -> int:
    """The last row beside row 0 that is not worse than it by nearly a standard error.

    One value far above all others makes it 1.
    """
    means, errors = beside_first(answer)
    harmless = np.flatnonzero(np.isfinite(means) & (means <= (1.0 - SMALL_PART) * errors))
    return int(harmless[-1]) if len(harmless) > 0 else 0


def moved(
    scale: Scale, factors: Sequence[float], j: int, change: float, error: float
) -> Scale | None:
    """The search with its range moved on, where its best tau was at an end of it; else None.

    At the lower end only if the change there is beyond doubt: below it there is less to be seen.
    Where far points cost it never moves up.
    """
    doubtful = j == 0 and abs(change) <= CERTAIN * error
    last = j == len(factors) - 1
    inner = j > 0 and not last
    if inner or doubtful or (last and factors is WARY) or scale.rounds >= MOST_ROUNDS:
        return None
    return scale._replace(tau=scale.tau * factors[j], rounds=scale.rounds + 1)
