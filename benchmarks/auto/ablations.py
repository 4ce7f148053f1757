"""What each part of the method is good for: the gap without it.

Where ridges or a model of the mean serve a loss they leave nothing to the parts of the steps, so
these are left out of the steps alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import zooadmm as zoo
from benchmarks.auto.figures import Figure, figures, places, ratio
from benchmarks.auto.runs import SAMPLED, automatic_gaps
from benchmarks.auto.study import Job, Plan, Row, Study
from benchmarks.problems import build
from benchmarks.report.text import count, digits, table, times
from zooadmm.methods.auto import PARTS

MODELS = ("ridges", "sampled", "model")
STEPS = "steps"
VARIANTS = {
    "whole": zoo.Auto(),
    **{f"without {p}": zoo.Auto(without=(p,)) for p in MODELS},
    STEPS: zoo.Auto(without=MODELS),
    **{f"{STEPS} without {p}": zoo.Auto(without=(*MODELS, p)) for p in PARTS if p not in MODELS},
}


def run(job: Job) -> list[Row]:
    return automatic_gaps(job, build(job.case), VARIANTS[job.variant])


def jobs(plan: Plan, rows: Sequence[Row]) -> list[Job]:
    return [job for case in SAMPLED for variant in VARIANTS for job in plan.each(case, variant)]


def ablations_table(rows: Sequence[Row]) -> str:
    """Two tables: of the whole method with its spread, and of the steps; without each part."""
    parts = list(VARIANTS)
    split = parts.index(STEPS)
    return "\n\n".join(_table(rows, some) for some in (parts[:split], parts[split:]))


def _table(rows: Sequence[Row], variants: Sequence[str]) -> str:
    """The gap of the first variant with its spread, then those of the others with the ratio."""
    known, lines = figures(rows), []
    for case, budget in places(rows):
        whole = known.get((case, variants[0], budget))
        if whole is not None:
            others = [known.get((case, variant, budget)) for variant in variants[1:]]
            cells = [_cell(part, whole) for part in others]
            lines.append([f"`{case}`", count(budget), str(whole), *cells])
    return table(["problem", "evaluations", *variants], lines)


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
