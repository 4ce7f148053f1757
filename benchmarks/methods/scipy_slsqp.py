"""SLSQP as scipy has it, with gradients by forward differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize

import zooadmm as zoo
from benchmarks.methods import smooth_forms as smooth
from benchmarks.methods.forms import (
    Limits,
    difference_step,
    held,
    limits,
    penalty,
    steps_or_samples,
    too_dear,
    too_dense,
)
from benchmarks.methods.method import Method
from benchmarks.problem import Array, Problem
from benchmarks.trial import Trial

MOST_ROWS = 200
"""So many absolute values become linear inequalities; each step costs their number cubed."""


def descend(
    trial: Trial,
    form: smooth.SmoothForm,
    rows: list[Any],
    relative_step: float,
    tolerance: float = smooth.FINE,
) -> Array:
    """SLSQP until it sees no more progress.

    Its steps may go up: where values repeat the answer is the point with the least.
    """
    trial.recommend(form.x(form.start))
    noisy, least = trial.problem.regime == "noisy", np.inf

    def value(z: Array) -> float:
        nonlocal least
        found = form.value(trial, z)
        if found < least and not noisy:
            least = found
            trial.recommend(form.x(z.copy()))
        return found

    def iterate(z: Array) -> None:
        if noisy:
            trial.recommend(form.x(z.copy()))

    result = scipy.optimize.minimize(
        value,
        form.start,
        jac=lambda z: form.value_and_gradient(trial, z, relative_step)[1],
        method="SLSQP",
        bounds=scipy.optimize.Bounds(form.lower, form.upper),
        constraints=rows,
        callback=iterate,
        options={"maxiter": trial.budget, "ftol": tolerance},
    )
    return form.x(result.x)


def run(trial: Trial, constant: float) -> None:
    problem, known, phi = trial.problem, limits(trial.problem), penalty(trial.problem)
    relative_step = difference_step(trial, constant)
    x = problem.x0
    if known is None:
        raise ValueError("SLSQP was given a set that it has no form for.")
    rows = fixed_total(known)
    if phi is None:
        descend(trial, smooth.direct(x, known), rows, relative_step)
    elif smooth.splits(problem):
        descend(trial, smooth.parts(x, known, smooth.prices(phi, problem.m)), rows, relative_step)
    elif few_absolute_values(problem):
        A = differences(problem)
        lifted = smooth.above(x, problem, known, smooth.prices(phi, len(A)))
        descend(trial, lifted, below_and_above(A), relative_step)
    else:
        smooth.less_and_less(
            problem, known, lambda form, tol: descend(trial, form, rows, relative_step, tol)
        )


def fixed_total(known: Limits) -> list[Any]:
    """1'x = total, if there is one."""
    total = known.total
    if total is None:
        return []
    ones = np.ones((1, len(known.lower)))
    return [{"type": "eq", "fun": lambda z: ones @ z - total, "jac": lambda z: ones}]


def below_and_above(A: Array) -> list[Any]:
    """-t <= A x <= t for z = (x, t)."""
    identity = np.eye(len(A))
    G = np.block([[-A, identity], [A, identity]])
    return [{"type": "ineq", "fun": lambda z: G @ z, "jac": lambda z: G}]


def differences(problem: Problem) -> Array:
    """A, dense."""
    assert isinstance(problem.constraint, zoo.Linear)
    return np.asarray(problem.constraint.A @ np.eye(problem.m))


def few_absolute_values(problem: Problem) -> bool:
    """Whether phi(A x) is an l1 norm with few enough rows, in a problem without a total."""
    constraint = problem.constraint
    if not isinstance(constraint, zoo.Linear) or not isinstance(penalty(problem), zoo.L1):
        return False
    return bool(constraint.A.shape[0] <= MOST_ROWS)


def form(problem: Problem) -> str:
    return held(problem, smooth_form(problem))


def smooth_form(problem: Problem) -> str:
    known = limits(problem)
    if penalty(problem) is None:
        total = known is not None and known.total is not None
        return "bounds, linear equality" if total else "bounds" if problem.feasible else "as it is"
    if smooth.splits(problem):
        return "x = u - v, u, v >= 0"
    return "-t <= A x <= t" if few_absolute_values(problem) else "phi smoothed, less and less"


def unfit(problem: Problem) -> str:
    unknown = "no form for this set" if limits(problem) is None else ""
    return too_dense(problem) or too_dear(problem) or unknown


SLSQP = [Method("scipy-slsqp", run, form, unfit, steps_or_samples, random=False)]
