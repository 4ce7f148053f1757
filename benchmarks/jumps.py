"""Losses that are counts, ranks, or simulations with a fixed seed: values repeat, slopes do not.

    python -m benchmarks.jumps                 # the half that chooses: even seeds
    python -m benchmarks.jumps --judge         # the half that judges: odd seeds
    python -m benchmarks.jumps --families auc ndcg --sizes 10

The split was written before any measurement: constants and rules of the method may be chosen by
problems of even seeds; problems of odd seeds only judge. A problem is a family, a number of
variables and a seed.

The gap is (F - F*) / (F(x0) - F*) with the least F that any solver saw at an allowed point of the
problem, in this run and in those whose values are kept in results/jumps.csv. Ours is judged by its
answer, peers by the best allowed point that they evaluated. Peers have their default differences
and first steps; on the simplex SLSQP and COBYQA have its row, L-BFGS-B and CMA-ES x = z / sum(z).
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import math
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

import zooadmm as zoo

Array = NDArray[np.float64]
ROWS = Path(__file__).parent / "results" / "jumps.csv"
SIZES = (5, 10, 25, 50)
BUILDING, JUDGING = (2, 4), (1, 3, 5)
MULTIPLE = 100
"""Evaluations a variable"""
MOST_COBYQA = 10
"""Variables of COBYQA, whose steps take long"""


class Loss(NamedTuple):
    """A loss, a start, and bounds; the simplex where `simplex` is set."""

    value: Callable[[Array], float]
    x0: Array
    lower: float = -math.inf
    upper: float = math.inf
    simplex: bool = False
    strength: float = 0.0
    """Of an L1 norm that is added to the loss"""

    def F(self, x: Array) -> float:
        return self.value(x) + self.strength * float(np.abs(x).sum())

    def allows(self, x: Array) -> bool:
        total = not self.simplex or abs(float(x.sum()) - 1.0) < 1e-9
        return total and bool((x >= self.lower - 1e-9).all() and (x <= self.upper + 1e-9).all())


Random = np.random.Generator


def auc(random: Random, m: int) -> Loss:
    """One minus the area under the ROC curve of a blend, 10 m rows or 100."""
    rows = max(100, 10 * m)
    labels = random.random(rows) < 0.4
    skill = random.uniform(0.0, 1.5, m) / math.sqrt(m)
    common = random.standard_normal((rows, 1))
    scores = np.outer(labels, skill) + random.standard_normal((rows, m)) + 0.5 * common
    positive, negative = scores[labels], scores[~labels]

    def value(x: Array) -> float:
        up, down = positive @ x, np.sort(negative @ x)
        below = np.searchsorted(down, up, "left") + np.searchsorted(down, up, "right")
        return 1.0 - float(below.mean()) / (2 * len(down))

    return Loss(value, np.full(m, 1.0 / m), 0.0, 1.0, simplex=True)


def ndcg(random: Random, m: int) -> Loss:
    """One minus NDCG@5 of a blend, 60 queries of 15 documents."""
    relevance = random.integers(0, 4, (60, 15)).astype(float)
    relevance[:, 0] = 3.0
    skill = random.uniform(0.0, 1.0, m)
    scores = relevance[:, :, None] * skill + 2.0 * random.standard_normal((60, 15, m))
    discounts = 1.0 / np.log2(np.arange(5) + 2.0)
    ideal = -np.sort(-relevance, axis=1)[:, :5] @ discounts

    def value(x: Array) -> float:
        order = np.argsort(-(scores @ x), axis=1, kind="stable")[:, :5]
        gained = np.take_along_axis(relevance, order, axis=1) @ discounts
        return 1.0 - float(np.mean(gained / ideal))

    return Loss(value, np.full(m, 1.0 / m), 0.0, 1.0, simplex=True)


def errors(random: Random, m: int) -> Loss:
    """The part of 20 m rows on the wrong side of a plane, coefficients within 1."""
    rows = 20 * m
    A = random.standard_normal((rows, m)) * 10.0 ** random.uniform(-0.5, 0.5, m)
    truth = random.uniform(-0.5, 0.5, m)
    signs = np.sign(A @ truth + 0.3 * random.standard_normal(rows))
    start = np.clip(0.3 * truth + 0.2 * random.standard_normal(m), -1.0, 1.0)
    return Loss(lambda x: float(np.mean(signs * (A @ x) <= 0.0)), start, -1.0, 1.0)


def _quadratic(random: Random, m: int) -> tuple[Callable[[Array], float], Array]:
    Q = np.linalg.qr(random.standard_normal((m, m)))[0]
    H = (Q * 10.0 ** random.uniform(-1.0, 1.0, m)) @ Q.T
    best = random.standard_normal(m)
    return lambda x: float((x - best) @ H @ (x - best)), np.zeros(m)


def quantized(q: float) -> Callable[[Random, int], Loss]:
    """floor(f / q) q of a quadratic of condition 100, q in units of f(x0)."""

    def make(random: Random, m: int) -> Loss:
        f, x0 = _quadratic(random, m)
        unit = q * f(x0)
        return Loss(lambda x: math.floor(f(x) / unit) * unit, x0)

    return make


def rounded(random: Random, m: int) -> Loss:
    """Logistic regression to three decimals, with L1."""
    A = random.standard_normal((5 * m, m))
    signs = np.sign(A @ np.where(random.random(m) < 0.3, 1.0, 0.0) + random.standard_normal(5 * m))

    def value(x: Array) -> float:
        return round(float(np.logaddexp(0.0, -signs * (A @ x)).mean()), 3)

    return Loss(value, np.zeros(m), strength=0.02)


def inventory(random: Random, m: int) -> Loss:
    """Mean cost of a day of m products in stock, each with its order-up-to level and a lead time.

    Whole units: levels are rounded up; an order costs 3, lost sales 5, stock 0.2 a unit.
    """
    demand = random.poisson(random.uniform(1.0, 10.0, m), (200, m)).astype(float)
    lead = random.integers(1, 4, m)

    def value(x: Array) -> float:
        level = np.ceil(x)
        stock, cost = level.copy(), 0.0
        coming = np.zeros((4, m))
        for day in demand:
            stock = stock + coming[0]
            coming = np.vstack([coming[1:], np.zeros(m)])
            left = stock - day
            cost += 5.0 * float(np.maximum(-left, 0.0).sum())
            stock = np.maximum(left, 0.0)
            cost += 0.2 * float(stock.sum())
            wanted = level - stock - coming.sum(axis=0)
            ordered = np.where(wanted > 0.3 * level, wanted, 0.0)
            cost += 3.0 * np.count_nonzero(ordered)
            coming[lead - 1, np.arange(m)] += ordered
        return cost / len(demand)

    return Loss(value, np.full(m, 10.0), 0.0, 60.0)


def histogram(random: Random, m: int) -> Loss:
    """Squared differences of two histograms of 500 values, 25 bins: sums of m factors."""
    factors = random.gamma(2.0, 1.0, (500, m))
    truth = random.uniform(0.5, 1.5, m)
    edges = np.quantile(factors @ truth, np.linspace(0.0, 1.0, 26)[1:-1])
    target = np.bincount(np.searchsorted(edges, factors @ truth), minlength=25)

    def value(x: Array) -> float:
        counts = np.bincount(np.searchsorted(edges, factors @ x), minlength=25)
        return float(np.square((counts - target) / 500.0).sum())

    return Loss(value, np.clip(truth + 0.3 * random.standard_normal(m), 0.0, 3.0), 0.0, 3.0)


FAMILIES: dict[str, Callable[[Random, int], Loss]] = {
    "auc": auc,
    "ndcg": ndcg,
    "errors": errors,
    "quantized 1e-1": quantized(1e-1),
    "quantized 1e-2": quantized(1e-2),
    "quantized 1e-4": quantized(1e-4),
    "rounded L1": rounded,
    "inventory": inventory,
    "histogram": histogram,
}


class Spent(Exception):  # noqa: N818 - no error
    """The evaluations of a peer are spent."""


class Counted:
    """The loss with a budget; the least F at an allowed point."""

    def __init__(self, loss: Loss, budget: int) -> None:
        self.loss, self.budget, self.count, self.least = loss, budget, 0, math.inf

    def __call__(self, x: Array) -> float:
        if self.count >= self.budget:
            raise Spent
        self.count += 1
        found = self.loss.F(x)
        if self.loss.allows(x):
            self.least = min(self.least, found)
        return found

    def share(self, z: Array) -> float:
        """At z / sum(z), for solvers that know bounds only."""
        return self(np.abs(z) / max(float(np.abs(z).sum()), 1e-12))


def ours(loss: Loss, budget: int, seed: int) -> float:
    """F at the answer of the default method."""
    domain = zoo.Box(loss.lower, loss.upper) if math.isfinite(loss.lower) else None
    found = zoo.minimize(
        loss.value,
        loss.x0,
        domain=zoo.Simplex() if loss.simplex else domain,
        regularizer=zoo.L1(loss.strength) if loss.strength else None,
        max_evaluations=budget,
        rng=seed,
        progress=False,
    )
    return loss.F(np.asarray(found.x, dtype=np.float64))


def by_scipy(method: str, options: dict[str, float]) -> Callable[[Loss, int, int], float]:
    """A solver of scipy with its default differences or radii."""

    def run(loss: Loss, budget: int, seed: int) -> float:
        f, m = Counted(loss, budget), len(loss.x0)
        shares = loss.simplex and method == "L-BFGS-B"
        bounded = math.isfinite(loss.lower)
        bounds = scipy.optimize.Bounds(np.full(m, loss.lower), np.full(m, loss.upper))
        row = [scipy.optimize.LinearConstraint(np.ones((1, m)), 1.0, 1.0)]
        with contextlib.suppress(Spent), np.errstate(all="ignore"):
            scipy.optimize.minimize(
                f.share if shares else f,
                loss.x0,
                method=method,
                bounds=bounds if bounded else None,
                constraints=row if loss.simplex and not shares else (),
                options=options,
            )
        return f.least

    return run


def by_cma(loss: Loss, budget: int, seed: int) -> float:
    """pycma, its first step 0.3 of the start's size, or of the box."""
    import cma

    f, bounded = Counted(loss, budget), math.isfinite(loss.lower)
    z0 = len(loss.x0) * loss.x0 if loss.simplex else loss.x0
    step = 0.3 * min(max(1.0, float(np.abs(z0).max())), loss.upper - loss.lower)
    box = [0.0 if loss.simplex else loss.lower, math.inf if loss.simplex else loss.upper]
    bounds = box if bounded else [None, None]
    options = {"verbose": -9, "seed": seed, "maxfevals": budget, "bounds": bounds}
    with contextlib.suppress(Spent):
        search = cma.CMAEvolutionStrategy(z0, step, options)
        while f.count < budget:
            points = search.ask()
            search.tell(points, [f.share(z) if loss.simplex else f(z) for z in points])
    return f.least


SOLVERS: dict[str, Callable[[Loss, int, int], float]] = {
    "zooadmm": ours,
    "SLSQP": by_scipy("SLSQP", {"maxiter": 10**6, "ftol": 1e-14}),
    "L-BFGS-B": by_scipy("L-BFGS-B", {"maxiter": 10**6, "maxfun": 10**7, "ftol": 1e-15}),
    "COBYQA": by_scipy("COBYQA", {"maxfev": 10**6, "maxiter": 10**7}),
    "CMA-ES": by_cma,
}


class Row(NamedTuple):
    """The least F of one solver on one problem."""

    family: str
    m: int
    seed: int
    solver: str
    start: float
    value: float


def stored() -> list[Row]:
    """Rows of the peers."""
    if not ROWS.exists():
        return []
    with ROWS.open(newline="") as file:
        return [
            Row(r[0], int(r[1]), int(r[2]), r[3], float(r[4]), float(r[5]))
            for r in list(csv.reader(file))[1:]
        ]


def measured(family: str, m: int, seed: int, solver: str) -> Row:
    random = np.random.default_rng([seed, m, *map(ord, family)])
    loss = FAMILIES[family](random, m)
    value = SOLVERS[solver](loss, MULTIPLE * m, seed)
    return Row(family, m, seed, solver, loss.F(loss.x0), value)


def measure(families: Iterable[str], sizes: Iterable[int], seeds: Iterable[int]) -> list[Row]:
    """Ours anew, peers where they have no row yet."""
    rows = stored()
    known = {row[:4] for row in rows}
    sizes, seeds, found = list(sizes), list(seeds), []
    for family in families:
        for m in sizes:
            for seed in seeds:
                found.append(measured(family, m, seed, "zooadmm"))
                for peer in list(SOLVERS)[1:]:
                    if (family, m, seed, peer) in known or (peer == "COBYQA" and m > MOST_COBYQA):
                        continue
                    rows.append(measured(family, m, seed, peer))
                    write(rows)
    asked = {row[:3] for row in found}
    return found + [row for row in rows if row[:3] in asked]


def write(rows: list[Row]) -> None:
    with ROWS.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([Row._fields, *rows])


def table(rows: list[Row]) -> str:
    """Medians over seeds of the gap, a line for each family and size."""
    lines = [f"| gap at {MULTIPLE} m | m | {' | '.join(SOLVERS)} |"]
    lines.append("|---|--:|" + "--:|" * len(SOLVERS))
    for family, m in dict.fromkeys(row[:2] for row in rows):
        cells = []
        for solver in SOLVERS:
            gaps = [_gap(row, rows) for row in rows if row[:2] == (family, m) and row[3] == solver]
            cells.append(f"{statistics.median(gaps):.2g}" if gaps else "–")
        lines.append(f"| {family} | {m} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _gap(row: Row, rows: list[Row]) -> float:
    least = min(other.value for other in rows if other[:3] == row[:3])
    return (row.value - least) / ((row.start - least) or 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jumps", description=__doc__)
    parser.add_argument("--judge", action="store_true", help="odd seeds")
    parser.add_argument("--families", nargs="+", default=list(FAMILIES))
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--seeds", type=int, nargs="+")
    given = parser.parse_args()
    seeds = given.seeds or (JUDGING if given.judge else BUILDING)
    print(table(measure(given.families, given.sizes, seeds)))


if __name__ == "__main__":
    main()
