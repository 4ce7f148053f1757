"""The methods that are compared, on the sampled problems of the suite."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np

import zooadmm as zoo
from benchmarks.auto.study import Job, Row
from benchmarks.methods.ours import C1_GRID, automatic, evaluate, optimizer, smoothed
from benchmarks.problem import Problem
from benchmarks.problems import SUITE
from benchmarks.trial import Diverged, Snapshot, Spent, Trial

SAMPLED = [name for name in SUITE if name.endswith("-stochastic") or name.startswith("noisy-")]
"""The problems with samples or noise."""
PENALTIES = (1.0, 10.0, 100.0)
PAPER = {f"paper C1={C1:g} rho={rho:g}": (C1, rho) for C1 in C1_GRID for rho in PENALTIES}
"""The constants of the paper's schedule that are tried in hindsight, by the name of the variant."""


def paper(trial: Trial, C1: float, penalty: float) -> None:
    """eta_t = C1 / sqrt(m t) and the penalty, everything else as printed; the averages."""
    evaluate(trial, optimizer(trial, smoothed(trial.problem), C1, "average", penalty))


def gaps(job: Job, problem: Problem, method: Callable[[Trial], None]) -> list[Row]:
    """The gap at each budget of a job; inf at those that a run did not live to see."""
    trial = Trial(problem, sorted(job.budgets), math.inf, job.seed)
    status = "ran"
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            method(trial)
        except Spent:
            pass
        except Diverged:
            status = "diverged"
        except (ArithmeticError, ValueError) as error:
            status = f"failed: {type(error).__name__}: {error}"[:120].replace("\n", " ")
        trial.close()
        return [_row(job, problem, snapshot, status) for snapshot in trial.snapshots]


def _row(job: Job, problem: Problem, snapshot: Snapshot, status: str) -> Row:
    status = "ran" if snapshot.reached else status
    there = status == "ran" and bool(np.isfinite(snapshot.x).all())
    gap = problem.gap(snapshot.x) if there else math.inf
    return Row(
        job.case,
        job.variant,
        snapshot.evaluations,
        job.seed,
        gap if math.isfinite(gap) else math.inf,
        snapshot.seconds,
        status,
    )


def automatic_gaps(job: Job, problem: Problem, settings: zoo.Auto) -> list[Row]:
    """The same for the method without knobs, told its budget, which is the only one of the job."""
    (budget,) = job.budgets
    return gaps(job, problem, lambda trial: automatic(trial, settings, budget))
