"""The cells of this benchmark: methods of `benchmarks.methods` on the generators.

A run is compared at checkpoints, by F at the feasible point nearest to what the method would answer
there; behind a drift by F_k - F*_k, the loss and its optimum as they are then. There ours has
`settings="follow"`, as its pages say. A peer with a free constant is given the best of its grid in
hindsight. The reference, where there is one, stands as a row of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

import zooadmm as zoo
from benchmarks.methods import METHODS
from benchmarks.methods.ours import automatic, evaluate
from benchmarks.problem import Array, Problem
from benchmarks.structured.drift import Drifting, least, still
from benchmarks.structured.plan import Job, full_jobs, judged_jobs, quick_jobs
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
    found = []
    for name in solvers:
        short = quick and name not in (ANNOUNCED, UNANNOUNCED)
        seconds = QUICK_PEER_SECONDS if short else SECONDS
        found += [_cell(job, name, seconds) for job in (quick_jobs() if quick else full_jobs(name))]
    return found


def judged(solvers: Iterable[str]) -> list[Cell]:
    return [_cell(job, name, SECONDS) for name in solvers for job in judged_jobs(name)]


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


Score = Callable[[int, Array], float]
"""score(count, x): what x is worth as an answer after so many evaluations; lower is better."""


def _made(about: Run, job: Job, max_seconds: float) -> Run:
    problem = build(job.problem)
    score = _score(problem, job)
    about = replace(about, start=score(0, problem.x0), violation=0.0)
    if about.solver == REFERENCE:
        best = 0.0 if isinstance(problem.loss, Drifting) else optimum(job.problem)
        if math.isinf(best):
            return replace(about, status="unfit: no optimum known")
        return replace(about, status="ended", answer=best, history=as_text([(about.budget, best)]))
    if about.solver in (ANNOUNCED, UNANNOUNCED):
        planned = about.budget if about.solver == ANNOUNCED else None
        return _run(about, problem, job, max_seconds, score, lambda t: _ours(t, planned))
    method = METHODS[about.solver]
    if reason := method.unfit(problem):
        return replace(about, status=f"unfit: {reason}")
    tried = [
        _run(about, build(job.problem), job, max_seconds, score, lambda t, c=c: method.run(t, c))  # type: ignore[misc]
        for c in method.grid(problem)
    ]
    return min(tried, key=lambda run: (math.isnan(run.answer), run.answer))


def _score(problem: Problem, job: Job) -> Score:
    """F at the feasible point nearest to x; behind a drift, its gap at that moment."""
    if not isinstance(problem.loss, Drifting):
        return lambda count, x: _objective(problem, x)
    optima = {count: least(problem, count) for count in (0, *job.checkpoints)}
    return lambda count, x: _objective(still(problem, count), x) - optima[count]


def _ours(trial: Trial, planned: int | None) -> None:
    """The default method, or the one for losses that drift."""
    problem = trial.problem
    if not isinstance(problem.loss, Drifting):
        automatic(trial, zoo.Auto(), planned)
        return
    run = zoo.Optimizer(
        problem.x0,
        regularizer=problem.regularizer,
        domain=problem.domain,
        constraint=problem.constraint,
        observations=zoo.Time(),
        settings="follow",
        complete=problem.complete,
        max_evaluations=planned,
        rng=trial.seed,
    )
    evaluate(trial, run)


def _run(
    about: Run,
    problem: Problem,
    job: Job,
    max_seconds: float,
    score: Score,
    method: Callable[[Trial], None],
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
    found = [(shot.evaluations, score(shot.evaluations, shot.x)) for shot in trial.snapshots]
    return replace(
        about,
        used=used,
        seconds=round(seconds, 3),
        status=status,
        answer=found[-1][1],
        violation=0.0,  # of the feasible point nearest to the answer
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
    judged=judged,
)
