"""Neighbors in m: the gap at 30 m evaluations and the own time change by less than three times.

Losses are of one difficulty at every m: a fixed number of steep directions, relevant variables or
rows. A gap is (F - F*) / (F(x0) - F*), gaps below 1e-6 alike. Own time is the processor time of a
run outside the loss, an evaluation; below 0.05 ms, what an iteration in Python takes, times are
alike.
"""

from __future__ import annotations

import itertools
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import zooadmm as zoo
from benchmarks.laws.budgets import Meter
from benchmarks.laws.problems import answer
from benchmarks.problem import Array, NoStructure, Problem
from benchmarks.row_files import append, read, write
from benchmarks.structured.losses import Ridge
from benchmarks.yardstick.sources import library
from zooadmm.losses import Logistic, Squares

ROWS = Path(__file__).parents[1] / "results" / "laws" / "sizes.csv"
SIZES = (10, 14, 20, 28, 40, 57, 80, 113, 160, 200, 226, 320, 453, 640, 905, 1280, 1500, 2120, 3000)
SEEDS = (201, 202, 203, 204, 205)
MULTIPLE = 30
"""Evaluations a variable."""
RESOLVED, TIMED = 1e-6, 0.05
"""The least gap, and the least time in ms, that are told apart."""
CHANGE = 3.0
LIMITS = {200: 1.0, 1500: 5.0}
"""Own time an evaluation at most, in ms."""
STEEP = 60


@dataclass(frozen=True)
class SizeRow:
    """One run: the gap, and own milliseconds an evaluation."""

    loss: str
    m: int
    seed: int
    evaluations: int
    gap: float
    milliseconds: float
    sources: str


Generator = np.random.Generator


def _regression(generator: Generator, m: int) -> tuple[Array, Array]:
    """300 rows and ten variables that matter."""
    A = generator.standard_normal((300, m))
    truth = np.zeros(m)
    truth[generator.permutation(m)[:10]] = generator.choice([-2.0, 2.0], 10)
    return A, A @ truth


def dense(generator: Generator, m: int) -> Problem:
    """Least squares with curvatures 1 to 100 along up to 60 directions and 1 elsewhere."""
    steep = min(m, STEEP)
    U = np.linalg.qr(generator.standard_normal((m, steep)))[0]
    A, to = U * np.sqrt(np.logspace(0.0, 2.0, steep)), generator.standard_normal(m)

    class Bowl:
        observations = np.arange(0)

        def values(self, points: Array, observations: object = None) -> Array:
            z = points - to
            return np.asarray(0.5 * (np.square(z @ A).sum(axis=1) + np.square(z).sum(axis=1)))

        def gradient(self, x: Array, w: object = None) -> Array:
            return np.asarray(A @ (A.T @ (x - to)) + x - to)

    return Problem("dense", Bowl(), np.zeros(m), structure=NoStructure(None), optimum=0.0)


def noisy(generator: Generator, m: int) -> Problem:
    """The same with noise of 1 % of F(x0) - F*."""
    problem = dense(generator, m)
    return problem.with_noise(0.01 * problem.objective(problem.x0))


def sparse(generator: Generator, m: int) -> Problem:
    """Least squares with L1, ten variables of which matter."""
    A, b = _regression(generator, m)
    return _l1(Squares(A, b + generator.standard_normal(300)), m)


def logistic(generator: Generator, m: int) -> Problem:
    """Logistic regression with L1, ten variables of which matter."""
    A, p = _regression(generator, m)
    chance = 1.0 / (1.0 + np.exp(-p))
    return _l1(Logistic(A, np.where(generator.random(300) < chance, 1.0, -1.0)), m)


def _l1(loss: Squares | Logistic, m: int) -> Problem:
    phi = zoo.L1(0.2 * float(np.abs(loss.gradient(np.zeros(m))).max()))
    return Problem("", loss, np.zeros(m), structure=phi, regularizer=phi, complete="x")


def poisson(generator: Generator, m: int) -> Problem:
    """Poisson regression with a ridge penalty: 60 rows, so that all m are as hard."""
    A = generator.standard_normal((STEEP, m)) / math.sqrt(m)
    counts = generator.poisson(np.exp(A @ generator.standard_normal(m))).astype(np.float64)
    phi = zoo.regularizers.SquaredL2(0.01)
    loss = Ridge(A, counts, lambda p, b: np.exp(p) - b * p, lambda p, b: np.exp(p) - b)
    return Problem("", loss, np.zeros(m), structure=phi, regularizer=phi)


def simplex(generator: Generator, m: int) -> Problem:
    """Least squares on the simplex, where ten variables are not zero."""
    A, b = _regression(generator, m)
    domain = zoo.Simplex()
    return Problem(
        "",
        Squares(A, b / 20.0 + 0.1 * generator.standard_normal(300)),
        np.full(m, 1.0 / m),
        structure=NoStructure(domain),
        feasible=domain,
        domain=domain,
    )


LOSSES: dict[str, Callable[[Generator, int], Problem]] = {
    "dense least squares": dense,
    "Poisson, ridge": poisson,
    "sparse least squares": sparse,
    "logistic, L1": logistic,
    "least squares on the simplex": simplex,
    "noisy quadratic": noisy,
}


def measured(loss: str, m: int, seed: int) -> SizeRow:
    problem = LOSSES[loss](np.random.default_rng([seed, m]), m)
    meter, began = Meter(problem, seed), time.thread_time()
    result = answer(problem, MULTIPLE * m, seed, meter.values)
    own = time.thread_time() - began - meter.seconds
    least = problem.optimum if math.isfinite(problem.optimum) else _least(problem)
    found = problem.objective(problem.nearest(result.x))
    start = problem.objective(problem.x0)
    gap = (found - least) / (start - least)
    return SizeRow(loss, m, seed, result.nfev, gap, 1e3 * own / result.nfev, library())


def _least(problem: Problem) -> float:
    """F* by accelerated proximal steps with true gradients."""
    from benchmarks.solve.exact import accelerated

    return problem.objective(accelerated(problem, 1e-9, 5_000))


def medians(rows: Sequence[SizeRow], loss: str) -> dict[int, tuple[float, float]]:
    """m to the median gap and milliseconds."""
    found = {}
    for m in sorted({row.m for row in rows if row.loss == loss}):
        here = [row for row in rows if (row.loss, row.m) == (loss, m)]
        gap = statistics.median(row.gap for row in here)
        found[m] = max(RESOLVED, gap), statistics.median(row.milliseconds for row in here)
    return found


def jumps(rows: Sequence[SizeRow]) -> list[str]:
    """What changes by three times or more between neighbors, and times above their limits."""
    found = []
    for loss in LOSSES:
        known = medians(rows, loss)
        for (m, one), (n, other) in itertools.pairwise(known.items()):
            times = max(TIMED, one[1]), max(TIMED, other[1])
            for what, a, b in (("gap", one[0], other[0]), ("own time", *times)):
                if max(a / b, b / a) >= CHANGE:
                    found.append(f"{loss}: {what} {a:.2g} at m = {m}, {b:.2g} at m = {n}")
        for m, limit in LIMITS.items():
            if m in known and known[m][1] > limit:
                found.append(f"{loss}: {known[m][1]:.2g} ms at m = {m}, limit {limit:g} ms")
    return found


def measure(seeds: Sequence[int], only: str, most: int) -> list[SizeRow]:
    """All rows of the library as it is; those that are missing are made and kept."""
    kept = [row for row in read(ROWS, SizeRow) if row.sources == library()]
    write(ROWS, SizeRow, kept)
    known = {(row.loss, row.m, row.seed) for row in kept}
    for seed, loss, m in itertools.product(seeds, LOSSES, SIZES):
        if (loss, m, seed) not in known and only in loss and m <= most:
            row = measured(loss, m, seed)
            append(ROWS, row)
            kept.append(row)
            print(f"{loss} {m} {seed}: {row.gap:.1e} {row.milliseconds:.2f} ms", flush=True)
    return kept


def report(rows: Sequence[SizeRow]) -> str:
    known = {loss: medians(rows, loss) for loss in LOSSES}
    sizes = sorted({row.m for row in rows})
    lines = [f"| gap, ms | {' | '.join(LOSSES)} |", "|--:|" + "--:|" * len(LOSSES)]
    for m in sizes:
        cells = [
            f"{known[k][m][0]:.1e}, {known[k][m][1]:.2g}" if m in known[k] else "" for k in known
        ]
        lines.append(f"| {m} | {' | '.join(cells)} |")
    seeds = sorted({row.seed for row in rows})
    lines += ["", f"Medians over seeds {', '.join(map(str, seeds))}. Jumps:", *jumps(rows)]
    return "\n".join(lines)
