"""Losses without noise: how many evaluations it takes to a gap of 1e-6, beside the rivals.

Rivals run with the constant that was best in hindsight in the suite. "auto, each" is the method
with every variable in a unit of its own, between 10^-2 and 10^2. What has not arrived after the
budget, or by its time, is at infinity.
"""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections.abc import Sequence

import numpy as np

import zooadmm as zoo
from benchmarks import results
from benchmarks.auto import proximal_bfgs
from benchmarks.auto.figures import figures
from benchmarks.auto.study import Job, Plan, Row, Study
from benchmarks.auto.units import drawn_units, each_in_its_unit
from benchmarks.methods import METHODS
from benchmarks.methods.ours import automatic
from benchmarks.problem import Problem
from benchmarks.problems import FULL, build
from benchmarks.report.text import count, digits, table
from benchmarks.trial import Diverged, Spent, Trial

AUTO, EACH, BFGS = "auto", "auto, each", "proximal-bfgs-fd"
RIVALS = ("fista-fd", "scipy-slsqp", "scipy-lbfgsb", "scipy-cobyqa", "nlopt-newuoa", "nlopt-bobyqa")
UNSTRUCTURED = ("quadratic-1", "quadratic-1e2", "quadratic-1e4")
"""Bounds only."""

CASES = tuple(name for name in FULL if name != "large")
IN_UNITS = ("lasso", "cox-kirc-0.5", "cox-kirc-0.2", "cox-kirc-0.05", "quadratic-1e2")
GAP = 1e-6
FINER = 1.01
"""Arrival is looked at at numbers of evaluations so many times apart."""
MAX_SECONDS = 20.0
FORWARD_STEP = 1e-8


def checkpoints(budget: int) -> list[int]:
    count = math.ceil(math.log(budget / 100) / math.log(FINER))
    return sorted({*(round(100 * FINER**k) for k in range(count)), budget})


def run(job: Job) -> list[Row]:
    (budget,) = job.budgets
    problem = build(job.case)
    if job.variant == EACH:
        problem = each_in_its_unit(problem, drawn_units(problem.m))
    trial = Race(problem, checkpoints(budget), MAX_SECONDS, job.seed)
    with (
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
        contextlib.suppress(Spent, Diverged),
    ):
        warnings.simplefilter("ignore")
        _run(trial, problem, job)
        trial.close()
    own = trial.own_seconds / max(trial.evaluations, 1)
    status = "out of time" if trial.capped else "ran"
    return [Row(job.case, job.variant, budget, job.seed, trial.arrived, own, status)]


class Race(Trial):
    """A trial that ends at the first checkpoint with a gap of at most GAP."""

    arrived = math.inf

    def _snapshot(self, checkpoint: int, reached: bool) -> None:
        super()._snapshot(checkpoint, reached)
        began = time.thread_time()
        there = self.problem.gap(self.snapshots[-1].x) <= GAP
        self._refereeing += time.thread_time() - began
        if there:
            self.arrived = float(checkpoint if reached else self.evaluations)
            raise Spent


def _run(trial: Trial, problem: Problem, job: Job) -> None:
    if job.variant in (AUTO, EACH):
        automatic(trial, zoo.Auto(), trial.budget)
    elif job.variant == BFGS:
        proximal_bfgs.run(trial, FORWARD_STEP)
    else:
        METHODS[job.variant].run(trial, _constant(job.case, job.variant))


def _constant(case: str, method: str) -> float:
    """The constant that the suite's runs of a method had."""
    path = results.path_of(case)
    rows = results.read(path) if path.exists() else []
    known = [row.constant for row in rows if row.method == method and row.stage == "full"]
    return known[0] if known else METHODS[method].grid(build(case))[0]


def jobs(plan: Plan, rows: Sequence[Row]) -> list[Job]:
    ours = [job for case in CASES for job in plan.each(case, AUTO)]
    units = [job for case in IN_UNITS for job in plan.each(case, EACH)]
    once = Plan(plan.budgets, 1)  # these have no randomness
    theirs = [
        job
        for case in CASES
        for rival in (*RIVALS, BFGS)
        if rival == BFGS or _fits(rival, case)
        for job in once.each(case, rival)
    ]
    return ours + units + theirs


def _fits(rival: str, case: str) -> bool:
    """Whether a rival can be given a problem; one whose data is missing says so when it is run."""
    try:
        return not METHODS[rival].unfit(build(case))
    except FileNotFoundError:
        return True


def exact_table(rows: Sequence[Row]) -> str:
    known = figures(rows)
    budget = max(row.evaluations for row in rows)
    lines = []
    for case in CASES:
        ours = known.get((case, AUTO, budget))
        if ours is None:
            continue
        theirs = {
            rival: known[case, rival, budget].median
            for rival in (*RIVALS, BFGS)
            if (case, rival, budget) in known
        }
        best = min(theirs, key=lambda rival: theirs[rival]) if theirs else ""
        least = theirs.get(best, math.inf)
        each = known.get((case, EACH, budget))
        own = [row.seconds for row in rows if (row.case, row.variant) == (case, AUTO)]
        lines.append(
            [
                f"`{case}`",
                _count(ours.median),
                f"`{best}`" if math.isfinite(least) else "none",
                _count(least),
                digits(ours.median / least) if math.isfinite(ours.median + least) else "",
                "" if each is None else digits(each.median / ours.median),
                digits(1e3 * float(np.median(own))),
            ]
        )
    head = ["problem", "auto", "best rival", "its evaluations", "auto / rival", "in units", "ms"]
    return "\n\n".join(
        [
            table(head, lines),
            f"Evaluations to a gap of {GAP:g}, {count(budget)} at most; in units: with a unit for "
            "each variable over without; ms: the method's own processor time an evaluation.",
        ]
    )


def _count(evaluations: float) -> str:
    return count(int(evaluations)) if math.isfinite(evaluations) else "not reached"


STUDY = Study("exact", "Losses without noise", run, (jobs,), exact_table, Plan((30_000,), 3))
