"""What it is worth to be told the budget: the same run with and without `max_evaluations`."""

from __future__ import annotations

from collections.abc import Sequence

import zooadmm as zoo
from benchmarks.auto.figures import figures, places, ratio, ratios_summary
from benchmarks.auto.runs import SAMPLED, automatic_gaps, gaps
from benchmarks.auto.study import Job, Plan, Row, Study
from benchmarks.methods.ours import automatic
from benchmarks.problems import build
from benchmarks.report.text import count, digits, table

TOLD, NOT_TOLD = "told", "not told"
ENOUGH = 1.2


def run(job: Job) -> list[Row]:
    problem = build(job.case)
    if job.variant == TOLD:
        return automatic_gaps(job, problem, zoo.Auto())
    return gaps(job, problem, lambda trial: automatic(trial, zoo.Auto(), None))


def jobs(plan: Plan, rows: Sequence[Row]) -> list[Job]:
    return [
        job for case in SAMPLED for job in [*plan.each(case, TOLD), *plan.at_once(case, NOT_TOLD)]
    ]


def budget_table(rows: Sequence[Row]) -> str:
    known, lines, ratios = figures(rows), [], []
    for case, budget in places(rows):
        told, not_told = known.get((case, TOLD, budget)), known.get((case, NOT_TOLD, budget))
        if told is None or not_told is None:
            continue
        ratios.append(ratio(not_told, told))
        lines.append([f"`{case}`", count(budget), str(told), str(not_told), digits(ratios[-1])])
    head = ["problem", "evaluations", "told", "not told", "ratio"]
    return "\n\n".join([table(head, lines), ratios_summary(ratios, ENOUGH)])


STUDY = Study(
    "budget",
    "Without knowing the budget",
    run,
    (jobs,),
    budget_table,
    Plan((10_000, 30_000, 300_000), 5),
)
