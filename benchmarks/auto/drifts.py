"""Losses that drift: the regret against the moving minimizer.

Every observation is a tick of time. The regret of an iteration is that of the point x_t it queries
about, averaged over the ticks that it sees; an iteration weighs as much as the evaluations it
costs. The paper's schedule runs with every C1 of the grid, and the best is taken in hindsight.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence

import numpy as np

import zooadmm as zoo
from benchmarks.auto.figures import Figure, figures
from benchmarks.auto.moving import TARGETS, M, Tracking
from benchmarks.auto.study import Job, Plan, Row, Study
from benchmarks.methods.ours import C1_GRID, NUM_DIRECTIONS
from benchmarks.report.text import count, table
from benchmarks.trial import Diverged
from zooadmm.evaluation import InProcess
from zooadmm.methods.schedule import Power

AUTO = {
    "auto": zoo.Auto(),
    **{f"auto horizon={h}": zoo.Auto(horizon=h) for h in (50, 200, 1_000)},
}
PAPER = {f"paper C1={C1:g}": C1 for C1 in C1_GRID}
STILL = "stay at x0"


def optimizer(variant: str, budget: int, seed: int) -> zoo.Optimizer:
    """From 0, without regularizer or domain."""
    if variant in AUTO:
        return zoo.Optimizer(
            np.zeros(M),
            observations=zoo.Time(),
            settings=AUTO[variant],
            max_evaluations=budget,
            rng=seed,
        )
    return zoo.Optimizer(
        np.zeros(M),
        observations=zoo.Time(),
        gradient=zoo.paper.Smoothed(NUM_DIRECTIONS),
        settings="paper",
        step_size=Power(PAPER[variant] / math.sqrt(M), 0.5),
        max_evaluations=budget,
        rng=seed,
    )


def mean_regret(loss: Tracking, run: zoo.Optimizer) -> float:
    """sum_t n_t [F_t(x_t) - F_t(c_t)] / sum_t n_t with n_t the evaluations of iteration t."""
    evaluator, total = InProcess(zoo.Loss(values=loss.values)), 0.0
    while (query := run.ask()) is not None:
        assert query.observations is not None
        total += query.evaluations * loss.regret(run.state.x, query.observations)
        run.tell(query.id, evaluator(query))
    if run.status is zoo.Status.DIVERGED:
        raise Diverged
    return total / run.evaluations


def run(job: Job) -> list[Row]:
    (budget,) = job.budgets
    loss = Tracking(TARGETS[job.case](job.seed), job.seed)
    began, status = time.process_time(), "ran"
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            if job.variant == STILL:
                value = loss.regret(np.zeros(M), range(1, budget // (M + 1) + 1))
            else:
                value = mean_regret(loss, optimizer(job.variant, budget, job.seed))
        except Diverged:
            value, status = math.inf, "diverged"
        except (ArithmeticError, ValueError) as error:
            value, status = math.inf, f"failed: {type(error).__name__}: {error}"[:120]
    seconds = time.process_time() - began
    return [Row(job.case, job.variant, budget, job.seed, value, seconds, status)]


def jobs(plan: Plan, rows: Sequence[Row]) -> list[Job]:
    variants = [*AUTO, *PAPER, STILL]
    return [job for case in TARGETS for variant in variants for job in plan.each(case, variant)]


def drifts_table(rows: Sequence[Row]) -> str:
    known = figures(row for row in rows if row.case in TARGETS)
    lines = []
    for budget in sorted({place[2] for place in known}):
        for variant in [STILL, *AUTO, "paper C1=1"]:
            shown = [known.get((case, variant, budget)) for case in TARGETS]
            lines.append([variant, count(budget), *("" if f is None else str(f) for f in shown)])
        best = [_in_hindsight(known, case, budget) for case in TARGETS]
        lines.append(["paper, best C1 in hindsight", count(budget), *best])
    return table(["", "evaluations", *TARGETS], lines)


def _in_hindsight(known: dict[tuple[str, str, int], Figure], case: str, budget: int) -> str:
    tried = [v for v in PAPER if (case, v, budget) in known]
    if not tried:
        return ""
    best = min(tried, key=lambda variant: known[case, variant, budget].median)
    return f"{known[case, best, budget]}, C1 = {PAPER[best]:g}"


STUDY = Study("drifts", "Losses that drift", run, (jobs,), drifts_table, Plan((60_000,), 5))
