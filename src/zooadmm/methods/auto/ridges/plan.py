"""Sample sizes: ever more observations, as many as the budget allows."""

from __future__ import annotations

import math
from typing import NamedTuple

from zooadmm.methods.auto.constants import FEW, FEWEST_VALUES

BESIDE = 3
"""Values of an observation beside one for each direction."""

AGAIN = 3
"""Values of an observation at a trial point."""

GROWTH = 4.0
"""Largest growth of the sample, as a factor."""

GROWTH_UNPLANNED = 2.0
"""The same without a budget: at any time the answer is that of half of the evaluations or more."""

NEARLY = 1.1
"""Largest final sample, as a multiple of the planned one."""

WIDE = 0.65
"""Share of a budget for slopes along all variables, if it does not cover all observations."""

TRIALS = 3
"""Trial points at which a sample is evaluated, as planned."""

BETWEEN = 0.15
"""Cost of a narrow measurement relative to the slopes so far, while the sample grows."""

FOR_EACH = 4
"""Fresh observations of a narrow measurement for each of its directions."""

SPARE = 0.01
"""The part of a budget that is not planned with."""


class Plan(NamedTuple):
    """What a run plans with."""

    budget: int
    """Evaluations; 0 where none are planned with"""
    goal: int
    """How many observations these allow to hold; 0 where none are planned with"""
    growth: float
    """Growth of the sample, as a factor"""


def affordable(budget: int, m: int, samples: int) -> int:
    """How many observations a budget lets a run hold; all where it may be fitted to all of them."""
    wide = m + BESIDE
    if samples * (wide + AGAIN * TRIALS) <= budget:
        return samples
    return min(samples, int(WIDE * budget / (wide + AGAIN * TRIALS)))


def planned(budget: int, m: int, most: int) -> Plan:
    """The plan for a budget, 0 for none; most: the largest sample."""
    if budget == 0:
        return Plan(0, 0, GROWTH_UNPLANNED)
    budget = int((1.0 - SPARE) * budget)
    goal = max(FEW, affordable(budget, m, most))
    rounds = max(1, math.ceil(math.log(goal / FEW) / math.log(GROWTH)))
    return Plan(budget, goal, (goal / FEW) ** (1.0 / rounds))


def more(plan: Plan, kept: int, m: int, spent: int) -> int:
    """How many observations to add to a sample of size `kept`.

    Beyond the goal as many as are left to the budget, and more where that has been used up.
    """
    left = (plan.budget - spent - 2 * AGAIN * kept) // (m + BESIDE + 2 * AGAIN)
    if 0 < plan.goal <= kept and left > 0:
        return left
    growth = plan.growth if plan.goal > kept or plan.goal == 0 else GROWTH
    target = math.ceil(growth * max(kept, FEW))
    return (plan.goal if kept < plan.goal <= NEARLY * target else target) - kept


def narrow(plan: Plan, kept: int, m: int, spent: int, each: int) -> int:
    """Observations of a narrow measurement that takes `each` values of one."""
    if plan.goal > kept or plan.goal == 0:
        return int(BETWEEN * kept * (m + BESIDE) / each) if kept >= FEWEST_VALUES else 0
    return max(0, plan.budget - spent) // each
