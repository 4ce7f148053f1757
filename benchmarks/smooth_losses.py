"""Smooth losses without structure: evaluations to a gap of 1e-6, beside BFGS, L-BFGS-B and SLSQP.

    python -m benchmarks.smooth_losses

The gap is f(x) - f*, with f* the local minimum that exact gradients find from the best point of the
run itself, and 1e-6 is relative to max(1, |f*|). The peers take differences by their own defaults.
Rosenbrock's functions start at uniform(-4, 4), the others at zero.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

import zooadmm as zoo

Vector = NDArray[np.float64]

TARGET = 1e-6
PEERS = ("BFGS", "L-BFGS-B", "SLSQP")
NAMES = ("zooadmm", *PEERS)
TOLERANCES = {
    "BFGS": {"gtol": 1e-10},
    "L-BFGS-B": {"ftol": 1e-15, "gtol": 1e-10, "maxfun": 10**6},
    "SLSQP": {"ftol": 1e-14},
}


class Loss(NamedTuple):
    """A loss, its gradient, a start, and the evaluations of a run."""

    value: Callable[[Vector], float]
    gradient: Callable[[Vector], Vector]
    x0: Vector
    budget: int


def rosenbrock(m: int, random: np.random.Generator) -> Loss:
    start = random.uniform(-4.0, 4.0, m)
    return Loss(scipy.optimize.rosen, scipy.optimize.rosen_der, start, 500 * m)


def poisson(m: int, random: np.random.Generator) -> Loss:
    """Poisson regression on 200 rows, the last variable an intercept."""
    A = np.column_stack([random.standard_normal((200, m - 1)), np.ones(200)])
    counts = random.poisson(np.exp(A @ random.normal(0.0, 0.3, m)))
    return Loss(
        lambda x: float(np.sum(np.exp(A @ x) - counts * (A @ x))) / 200,
        lambda x: np.asarray(A.T @ (np.exp(A @ x) - counts) / 200),
        np.zeros(m),
        2_000,
    )


def quadratic(m: int, condition: float, random: np.random.Generator) -> Loss:
    """|R (x - x*)|^2 / 2 with curvatures from 1 to `condition` along random axes."""
    axes = np.linalg.qr(random.standard_normal((m, m)))[0]
    R = axes * np.sqrt(np.logspace(0.0, math.log10(condition), m))
    to = random.standard_normal(m)
    return Loss(
        lambda x: 0.5 * float(np.sum(np.square((x - to) @ R))),
        lambda x: np.asarray(R @ ((x - to) @ R)),
        np.zeros(m),
        5_000,
    )


LOSSES: dict[str, Callable[[np.random.Generator], Loss]] = {
    "Rosenbrock 20": lambda random: rosenbrock(20, random),
    "Rosenbrock 40": lambda random: rosenbrock(40, random),
    "Poisson 31": lambda random: poisson(31, random),
    "quadratic 30, condition 1e4": lambda random: quadratic(30, 1e4, random),
    "quadratic 30, condition 1e6": lambda random: quadratic(30, 1e6, random),
    "quadratic 30, condition 1e8": lambda random: quadratic(30, 1e8, random),
}


class Spent(Exception):  # noqa: N818 - no error
    """The evaluations of a peer are spent."""


def needed(loss: Loss, name: str, seed: int) -> float:
    """Evaluations to the target; infinite for never."""
    values: list[float] = []
    best, least = loss.x0, math.inf

    def seen(x: Vector) -> float:
        nonlocal best, least
        if len(values) >= loss.budget:
            raise Spent
        value = float(loss.value(x))
        values.append(value)
        if value < least:
            best, least = np.array(x), value
        return value

    try:
        if name == "zooadmm":
            zoo.minimize(seen, loss.x0, max_evaluations=loss.budget, rng=seed)
        else:
            options = {**TOLERANCES[name], "maxiter": 10**6}
            scipy.optimize.minimize(seen, loss.x0, method=name, options=options)
    except Spent:
        pass
    optimum = local_minimum(loss, best)
    reached = np.asarray(values) <= optimum + TARGET * max(1.0, abs(optimum))
    return float(np.argmax(reached)) + 1.0 if reached.any() else math.inf


def local_minimum(loss: Loss, x: Vector) -> float:
    """f* near x, from exact gradients."""
    for _ in range(3):
        found = scipy.optimize.minimize(
            loss.value, x, jac=loss.gradient, method="BFGS", options={"gtol": 1e-12}
        )
        x = found.x
    return float(min(found.fun, loss.value(x)))


def line(name: str, seeds: list[int]) -> str:
    """A row of the table."""
    counts = {
        method: [needed(LOSSES[name](np.random.default_rng(s)), method, s) for s in seeds]
        for method in NAMES
    }
    median = {method: statistics.median(found) for method, found in counts.items()}
    solved = {method: sum(map(math.isfinite, found)) for method, found in counts.items()}
    least = min(median[peer] for peer in PEERS)
    ratio = median["zooadmm"] / least if math.isfinite(least) else math.nan
    cells = [f"{solved[m]} of {len(seeds)} [{median[m]:,.0f}]" for m in NAMES]
    return f"| {name} | {' | '.join(cells)} | {ratio:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.smooth_losses", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[101, 102, 103, 104, 105])
    given = parser.parse_args()
    print(f"| solved [median evaluations] | {' | '.join(NAMES)} | to the best peer |")
    print("|---|" + "--:|" * (len(NAMES) + 1))
    for name in LOSSES:
        print(line(name, given.seeds), flush=True)


if __name__ == "__main__":
    main()
