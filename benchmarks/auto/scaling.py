"""Whether units matter: the loss times a number, the variables times one, or each times its own."""

from __future__ import annotations

from collections.abc import Sequence

import zooadmm as zoo
from benchmarks.auto.figures import figures, places, ratio, ratios_summary
from benchmarks.auto.runs import automatic_gaps
from benchmarks.auto.study import Job, Plan, Row, Study
from benchmarks.auto.units import drawn_units, each_in_its_unit
from benchmarks.problem import Problem
from benchmarks.problems import build
from benchmarks.report.text import count, digits, table
from benchmarks.scaling import SCALES

CASES = (
    "blending-real-box-stochastic",
    "cox-kirc-0.2-stochastic",
    "lasso-stochastic",
    "noisy-0.001",
    "noisy-0.1",
)
"""The sampled problems with an L1 regularizer or a box."""
OWN, EACH = "own", "each"
VARIANTS = (OWN, *SCALES, EACH)
ENOUGH = 1.5


def in_units(case: str, variant: str) -> Problem:
    """A problem in its own units, in those of a named scale, or each variable in its own."""
    if variant == OWN:
        return build(case)
    if variant == EACH:
        problem = build(case)
        return each_in_its_unit(problem, drawn_units(problem.m))
    return build(f"{case}@{variant}")


def run(job: Job) -> list[Row]:
    return automatic_gaps(job, in_units(job.case, job.variant), zoo.Auto())


def jobs(plan: Plan, rows: Sequence[Row]) -> list[Job]:
    return [job for case in CASES for variant in VARIANTS for job in plan.each(case, variant)]


def scaling_table(rows: Sequence[Row]) -> str:
    known, lines, ratios = figures(rows), [], []
    for case, budget in places(rows):
        own = known.get((case, OWN, budget))
        if own is None:
            continue
        cells = [f"`{case}`", count(budget), str(own)]
        for variant in VARIANTS[1:]:
            other = known.get((case, variant, budget))
            cells.append("" if other is None else digits(ratio(other, own)))
            ratios += [] if other is None else [max(ratio(other, own), ratio(own, other))]
        lines.append(cells)
    head = ["problem", "evaluations", "gap in own units", *(f"ratio, {v}" for v in VARIANTS[1:])]
    either_way = "Ratios taken as at least 1, whichever units did better."
    return "\n\n".join([table(head, lines), f"{either_way} {ratios_summary(ratios, ENOUGH)}"])


STUDY = Study("scaling", "In other units", run, (jobs,), scaling_table, Plan((30_000, 300_000), 5))
