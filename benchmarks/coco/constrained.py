"""Solvers for black-box constraints g(x) <= 0."""

from __future__ import annotations

import numpy as np
import scipy.optimize

import zooadmm as zoo
from benchmarks.coco.problems import ConstrainedTask
from benchmarks.yardstick.oracle import Oracle
from benchmarks.yardstick.solver import Method, Solver
from benchmarks.yardstick.task import Array, Task


def by_scipy(name: str, **options: float) -> Method:
    """A method of scipy with these options; the budget is announced to COBYQA."""

    def method(task: Task, f: Oracle, seed: int) -> Array:
        assert isinstance(task, ConstrainedTask)
        rows = scipy.optimize.NonlinearConstraint(task.constraint, -np.inf, 0.0)
        given = {**options, "maxfev": f.budget} if name == "COBYQA" else options
        found = scipy.optimize.minimize(f, task.x0, method=name, constraints=[rows], options=given)
        return np.asarray(found.x)

    return method


def ours(task: Task, f: Oracle, seed: int) -> Array:
    """`scipy_method` with its defaults: a constraint that is not linear is evaluated with f."""
    assert isinstance(task, ConstrainedTask)
    found = scipy.optimize.minimize(
        f,
        task.x0,
        method=zoo.scipy_method,
        constraints=[scipy.optimize.NonlinearConstraint(task.constraint, -np.inf, 0.0)],
        options={"maxfev": f.budget, "rng": seed},
    )
    return np.asarray(found.x)


SOLVERS = {
    solver.name: solver
    for solver in (
        Solver("zoo", "zooadmm", ours, kinds="n", random=True),
        Solver("slsqp", "scipy", by_scipy("SLSQP", maxiter=10**6), kinds="n"),
        Solver("cobyqa", "scipy", by_scipy("COBYQA", maxiter=10**6), kinds="n", max_n=40),
        Solver("cobyla", "scipy", by_scipy("COBYLA", maxiter=10**6), kinds="n", max_n=40),
    )
}
