"""Dense smooth losses of many variables: the limited-memory model beside steps and L-BFGS-B.

    python -m benchmarks.many_variables

prints the part of F(x0) - F* that is left after 30 m evaluations, the median over seeds. L-BFGS-B
has exact gradients, each counted as m + 1 evaluations, which is better than differences would do.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import zooadmm as zoo

Vector = NDArray[np.float64]

GRADIENTS = 30
"""Evaluations a variable."""


class Loss(NamedTuple):
    """A loss, its gradient and a start."""

    value: Callable[[Vector], float]
    gradient: Callable[[Vector], Vector]
    x0: Vector
    units: Vector | float = 1.0
    """In which the judge of the optimum works"""


def low_rank(m: int, random: np.random.Generator) -> Loss:
    """A quadratic with 60 steep directions, curvatures 1 to 1e3."""
    U, w = random.standard_normal((m, 60)), np.logspace(0, 3, 60)
    to = random.standard_normal(m)
    return Loss(
        lambda x: 0.5 * float(w @ np.square((x - to) @ U)) / m + 0.5 * float(np.sum((x - to) ** 2)),
        lambda x: U @ (w * ((x - to) @ U)) / m + x - to,
        random.standard_normal(m),
    )


def scaled(m: int, random: np.random.Generator) -> Loss:
    """The same, each variable in a unit of its own between 1e-4 and 1e4."""
    loss, units = low_rank(m, random), 10.0 ** random.uniform(-4, 4, m)
    return Loss(
        lambda x: loss.value(x * units),
        lambda x: loss.gradient(x * units) * units,
        loss.x0 / units,
        1.0 / units,
    )


def smooth_curve(m: int, random: np.random.Generator) -> Loss:
    """A curve near noisy data, with a penalty on its slope and a quartic term."""
    to = np.sin(np.linspace(0.0, 6.0, m)) + 0.1 * random.standard_normal(m)

    def gradient(x: Vector) -> Vector:
        slope = 100.0 * np.diff(x)
        bent = np.concatenate([[0.0], slope]) - np.concatenate([slope, [0.0]])
        return np.asarray(x - to + x**3 + bent)

    return Loss(
        lambda x: float(
            50.0 * np.sum(np.diff(x) ** 2) + np.sum((x - to) ** 2) / 2 + np.sum(x**4) / 4
        ),
        gradient,
        np.full(m, 2.0),
    )


def poisson(m: int, random: np.random.Generator) -> Loss:
    """Poisson regression with a small ridge."""
    A = random.standard_normal((m // 3, m)) / np.sqrt(m)
    counts = random.poisson(np.exp(0.5 * A @ random.standard_normal(m)))
    return Loss(
        lambda x: float(np.sum(np.exp(A @ x) - counts * (A @ x)) + 0.05 * x @ x),
        lambda x: A.T @ (np.exp(A @ x) - counts) + 0.1 * x,
        0.1 * random.standard_normal(m),
    )


LOSSES = {
    "low rank": low_rank,
    "low rank, other units": scaled,
    "a smooth curve": smooth_curve,
    "Poisson": poisson,
}


def gaps(m: int, make: Callable[[int, np.random.Generator], Loss], seed: int) -> list[float]:
    """What is left by ours, by steps, by L-BFGS-B."""
    loss = make(m, np.random.default_rng(seed))
    options = {"maxiter": 10**5, "maxfun": 10**6, "ftol": 1e-16, "gtol": 1e-11}
    judged = minimize(
        lambda u: loss.value(u * loss.units),
        loss.x0 / loss.units,
        jac=lambda u: loss.gradient(u * loss.units) * loss.units,
        method="L-BFGS-B",
        options=options,
    )
    short = {**options, "maxfun": GRADIENTS * m // (m + 1)}
    peer = minimize(loss.value, loss.x0, jac=loss.gradient, method="L-BFGS-B", options=short)
    budget = GRADIENTS * m
    ours = zoo.minimize(loss.value, loss.x0, max_evaluations=budget, rng=seed)
    steps = zoo.minimize(
        loss.value, loss.x0, max_evaluations=budget, rng=seed, settings=zoo.Auto(without=["model"])
    )
    best, first = min(judged.fun, ours.fun), loss.value(loss.x0)
    return [(found.fun - best) / (first - best) for found in (ours, steps, peer)]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.many_variables", description=__doc__
    )
    parser.add_argument("--variables", type=int, default=1_600)
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 12, 13])
    given = parser.parse_args()
    print("| loss | limited memory | steps | L-BFGS-B, exact gradients |")
    print("|---|--:|--:|--:|")
    for name, make in LOSSES.items():
        found = [gaps(given.variables, make, seed) for seed in given.seeds]
        cells = [f"{statistics.median(column):.1e}" for column in zip(*found, strict=True)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
