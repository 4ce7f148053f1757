"""What the method itself costs: processor time for an evaluation, and memory at its peak.

Time at m = 237 on squares of random measurements, many points at once, which is cheap on purpose.
Memory at m = 10^6 with a loss that is called point by point, in vectors of length m: all that is
held at the peak of an iteration but x0.
"""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Sequence

import numpy as np

import zooadmm as zoo
from benchmarks.auto.figures import figures, places
from benchmarks.auto.study import Job, Plan, Row, Study
from benchmarks.machine.memory import squares
from benchmarks.report.text import count, digits, table
from zooadmm.losses import Squares
from zooadmm.methods.choice import Settings

TIME, MEMORY = "microseconds an evaluation, m = 237", "vectors, m = 10^6"
VARIANTS: dict[str, Settings] = {"auto": "auto", "paper": "paper"}
TIMED_M, NUM_OBSERVATIONS, LARGE_M = 237, 1_000, 1_000_000
FEW = 300
"""Evaluations that memory is watched for."""


def microseconds(settings: Settings, evaluations: int, seed: int) -> float:
    """Of processor time an evaluation, the cheap loss included."""
    generator = np.random.default_rng(2018)
    features = generator.standard_normal((NUM_OBSERVATIONS, TIMED_M)) / math.sqrt(TIMED_M)
    loss = Squares(features, generator.standard_normal(NUM_OBSERVATIONS))
    began = time.process_time()
    result = zoo.minimize(
        zoo.Loss(values=loss.values),
        np.zeros(TIMED_M),
        regularizer=zoo.L1(0.05),
        observations=loss.observations,
        settings=settings,
        max_evaluations=evaluations,
        rng=seed,
    )
    if result.status is not zoo.Status.MAX_EVALUATIONS:
        raise ArithmeticError(f"the run to be timed ended early: {result.message}")
    return (time.process_time() - began) / result.nfev * 1e6


def vectors(settings: Settings, m: int, evaluations: int, seed: int) -> float:
    """At the peak, of length m."""
    x0, highest = np.full(m, 1e-3), 0

    def watch(info: zoo.run.Info) -> None:
        nonlocal highest
        highest = max(highest, tracemalloc.get_traced_memory()[1])

    tracemalloc.start()
    zoo.minimize(
        squares,
        x0,
        regularizer=zoo.L1(0.05),
        settings=settings,
        max_evaluations=evaluations,
        callback=watch,
        rng=seed,
    )
    tracemalloc.stop()
    return highest / x0.nbytes


def run(job: Job) -> list[Row]:
    (evaluations,), settings = job.budgets, VARIANTS[job.variant]
    began = time.process_time()
    if job.case == TIME:
        microseconds(settings, FEW, job.seed)  # what is prepared at first use is not counted
        value = microseconds(settings, evaluations, job.seed)
    else:
        value = vectors(settings, LARGE_M, evaluations, job.seed)
    seconds = time.process_time() - began
    return [Row(job.case, job.variant, evaluations, job.seed, value, seconds)]


def jobs(plan: Plan, rows: Sequence[Row]) -> list[Job]:
    few = min(FEW, plan.budgets[0])
    timed = [job for variant in VARIANTS for job in plan.each(TIME, variant)]
    return timed + [Job(MEMORY, variant, (few,), plan.seeds[0]) for variant in VARIANTS]


def cost_table(rows: Sequence[Row]) -> str:
    known, lines = figures(rows), []
    for case, budget in places(rows):
        auto, paper = known.get((case, "auto", budget)), known.get((case, "paper", budget))
        if auto is not None and paper is not None:
            quotient = digits(auto.median / paper.median)
            lines.append([case, count(budget), str(auto), str(paper), quotient])
    return table(["", "evaluations", "auto", "paper", "auto / paper"], lines)


STUDY = Study("cost", "What it costs by itself", run, (jobs,), cost_table, Plan((100_000,), 5))
