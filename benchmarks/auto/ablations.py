"""What each part of the method is good for: the gap without it."""

from __future__ import annotations

from collections.abc import Sequence

import zooadmm as zoo
from benchmarks.auto.figures import Figure, figures, places, ratio
from benchmarks.auto.runs import SAMPLED, automatic_gaps
from benchmarks.auto.study import Job, Plan, Row, Study
from benchmarks.problems import build
from benchmarks.report.text import count, digits, table, times
from zooadmm.auto import PARTS

VARIANTS = {"whole": zoo.Auto(), **{f"without {p}": zoo.Auto(without=(p,)) for p in PARTS}}


def run(job: Job) -> list[Row]:
    return automatic_gaps(job, build(job.case), VARIANTS[job.variant])


def jobs(plan: Plan, rows: Sequence[Row]) -> list[Job]:
    return [job for case in SAMPLED for variant in VARIANTS for job in plan.each(case, variant)]


def ablations_table(rows: Sequence[Row]) -> str:
    """The gap of the whole method with its spread, then without each part, with the ratio."""
    known, lines = figures(rows), []
    for case, budget in places(rows):
        whole = known.get((case, "whole", budget))
        if whole is not None:
            parts = [known.get((case, variant, budget)) for variant in list(VARIANTS)[1:]]
            cells = [_cell(part, whole) for part in parts]
            lines.append([f"`{case}`", count(budget), str(whole), *cells])
    return table(["problem", "evaluations", *VARIANTS], lines)


def _cell(part: Figure | None, whole: Figure) -> str:
    if part is None:
        return ""
    return f"{digits(part.median)} ({times(ratio(part, whole))})"


STUDY = Study(
    "ablations",
    "With parts left out",
    run,
    (jobs,),
    ablations_table,
    Plan((30_000, 300_000), 3),
)
