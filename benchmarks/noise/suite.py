"""The cells of this benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from benchmarks.noise.noise_aware import noise_aware_lbfgs
from benchmarks.noise.plan import REFERENCE, Job, full_jobs, judged_jobs, quick_jobs
from benchmarks.noise.problems import SIGMAS, SQUARES, noisy, optimum
from benchmarks.s2mpj.selection import size
from benchmarks.yardstick.peers import OURS, SOLVERS
from benchmarks.yardstick.runs import Run, as_text
from benchmarks.yardstick.session import Cell, solve
from benchmarks.yardstick.solver import Solver
from benchmarks.yardstick.sources import made_with
from benchmarks.yardstick.suite import Suite

FOLDER = Path(__file__).parent
SECONDS, QUICK_PEER_SECONDS = 60.0, 4.0

PUBLIC = (OURS, "newuoa", "cobyla", "cobyqa", "py-bobyqa", "dfo-ls", "slsqp", "cma-es")
EVERY: dict[str, Solver] = {
    **{name: SOLVERS[name] for name in PUBLIC},
    "noise-aware L-BFGS": Solver("noise-aware L-BFGS", "numpy", noise_aware_lbfgs),
}


def cells(quick: bool, solvers: Iterable[str]) -> list[Cell]:
    return [
        _cell(job, name, QUICK_PEER_SECONDS if quick and name != OURS else SECONDS)
        for name in solvers
        for job in (quick_jobs() if quick else full_jobs(name))
    ]


def judged(solvers: Iterable[str]) -> list[Cell]:
    return [_cell(job, name, SECONDS) for name in solvers for job in judged_jobs()]


def _cell(job: Job, name: str, max_seconds: float) -> Cell:
    problem, sigma, seed = job.problem, job.sigma, job.seed
    package = "scipy" if name == REFERENCE else EVERY[name].package
    n = size(problem)
    about = Run(
        problem=problem,
        feature=sigma,
        group="squares" if problem in SQUARES else "smooth",
        n=n,
        solver=name,
        seed=seed,
        budget=job.simplex_gradients * (n + 1),
        source=made_with(package, FOLDER, f"{max_seconds}"),
    )

    def make(run: Run) -> Run:
        task = noisy(problem, SIGMAS[sigma], seed)
        assert task.truth is not None
        run = replace(run, start=task.truth(task.x0))
        if name == REFERENCE:
            least = optimum(problem)
            known = as_text([(run.budget, least)])
            return replace(run, status="ended", answer=least, violation=0.0, history=known)
        if name == "dfo-ls" and task.residuals is None:
            return replace(run, status="unfit: no residuals")
        return solve(run, task, EVERY[name], max_seconds)

    return Cell(about, make)


SUITE = Suite(
    name="noise",
    cells=cells,
    solvers=(OURS, REFERENCE, *(name for name in EVERY if name != OURS)),
    quick_peers=(REFERENCE, "newuoa", "noise-aware L-BFGS", "cobyla", "cobyqa", "dfo-ls"),
    targets=(1e-1, 1e-3, 1e-5),
    quick_seconds=QUICK_PEER_SECONDS,
    full_seconds=SECONDS,
    judged=judged,
)
