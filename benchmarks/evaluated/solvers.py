"""Solvers for f(x) with constraints c(x) <= 0 that are known by their values only.

A call of f is counted; the constraints at the same point are free. Peers that difference f and c at
points of their own are charged for those of f.
"""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import scipy.optimize

import zooadmm as zoo
from benchmarks.coco.problems import ConstrainedTask
from benchmarks.yardstick.oracle import Oracle, Spent
from benchmarks.yardstick.solver import Method, Solver
from benchmarks.yardstick.task import Array, Task


def ours(task: Task, f: Oracle, seed: int) -> Array:
    """The library with its defaults and an announced budget."""
    assert isinstance(task, ConstrainedTask)
    constraint = task.constraint
    found = zoo.minimize(
        lambda x: (f(x), *constraint(x)),
        task.x0,
        evaluated=len(constraint(task.x0)),
        max_evaluations=f.budget,
        progress=False,
        rng=seed,
    )
    return found.x


def by_scipy(name: str, **options: Any) -> Method:
    def method(task: Task, f: Oracle, seed: int) -> Array:
        assert isinstance(task, ConstrainedTask)
        rows = scipy.optimize.NonlinearConstraint(task.constraint, -np.inf, 0.0)
        given = {**options, "maxfev": f.budget} if name == "COBYQA" else options
        found = scipy.optimize.minimize(f, task.x0, method=name, constraints=[rows], options=given)
        return np.asarray(found.x)

    return method


def nomad(task: Task, f: Oracle, seed: int) -> None:
    """MADS with quadratic models and the progressive barrier; the best point seen."""
    import PyNomad

    assert isinstance(task, ConstrainedTask)
    constraint, interrupted = task.constraint, list[bool]()
    signal.setitimer(signal.ITIMER_PROF, 0)  # its callback checks the time

    def answer(point: Any) -> int:
        try:
            x = np.array([point.get_coord(i) for i in range(point.size())])
            values = [f(x), *constraint(x)]
        except Spent:  # NOMAD swallows exceptions, and ends by itself at an interrupt
            if not interrupted:
                interrupted.append(True)
                os.kill(os.getpid(), signal.SIGINT)
            return 0
        point.setBBO(" ".join(f"{v:.17g}" for v in values).encode())
        return int(np.isfinite(values).all())

    outputs = " ".join(["OBJ", *("PB" for _ in constraint(task.x0))])
    parameters = [
        f"BB_OUTPUT_TYPE {outputs}",
        f"MAX_BB_EVAL {f.budget}",
        "DISPLAY_DEGREE 0",
        "DISPLAY_ALL_EVAL false",
        f"SEED {seed + 1}",
        "NB_THREADS_PARALLEL_EVAL 1",
    ]
    PyNomad.optimize(answer, task.x0.tolist(), [], [], parameters)


SOLVERS = {
    solver.name: solver
    for solver in (
        Solver("zoo", "zooadmm", ours, kinds="n", random=True),
        Solver("cobyqa", "scipy", by_scipy("COBYQA", maxiter=10**6), kinds="n"),
        Solver("slsqp", "scipy", by_scipy("SLSQP", maxiter=10**6, ftol=1e-14), kinds="n"),
        Solver("cobyla", "scipy", by_scipy("COBYLA", maxiter=10**6, tol=1e-10), kinds="n"),
        Solver("nomad", "PyNomadBBO", nomad, kinds="n", random=True),
    )
}
