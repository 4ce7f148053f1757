"""How many observations the looks are about: ever more, and as many as a budget allows for."""

from __future__ import annotations

import math
from typing import NamedTuple

FIRST = 8
"""Observations that are tested, and from which the numbers of wide looks grow."""

BESIDE = 3
"""Values of a wide or narrow look beside one for each of its directions."""

AGAIN = 3
"""Values of an observation that is looked at again."""

GROWTH = 4.0
"""How many times as many observations are held after a wide look, at most."""

GROWTH_UNPLANNED = 2.0
"""The same without a budget: at any time the answer is that of half of the evaluations or more."""

NEARLY = 1.1
"""How many times as many as planned may be held at the end."""

WIDE = 0.65
"""The part of a budget that goes into wide looks, where it does not allow for all observations."""

LOOKS = 3
"""How often observations are looked at again."""

BETWEEN = 0.15
"""What a narrow look costs beside the wide ones so far, while there are more to come."""

NARROW_FROM = 16
"""Observations held from which narrow looks are taken."""

FOR_EACH = 4
"""Fresh observations that a narrow look needs for each of its directions."""

SPARE = 0.01
"""The part of a budget that is not planned with."""


class Plan(NamedTuple):
    """What a run plans with."""

    budget: int
    """Evaluations; 0 where none are planned with"""
    goal: int
    """How many observations these allow to hold; 0 where none are planned with"""
    growth: float
    """How many times as many are held after each wide look"""


def affordable(budget: int, m: int, samples: int) -> int:
    """How many observations a budget lets a run hold; all where it may be fitted to all of them."""
    wide = m + BESIDE
    if samples * (wide + AGAIN * LOOKS) <= budget:
        return samples
    return min(samples, int(WIDE * budget / (wide + AGAIN * LOOKS)))


def planned(budget: int, m: int, most: int) -> Plan:
    """The plan for a budget, 0 for none; most: how many observations can be held."""
    if budget == 0:
        return Plan(0, 0, GROWTH_UNPLANNED)
    budget = int((1.0 - SPARE) * budget)
    goal = max(FIRST, affordable(budget, m, most))
    rounds = max(1, math.ceil(math.log(goal / FIRST) / math.log(GROWTH)))
    return Plan(budget, goal, (goal / FIRST) ** (1.0 / rounds))


def more(plan: Plan, held: int, m: int, spent: int) -> int:
    """How many observations the next wide look adds to those held.

    Beyond the goal as many as are left to the budget, and more where that has been used up.
    """
    left = (plan.budget - spent - 2 * AGAIN * held) // (m + BESIDE + 2 * AGAIN)
    if 0 < plan.goal <= held and left > 0:
        return left
    growth = plan.growth if plan.goal > held or plan.goal == 0 else GROWTH
    wanted = math.ceil(growth * max(held, FIRST))
    return (plan.goal if held < plan.goal <= NEARLY * wanted else wanted) - held


def narrow(plan: Plan, held: int, m: int, spent: int, each: int) -> int:
    """How many observations a narrow look is about that takes `each` values of one."""
    if plan.goal > held or plan.goal == 0:
        return int(BETWEEN * held * (m + BESIDE) / each) if held >= NARROW_FROM else 0
    return max(0, plan.budget - spent) // each
