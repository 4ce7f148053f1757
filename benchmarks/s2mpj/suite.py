"""The cells of this benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.s2mpj.features import feasible_start, featured
from benchmarks.s2mpj.selection import Job, full_jobs, judged_jobs, quick_jobs
from benchmarks.yardstick.peers import OURS, SOLVERS
from benchmarks.yardstick.profiles import TAUS
from benchmarks.yardstick.runs import Run
from benchmarks.yardstick.session import Cell, solve
from benchmarks.yardstick.sources import made_with
from benchmarks.yardstick.suite import Suite

FOLDER = Path(__file__).parent
SECONDS, QUICK_PEER_SECONDS = 60.0, 4.0
"""Of a solver's own time; ours has the same in both forms, so that counts decide."""


def cells(quick: bool, solvers: Iterable[str]) -> list[Cell]:
    """Solvers on their problems, in the order of the solvers."""
    return [
        _cell(job, name, QUICK_PEER_SECONDS if quick and name != OURS else SECONDS)
        for name in solvers
        for job in (quick_jobs() if quick else full_jobs(name))
    ]


def judged(solvers: Iterable[str]) -> list[Cell]:
    jobs = judged_jobs()
    return [_cell(job, name, SECONDS) for name in solvers for job in jobs]


def _cell(job: Job, name: str, max_seconds: float) -> Cell:
    solver = SOLVERS[name]
    about = Run(
        problem=job.problem,
        feature=job.feature,
        group=job.group,
        n=job.n,
        solver=name,
        seed=job.seed,
        budget=job.budget,
        source=made_with(solver.package, FOLDER, f"{max_seconds}"),
    )

    def make(run: Run) -> Run:
        task = featured(job.problem, job.feature, job.seed)
        start = task.truth(feasible_start(task)) if task.truth else np.nan
        return solve(replace(run, start=float(start)), task, solver, max_seconds)

    return Cell(about, make)


SUITE = Suite(
    name="s2mpj",
    cells=cells,
    solvers=tuple(name for name in SOLVERS if name != "dfo-ls"),
    quick_peers=("slsqp", "lbfgsb", "newuoa", "bobyqa", "cobyqa", "cma-es"),
    targets=TAUS,
    quick_seconds=QUICK_PEER_SECONDS,
    full_seconds=SECONDS,
    judged=judged,
)
