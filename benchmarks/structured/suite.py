"""The cells of this benchmark: methods of `benchmarks.methods` on the generators.

A run is compared at checkpoints, by F at the feasible point nearest to what the method would answer
there. A peer with a free constant is given the best of its grid in hindsight. The reference, where
there is one, stands as a row of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

import zooadmm as zoo
from benchmarks.methods import METHODS
from benchmarks.methods.ours import automatic
from benchmarks.problem import Array, Problem
from benchmarks.structured.plan import Job, full_jobs, quick_jobs
from benchmarks.structured.problems import build
from benchmarks.structured.reference import optimum
from benchmarks.trial import Diverged, Spent, Trial
from benchmarks.yardstick.runs import Run, as_text
from benchmarks.yardstick.session import Cell
from benchmarks.yardstick.sources import made_with
from benchmarks.yardstick.suite import Suite

FOLDER = Path(__file__).parent
SECONDS, QUICK_PEER_SECONDS = 60.0, 4.0
"""Of a solver's own time; ours has the same in both forms, so that counts decide."""
ANNOUNCED, UNANNOUNCED, REFERENCE = "zoo", "zoo unannounced", "reference"
PACKAGES = {"scipy": "scipy", "pycma": "cma", "nlopt": "nlopt", "nevergrad": "nevergrad"}


def cells(quick: bool, solvers: Iterable[str]) -> list[Cell]:
    jobs = quick_jobs() if quick else full_jobs()
    found = []
    for name in solvers:
        chosen = [job for job in jobs if name != REFERENCE or job.seed == 0]
        short = quick and name not in (ANNOUNCED, UNANNOUNCED)
        seconds = QUICK_PEER_SECONDS if short else SECONDS
        found += [_cell(job, name, seconds) for job in chosen]
    return found


def _cell(job: Job, name: str, max_seconds: float) -> Cell:
    ours = name in (ANNOUNCED, UNANNOUNCED)
    package = "zooadmm" if ours else PACKAGES.get(name.partition("-")[0], "numpy")
    about = Run(
        problem=job.problem,
        feature=job.regime,
        group=job.group,
        n=job.m,
        solver=name,
        seed=job.seed,
        budget=job.checkpoints[-1],
        source=made_with(package, FOLDER, f"{max_seconds} {job.checkpoints}"),
    )
    return Cell(about, lambda run: _made(run, job, max_seconds))


def _made(about: Run, job: Job, max_seconds: float) -> Run:
    problem = build(job.problem)
    start = problem.objective(problem.nearest(problem.x0))
    about = replace(about, start=start, violation=0.0)
    if about.solver == REFERENCE:
        least = optimum(job.problem)
        if math.isinf(least):
            return replace(about, status="unfit: no optimum known")
        return replace(
            about, status="ended", answer=least, history=as_text([(about.budget, least)])
        )
    if about.solver in (ANNOUNCED, UNANNOUNCED):
        planned = about.budget if about.solver == ANNOUNCED else None
        return _run(about, problem, job, max_seconds, lambda t: automatic(t, zoo.Auto(), planned))
    method = METHODS[about.solver]
    if reason := method.unfit(problem):
        return replace(about, status=f"unfit: {reason}")
    tried = [
        _run(about, problem, job, max_seconds, lambda t, c=c: method.run(t, c))  # type: ignore[misc]
        for c in method.grid(problem)
    ]
    return min(tried, key=lambda run: (math.isnan(run.answer), run.answer))


def _run(
    about: Run, problem: Problem, job: Job, max_seconds: float, method: Callable[[Trial], None]
) -> Run:
    """One run of one method with one constant."""
    trial = Trial(problem, list(job.checkpoints), max_seconds, job.seed)
    status = "ended"
    with np.errstate(all="ignore"):
        try:
            method(trial)
        except Spent:
            status = "out of time" if trial.capped else "budget"
        except Diverged:
            status = "failed: diverged"
        except Exception as error:
            status = f"failed: {type(error).__name__}: {error}"[:120].replace("\n", " ")
    seconds, used = trial.own_seconds, trial.evaluations
    trial.close()
    found = [(shot.evaluations, _objective(problem, shot.x)) for shot in trial.snapshots]
    last = trial.snapshots[-1].x
    return replace(
        about,
        used=used,
        seconds=round(seconds, 3),
        status=status,
        answer=found[-1][1],
        violation=problem.violation(last),
        history=as_text([pair for pair in found if math.isfinite(pair[1])]),
    )


def _objective(problem: Problem, x: Array) -> float:
    return problem.objective(problem.nearest(x)) if np.isfinite(x).all() else math.inf


SUITE = Suite(
    name="structured",
    cells=cells,
    solvers=(ANNOUNCED, UNANNOUNCED, REFERENCE, *(n for n in METHODS if not n.startswith("zoo"))),
    quick_peers=(REFERENCE, "scipy-lbfgsb", "scipy-slsqp", "fista-fd"),
    targets=(1e-1, 1e-2, 1e-4, 1e-6),
    quick_seconds=QUICK_PEER_SECONDS,
    full_seconds=SECONDS,
    ours=(ANNOUNCED, UNANNOUNCED),
)
