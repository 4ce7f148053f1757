"""What the library costs beside a bare numpy loop that does the same arithmetic.

Ratios of times measured in one run, interleaved, the median of the rounds. The loss is a sum of
squares on many points at once, cheap on purpose: everything dearer makes the ratio smaller. There
are two bare loops: one as most people would write it, and a lean one that reuses its array of
points and counts its numpy calls.

    python benchmarks/overhead.py [--iterations 3000] [--rounds 7]
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

import zooadmm as zoo

CENTER = 0.3


def loss(points: np.ndarray) -> np.ndarray:
    shifted = points - CENTER
    return np.einsum("pm,pm->p", shifted, shifted)


def bare(m: int, q: int, iterations: int, directions: str) -> np.ndarray:
    """Algorithm 1 with the paper's constants, written down as a loop.

    directions: "sphere", "lean sphere" or "signs".
    """
    generator = np.random.Generator(np.random.Philox(0))
    rho, strength = 10.0, 0.05
    x, y, dual = np.zeros(m), np.zeros(m), np.zeros(m)
    x_mean, y_mean = np.zeros(m), np.zeros(m)
    points = np.empty((q + 1, m))
    for t in range(1, iterations + 1):
        eta, beta = 1 / math.sqrt(m * t), 1 / (m**1.5 * t)
        alpha = rho * eta + 1
        if directions == "sphere":
            z = generator.standard_normal((q, m))
            z *= math.sqrt(m) / np.linalg.norm(z, axis=1, keepdims=True)
        elif directions == "lean sphere":
            z = generator.standard_normal((q, m))
            z *= (math.sqrt(m) / np.sqrt(np.einsum("jm,jm->j", z, z)))[:, None]
        else:
            z = 1.0 - 2.0 * generator.integers(0, 2, size=(q, m), dtype=np.int8)
        if directions == "lean sphere":
            points[0] = x
            np.multiply(z, beta, out=points[1:])
            points[1:] += x
            values = loss(points)
        else:
            values = loss(np.vstack([x, x + beta * z]))
        g = ((values[1:] - values[0]) / beta) @ z / q
        x_mean += (x - x_mean) / t
        y_mean += (y - y_mean) / t
        x = x + eta / alpha * (dual - rho * (x - y) - g)
        v = x - dual / rho
        y = v - np.minimum(np.maximum(v, -strength / rho), strength / rho)
        dual = dual - rho * (x - y)
    return x


def library(
    m: int, q: int, iterations: int, distribution: zoo.Sphere | zoo.Rademacher
) -> np.ndarray:
    """The same run through `minimize`, with the trace recorded at every iteration."""
    return zoo.minimize(
        zoo.Loss(values=loss),
        np.zeros(m),
        regularizer=zoo.L1(0.05),
        gradient=zoo.Smoothed(q, distribution=distribution),
        max_iterations=iterations,
        max_trace_rows=None,
        rng=0,
    ).x_last


def microseconds(job: Callable[[], object], iterations: int) -> float:
    began = time.perf_counter()
    job()
    return (time.perf_counter() - began) / iterations * 1e6


def compare(m: int, q: int, iterations: int, rounds: int) -> dict[str, float]:
    """Microseconds an iteration, the median of interleaved rounds."""
    jobs: dict[str, Callable[[], object]] = {
        "bare sphere": lambda: bare(m, q, iterations, "sphere"),
        "bare sphere, lean": lambda: bare(m, q, iterations, "lean sphere"),
        "zooadmm sphere": lambda: library(m, q, iterations, zoo.Sphere()),
        "bare signs": lambda: bare(m, q, iterations, "signs"),
        "zooadmm Rademacher": lambda: library(m, q, iterations, zoo.Rademacher()),
    }
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            times[name].append(microseconds(job, iterations))
    return {name: statistics.median(values) for name, values in times.items()}


def peak_memory(iterations: int) -> float:
    """Peak bytes allocated by a run of so many iterations with the default trace."""
    tracemalloc.start()
    zoo.minimize(
        zoo.Loss(values=loss),
        np.zeros(50),
        gradient=zoo.Smoothed(1, distribution=zoo.Rademacher()),
        max_iterations=iterations,
        max_trace_rows=100,
        rng=0,
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(peak)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    m, q = 237, 30
    times = compare(m, q, arguments.iterations, arguments.rounds)
    print(f"m = {m}, {q} directions, microseconds an iteration")
    for name, value in times.items():
        print(f"  {name:20s} {value:8.1f}")
    for bare_loop in ("bare sphere", "bare sphere, lean"):
        ratio = times["zooadmm sphere"] / times[bare_loop]
        print(f"{'zooadmm sphere / ' + bare_loop:36s} {ratio:.2f}")
    ratio = times["zooadmm Rademacher"] / times["zooadmm sphere"]
    print(f"{'zooadmm Rademacher / zooadmm sphere':36s} {ratio:.2f}")
    short, long = peak_memory(1000), peak_memory(10_000)
    print(f"peak memory, 10,000 / 1,000 iterations, trace of 100 rows: {long / short:.2f}")


if __name__ == "__main__":
    main()
