"""L-BFGS-B as scipy has it, with gradients by forward differences."""

from __future__ import annotations

import numpy as np
import scipy.optimize

from benchmarks.methods import smooth_forms as smooth
from benchmarks.methods.forms import (
    Limits,
    difference_step,
    held,
    limits,
    penalty,
    steps_or_samples,
    too_dear,
)
from benchmarks.methods.method import Method
from benchmarks.problem import Array, Problem
from benchmarks.trial import Trial
from zooadmm.problem.sets import Simplex


def descend(
    trial: Trial, form: smooth.SmoothForm, relative_step: float, tolerance: float = smooth.FINE
) -> Array:
    """L-BFGS-B until it sees no more progress; its iterates are the answers."""
    trial.recommend(form.x(form.start))

    def iterate(z: Array) -> None:
        trial.recommend(form.x(z.copy()))

    result = scipy.optimize.minimize(
        lambda z: form.value_and_gradient(trial, z, relative_step),
        form.start,
        jac=True,
        method="L-BFGS-B",
        bounds=scipy.optimize.Bounds(form.lower, form.upper),
        callback=iterate,
        options={"maxiter": trial.budget, "maxfun": trial.budget, "ftol": tolerance, "gtol": 0.0},
    )
    return form.x(result.x)


def run(trial: Trial, constant: float) -> None:
    problem, known, phi = trial.problem, limits(trial.problem), penalty(trial.problem)
    relative_step = difference_step(trial, constant)
    x = problem.x0
    if known is None:
        raise ValueError("L-BFGS-B was given a set that it has no form for.")
    if isinstance(problem.feasible, Simplex):
        descend(trial, smooth.shares(x, problem.feasible.budget), relative_step)
    elif known.total is not None:
        with_total(trial, known, known.total, relative_step)
    elif phi is None:
        descend(trial, smooth.direct(x, known), relative_step)
    elif smooth.splits(problem):
        prices = smooth.prices(phi, problem.m)
        descend(trial, smooth.parts(x, known, prices), relative_step)
    else:
        smooth.less_and_less(
            problem, known, lambda form, tol: descend(trial, form, relative_step, tol)
        )


def with_total(trial: Trial, known: Limits, total: float, relative_step: float) -> None:
    """Augmented Lagrangian: the weight starts at |g| / total, and grows if r shrinks too little."""
    x = trial.problem.x0
    g = trial.forward_gradient(x, relative_step)[1]
    weight, multiplier = float(np.abs(g).max()) / total, -float(np.median(g))
    before = np.inf
    while before > 1e-10 * total:
        x = descend(trial, smooth.augmented(x, known, multiplier, weight), relative_step)
        r = float(x.sum()) - total
        multiplier += weight * r
        weight *= 10.0 if abs(r) > 0.1 * before else 1.0
        before = abs(r)


def form(problem: Problem) -> str:
    return held(problem, smooth_form(problem))


def smooth_form(problem: Problem) -> str:
    if isinstance(problem.feasible, Simplex):
        return "x = z / sum(z), z >= 0"
    known = limits(problem)
    if known is not None and known.total is not None:
        return "bounds, total by augmented Lagrangian"
    if penalty(problem) is None:
        return "bounds" if problem.feasible is not None else "as it is"
    return "x = u - v, u, v >= 0" if smooth.splits(problem) else "phi smoothed, less and less"


def unfit(problem: Problem) -> str:
    return too_dear(problem) or ("no form for this set" if limits(problem) is None else "")


LBFGSB = [Method("scipy-lbfgsb", run, form, unfit, steps_or_samples, random=False)]
