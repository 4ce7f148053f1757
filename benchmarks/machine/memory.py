"""Memory: how many vectors an iteration needs, and how near the directions come to its speed.

Both at m = 10^6 with 30 directions, where a loss is called point by point.
"""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc

import numpy as np

import zooadmm as zoo
from benchmarks.machine.rows import Row
from benchmarks.machine.timing import DISTRIBUTIONS
from zooadmm.oracle.directions import Distribution
from zooadmm.oracle.queries import DifferenceQuery
from zooadmm.problem.arrays import Vector

STATE = 5
"""x, y, the dual and the two sums."""


def squares(x: Vector) -> float:
    """A loss without temporaries of its own."""
    return float(x @ x)


def peaks(
    m: int, q: int, distribution: Distribution, T: int = 2, workers: int | None = None
) -> tuple[float, float]:
    """Vectors of length m beyond the state: while it iterates, and with the result.

    With workers what this process holds, without the one vector that it shares with them.
    What the user holds, x0 and the point in hand, is not counted but where the library made it.
    """
    x0, highest = np.full(m, 1e-3), 0

    def watch(info: zoo.run.Info) -> None:
        nonlocal highest
        highest = max(highest, tracemalloc.get_traced_memory()[1])

    gc.collect()
    tracemalloc.start()
    zoo.minimize(
        squares,
        x0,
        regularizer=zoo.L1(0.05),
        settings="paper",
        gradient=zoo.paper.Smoothed(q, distribution=distribution),
        max_iterations=T,
        callback=watch,
        rng=0,
        workers=workers,
    )
    with_result = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return highest / x0.nbytes - STATE, with_result / x0.nbytes - STATE


def vectors(m: int = 1_000_000, q: int = 30) -> list[Row]:
    """The peaks for every distribution."""
    rows = []
    for name, distribution in DISTRIBUTIONS.items():
        iterating, with_result = peaks(m, q, distribution)
        rows.append(Row("memory of an iteration", iterating, "vectors", m, q, 1, 2, name))
        rows.append(Row("memory with the result", with_result, "vectors", m, q, 1, 2, name))
    return rows


def seconds_of_directions(query: DifferenceQuery, source: zoo.paper.Smoothed) -> float:
    """Make every point x + beta z_j, and add every slope_j z_j to a gradient."""
    answer = np.arange(float(query.evaluations))
    began = time.process_time()
    for _ in query:
        pass
    source.gradient(query, answer)
    return time.process_time() - began


def seconds_of_traffic(x: Vector, q: int) -> float:
    """What that cannot avoid: q points written from x, and q vectors added to a gradient."""
    point, g = np.zeros_like(x), np.zeros_like(x)
    began = time.process_time()
    for _ in range(q):
        np.copyto(point, x)
    for _ in range(q):
        g += x
    return time.process_time() - began


def query_at(x: Vector, source: zoo.paper.Smoothed) -> DifferenceQuery:
    return source.query(1, x, 1e-3, (1, 2), None, zoo.sets.WholeSpace())


def traffic(m: int = 1_000_000, q: int = 30, rounds: int = 5) -> list[Row]:
    """Time to make and use directions, over the time of the unavoidable traffic."""
    x, rows = np.ones(m), []
    for name in ("Rademacher", "sphere"):
        source = zoo.paper.Smoothed(q, distribution=DISTRIBUTIONS[name])
        query = query_at(x, source)
        times = [
            (seconds_of_directions(query, source), seconds_of_traffic(x, q)) for _ in range(rounds)
        ]
        made, least = (statistics.median(column) for column in zip(*times, strict=True))
        rows.append(Row("directions / traffic", made / least, "ratio", m, q, 1, 1, name))
        rows.append(Row("directions", made / (q * m) * 1e9, "ns/entry", m, q, 1, 1, name))
        rows.append(Row("traffic", least / (q * m) * 1e9, "ns/entry", m, q, 1, 1, name))
    return rows
