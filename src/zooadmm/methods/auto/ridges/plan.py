"""Sample sizes: ever more observations, as many as the budget allows."""

from __future__ import annotations

import math
from typing import NamedTuple

from zooadmm.methods.auto.constants import FACTOR, FEW, FEWEST_VALUES, SMALL_PART

LINE = 3
"""Values of an observation along one line: x and both sides of it."""

WIDE = 0.65
"""Share of a budget for slopes along all variables, if it does not cover all observations. With 0.5
gaps of logistic and linear regressions are 1.4 times as large."""

TRIALS = 3
"""Trial points at which a sample is evaluated, as planned."""


class Plan(NamedTuple):
    """The plan for the sizes of samples."""

    budget: int
    """Evaluations; 0 where none are planned with"""
    goal: int
    """How many observations these allow to hold; 0 where none are planned with"""
    growth: float
    """Growth of the sample, as a factor"""


def affordable(budget: int, m: int, samples: int) -> int:
    """How many observations a budget lets a run hold; all where it may be fitted to all of them."""
    wide = m + LINE
    if samples * (wide + LINE * TRIALS) <= budget:
        return samples
    return min(samples, int(WIDE * budget / (wide + LINE * TRIALS)))


def planned(budget: int, m: int, most: int) -> Plan:
    """The plan for a budget, 0 for none; most: the largest sample.

    Without a budget samples double: at any time the answer is that of half of the evaluations or
    more.
    """
    if budget == 0:
        return Plan(0, 0, 2.0)
    goal = max(FEW, affordable(budget, m, most))
    rounds = max(1, math.ceil(math.log(goal / FEW) / math.log(FACTOR)))
    return Plan(budget, goal, (goal / FEW) ** (1.0 / rounds))


def more(plan: Plan, kept: int, m: int, spent: int) -> int:
    """How many observations to add to a sample of size `kept`.

    Beyond the goal as many as are left to the budget, and more where that has been used up.
    """
    left = (plan.budget - spent - 2 * LINE * kept) // (m + LINE + 2 * LINE)
    if 0 < plan.goal <= kept and left > 0:
        return left
    growth = plan.growth if plan.goal > kept or plan.goal == 0 else FACTOR
    target = math.ceil(growth * max(kept, FEW))
    nearly_all = kept < plan.goal <= (1.0 + SMALL_PART) * target
    return (plan.goal if nearly_all else target) - kept


def narrow(plan: Plan, kept: int, m: int, spent: int, each: int) -> int:
    """Observations of a narrow measurement that takes `each` values of one.

    While the sample grows its cost is a small part of that of the slopes so far.
    """
    if plan.goal > kept or plan.goal == 0:
        return int(SMALL_PART * kept * (m + LINE) / each) if kept >= FEWEST_VALUES else 0
    return max(0, plan.budget - spent) // each
