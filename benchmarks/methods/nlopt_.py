"""Powell's NEWUOA and BOBYQA as NLopt has them.

Both answer with the lowest value they saw, noisy or not; NLopt has no other recommendation.
"""

from __future__ import annotations

import math
from contextlib import suppress

import nlopt

from benchmarks.methods.forms import (
    bounds_or_nearest,
    box,
    held,
    nearest,
    radii_or_samples,
    radius_part,
    reach,
    too_dense,
)
from benchmarks.methods.method import Method
from benchmarks.problem import Array, Problem
from benchmarks.trial import Spent, Trial

FIRST_RADIUS = 0.1
"""Powell: a tenth of the greatest expected change of a variable."""
LAST_RADIUS = 1e-10
"""Relative; small enough for the budget to end the run."""


def minimize(search: nlopt.opt, trial: Trial, part: float) -> None:
    """Run to the end; NLopt loses an exception now and then, so it is told to stop instead."""
    spent: list[Spent] = []

    def value(x: Array, gradient: Array) -> float:
        try:
            return trial.objective(x.copy())
        except Spent as reason:
            spent.append(reason)
            search.force_stop()
            return math.inf

    search.set_min_objective(value)
    search.set_initial_step(part * FIRST_RADIUS * reach(trial.problem))
    search.set_xtol_rel(LAST_RADIUS)
    # a RuntimeError is how NLopt says that rounding or noise has left a model of no use
    with suppress(nlopt.ForcedStop, nlopt.RoundoffLimited, RuntimeError):
        search.optimize(trial.problem.x0)
    if spent:
        raise spent[0]


def newuoa(trial: Trial, constant: float) -> None:
    search = nlopt.opt(nlopt.LN_NEWUOA, trial.problem.m)
    minimize(search, trial, radius_part(trial, constant))


def bobyqa(trial: Trial, constant: float) -> None:
    search, known = nlopt.opt(nlopt.LN_BOBYQA, trial.problem.m), box(trial.problem)
    if known is not None:
        search.set_lower_bounds(known.lower)
        search.set_upper_bounds(known.upper)
    minimize(search, trial, radius_part(trial, constant))


def newuoa_form(problem: Problem) -> str:
    return held(problem, nearest(problem))


def bobyqa_form(problem: Problem) -> str:
    return held(problem, bounds_or_nearest(problem))


NLOPT = [
    Method("nlopt-newuoa", newuoa, newuoa_form, too_dense, radii_or_samples, random=False),
    Method("nlopt-bobyqa", bobyqa, bobyqa_form, too_dense, radii_or_samples, random=False),
]
