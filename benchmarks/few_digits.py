"""Values with errors: `python -m benchmarks.few_digits [--instances 100 101 102 103 104]`.

Smooth losses of 8, 12 and 20 variables within bounds, 100 (m + 1) evaluations. A column is what is
wrong with a value: with `6 digits` it is rounded to six significant digits; `1e-4 |f|` adds normal
noise of 1e-4 max(1, |f|). The gap is (f(x) - f*) / (f(x0) - f*) at the answer, f without errors,
f* the least value of any solver, with all digits too. A cell is the median over sizes and
instances, ours and then that of NLopt's BOBYQA at its best point.

Instances 0 and 1 chose the method; 100 to 104 judge.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
from collections.abc import Callable
from typing import Any, NamedTuple

import nlopt
import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo

Array = NDArray[np.float64]
Loss = Callable[[Array], float]
KINDS = ("quadratic", "poisson", "quartic", "rosenbrock", "growing")
SIZES = (8, 12, 20)
JUDGING = (100, 101, 102, 103, 104)
PRINTED = (4, 5, 6)
"""Significant digits."""
NOISE = (1e-6, 1e-4, 1e-2)
"""Of max(1, |f|)."""


class Case(NamedTuple):
    f: Loss
    lower: Array
    upper: Array
    x0: Array


def case(kind: str, m: int, instance: int) -> Case:
    """A random one; the same for the same arguments.

    "growing" falls from about m / 3 at x0 to hundreds and thousands below zero.
    """
    random = np.random.default_rng([instance, m, KINDS.index(kind)])
    zero, one = np.zeros(m), np.ones(m)
    if kind == "quadratic":
        turn = np.linalg.qr(random.standard_normal((m, m)))[0]
        H = (turn * np.geomspace(1.0, 1e4, m)) @ turn.T
        center = random.uniform(-2.0, 2.0, m)
        return Case(lambda x: float(0.5 * (x - center) @ H @ (x - center)), -one, one, zero)
    if kind == "poisson":
        A = random.standard_normal((4 * m, m)) / np.sqrt(m)
        counts = random.poisson(np.exp(A @ random.uniform(-1.0, 1.0, m)))
        return Case(
            lambda x: float((np.exp(A @ x) - counts * (A @ x)).sum()), -0.6 * one, 0.6 * one, zero
        )
    if kind == "quartic":
        A = random.standard_normal((2 * m, m))
        b = A @ random.uniform(-1.0, 1.0, m)
        return Case(
            lambda x: float(np.square(A @ x - b).sum() + 3.2 * (x**4).sum()),
            -0.5 * one,
            0.5 * one,
            zero,
        )
    if kind == "rosenbrock":
        scale = random.uniform(10.0, 100.0)
        return Case(
            lambda x: float(scale * np.square(x[1:] - x[:-1] ** 2).sum() + np.square(1 - x).sum()),
            -2.0 * one,
            random.uniform(0.6, 1.2, m),
            -one,
        )
    slopes, first = 10.0 * random.uniform(0.2, 1.0, m) * np.arange(1, m + 1), m // 3
    H = 12.0 * np.eye(m) - 3.0 * (np.eye(m, k=1) + np.eye(m, k=-1))
    return Case(
        lambda x: float(
            np.exp(0.1 * x[:first] * x[1 : first + 1]).sum() - slopes @ x + 0.5 * x @ H @ x
        ),
        zero,
        10.0 * one,
        zero,
    )


def printed(f: Loss, digits: int) -> Loss:
    return lambda x: float(f"{f(x):.{digits}g}")


def noisy(f: Loss, part: float, seed: int) -> Loss:
    random = np.random.default_rng([seed, 11])

    def value(x: Array) -> float:
        exact = f(x)
        return exact + part * max(1.0, abs(exact)) * float(random.standard_normal())

    return value


def ours(made: Case, loss: Loss, budget: int, seed: int) -> Array:
    box = zoo.Box(made.lower, made.upper)
    result = zoo.minimize(loss, made.x0, domain=box, max_evaluations=budget, rng=seed)
    return np.asarray(result.x, dtype=np.float64)


def bobyqa(made: Case, loss: Loss, budget: int) -> Array:
    """The point of the least value; its first step is a tenth of the box."""
    least, best = np.inf, made.x0

    def valued(x: Array, _: Any) -> float:
        nonlocal least, best
        value = loss(x)
        if value < least:
            least, best = value, x.copy()
        return value

    solver = nlopt.opt(nlopt.LN_BOBYQA, len(made.x0))
    solver.set_lower_bounds(made.lower)
    solver.set_upper_bounds(made.upper)
    solver.set_min_objective(valued)
    solver.set_maxeval(budget)
    solver.set_initial_step(0.1 * (made.upper - made.lower))
    with contextlib.suppress(RuntimeError, nlopt.RoundoffLimited):  # where values are too rough
        solver.optimize(np.clip(made.x0, made.lower, made.upper))
    return best


def gaps(kind: str, m: int, instance: int) -> list[tuple[float, float]]:
    """Ours and BOBYQA's, at every column."""
    made, budget = case(kind, m, instance), 100 * (m + 1)

    def reached(value: Loss, again: Loss, times: int = 1) -> tuple[float, float]:
        """f at both answers; the losses have the same noise."""
        x = ours(made, value, times * budget, instance)
        return made.f(x), made.f(bobyqa(made, again, times * budget))

    found = [reached(printed(made.f, d), printed(made.f, d)) for d in PRINTED]
    found += [reached(noisy(made.f, p, instance), noisy(made.f, p, instance)) for p in NOISE]
    exact, first = reached(made.f, made.f, 5), made.f(made.x0)
    least = min(*exact, *(value for pair in found for value in pair))

    def gap(value: float) -> float:
        return max((value - least) / (first - least), 1e-12)

    return [(gap(one), gap(other)) for one, other in found]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.few_digits")
    parser.add_argument("--instances", type=int, nargs="+", default=JUDGING)
    instances = parser.parse_args().instances
    heads = [f"{digits} digits" for digits in PRINTED] + [f"{part:g} \\|f\\|" for part in NOISE]
    print("| loss | " + " | ".join(heads) + " |")
    print("|---|" + "--:|" * len(heads))
    for kind in KINDS:
        rows = [gaps(kind, m, i) for m in SIZES for i in instances]
        cells = []
        for column in zip(*rows, strict=True):
            medians = [statistics.median(side) for side in zip(*column, strict=True)]
            cells.append(" / ".join(f"{v:.1e}" for v in medians))
        print(f"| {kind} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
