"""The default beside ZO-SVRG-ADMM, ZO-SPIDER-ADMM and the paper's settings, on finite samples.

    python -m benchmarks.variance_reduced

prints the part of F(x0) - F_best that is left after 100,000 and 300,000 evaluations, the median
over seeds 1 to 3. F_best is the least F that any run reached. The two methods get the best of three
step sizes in hindsight, for each problem and budget; the default and the paper's settings get none.
The parts are kept in results/variance_reduced.csv, and every run measures all of them again.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes

import zooadmm as zoo

Vector = NDArray[np.float64]
ROWS = Path(__file__).parent / "results" / "variance_reduced.csv"
METHODS = {"auto": "auto", "svrg": "SVRG", "spider": "SPIDER", "paper": "paper"}
"""By `settings`, as the table calls them"""
BUDGETS = 100_000, 300_000
STEPS = 0.1, 1.0, 10.0
SEEDS = range(1, 4)


class Row(NamedTuple):
    """What a method left."""

    loss: str
    evaluations: int
    method: str
    left: float


class Sampled(NamedTuple):
    """A loss f(x; w) of the row w of a sample, and its structure."""

    name: str
    rows: Vector
    outcome: Vector
    loss: Callable[[Vector], Vector]
    """Of a'x (times the label, for labels), for all rows"""
    regularizer: Any
    constraint: Any = None

    def values(self, points: Vector, observations: Any) -> Vector:
        """f(x; w) at each point, on each observation."""
        seen = np.asarray(observations)
        return self.loss(points @ self.rows[seen].T - self.outcome[seen])

    def objective(self, x: Vector) -> float:
        """F(x)."""
        y = x if self.constraint is None else np.diff(x)
        return float(np.mean(self.loss(self.rows @ x - self.outcome)) + self.regularizer(y))


def problems() -> Iterator[Sampled]:
    """Two losses that are not convex, one that is."""
    features, labels = load_breast_cancer(return_X_y=True)
    signed = _standard(features) * np.where(labels > 0, 1.0, -1.0)[:, None]
    none = np.zeros(len(signed))
    yield Sampled("sigmoid, L1", signed, none, lambda z: 1 / (1 + np.exp(z)), zoo.L1(0.01))
    yield Sampled("logistic, L1", signed, none, lambda z: np.logaddexp(0, -z), zoo.L1(0.01))
    features, outcome = load_diabetes(return_X_y=True)
    standard = (outcome - outcome.mean()) / outcome.std()
    yield Sampled(
        "Cauchy, total variation",
        _standard(features),
        standard,
        lambda z: np.log1p(z * z),
        zoo.L1(0.02),
        zoo.Linear(np.diff(np.eye(10), axis=0)),
    )


def _standard(features: Any) -> Vector:
    values = np.asarray(features, dtype=np.float64)
    standard: Vector = (values - values.mean(axis=0)) / values.std(axis=0)
    return standard


def reached(problem: Sampled, budget: int, seed: int, **given: Any) -> float:
    """F at the answer of a run."""
    m = problem.rows.shape[1]
    result = zoo.minimize(
        zoo.Loss(values=problem.values),
        np.zeros(m),
        observations=np.arange(len(problem.rows)),
        regularizer=problem.regularizer,
        constraint=problem.constraint,
        max_evaluations=budget,
        rng=seed,
        **given,
    )
    return problem.objective(np.asarray(result.x, dtype=np.float64))


def parts() -> Iterator[Row]:
    """The part of F(x0) - F_best that each method left."""
    for problem in problems():
        start = problem.objective(np.zeros(problem.rows.shape[1]))
        rows: dict[int, dict[str, list[list[float]]]] = {}
        for budget in BUDGETS:
            rows[budget] = {
                name: [
                    [reached(problem, budget, seed, settings=name, **step) for seed in SEEDS]
                    for step in (
                        [{"step_size": step} for step in STEPS]
                        if name in ("svrg", "spider")
                        else [{}]
                    )
                ]
                for name in METHODS
            }
        best = min(min(values) for by in rows.values() for runs in by.values() for values in runs)
        for budget, by in rows.items():
            for name, runs in by.items():
                left = min((statistics.median(values) - best) / (start - best) for values in runs)
                yield Row(problem.name, budget, name, float(f"{left:.2g}"))


def stored() -> list[Row]:
    with ROWS.open(newline="") as file:
        return [
            Row(loss, int(n), method, float(left)) for loss, n, method, left in csv.reader(file)
        ]


def table(rows: list[Row]) -> str:
    lines = [
        f"| loss, structure | evaluations | {' | '.join(METHODS.values())} |",
        f"|---|--:|{len(METHODS) * '--:|'}",
    ]
    for loss, n in dict.fromkeys(row[:2] for row in rows):
        left = {row.method: f"{row.left:.1e}" for row in rows if row[:2] == (loss, n)}
        lines.append(f"| {loss} | {n:,} | {' | '.join(left[name] for name in METHODS)} |")
    return "\n".join(lines)


def main() -> None:
    rows = list(parts())
    with ROWS.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    print(table(rows))


if __name__ == "__main__":
    main()
