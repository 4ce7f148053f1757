"""Losses with kinks: the gap after 5,000 evaluations beside SLSQP and L-BFGS-B, and sampled LAD.

    python -m benchmarks.kinked_losses             # the table, medians over seeds
    python -m benchmarks.kinked_losses --sampled   # LAD by rows at 3,000 to 300,000 evaluations

The gap is (F - F*) / (F(x0) - F*). F* is that of a linear program (HiGHS), or of the formula.
CVaR is over the simplex, from equal weights; the others have no constraints and start at zero.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

import zooadmm as zoo

Array = NDArray[np.floating]

BUDGET = 5_000
PEERS = ("SLSQP", "L-BFGS-B")
SAMPLED = (3_000, 10_000, 30_000, 100_000, 300_000)


class Loss(NamedTuple):
    """A loss, its optimum, a start, and whether X is the simplex."""

    value: Callable[[Array], float]
    least: float
    x0: Array
    simplex: bool = False


def _least_absolute(A: Array, b: Array, above: float, below: float) -> float:
    """min mean(above (b - A x)_+ + below (A x - b)_+), a linear program."""
    rows, m = A.shape
    costs = np.concatenate([np.zeros(m), np.full(rows, above / rows), np.full(rows, below / rows)])
    table = np.hstack([A, np.eye(rows), -np.eye(rows)])
    bounds = [(None, None)] * m + [(0, None)] * (2 * rows)
    return float(scipy.optimize.linprog(costs, A_eq=table, b_eq=b, bounds=bounds).fun)


def cvar(random: np.random.Generator) -> Loss:
    """The mean of the worst 5 % of 500 portfolio losses, 20 assets."""
    m, rows, level = 20, 500, 0.95
    losses = -(random.standard_t(4, (rows, m)) * random.uniform(0.5, 2.0, m) + 0.1)
    worst = round(rows * (1 - level))
    costs = np.concatenate([np.zeros(m), [1.0], np.full(rows, 1.0 / worst)])
    found = scipy.optimize.linprog(
        costs,
        A_ub=np.hstack([losses, -np.ones((rows, 1)), -np.eye(rows)]),
        b_ub=np.zeros(rows),
        A_eq=np.concatenate([np.ones(m), np.zeros(rows + 1)])[None],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)] + [(0, None)] * rows,
    )
    return Loss(
        lambda x: float(np.sort(losses @ x)[-worst:].mean()), found.fun, np.full(m, 1 / m), True
    )


def _regression(random: np.random.Generator, rows: int, m: int) -> tuple[Array, Array]:
    A = random.standard_normal((rows, m))
    return A, A @ random.standard_normal(m) + random.standard_t(3, rows)


def quantile(random: np.random.Generator) -> Loss:
    """The 0.8 quantile, 200 rows, 20 variables."""
    A, b = _regression(random, 200, 20)

    def value(x: Array) -> float:
        r = b - A @ x
        return float(np.maximum(0.8 * r, -0.2 * r).mean())

    return Loss(value, _least_absolute(A, b, 0.8, 0.2), np.zeros(20))


def absolute(random: np.random.Generator) -> Loss:
    """mean |b - A x|, 200 rows, 20 variables."""
    A, b = _regression(random, 200, 20)
    return Loss(
        lambda x: float(np.abs(b - A @ x).mean()), _least_absolute(A, b, 1.0, 1.0), np.zeros(20)
    )


def largest(random: np.random.Generator) -> Loss:
    """max_i (x_i - c_i)^2, 20 variables."""
    c = random.standard_normal(20)
    return Loss(lambda x: float(np.square(x - c).max()), 0.0, np.zeros(20))


LOSSES = {"CVaR, simplex": cvar, "quantile": quantile, "L1 fit": absolute, "max": largest}


class Spent(Exception):  # noqa: N818 - no error
    """The evaluations of a peer are spent."""


def by_scipy(loss: Loss, name: str) -> float:
    """The least value that a peer saw at an allowed point."""
    seen = [loss.value(loss.x0)]

    def value(x: Array) -> float:
        if len(seen) > BUDGET:
            raise Spent
        found = loss.value(x)
        allowed = not loss.simplex or (abs(x.sum() - 1.0) < 1e-9 and x.min() > -1e-9)
        seen.append(found if allowed else np.inf)
        return found

    rows = [scipy.optimize.LinearConstraint(np.ones((1, len(loss.x0))), 1.0, 1.0)]
    with contextlib.suppress(Spent):
        scipy.optimize.minimize(
            value,
            loss.x0,
            method=name,
            bounds=[(0, 1)] * len(loss.x0) if loss.simplex else None,
            constraints=rows if loss.simplex and name == "SLSQP" else (),
            options={"maxiter": 10**6, "ftol": 1e-15},
        )
    return min(seen)


def gaps(make: Callable[[np.random.Generator], Loss], seed: int) -> list[float]:
    """Of ours, then of the peers; L-BFGS-B has no form for the simplex."""
    loss = make(np.random.default_rng(seed))
    ours = zoo.minimize(
        loss.value,
        loss.x0,
        domain=zoo.Simplex() if loss.simplex else None,
        max_evaluations=BUDGET,
        rng=seed,
    )
    found = [loss.value(ours.x)]
    found += [
        by_scipy(loss, name) if name == "SLSQP" or not loss.simplex else np.inf for name in PEERS
    ]
    return [(v - loss.least) / (loss.value(loss.x0) - loss.least) for v in found]


def sampled(seed: int, budget: int) -> float:
    """|b_i - A_i x| of 400 rows, 20 variables, observation by observation."""
    A, b = _regression(np.random.default_rng(seed), 400, 20)
    least, first = _least_absolute(A, b, 1.0, 1.0), float(np.abs(b).mean())
    found = zoo.minimize(
        lambda x, i: float(abs(b[i] - A[i] @ x)),
        np.zeros(20),
        observations=range(400),
        max_evaluations=budget,
        rng=seed,
    )
    return (float(np.abs(b - A @ found.x).mean()) - least) / (first - least)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kinked_losses", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[101, 102, 103, 104, 105])
    parser.add_argument("--sampled", action="store_true")
    given = parser.parse_args()
    if given.sampled:
        print("| evaluations | gap, sampled LAD |\n|--:|--:|")
        for budget in SAMPLED:
            found = [sampled(seed, budget) for seed in given.seeds]
            print(f"| {budget:,} | {statistics.median(found):.1e} |", flush=True)
        return
    print(f"| gap at {BUDGET:,} | zooadmm | {' | '.join(PEERS)} | to SLSQP |")
    print("|---|" + "--:|" * (len(PEERS) + 2))
    for name, make in LOSSES.items():
        columns = zip(*(gaps(make, seed) for seed in given.seeds), strict=True)
        medians = [statistics.median(column) for column in columns]
        ratio = medians[0] / medians[1]
        print(f"| {name} | {' | '.join(f'{v:.1e}' for v in medians)} | {ratio:.2g} |", flush=True)


if __name__ == "__main__":
    main()
