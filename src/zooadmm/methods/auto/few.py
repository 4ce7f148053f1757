"""Whether evaluations are few: the first probe is short, and the whole one waits or is left out."""

from __future__ import annotations

from zooadmm.methods.auto.constants import NARROW
from zooadmm.methods.auto.given import Given
from zooadmm.methods.auto.known import Known
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.working_set import FIRST_GROUPS, sparse_coordinates

SEARCHES = 300
"""Evaluations that a budget must allow for the first search of a working set."""


def for_model(m: int) -> int:
    """Evaluations of the probe, of two points for each variable and f(x), and of a trial."""
    return 2 * m + radius.PROBE + 2


DEAR = int(radius.PROBE / NARROW)
"""Evaluations of which a whole probe is a large part."""


def are_few(given: Given, known: Known) -> bool:
    """Whether an announced budget makes the next probe short.

    The first is where the whole one is a large part of the budget, or after it and two evaluations
    for each variable less than one a variable is left. After a short probe the whole one follows if
    the budget allows.
    """
    least = known.spent if known.radius.short else DEAR - _needed(given)
    return 0 < known.budget < max(least, 0) + _needed(given)


def _needed(given: Given) -> int:
    """Evaluations to measure each variable and as many more, or to search all of them."""
    m = given.problem.m
    needed = for_model(m) + m
    if m > FIRST_GROUPS and sparse_coordinates(given.problem) is not None:
        needed = min(needed, SEARCHES)
    return needed
