"""The method without knobs against the paper's schedule with constants chosen in hindsight.

The whole grid of step constants and penalties runs on one seed; the schedule does not depend on the
budget, so one run gives the gaps at all of them. The pair that is best at a budget runs again on
the seeds that the automatic method has. The automatic method is told its budget and runs for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import zooadmm as zoo
from benchmarks.auto.figures import figure, figures, places, ratio, ratios_summary
from benchmarks.auto.runs import PAPER, SAMPLED, automatic_gaps, gaps, paper
from benchmarks.auto.study import FIRST_SEED, Job, Plan, Row, Study
from benchmarks.methods.ours import C1_GRID
from benchmarks.problems import build
from benchmarks.report.text import count, digits, table
from benchmarks.scaling import SCALES

CASES = [*SAMPLED, *(f"lasso-stochastic@{scale}" for scale in SCALES)]
GRID_SEED = FIRST_SEED - 1
ENOUGH = 1.2
AUTO = "auto"


def run(job: Job) -> list[Row]:
    problem = build(job.case)
    if job.variant == AUTO:
        return automatic_gaps(job, problem, zoo.Auto())
    return gaps(job, problem, lambda trial: paper(trial, *PAPER[job.variant]))


def first(plan: Plan, rows: Sequence[Row]) -> list[Job]:
    """The automatic method, and the grid on its one seed."""
    auto = [job for case in CASES for job in plan.each(case, AUTO)]
    grid = [Job(case, name, plan.budgets, GRID_SEED) for case in CASES for name in PAPER]
    return auto + grid


def second(plan: Plan, rows: Sequence[Row]) -> list[Job]:
    """The best of each grid on all seeds, to the budgets that it is the best for."""
    wins: dict[tuple[str, str], list[int]] = defaultdict(list)
    for (case, budget), variant in best(rows).items():
        if budget in plan.budgets:
            wins[case, variant].append(budget)
    return [
        Job(case, variant, tuple(sorted(budgets)), seed)
        for (case, variant), budgets in wins.items()
        for seed in plan.seeds
    ]


def best(rows: Sequence[Row]) -> dict[tuple[str, int], str]:
    """By (case, budget): the variant with the least gap on the seed of the grid."""
    least: dict[tuple[str, int], Row] = {}
    for row in rows:
        place = row.case, row.evaluations
        if row.seed == GRID_SEED and (place not in least or row.value < least[place].value):
            least[place] = row
    return {place: row.variant for place, row in least.items()}


def hindsight_table(rows: Sequence[Row]) -> str:
    chosen, fresh = best(rows), [row for row in rows if row.seed != GRID_SEED]
    known = figures(fresh)
    lines, ratios = [], []
    for case, budget in places(fresh):
        ours = known.get((case, AUTO, budget))
        theirs = known.get((case, chosen.get((case, budget), ""), budget))
        if ours is None or theirs is None:
            continue
        ratios.append(ratio(ours, theirs))
        C1, rho = PAPER[chosen[case, budget]]
        edge = "*" if C1 in (C1_GRID[0], C1_GRID[-1]) else ""
        constants = f"{C1:g}{edge}, {rho:g}"
        cells = [f"`{case}`", count(budget), str(ours), str(theirs), constants, digits(ratios[-1])]
        lines.append(cells)
    head = ["problem", "evaluations", "auto", "paper in hindsight", "C1, rho", "ratio"]
    return "\n\n".join([table(head, lines), ratios_summary(ratios, ENOUGH), _lost(fresh)])


def _lost(rows: Sequence[Row]) -> str:
    """How often the automatic method diverged, failed, or ended above its start."""
    ours = [row for row in rows if row.variant == AUTO]
    if not ours:
        return ""
    ended = sum(row.status != "ran" for row in ours)
    above = sum(not row.value <= 1.0 for row in ours)
    worst = digits(figure([row.value for row in ours]).largest)
    return (
        f"Of {len(ours)} runs of auto {ended} diverged or failed, {above} ended above the start; "
        f"the largest gap is {worst}. A star marks a C1 at the edge of its grid."
    )


STUDY = Study(
    "hindsight",
    "Against constants chosen in hindsight",
    run,
    (first, second),
    hindsight_table,
    Plan((10_000, 30_000, 300_000), 5),
)
