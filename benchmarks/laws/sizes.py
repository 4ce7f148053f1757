"""Neighbors in m: the gap and the own time of an evaluation change by less than three times.

Losses are of one difficulty at every m: a fixed number of steep directions, relevant variables,
rows or pieces. With constraints the loss is tilted so that a known point is the optimum. A gap is
(F - F*) / (F(x0) - F*), gaps below 1e-6 alike. Own time is the processor time of a run outside the
loss, an evaluation; below 0.05 ms, what an iteration in Python takes, times are alike.

Thirty evaluations a variable up to m = 453, with five seeds up to m = 113 and one above. From 453
on six, with one seed: a run at m = 3,000 with thirty takes minutes. Only runs of one multiple are
compared. A fused lasso, which takes ten times as long as the others, is measured up to 226.
"""

from __future__ import annotations

import itertools
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

import zooadmm as zoo
from benchmarks.laws.budgets import Meter
from benchmarks.laws.problems import answer
from benchmarks.problem import Array, NoStructure, Problem
from benchmarks.row_files import read, write
from benchmarks.structured.losses import Ridge
from benchmarks.yardstick.sources import library
from zooadmm.losses import Logistic, Squares

ROWS = Path(__file__).parents[1] / "results" / "laws" / "sizes.csv"
MULTIPLE, LARGE = 30, 6
"""Evaluations a variable."""
SIZES = {
    MULTIPLE: (10, 14, 20, 28, 40, 57, 80, 113, 160, 200, 226, 320, 453),
    LARGE: (453, 640, 905, 1280, 1500, 2120, 3000),
}
SEEDS = (201, 202, 203, 204, 205)
SEEDED = 113
"""The largest m with all seeds; above it the first one is taken."""
MOST = {"fused lasso": 226}
"""The largest m of a loss whose runs take long."""
RESOLVED, TIMED = 1e-6, 0.05
"""The least gap, and the least time in ms, that are told apart."""
CHANGE = 3.0
LIMITS = {200: 1.0, 1500: 5.0}
"""Own time an evaluation at most, in ms."""
STEEP = 60


@dataclass(frozen=True)
class SizeRow:
    """One run: the gap, and own milliseconds an evaluation.

    multiple: the budget in evaluations a variable.
    """

    loss: str
    m: int
    seed: int
    multiple: int
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


@dataclass(frozen=True, eq=False)
class Tilted:
    """|R (x - to)|^2 / 2 + <slope, x - to>: with R as in `dense`, so its value at `to` is 0."""

    R: Array
    to: Array
    slope: Array
    observations = np.arange(0)

    def values(self, points: Array, observations: object = None) -> Array:
        z = points - self.to
        curved = np.square(z @ self.R).sum(axis=1) + np.square(z).sum(axis=1)
        return np.asarray(0.5 * curved + z @ self.slope)

    def gradient(self, x: Array, w: object = None) -> Array:
        z = x - self.to
        return np.asarray(self.R @ (self.R.T @ z) + z + self.slope)


def tilted(generator: Generator, m: int, to: Array, slope: Array, condition: float) -> Tilted:
    """Curvatures 1 to `condition` along up to 60 directions and 1 elsewhere."""
    steep = min(m, STEEP)
    U = np.linalg.qr(generator.standard_normal((m, steep)))[0]
    return Tilted(U * np.sqrt(np.logspace(0.0, math.log10(condition), steep)), to, slope)


def dense(generator: Generator, m: int, condition: float = 1e2) -> Problem:
    """Least squares without structure."""
    loss = tilted(generator, m, generator.standard_normal(m), np.zeros(m), condition)
    return Problem("dense", loss, np.zeros(m), structure=NoStructure(None), optimum=0.0)


def steep(generator: Generator, m: int) -> Problem:
    """The same with a condition number of 1e4."""
    return dense(generator, m, 1e4)


def box(generator: Generator, m: int) -> Problem:
    """The same in a box, where a third of the variables end at a bound."""
    to = np.clip(generator.standard_normal(m), -1.0, 1.0)
    slope = -np.where(np.abs(to) == 1.0, to, 0.0) * generator.random(m)
    domain = zoo.Box(-1.0, 1.0)
    return Problem(
        "",
        tilted(generator, m, to, slope, 1e2),
        np.zeros(m),
        structure=NoStructure(domain),
        feasible=domain,
        domain=domain,
        optimum=0.0,
    )


def rows(generator: Generator, m: int) -> Problem:
    """The same within A x <= b: ten rows, five of them at their limits."""
    A, to = generator.standard_normal((10, m)) / math.sqrt(m), generator.standard_normal(m)
    slack = np.where(np.arange(10) < 5, 0.0, 1.0)
    slope = -generator.uniform(1.0, 5.0, 5) @ A[:5]
    limits = np.maximum(A @ to, 0.0) + slack  # so that x0 = 0 is allowed
    to = to + A.T @ np.linalg.solve(A @ A.T, limits - slack - A @ to)
    inequality: Any = zoo.Inequality(A, -np.inf, limits)
    return Problem(
        "",
        tilted(generator, m, to, slope, 1e2),
        np.zeros(m),
        structure=NoStructure(None),
        constraint=inequality,
        optimum=0.0,
    )


def variation(generator: Generator, m: int, fused: bool = False) -> Problem:
    """The same with total variation, eight pieces; fused: and L1, where half of them are zero."""
    level = np.where(np.arange(8) % 2 == 0, generator.normal(0.0, 2.0, 8), 0.0)
    to = np.repeat(level, -(-m // 8))[:m]
    D = scipy.sparse.diags_array(
        [-np.ones(m - 1), np.ones(m - 1)], offsets=[0, 1], shape=(m - 1, m)
    )
    A = scipy.sparse.vstack([scipy.sparse.eye_array(m), D]) if fused else D
    y = A @ to
    dual = np.where(y != 0.0, np.sign(y), generator.uniform(-0.9, 0.9, len(y)))
    phi = zoo.L1(1.0)

    class Structure(NoStructure):
        def __call__(self, x: Array) -> float:
            return float(phi(A @ x))

    return Problem(
        "",
        tilted(generator, m, to, -(A.T @ dual), 1e2),
        np.zeros(m),
        structure=Structure(None),
        regularizer=phi,
        constraint=zoo.Linear(A),
        optimum=float(phi(y)),
    )


def fused(generator: Generator, m: int) -> Problem:
    """The same with L1 beside total variation."""
    return variation(generator, m, fused=True)


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
    "condition 1e4": steep,
    "Poisson, ridge": poisson,
    "sparse least squares": sparse,
    "logistic, L1": logistic,
    "least squares on the simplex": simplex,
    "box": box,
    "rows": rows,
    "total variation": variation,
    "fused lasso": fused,
    "noisy quadratic": noisy,
}


def measured(loss: str, m: int, seed: int, multiple: int = MULTIPLE) -> SizeRow:
    problem = LOSSES[loss](np.random.default_rng([seed, m]), m)
    meter, began = Meter(problem, seed), time.thread_time()
    result = answer(problem, multiple * m, seed, meter.values)
    own = time.thread_time() - began - meter.seconds
    least = problem.optimum if math.isfinite(problem.optimum) else _least(problem)
    found = problem.objective(problem.nearest(result.x))
    start = problem.objective(problem.x0)
    gap = (found - least) / (start - least)
    return SizeRow(loss, m, seed, multiple, result.nfev, gap, 1e3 * own / result.nfev, library())


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
    for multiple, loss in itertools.product(sorted({row.multiple for row in rows}), LOSSES):
        known = medians([row for row in rows if row.multiple == multiple], loss)
        for (m, one), (n, other) in itertools.pairwise(known.items()):
            times = max(TIMED, one[1]), max(TIMED, other[1])
            for what, a, b in (("gap", one[0], other[0]), ("own time", *times)):
                if max(a / b, b / a) >= CHANGE:
                    found.append(
                        f"{loss}, {multiple} m: {what} {a:.2g} at m = {m}, {b:.2g} at m = {n}"
                    )
        for m, limit in LIMITS.items():
            if m in known and known[m][1] > limit:
                found.append(
                    f"{loss}, {multiple} m: {known[m][1]:.2g} ms at m = {m}, limit {limit:g} ms"
                )
    return found


def measure(seeds: Sequence[int], only: str, most: int) -> list[SizeRow]:
    """All rows; those that the library as it is has not made are made, in place of older ones."""
    kept = {_cell(row): row for row in read(ROWS, SizeRow)}
    for multiple, sizes in SIZES.items():
        for seed, loss, m in itertools.product(seeds or SEEDS, LOSSES, sizes):
            known = kept.get((loss, m, seed, multiple))
            wanted = only in loss and m <= min(most, MOST.get(loss, most))
            wanted = wanted and (m <= SEEDED or seed == SEEDS[0] or seed in seeds)
            if wanted and (known is None or known.sources != library()):
                row = measured(loss, m, seed, multiple)
                kept[_cell(row)] = row
                write(ROWS, SizeRow, kept.values())
                print(f"{loss} {m} {seed}: {row.gap:.1e} {row.milliseconds:.2f} ms", flush=True)
    return list(kept.values())


def _cell(row: SizeRow) -> tuple[str, int, int, int]:
    return row.loss, row.m, row.seed, row.multiple


def report(rows: Sequence[SizeRow]) -> str:
    """A table for each multiple, then what jumps."""
    parts = [_table([row for row in rows if row.multiple == k], k) for k in SIZES]
    found = [f"- {jump}" for jump in jumps(rows)]
    return "\n\n".join([*filter(None, parts), "\n".join(["Jumps:", "", *found])])


def _table(rows: Sequence[SizeRow], multiple: int) -> str:
    if not rows:
        return ""
    known = {loss: medians(rows, loss) for loss in LOSSES}
    lines = [f"| gap, ms at {multiple} m | {' | '.join(LOSSES)} |", "|--:|" + "--:|" * len(LOSSES)]
    for m in sorted({row.m for row in rows}):
        cells = [
            f"{known[k][m][0]:.1e}, {known[k][m][1]:.2g}" if m in known[k] else "" for k in known
        ]
        lines.append(f"| {m} | {' | '.join(cells)} |")
    counts = {m: len({row.seed for row in rows if row.m == m}) for m in {row.m for row in rows}}
    fewest = f"{min(counts.values())} to {max(counts.values())}"
    return "\n".join([*lines, "", f"Medians over {fewest} seeds."])
