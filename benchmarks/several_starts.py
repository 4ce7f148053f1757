"""Losses with several local minima: `starts=` beside CMA-ES with restarts and random L-BFGS-B.

    python -m benchmarks.several_starts

prints in how many of 20 random problems of each kind a method reached the best value that any of
them found, to 1e-3 of its distance from the mean of random points, within 300 (m + 1) evaluations.
The counts are kept in results/several_starts.csv; a run measures those that are missing.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import cma
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import zooadmm as zoo

Vector = NDArray[np.float64]
Loss = Callable[[Vector], float]
ROWS = Path(__file__).parent / "results" / "several_starts.csv"
PROBLEMS = range(20)
VARIABLES = 5, 10, 20


class Row(NamedTuple):
    """In how many problems of a kind a method reached the best value."""

    loss: str
    m: int
    method: str
    reached: int


class Spent(Exception):  # noqa: N818 - an end, not an error
    """The budget is used up."""


class Counted:
    """A loss that ends after its budget and remembers its least value."""

    def __init__(self, loss: Loss, budget: int) -> None:
        self.loss, self.left, self.best = loss, budget, np.inf

    def __call__(self, x: Vector) -> float:
        if self.left == 0:
            raise Spent
        self.left -= 1
        value = self.loss(np.asarray(x))
        self.best = min(self.best, value)
        return value


def wells(m: int, random: np.random.Generator) -> Loss:
    """A bowl with ten wells of unlike depth and width in [-2, 2]^m."""
    centers, depths = random.uniform(-2, 2, (10, m)), random.uniform(0.5, 2.0, 10)
    widths = random.uniform(0.3, 1.0, 10) * np.sqrt(m)

    def loss(x: Vector) -> float:
        far = np.square(x - centers).sum(axis=1)
        return float(0.05 * x @ x - depths @ np.exp(-0.5 * far / widths**2))

    return loss


def network(m: int, random: np.random.Generator) -> Loss:
    """Least squares of a small network with m weights, whose loss has many stationary points."""
    inputs, hidden = random.standard_normal((60, 3)), max(1, m // 4)
    true = random.uniform(-2, 2, m)

    def outputs(x: Vector) -> Vector:
        inner = x[: 3 * hidden].reshape(3, hidden)
        return np.asarray(
            np.tanh(inputs @ inner) @ x[3 * hidden : 4 * hidden] + x[4 * hidden :].sum()
        )

    target = outputs(true)
    return lambda x: float(np.mean((outputs(x) - target) ** 2) + 1e-3 * np.mean(x * x))


def by_starts(loss: Counted, m: int, budget: int, seed: int) -> None:
    zoo.minimize(
        loss,
        np.zeros(m),
        domain=zoo.Box(-2.0, 2.0),
        starts=8,
        max_evaluations=budget,
        rng=seed,
        progress=False,
    )


def by_one(loss: Counted, m: int, budget: int, seed: int) -> None:
    zoo.minimize(
        loss,
        np.zeros(m),
        domain=zoo.Box(-2.0, 2.0),
        max_evaluations=budget,
        rng=seed,
        progress=False,
    )


def by_cma(loss: Counted, m: int, budget: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    cma.fmin(
        loss,
        lambda: random.uniform(-2, 2, m),
        1.0,
        {"bounds": [-2.0, 2.0], "verbose": -9, "seed": seed + 1},
        restarts=9,
        bipop=True,
    )


def by_l_bfgs_b(loss: Counted, m: int, budget: int, seed: int) -> None:
    random, x = np.random.default_rng(seed), np.zeros(m)
    while True:
        minimize(loss, x, method="L-BFGS-B", bounds=[(-2.0, 2.0)] * m)
        x = random.uniform(-2, 2, m)


METHODS = {
    "starts=8": by_starts,
    "one start": by_one,
    "CMA-ES (BIPOP)": by_cma,
    "L-BFGS-B, random starts": by_l_bfgs_b,
}


def least(method: str, loss: Loss, m: int, seed: int) -> float:
    """The least value that a method saw."""
    budget = 300 * (m + 1)
    counted = Counted(loss, budget)
    with suppress(Spent):
        METHODS[method](counted, m, budget, seed)
    return counted.best


def counts(kind: Callable[[int, np.random.Generator], Loss], m: int) -> list[Row]:
    """In how many problems of a kind each method reached the best value."""
    reached = dict.fromkeys(METHODS, 0)
    for number in PROBLEMS:
        loss = kind(m, np.random.default_rng([number, m]))
        found = {name: least(name, loss, m, number) for name in METHODS}
        best = min(found.values())
        points = np.random.default_rng(number).uniform(-2, 2, (200, m))
        scale = float(np.mean([loss(x) for x in points])) - best
        for name, value in found.items():
            reached[name] += value - best <= 1e-3 * scale
    return [Row(kind.__name__, m, name, count) for name, count in reached.items()]


def stored() -> list[Row]:
    if not ROWS.exists():
        return []
    with ROWS.open(newline="") as file:
        return [
            Row(loss, int(m), method, int(count)) for loss, m, method, count in csv.reader(file)
        ]


def measure() -> list[Row]:
    """All rows; those that are missing are measured."""
    rows = stored()
    known = {row[:2] for row in rows}
    for kind in (wells, network):
        for m in VARIABLES:
            if (kind.__name__, m) not in known:
                found = counts(kind, m)
                rows += found
                with ROWS.open("a", newline="") as file:
                    csv.writer(file).writerows(found)
    return rows


def table(rows: list[Row]) -> str:
    lines = [f"| loss | m | {' | '.join(METHODS)} |", f"|---|--:|{'--:|' * len(METHODS)}"]
    for loss, m in dict.fromkeys(row[:2] for row in rows):
        reached = {row.method: str(row.reached) for row in rows if row[:2] == (loss, m)}
        lines.append(f"| {loss} | {m} | {' | '.join(reached[name] for name in METHODS)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(measure()))
