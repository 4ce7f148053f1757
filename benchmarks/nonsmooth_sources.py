"""Nonsmooth losses: the paper's algorithm with two gradient sources, the default, and CMA-ES.

    python -m benchmarks.nonsmooth_sources

measures what has no row yet and prints the table. A row is the gap (F - F*) / (F(x0) - F*) of the
answer. F* is that of a linear program (HiGHS), and 0 for the count of errors, which may be out of
reach. Rows are kept in results/nonsmooth_sources.csv.gz; a run goes on where it stopped.

- doubly smoothed, plain: `settings="paper"` with `DoublySmoothed(30)` and `Smoothed(30)`, the best
  of twelve pairs of step size and smoothing in hindsight, for each line.
- auto: the default. CMA-ES: pycma from x0 with a step of 0.3. Neither is given anything.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cma
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_diabetes

import zooadmm as zoo
from benchmarks import tuned_rows
from benchmarks.tuned_rows import TunedRow

Array = NDArray[np.float64]
ROWS = Path(__file__).parent / "results" / "nonsmooth_sources.csv.gz"
SEEDS = range(1, 4)
BUDGETS = 100, 1_000
"""Evaluations a variable"""
STEPS = 0.1, 1.0, 10.0
"""C in the step size C / sqrt(m t); the paper has 1"""
RADII = 0.0, 0.01, 0.1, 1.0
"""The smoothing, a constant; 0 stands for the paper's 1 / (m^1.5 t)"""
SOURCES = {"doubly smoothed": zoo.paper.DoublySmoothed(30), "plain": zoo.paper.Smoothed(30)}
METHODS = (*SOURCES, "auto", "CMA-ES")


class Task(NamedTuple):
    """f at the rows of an array, the least F = f + strength |x|_1, and a start."""

    name: str
    f: Callable[[Array], Array]
    least: float
    x0: Array
    strength: float = 0.0

    def F(self, x: Array) -> float:
        return float(self.f(x[None])[0]) + self.strength * float(np.abs(x).sum())

    def gap(self, x: Any) -> float:
        start = self.F(self.x0)
        return (self.F(np.asarray(x, dtype=np.float64)) - self.least) / (start - self.least)


def tasks() -> Iterator[Task]:
    """Two losses with kinks, and one with jumps."""
    features, outcome = load_diabetes(return_X_y=True)
    A, b = _standard(features), _standard(outcome)
    yield Task(
        "absolute deviations, diabetes",
        lambda points: np.abs(points @ A.T - b).mean(axis=1),
        _least_deviations(A, b),
        np.zeros(A.shape[1]),
    )
    features, labels = load_breast_cancer(return_X_y=True)
    signs = np.where(labels > 0, 1.0, -1.0)[:, None]
    S = signs * _standard(features)
    yield Task(
        "hinge and L1, breast cancer",
        lambda points: np.maximum(0.0, 1.0 - points @ S.T).mean(axis=1),
        _least_hinge(S, 0.01),
        np.zeros(S.shape[1]),
        0.01,
    )
    with_constant = np.hstack([S, signs])
    yield Task(
        "count of errors, breast cancer",
        lambda points: (points @ with_constant.T <= 0.0).mean(axis=1),
        0.0,
        np.append(np.zeros(S.shape[1]), 1.0),  # everybody is healthy
    )


def _standard(values: Any) -> Array:
    given = np.asarray(values, dtype=np.float64)
    return np.asarray((given - given.mean(axis=0)) / given.std(axis=0))


def _least_deviations(A: Array, b: Array) -> float:
    """min mean |A x - b|: x and the parts of the residuals above and below."""
    n, m = A.shape
    costs = np.append(np.zeros(m), np.full(2 * n, 1.0 / n))
    bounds = [(None, None)] * m + [(0, None)] * (2 * n)
    found = linprog(costs, A_eq=np.hstack([A, np.eye(n), -np.eye(n)]), b_eq=b, bounds=bounds)
    return float(found.fun)


def _least_hinge(S: Array, strength: float) -> float:
    """min mean (1 - S x)_+ + strength |x|_1: the parts of x, and what each row lacks."""
    n, m = S.shape
    costs = np.append(np.full(2 * m, strength), np.full(n, 1.0 / n))
    found = linprog(costs, A_ub=np.hstack([-S, S, -np.eye(n)]), b_ub=-np.ones(n))
    return float(found.fun)


def minimized(task: Task, budget: int, seed: int, **given: Any) -> Any:
    """The answer of this library."""
    return zoo.minimize(
        zoo.Loss(values=task.f),
        task.x0,
        regularizer=zoo.L1(task.strength) if task.strength else None,
        max_evaluations=budget,
        rng=seed,
        progress=False,
        **given,
    ).x


def by_paper(task: Task, source: str, step: float, radius: float, budget: int, seed: int) -> Any:
    m = len(task.x0)
    return minimized(
        task,
        budget,
        seed,
        settings="paper",
        gradient=SOURCES[source],
        step_size=lambda t: step / math.sqrt(m * t),
        smoothing=radius or None,
    )


def by_cma(task: Task, budget: int, seed: int) -> Any:
    """The best point it evaluated."""
    options = {"seed": seed, "verbose": -9, "maxfevals": budget}
    search = cma.CMAEvolutionStrategy(task.x0, 0.3, options)
    while not search.stop() and search.countevals + search.popsize <= budget:
        points = search.ask()
        search.tell(points, [task.F(x) for x in points])
    return search.result.xbest


def runs(
    task: Task, budget: int, seed: int
) -> Iterator[tuple[str, float, float, Callable[[], Any]]]:
    """Every method with its settings, and how to make its run."""
    for source in SOURCES:
        for step in STEPS:
            for radius in RADII:
                run = functools.partial(by_paper, task, source, step, radius, budget, seed)
                yield source, step, radius, run
    yield "auto", 0.0, 0.0, lambda: minimized(task, budget, seed)
    yield "CMA-ES", 0.0, 0.0, lambda: by_cma(task, budget, seed)


def stored() -> list[TunedRow]:
    return tuned_rows.stored(ROWS)


def measure() -> list[TunedRow]:
    """All rows; those that are missing are measured."""
    found = stored()
    known = {row[:-1] for row in found}
    for task in tasks():
        m = len(task.x0)
        for each in BUDGETS:
            for seed in SEEDS:
                for method, step, radius, run in runs(task, each * m, seed):
                    key = (task.name, m, each * m, method, step, radius, seed)
                    if key in known:
                        continue
                    row = TunedRow(*key, float(f"{task.gap(run()):.3g}"))
                    found.append(row)
                    tuned_rows.append(row, ROWS)
    return found


def table(rows: list[TunedRow]) -> str:
    return tuned_rows.table(rows, "loss", "evaluations", METHODS)


if __name__ == "__main__":
    print(table(measure()))
