"""The solvers by one protocol: ours first, then what users would otherwise pick.

Peers have their documented defaults and are given the budget; a limit on their own time is the
session's. Difference steps stay as each package has them, noise or not: what is done about noise is
compared in `benchmarks.noise`. Powell's NEWUOA and BOBYQA are NLopt's, COBYLA is scipy's: PDFO,
which has all of his solvers, does not load beside numpy 2.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.optimize

import zooadmm as zoo
from benchmarks.yardstick.oracle import Oracle, Spent
from benchmarks.yardstick.solver import Method, Solver
from benchmarks.yardstick.task import Array, Task

OURS = "zoo"


def bounds(task: Task) -> Any:
    """For scipy; None where there are none."""
    return scipy.optimize.Bounds(task.lower, task.upper) if task.bounded else None


def linear(task: Task) -> Any:
    """For scipy: the rows as one constraint."""
    rows = task.rows
    return [scipy.optimize.LinearConstraint(rows.A, rows.lower, rows.upper)] if len(rows) else []


def zoo_auto(task: Task, f: Oracle, seed: int) -> Array:
    """`scipy_method` with its defaults and an announced budget."""
    found = scipy.optimize.minimize(
        f,
        task.x0,
        method=zoo.scipy_method,
        bounds=bounds(task),
        constraints=linear(task),
        options={"maxfev": f.budget, "rng": seed},
    )
    return np.asarray(found.x)


def zoo_unannounced(task: Task, f: Oracle, seed: int) -> Array | None:
    """The same without the budget: the oracle ends it, and the best point seen counts."""
    found = scipy.optimize.minimize(
        f,
        task.x0,
        method=zoo.scipy_method,
        bounds=bounds(task),
        constraints=linear(task),
        options={"maxiter": 10**9, "rng": seed},
    )
    return np.asarray(found.x)


def cobyqa(task: Task, f: Oracle, seed: int) -> Array:
    import cobyqa as package

    found = package.minimize(
        f,
        task.x0,
        bounds=bounds(task),
        constraints=linear(task),
        options={"maxfev": f.budget, "maxiter": 100 * f.budget},
    )
    return np.asarray(found.x)


def by_nlopt(algorithm: str) -> Method:
    """Powell's NEWUOA or BOBYQA as NLopt has them; the best point seen counts."""

    def method(task: Task, f: Oracle, seed: int) -> None:
        import nlopt

        search = nlopt.opt(getattr(nlopt, algorithm), task.n)
        spent: list[Spent] = []

        def value(x: Array, gradient: Array) -> float:
            try:
                return f(x)
            except Spent as reason:  # NLopt loses an exception now and then
                spent.append(reason)
                search.force_stop()
                return np.inf

        if task.bounded:
            search.set_lower_bounds(task.lower)
            search.set_upper_bounds(task.upper)
        search.set_min_objective(value)
        search.set_xtol_rel(1e-12)
        with contextlib.suppress(nlopt.ForcedStop, nlopt.RoundoffLimited, RuntimeError):
            search.optimize(np.clip(task.x0, task.lower, task.upper))
        if spent:
            raise spent[0]

    return method


def cobyla(task: Task, f: Oracle, seed: int) -> Array:
    """scipy's COBYLA, which is PRIMA's."""
    found = scipy.optimize.minimize(
        f,
        task.x0,
        method="COBYLA",
        bounds=bounds(task),
        constraints=linear(task),
        options={"maxiter": f.budget, "tol": 1e-10},
    )
    return np.asarray(found.x)


def py_bobyqa(task: Task, f: Oracle, seed: int) -> Array:
    import pybobyqa

    np.random.seed(seed)  # noqa: NPY002 - its restarts draw from the global generator
    limits = (np.maximum(task.lower, -1e20), np.minimum(task.upper, 1e20))
    start = task.x0
    largest = 0.1 * max(1.0, float(np.abs(start).max()))
    room = 0.49 * float(np.min(task.upper - task.lower))
    found = pybobyqa.solve(
        f,
        start,
        bounds=limits if task.bounded else None,
        rhobeg=min(largest, room),
        maxfun=f.budget,
        objfun_has_noise=task.noise > 0,
        do_logging=False,
    )
    return np.asarray(start if found.x is None else found.x)


def dfo_ls(task: Task, f: Oracle, seed: int) -> Array:
    import dfols

    np.random.seed(seed)  # noqa: NPY002
    found = dfols.solve(
        f.residuals,
        task.x0,
        maxfun=f.budget,
        objfun_has_noise=task.noise > 0,
        do_logging=False,
    )
    return np.asarray(task.x0 if found.x is None else found.x)


def slsqp(task: Task, f: Oracle, seed: int) -> Array:
    found = scipy.optimize.minimize(
        f,
        task.x0,
        method="SLSQP",
        bounds=bounds(task),
        constraints=linear(task),
        options={"maxiter": f.budget, "ftol": 1e-14},
    )
    return np.asarray(found.x)


def lbfgsb(task: Task, f: Oracle, seed: int) -> Array:
    found = scipy.optimize.minimize(
        f,
        task.x0,
        method="L-BFGS-B",
        bounds=bounds(task),
        options={"maxiter": f.budget, "maxfun": f.budget, "ftol": 1e-15, "gtol": 1e-10},
    )
    return np.asarray(found.x)


def cma_es(task: Task, f: Oracle, seed: int) -> Array:
    """The mean that CMA-ES recommends; its first step is 0.3 of the start's size or the box."""
    import cma

    box = [[v if np.isfinite(v) else None for v in b] for b in (task.lower, task.upper)]
    room = float(np.min(task.upper - task.lower))
    step = 0.3 * max(1.0, float(np.abs(task.x0).max()))
    options = {
        "maxfevals": f.budget,
        "seed": seed + 1,
        "verbose": -9,
        "bounds": box if task.bounded else [None, None],
    }
    inside = np.clip(task.x0, task.lower, task.upper)
    search = cma.CMAEvolutionStrategy(inside, min(step, 0.3 * room), options)
    while not search.stop():
        points = search.ask()
        search.tell(points, [f(x) for x in points])
    return np.asarray(search.result.xbest if task.noise == 0 else search.result.xfavorite)


def mads(
    task: Task, f: Oracle, seed: int, constraint: Callable[[Array], Sequence[float] | Array]
) -> None:
    """NOMAD: quadratic models, constraints c(x) <= 0 by the progressive barrier; best point seen.

    A call of f is counted; the constraints at the same point are free.
    """
    import PyNomad

    signal.setitimer(signal.ITIMER_PROF, 0)  # its callback checks the time
    interrupted: list[bool] = []

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
    lower = task.lower.tolist() if np.isfinite(task.lower).all() else []
    upper = task.upper.tolist() if np.isfinite(task.upper).all() else []
    start = np.clip(task.x0, task.lower, task.upper)
    PyNomad.optimize(answer, start.tolist(), lower, upper, parameters)


def nomad(task: Task, f: Oracle, seed: int) -> None:
    """NOMAD with the rows of the task as constraints."""
    rows = task.rows
    below = [(rows.A[i], rows.upper[i]) for i in np.flatnonzero(np.isfinite(rows.upper))]
    below += [(-rows.A[i], -rows.lower[i]) for i in np.flatnonzero(np.isfinite(rows.lower))]
    mads(task, f, seed, lambda x: [float(a @ x - b) for a, b in below])


SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        Solver(OURS, "zooadmm", zoo_auto, random=True),
        Solver("zoo unannounced", "zooadmm", zoo_unannounced, random=True),
        Solver("newuoa", "nlopt", by_nlopt("LN_NEWUOA"), kinds="u"),
        Solver("bobyqa", "nlopt", by_nlopt("LN_BOBYQA"), kinds="b"),
        Solver("cobyqa", "cobyqa", cobyqa),
        Solver("slsqp", "scipy", slsqp),
        Solver("lbfgsb", "scipy", lbfgsb, kinds="ub"),
        Solver("cma-es", "cma", cma_es, kinds="ub", random=True),
        Solver("py-bobyqa", "Py-BOBYQA", py_bobyqa, kinds="ub", max_n=60, random=True),
        Solver("cobyla", "scipy", cobyla),
        Solver("nomad", "PyNomadBBO", nomad, max_n=50, random=True),
        Solver("dfo-ls", "DFO-LS", dfo_ls, kinds="u", max_n=100, random=True),
    )
}
PEERS = [name for name, solver in SOLVERS.items() if solver.package != "zooadmm"]
