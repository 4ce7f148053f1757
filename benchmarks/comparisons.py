"""Minimizing by comparisons: `settings="compare"` beside methods that need no values either.

    python -m benchmarks.comparisons [--half building]

measures what has no row yet and prints tables. Constants were chosen on the half "building".

f is scaled to f(x0) - f* = 30. "odds": the better point wins with probability 1 / (1 + exp(-d)),
where d is the difference of f. "signs": it always wins. "flips": it wins with probability 0.9.
A row is the part of f(x0) - f* that is left after 10, 20 and 40 comparisons a variable. Nobody is
told the unit of the variables, the scale of f or the kind of answers. Rows are kept in
results/comparisons/; a run goes on where it stopped.

- compare: `zooadmm.minimize(..., settings="compare")` with its defaults.
- CMA-ES: pycma, which needs ranks only; a population is sorted by comparisons.
- 1+1: random search that keeps the winner, with the step sizes of the 1/5 rule (Rechenberg 1973).
- signs: SCOBO without sparsity, which is the estimate of Sign-OPT (Cai et al. 2022; Cheng et al.
  2020): the slope is the mean of sign times direction over 2 m comparisons, and the step is
  doubled or halved by a comparison.
- duels: x moves by eta along a random direction or back, by one comparison (Saha, Koren and
  Mansour 2021), with the best eta of five in hindsight for each row.
"""

from __future__ import annotations

import argparse
import csv
import functools
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cma
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize as scipy_minimize
from sklearn.datasets import load_breast_cancer

import zooadmm as zoo

Vector = NDArray[np.float64]
Function = Callable[[Vector], float]
ROWS = Path(__file__).parent / "results" / "comparisons"
SIZES, MARKS, SEEDS, HEIGHT = (3, 6), (10, 20, 40), (1,), 30.0
KINDS = ("odds", "signs", "flips")
ETAS = 2.0 ** -np.arange(1, 10, 2)
STEP = 0.3
"""The first step of every method, as `compare` has it"""


class Task(NamedTuple):
    """f with f(x0) - f* = 30, and f* = 0."""

    name: str
    f: Function
    x0: Vector


def tasks(half: str) -> Iterator[Task]:
    """The functions of a half; constants were chosen on "building"."""
    for m in SIZES:
        random = np.random.default_rng([m, half == "building"])
        Q = np.linalg.qr(random.standard_normal((m, m)))[0]
        way = random.standard_normal(m)
        found = (_building if half == "building" else _held_out)(m, Q, way / np.linalg.norm(way))
        for name, f, x0 in found:
            least = f(_minimizer(f, x0)) if "data" in name else 0.0
            scale = HEIGHT / (f(x0) - least)
            yield Task(f"{name}, {m}", functools.partial(_scaled, f, scale, least), x0)


def _scaled(f: Function, scale: float, least: float, x: Vector) -> float:
    return scale * (f(x) - least)


def _minimizer(f: Function, x0: Vector) -> Vector:
    found = scipy_minimize(f, x0, method="BFGS", options={"gtol": 1e-10})
    return np.asarray(found.x)


def _building(m: int, Q: Vector, t: Vector) -> Iterator[tuple[str, Function, Vector]]:
    weights, zero = np.logspace(0, 2, m), np.zeros(m)
    for unit in (1.0, 0.03, 30.0):
        yield f"sphere x {unit:g}", functools.partial(_sphere, unit * t, unit), zero
    yield "ellipsoid", lambda x: float(weights @ np.square(Q @ (x - t))), zero
    yield "quartic", lambda x: float((0.1 * (Q @ (x - t)) ** 2 + (Q @ (x - t)) ** 4).sum()), zero
    yield "log cosh", lambda x: float(np.log(np.cosh(5 * Q @ (x - t)).mean())), zero
    yield "valley", _valley, -np.ones(m)


def _held_out(m: int, Q: Vector, t: Vector) -> Iterator[tuple[str, Function, Vector]]:
    zero, powers = np.zeros(m), np.linspace(2, 4, m)
    for unit in (1.0, 0.1, 10.0):
        yield f"cone x {unit:g}", functools.partial(_cone, unit * t, unit), zero
    stiff = np.where(np.arange(m) == 0, 100.0, 1.0)
    yield "discus", lambda x: float(stiff @ np.square(Q @ (x - t))), zero
    yield "powers", lambda x: float((np.abs(Q @ (x - t)) ** powers).sum()), zero
    yield "exponential", lambda x: float((np.exp(Q @ (x - t)) - 1 - Q @ (x - t)).sum()), zero
    yield "bent valley", lambda x: _valley(Q @ (x - t)), zero
    features, labels = load_breast_cancer(return_X_y=True)
    standard = (features - features.mean(axis=0)) / features.std(axis=0)
    A, b = standard[:, :m], standard[:, -1]
    signed = A * np.where(labels > 0, 1.0, -1.0)[:, None]
    yield (
        "logistic, data",
        lambda x: float(np.logaddexp(0, -signed @ x).mean() + 0.01 * x @ x),
        zero,
    )
    yield "absolute, data", lambda x: float(np.hypot(A @ x - b, 0.3).mean() + 0.01 * x @ x), zero


def _sphere(center: Vector, unit: float, x: Vector) -> float:
    return float(np.square((x - center) / unit).sum())


def _cone(center: Vector, unit: float, x: Vector) -> float:
    return float(np.sqrt(1 + 9 * _sphere(center, unit, x)) - 1)


def _valley(x: Vector) -> float:
    """Rosenbrock's function with a factor of 10, its minimum at 0."""
    z = x + 1.0
    return float((10 * (z[1:] - z[:-1] ** 2) ** 2 + (z[:-1] - 1) ** 2).sum())


class Customer:
    """Answers comparisons, counts them, and notes how good the answer so far is at each mark."""

    def __init__(self, task: Task, kind: str, seed: int) -> None:
        self.f, self.kind, self.m = task.f, kind, len(task.x0)
        self.random = np.random.default_rng([seed, 99])
        self.count = 0
        self.left: list[float] = []

    def __call__(self, x: Vector, other: Vector) -> bool:
        d = self.f(other) - self.f(x)
        chance = 1.0 / (1.0 + np.exp(-np.clip(d, -500, 500)))
        if self.kind != "odds":
            chance = float(d > 0) if self.kind == "signs" else 0.9 if d > 0 else 0.1
        self.count += 1
        return bool(self.random.random() < chance)

    def note(self, x: Any) -> bool:
        """The answer so far is x; whether to go on."""
        while len(self.left) < len(MARKS) and self.count >= MARKS[len(self.left)] * self.m:
            self.left.append(self.f(x) / HEIGHT)
        return len(self.left) < len(MARKS)


def compare(customer: Customer, x0: Vector, seed: int) -> None:
    optimizer = zoo.Optimizer(x0, settings="compare", rng=seed)
    while customer.note(optimizer.state.x):
        query: Any = optimizer.ask()
        optimizer.tell(query.id, [customer(first, second) for first, second in query.pairs])


def cma_es(customer: Customer, x0: Vector, seed: int) -> None:
    options = {"seed": seed, "verbose": -9}
    search = cma.CMAEvolutionStrategy(x0, STEP, options)

    def order(x: Vector, other: Vector) -> int:
        return -1 if customer(x, other) else 1

    while customer.note(search.mean):
        points = search.ask()
        ranked = sorted(points, key=functools.cmp_to_key(order))
        search.tell(ranked, list(range(len(ranked))))


def one_plus_one(customer: Customer, x0: Vector, seed: int) -> None:
    random, x, step = np.random.default_rng(seed), x0, STEP
    while customer.note(x):
        trial = x + step * random.standard_normal(len(x)) / np.sqrt(len(x))
        if customer(trial, x):
            x, step = trial, step * np.exp(0.8 / np.sqrt(len(x) + 1))
        else:
            step *= np.exp(-0.2 / np.sqrt(len(x) + 1))


def signs(customer: Customer, x0: Vector, seed: int) -> None:
    random, x, step, m = np.random.default_rng(seed), x0, STEP, len(x0)
    while customer.note(x):
        radius, slope = 0.1 * step, np.zeros(m)
        for z in random.standard_normal((2 * m, m)):
            slope += z if customer(x, x + radius * z) else -z
        direction = slope / np.linalg.norm(slope)
        if customer(x - step * direction, x):
            while customer(x - 2 * step * direction, x - step * direction):
                step *= 2
                if not customer.note(x - step * direction):
                    return
            x = x - step * direction
        else:
            step /= 2


def duels(eta: float, customer: Customer, x0: Vector, seed: int) -> None:
    random, x = np.random.default_rng(seed), x0
    while customer.note(x):
        z = random.standard_normal(len(x))
        z *= eta / np.linalg.norm(z)
        x = x + z if customer(x + z, x - z) else x - z


METHODS: dict[str, list[Callable[[Customer, Vector, int], None]]] = {
    "compare": [compare],
    "CMA-ES": [cma_es],
    "1+1": [one_plus_one],
    "signs": [signs],
    "duels": [functools.partial(duels, eta) for eta in ETAS],
}


def measured(task: Task, kind: str, method: str, seed: int) -> list[float]:
    """The part of f(x0) - f* that is left at each mark, of several variants the best of each."""
    found = []
    for run in METHODS[method]:
        customer = Customer(task, kind, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run(customer, task.x0, seed)
        found.append(customer.left)
    return [float(left) for left in np.min(found, axis=0)]


def rows(half: str) -> dict[tuple[str, ...], list[float]]:
    """All rows of a half; those that are missing are measured."""
    path = ROWS / f"{half}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    known: dict[tuple[str, ...], list[float]] = {}
    if path.exists():
        with path.open(newline="") as file:
            known = {tuple(row[:4]): [float(v) for v in row[4:]] for row in csv.reader(file)}
    for task in tasks(half):
        for kind in KINDS:
            for method in METHODS:
                for seed in SEEDS:
                    key = (task.name, kind, method, str(seed))
                    if key in known:
                        continue
                    known[key] = measured(task, kind, method, seed)
                    with path.open("a", newline="") as file:
                        csv.writer(file).writerow([*key, *(f"{v:.3g}" for v in known[key])])
    return known


def tables(found: dict[tuple[str, ...], list[float]]) -> Iterator[str]:
    """Geometric means over problems and seeds, and the number of problems won."""
    names = list(dict.fromkeys(key[0] for key in found))

    def mean(name: str, kind: str, method: str, mark: int) -> float:
        lefts = [found[name, kind, method, str(seed)][mark] for seed in SEEDS]
        return float(np.exp(np.mean(np.log(np.maximum(lefts, 1e-9)))))

    yield "| answers | comparisons | " + " | ".join(METHODS) + " | compare is best |"
    yield "|---|---|" + (len(METHODS) + 1) * "--:|"
    for kind in KINDS:
        for mark, per in enumerate(MARKS):
            cells = {m: [mean(name, kind, m, mark) for name in names] for m in METHODS}
            means = " | ".join(f"{np.exp(np.mean(np.log(c))):.2g}" for c in cells.values())
            others = np.min([c for m, c in cells.items() if m != "compare"], axis=0)
            won = int((np.array(cells["compare"]) < others).sum())
            yield f"| {kind} | {per} m | {means} | {won} of {len(names)} |"
    yield ""
    columns = [f"{kind}: {who}" for kind in KINDS for who in ("compare", "best other")]
    yield "| after 40 m | " + " | ".join(columns) + " |"
    yield "|---|" + 2 * len(KINDS) * "--:|"
    for family in dict.fromkeys(name.rpartition(",")[0] for name in names):
        line = []
        for kind in KINDS:
            per_method = {
                m: np.exp(np.mean([np.log(mean(f"{family}, {s}", kind, m, 2)) for s in SIZES]))
                for m in METHODS
            }
            own = per_method.pop("compare")
            other = min(per_method, key=lambda m: per_method[m])
            line += [f"{own:.2g}", f"{per_method[other]:.2g} ({other})"]
        yield f"| {family} | " + " | ".join(line) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--half", choices=("building", "held-out"), default="held-out")
    print("\n".join(tables(rows(parser.parse_args().half))))


if __name__ == "__main__":
    main()
