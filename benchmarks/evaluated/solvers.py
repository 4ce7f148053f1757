"""Solvers for f(x) with constraints c(x) <= 0 that are known by their values only.

A call of f is counted; the constraints at the same point are free. Peers that difference f and c at
points of their own are charged for those of f.
"""

from __future__ import annotations

import zooadmm as zoo
from benchmarks.coco.constrained import by_scipy
from benchmarks.coco.problems import ConstrainedTask
from benchmarks.yardstick.oracle import Oracle
from benchmarks.yardstick.peers import mads
from benchmarks.yardstick.solver import Solver
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


def nomad(task: Task, f: Oracle, seed: int) -> None:
    assert isinstance(task, ConstrainedTask)
    mads(task, f, seed, task.constraint)


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
