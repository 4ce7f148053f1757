"""Times of an iteration: beside bare loops, over m, and how they grow."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

import zooadmm as zoo
from benchmarks.machine import loops
from benchmarks.machine.rows import Row
from zooadmm.oracle.directions import Distribution
from zooadmm.problem.arrays import Matrix

Job = Callable[[], object]

DISTRIBUTIONS: dict[str, Distribution] = {
    "sphere": zoo.paper.Sphere(),
    "Gaussian": zoo.paper.Gaussian(),
    "Rademacher": zoo.paper.Rademacher(),
    "coordinate": zoo.paper.Coordinate(),
    "orthogonal": zoo.paper.Orthogonal(),
}
BARE = {"Rademacher": "signs"}
"""What the bare loop calls it, where that is another name."""
SIZES = (10, 100, 237, 1_000, 10_000, 100_000, 1_000_000)
Q = 30


def interleaved(jobs: Mapping[str, Job], rounds: int) -> dict[str, float]:
    """Seconds that each job takes, the median of interleaved rounds."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            began = time.process_time()
            job()
            times[name].append(time.process_time() - began)
    return {name: statistics.median(values) for name, values in times.items()}


def ratios(iterations: int = 1500, rounds: int = 9) -> list[Row]:
    """m = 237: microseconds an iteration beside both bare loops, and what they come to."""
    m, T = 237, iterations
    jobs: dict[str, Job] = {
        "bare sphere": partial(loops.bare, m, Q, T, "sphere"),
        "lean bare sphere": partial(loops.bare, m, Q, T, "lean sphere"),
        "zooadmm sphere": partial(loops.library, m, Q, T, zoo.paper.Sphere()),
        "bare Rademacher": partial(loops.bare, m, Q, T, "signs"),
        "zooadmm Rademacher": partial(loops.library, m, Q, T, zoo.paper.Rademacher()),
    }
    seconds = interleaved(jobs, rounds)
    rows = [Row(name, s / T * 1e6, "us/iteration", m, Q, 1, T) for name, s in seconds.items()]
    for above, below in (
        ("zooadmm sphere", "bare sphere"),
        ("zooadmm sphere", "lean bare sphere"),
        ("zooadmm Rademacher", "bare Rademacher"),
        ("zooadmm Rademacher", "zooadmm sphere"),
    ):
        ratio = seconds[above] / seconds[below]
        rows.append(Row(f"{above} / {below}", ratio, "ratio", m, Q, 1, T))
    return rows


def over_sizes(sizes: Sequence[int] = SIZES, rounds: int = 3) -> list[Row]:
    """Every distribution at every m: the library's time and its ratio to the lean bare loop."""
    rows = []
    for m in sizes:
        T = max(2, min(800, 6_000_000 // (Q * m)))
        for name, distribution in DISTRIBUTIONS.items():
            jobs: dict[str, Job] = {
                "bare": partial(loops.bare, m, Q, T, f"lean {BARE.get(name, name)}"),
                "library": partial(loops.library, m, Q, T, distribution),
            }
            seconds = interleaved(jobs, rounds if m < 1_000_000 else 1)
            each, ratio = seconds["library"] / T, seconds["library"] / seconds["bare"]
            rows.append(Row("time", each * 1e6, "us/iteration", m, Q, 1, T, name))
            rows.append(Row("library / lean bare loop", ratio, "ratio", m, Q, 1, T, name))
    return rows


def distances(points: Matrix, observations: Matrix) -> Matrix:
    """|x - w|^2 for every point and observation."""
    of_points, of_observations = np.square(points).sum(axis=1), np.square(observations).sum(axis=1)
    values: Matrix = of_points[:, None] + of_observations - 2 * points @ observations.T
    return values


def seconds_for(m: int, q1: int, q2: int, T: int, rounds: int = 5) -> float:
    """The median time of T iterations with observations, Rademacher directions."""
    data = np.random.default_rng(0).normal(size=(2 * q2, m))

    def job() -> None:
        zoo.minimize(
            zoo.Loss(values=distances),
            np.zeros(m),
            observations=data,
            settings="paper",
            gradient=zoo.paper.Smoothed(q1, q2, distribution=zoo.paper.Rademacher()),
            max_iterations=T,
            rng=0,
        )

    return interleaved({"run": job}, rounds)["run"]


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of log time over log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def growth() -> list[Row]:
    """How time grows with m, q1, q2 (of an iteration) and T (of the run), where it is large."""
    m_range, q_range, T_range = (10_000, 30_000, 100_000, 300_000), (64, 128, 256, 512), (50, 800)
    over_m = [seconds_for(m, Q, 1, 4, rounds=3) for m in m_range]
    over_q1 = [seconds_for(1_000, q, 1, 20) for q in q_range]
    over_q2 = [seconds_for(100, Q, 16 * q, 20) for q in q_range]
    over_T = [seconds_for(100, Q, 1, T) for T in T_range]
    return [
        Row("growth with m", exponent(m_range, over_m), "exponent", 0, Q, 1, 4),
        Row("growth with q1", exponent(q_range, over_q1), "exponent", 1_000, 0, 1, 20),
        Row("growth with q2", exponent(q_range, over_q2), "exponent", 100, Q, 0, 20),
        Row("growth with T", exponent(T_range, over_T), "exponent", 100, Q, 1, 0),
    ]
