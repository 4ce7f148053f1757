"""Whether evaluations are few: the first probe is short, and a descent may begin without it."""

from __future__ import annotations

from zooadmm.methods.auto.given import Given
from zooadmm.methods.auto.known import Known
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.working_set import FIRST_GROUPS, sparse_coordinates

SEARCHES = 300
"""Evaluations that a budget must allow for the first search of a working set."""


def for_model(m: int) -> int:
    """Evaluations of the probe, of two points for each variable and f(x), and of a trial."""
    return 2 * m + radius.PROBE + 2


def are_few(given: Given, known: Known) -> bool:
    """Whether an announced budget is too small for a whole probe: after it, and two evaluations for
    each variable, less than one a variable is left; or too small to search all of them.
    """
    m = given.problem.m
    needed = for_model(m) + m
    if m > FIRST_GROUPS and sparse_coordinates(given.problem) is not None:
        needed = min(needed, SEARCHES)
    return 0 < known.budget < needed
