"""What becomes of the budget while Algorithm 1 runs: y'_t = x_t, and 1'x_t is not m0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import zooadmm as zoo
from zooadmm.applications.baselines import second_order
from zooadmm.losses import LogDeterminant
from zooadmm_reproduction.exhibits import FIRST_ORDER, ZOO
from zooadmm_reproduction.rows import Row, short
from zooadmm_reproduction.sensors.selecting import PROVEN, field, row, run_rng
from zooadmm_reproduction.sensors.task import DIRECTIONS, Task, online

MARKS = 60
"""Iterations that are recorded, evenly on a logarithmic axis."""


def course(seed: int, trial: int, m: int, T: int, budget: int) -> list[Row]:
    """Along the iterations: over = 1'x_t - m0, and above = f(x_t) - f*, below 0 where x_t cheats.

    f is the mean over all samples, f* its minimum over the feasible weights.
    """
    vectors = field(seed, trial, m, T)
    task = Task(vectors, LogDeterminant(vectors), budget)
    best = task.value(second_order(vectors, budget, PROVEN))
    marks = {int(t) for t in np.geomspace(1, T, MARKS)}
    rows: list[Row] = []
    for method, gradient in (
        (ZOO, zoo.paper.Smoothed(DIRECTIONS)),
        (FIRST_ORDER, zoo.paper.Exact()),
    ):
        rng = run_rng(seed, trial, m, budget)
        online(task, gradient, T, rng, _noting(rows, task, best, marks, (trial, method)))
    return rows


def _noting(
    rows: list[Row], task: Task, best: float, marks: set[int], run: tuple[int, str]
) -> Callable[[zoo.run.Info], None]:
    def note(info: zoo.run.Info) -> None:
        if info.t in marks:
            x = np.asarray(info.x)
            over, above = float(x.sum()) - task.budget, task.loss(x) - best
            at: Row = {"t": info.t, "over": short(over), "above": short(above)}
            rows.append(row("course", run[0], task.budget, run[1]) | at)

    return note
