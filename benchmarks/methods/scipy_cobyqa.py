"""COBYQA as scipy has it: quadratic models, bounds and linear constraints."""

from __future__ import annotations

import numpy as np
import scipy.optimize
from scipy.optimize import OptimizeResult

from benchmarks.methods.forms import (
    NEAREST,
    held,
    in_words,
    limits,
    radii_or_samples,
    radius_part,
    reach,
    too_dense,
)
from benchmarks.methods.method import Method
from benchmarks.problem import Problem
from benchmarks.trial import Trial

FIRST_RADIUS = 0.1
"""scipy: a tenth of the greatest expected change of a variable."""


def run(trial: Trial, constant: float) -> None:
    """The answer is COBYQA's own, the center of its model, where values do not repeat."""
    problem, known = trial.problem, limits(trial.problem)
    m, part = problem.m, radius_part(trial, constant)
    bounds, rows = None, ()
    if known is not None:
        bounds = scipy.optimize.Bounds(known.lower, known.upper)
        if known.total is not None:
            rows = scipy.optimize.LinearConstraint(np.ones((1, m)), known.total, known.total)
    if problem.regime == "noisy":
        trial.recommend(problem.x0)

    def center(intermediate_result: OptimizeResult) -> None:
        if problem.regime == "noisy":
            trial.recommend(intermediate_result.x.copy())

    scipy.optimize.minimize(
        trial.objective,
        problem.x0,
        method="COBYQA",
        bounds=bounds,
        constraints=rows,
        callback=center,
        options={
            "initial_tr_radius": part * FIRST_RADIUS * float(np.median(reach(problem))),
            "final_tr_radius": 1e-10,
            "maxfev": trial.budget + 1,
            "maxiter": trial.budget + 1,
        },
    )


def form(problem: Problem) -> str:
    known = limits(problem)
    if known is None:
        return held(problem, in_words(problem, NEAREST))
    words = "bounds" if known.total is None else "bounds, linear equality"
    return held(problem, in_words(problem, words))


COBYQA = [Method("scipy-cobyqa", run, form, too_dense, radii_or_samples, random=False)]
