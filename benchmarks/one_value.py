"""One value a round: `Once` beside residual feedback and other estimates, on three streams.

    python -m benchmarks.one_value

measures what has no row yet and prints two tables. A row of one_value.csv.gz is the regret of
what was played: the mean over the rounds of f_t at the evaluated points, less that of the best
fixed point in hindsight. So the points x_t + beta z count as well; of two points in a round the
mean counts. A row of one_value_gap.csv.gz is the gap of the answer: its mean loss over all
items, less the least. A run goes on where it stopped.

- once: `observations=Once(...)`, the default method, with nothing to choose.
- one value: `settings="paper"` with `Residual()`. Two values: `Smoothed(1)`, the estimate (5),
  which evaluates each item twice.
- one point: x_t - eta_t f_t(x_t + beta z) z / beta, projected (Flaxman, Kalai and McMahan 2005).
- two items: the same with [f_t(x_t + beta z) - f_{t+1}(x_t - beta z)] / 2, a step for two items:
  simultaneous perturbation (Spall 1992). Directions are signs.

All but the first have the best of 16 pairs of step size and smoothing in hindsight, for each stream
and table. Answers are means of the iterates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize as scipy_minimize
from sklearn.datasets import load_diabetes, load_digits

import zooadmm as zoo
from benchmarks import tuned_rows
from benchmarks.tuned_rows import TunedRow
from zooadmm.datasets import load_colorado

Array = NDArray[np.float64]
RESULTS = Path(__file__).parent / "results"
ROWS, GAPS = RESULTS / "one_value.csv.gz", RESULTS / "one_value_gap.csv.gz"
SEEDS = range(1, 4)
STEPS = 0.01, 0.03, 0.1, 0.3
"""C in the step size C / sqrt(m t)"""
RADII = 0.03, 0.1, 0.3, 1.0
"""beta sqrt m, the distance of the evaluated point from x_t"""
SOURCES = {"one value": zoo.paper.Residual(), "two values": zoo.paper.Smoothed(1)}
METHODS = ("one value", "one point", "two items", "two values")


class Task(NamedTuple):
    """A stream of losses f_t(x) = loss(a_t'x, b_t), shown in this order."""

    name: str
    A: Array
    b: Array
    loss: Callable[[Any, Any], Any]
    domain: Any
    x0: Array

    def mean(self, x: Array) -> float:
        return float(np.mean(self.loss(self.A @ x, self.b)))

    def best(self) -> float:
        """The mean loss of the best fixed point, by SLSQP."""
        simplex = isinstance(self.domain, zoo.Simplex)
        low, high = (0.0, 1.0) if simplex else (-1.0, 1.0)
        found = scipy_minimize(
            self.mean,
            self.x0,
            method="SLSQP",
            bounds=[(low, high)] * len(self.x0),
            constraints=[{"type": "eq", "fun": lambda x: x.sum() - 1.0}] if simplex else (),
            options={"maxiter": 1_000, "ftol": 1e-12},
        )
        return float(found.fun)


def tasks() -> Iterator[Task]:
    """Patients, digits, and months, which alone have an order of their own."""
    box = zoo.Box(-1.0, 1.0)
    features, outcome = load_diabetes(return_X_y=True)
    order = np.concatenate([np.random.default_rng(k).permutation(len(outcome)) for k in range(4)])
    A, b = _standard(features)[order], _standard(outcome)[order]
    yield Task("diabetes, squares", A, b, _square, box, np.zeros(A.shape[1]))
    images, digit = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(digit))
    blocks = images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)
    A, b = _standard(blocks)[order], np.where(digit % 2, 1.0, -1.0)[order]
    yield Task("digits, odd or even", A, b, _logistic, box, np.zeros(16))
    anomalies = load_colorado().anomalies()
    A, b = anomalies[:, :10], anomalies[:, 10:].mean(axis=1)
    yield Task("Colorado, a mean of stations", A, b, _square, zoo.Simplex(), np.full(10, 0.1))


def _standard(values: Any) -> Array:
    given = np.asarray(values, dtype=np.float64)
    return np.asarray((given - given.mean(axis=0)) / given.std(axis=0))


def _square(prediction: Any, b: Any) -> Any:
    return (prediction - b) ** 2 / 2


def _logistic(prediction: Any, b: Any) -> Any:
    return np.logaddexp(0.0, -b * prediction)


class Shown:
    """f_t, and what was played: the sum of its values over the rounds, by their number."""

    def __init__(self, task: Task, values: int) -> None:
        self.task, self.values, self.total = task, values, 0.0

    def __call__(self, x: NDArray[np.floating], t: int) -> float:
        value = float(self.task.loss(self.task.A[t] @ x, self.task.b[t]))
        self.total += value / self.values
        return value


class Played(NamedTuple):
    """A run."""

    loss: float
    """The mean loss of what was played"""
    x: Array
    """The answer"""


def by_optimizer(task: Task, shown: Shown, rounds: int, **given: Any) -> Played:
    """`minimize` would evaluate the last item of a `Stream` at the answer as well."""
    optimizer = zoo.Optimizer(task.x0, domain=task.domain, **given)
    while (query := optimizer.ask()) is not None:
        optimizer.tell(query.id, {cell: shown(x, t) for cell, x, t in query})
    result = optimizer.result()
    x = np.asarray(result.x, dtype=np.float64)
    return Played(shown.total / (rounds or result.nfev), x)


def by_paper(task: Task, method: str, step: float, radius: float, seed: int) -> Played:
    m, rounds = len(task.x0), len(task.b)
    return by_optimizer(
        task,
        Shown(task, 1 if method == "one value" else 2),
        rounds,
        observations=zoo.Stream(range(rounds)),
        settings="paper",
        gradient=SOURCES[method],
        step_size=lambda t: step / math.sqrt(m * t),
        smoothing=radius / math.sqrt(m),
        penalty=1.0,
        rng=seed,
    )


def by_once(task: Task, seed: int) -> Played:
    """Its last items may stay unused, so the mean is over those that were evaluated."""
    items = zoo.Once(range(len(task.b)))
    return by_optimizer(task, Shown(task, 1), 0, observations=items, rng=seed)


def by_one_point(task: Task, step: float, radius: float, seed: int) -> Played:
    m, random, x = len(task.x0), np.random.default_rng(seed), task.x0
    shown, mean = Shown(task, 1), np.zeros(m)
    for t in range(len(task.b)):
        mean += (x - mean) / (t + 1)
        z = random.standard_normal(m)
        z *= math.sqrt(m) / np.linalg.norm(z)
        beta = radius / math.sqrt(m)
        slope = shown(x + beta * z, t) / beta * z
        x = task.domain.project(x - step / math.sqrt(m * (t + 1)) * slope)
    return Played(shown.total / len(task.b), mean)


def by_two_items(task: Task, step: float, radius: float, seed: int) -> Played:
    m, random, x = len(task.x0), np.random.default_rng(seed), task.x0
    shown, mean, beta = Shown(task, 1), np.zeros(m), radius / math.sqrt(m)
    for k in range(len(task.b) // 2):
        mean += (x - mean) / (k + 1)
        z = random.choice([-1.0, 1.0], m)
        change = shown(x + beta * z, 2 * k) - shown(x - beta * z, 2 * k + 1)
        x = task.domain.project(x - step / math.sqrt(m * (k + 1)) * change / (2 * beta) * z)
    return Played(shown.total / (2 * (len(task.b) // 2)), mean)


def played(task: Task, method: str, step: float, radius: float, seed: int) -> Played:
    """A run of a method; step and radius are 0 where it has none."""
    if method == "x0 throughout":
        return Played(task.mean(task.x0), task.x0)
    if method == "once":
        return by_once(task, seed)
    if method == "one point":
        return by_one_point(task, step, radius, seed)
    if method == "two items":
        return by_two_items(task, step, radius, seed)
    return by_paper(task, method, step, radius, seed)


def stored(path: Path = ROWS) -> list[TunedRow]:
    return tuned_rows.stored(path)


def settings() -> Iterator[tuple[str, float, float, int]]:
    """Methods, step sizes, radii and seeds."""
    yield "x0 throughout", 0.0, 0.0, 0
    for seed in SEEDS:
        yield "once", 0.0, 0.0, seed
    for method in METHODS:
        for step in STEPS:
            for radius in RADII:
                for seed in SEEDS:
                    yield method, step, radius, seed


def measure() -> None:
    """Measure the rows that are missing."""
    known = {path: {row[:-1] for row in stored(path)} for path in (ROWS, GAPS)}
    for task in tasks():
        best, m, rounds = task.best(), len(task.x0), len(task.b)
        for given in settings():
            key = (task.name, m, rounds, *given)
            missing = [path for path in (ROWS, GAPS) if key not in known[path]]
            if not missing:
                continue
            loss, x = played(task, *given)
            values = {ROWS: loss - best, GAPS: task.mean(x) - best}
            for path in missing:
                tuned_rows.append(TunedRow(*key, float(f"{values[path]:.3g}")), path)


def table(rows: list[TunedRow]) -> str:
    return tuned_rows.table(rows, "stream", "rounds", ("x0 throughout", "once", *METHODS))


if __name__ == "__main__":
    measure()
    print(table(stored(ROWS)), table(stored(GAPS)), sep="\n\n")
