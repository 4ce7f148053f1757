"""The measurements: round trips, throughput, memory."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

import zooadmm as zoo
from benchmarks.engines import model
from benchmarks.engines.clusters import NAMES, Make, engines
from benchmarks.engines.rows import Row
from benchmarks.machine.memory import peaks
from zooadmm.evaluation import InProcess
from zooadmm.oracle.queries import Answer, DifferenceQuery, Query
from zooadmm.problem.arrays import Vector

Q = 29
"""Directions, so that an iteration has 30 evaluations."""

SIZES = (1_000, 1_000_000)
PAUSE, Q_SLEEPING = 0.05, 31


def trivial(x: Vector) -> float:
    return float(x[0])


def sleeping(x: Vector) -> float:
    time.sleep(PAUSE)
    return float(x[0])


def query_of(m: int, t: int, q: int = Q) -> DifferenceQuery:
    source = zoo.paper.Smoothed(q, distribution=zoo.paper.Rademacher())
    return source.query(t, np.full(m, 0.5), 1e-3, (1, 2), None, zoo.sets.WholeSpace())


def median_ms(evaluate: Callable[[Query], Answer], m: int, rounds: int, q: int = Q) -> float:
    """From the moment a query is there to the moment its answer is; the first two warm up."""
    times = []
    for t in range(1, rounds + 3):
        query = query_of(m, t, q)
        began = time.perf_counter()
        evaluate(query)
        times.append(time.perf_counter() - began)
    return 1e3 * statistics.median(times[2:])


def round_trips(name: str, make: Make, rounds: int) -> list[Row]:
    """What an iteration with a trivial loss takes, on one worker and on two."""
    rows = []
    for workers in (1, 2):
        began = time.perf_counter()
        with make(workers).evaluator(trivial) as evaluate:
            evaluate(query_of(10, 1))
            rows.append(Row("first answer", name, time.perf_counter() - began, "s", 10, workers))
            for m in SIZES:
                took = median_ms(evaluate, m, rounds if m < 10**5 else max(5, rounds // 4))
                rows.append(Row("iteration", name, took, "ms", m, workers))
    return rows


def throughput(name: str, make: Make, rounds: int) -> list[Row]:
    """A loss that sleeps: what two workers are worth."""
    took = {}
    for workers in (1, 2):
        with make(workers).evaluator(sleeping) as evaluate:
            took[workers] = median_ms(evaluate, 100, rounds, Q_SLEEPING)
    return [
        Row("sleeping", name, took[1], "ms", 100, 1),
        Row("sleeping", name, took[2], "ms", 100, 2),
        Row("throughput of two over one", name, took[1] / took[2], "ratio", 100, 2),
    ]


def in_process(rounds: int) -> list[Row]:
    took = {m: median_ms(InProcess(trivial), m, rounds if m < 10**5 else 5) for m in SIZES}
    return [Row("iteration", "in process", took[m], "ms", m, 0) for m in SIZES]


def of_engine(name: str, rounds: int = 40) -> list[Row]:
    with engines(name) as (make, started):
        start = [Row("cluster started", name, started, "s", 0, 2)] if started else []
        return [*start, *round_trips(name, make, rounds), *throughput(name, make, 3)]


def memory(m: int = 10**7, q: int = 30) -> list[Row]:
    """Vectors of length m beyond the state, at the driver, for a loss called point by point."""
    found = []
    for workers in (0, 2):
        iterating, _ = peaks(m, q, zoo.paper.Rademacher(), T=2, workers=workers or None)
        name = "processes" if workers else "in process"
        found.append(Row("memory of an iteration", name, iterating, "vectors", m, workers))
    return found


def everything() -> list[Row]:
    rows = in_process(40)
    for name in NAMES:
        rows += of_engine(name)
    return rows + memory() + model.rows()
