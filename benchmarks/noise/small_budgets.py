"""Small budgets behind noise: `python -m benchmarks.noise.small_budgets [develop] [--told]`.

Five kinds of losses of m = 5 to 50 variables with noise of 1e-3, 1e-2 and 1e-1 of F(x0) - F*, and
budgets of 3 to 30 evaluations a variable. The gap is (F(x) - F*) / (F(x0) - F*) at the answer, F
without noise and F* from cvxpy. Without `--told` a run does not know its budget: one run is read
at every budget.

Constants of the method are chosen with `develop`: the kinds "quadratic", "box" and "sparse", with
instances 0 to 2. It is judged on all five kinds with instances 100 to 104.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np

import zooadmm as zoo

SIZES = (5, 10, 20, 50)
SIGMAS = (1e-3, 1e-2, 1e-1)
BUDGETS = (3, 5, 8, 12, 20, 30)
"""In evaluations a variable."""
DEVELOPED, DEVELOPING = ("quadratic", "box", "sparse"), (0, 1, 2)
JUDGED, JUDGING = ("quadratic", "box", "sparse", "logistic", "simplex"), (100, 101, 102, 103, 104)
Array = np.ndarray[Any, Any]
Loss = Callable[[Array], float]


@dataclass(frozen=True)
class Case:
    """F = f + phi over a set, with its least value."""

    f: Callable[[Array], float]
    x0: Array
    least: float
    given: dict[str, Any]

    def objective(self, x: Array) -> float:
        phi = self.given.get("regularizer")
        return self.f(x) + (phi(x) if phi is not None else 0.0)

    def gap(self, x: Array) -> float:
        """1 at x0, 0 at an optimum."""
        return (self.objective(x) - self.least) / (self.objective(self.x0) - self.least)


def case(kind: str, m: int, instance: int) -> Case:
    """A random one; the same for the same arguments."""
    generator = np.random.default_rng([instance, m, len(kind)])
    x = cp.Variable(m)
    if kind in ("quadratic", "box"):
        turn = np.linalg.qr(generator.standard_normal((m, m)))[0]
        matrix = turn @ np.diag(np.geomspace(0.1, 10.0, m)) @ turn.T
        center = generator.uniform(-1.5, 1.5, m)
        value = 0.5 * cp.quad_form(x - center, cp.psd_wrap(matrix))
        bounded = kind == "box"
        least = _least(value, [x >= -1, x <= 2] if bounded else [])

        def square(x: Array) -> float:
            return 0.5 * float((x - center) @ matrix @ (x - center))

        given = {"domain": zoo.Box(-1.0, 2.0)} if bounded else {}
        return Case(square, np.full(m, 0.5), least, given)
    if kind == "sparse":
        rows = generator.standard_normal((3 * m, m))
        truth = np.where(np.arange(m) % 5 == 0, generator.uniform(0.5, 1.5, m), 0.0)
        outcome = rows @ truth + 0.1 * generator.standard_normal(3 * m)
        value = cp.sum_squares(rows @ x - outcome) / (6 * m) + 0.1 * cp.norm1(x)

        def fit(x: Array) -> float:
            return float(np.square(rows @ x - outcome).sum()) / (6 * m)

        return Case(fit, np.full(m, 0.5), _least(value, []), {"regularizer": zoo.L1(0.1)})
    if kind == "logistic":
        rows = generator.standard_normal((10 * m, m))
        chances = 1 / (1 + np.exp(-rows @ generator.standard_normal(m)))
        signs = np.where(generator.uniform(size=10 * m) < chances, 1.0, -1.0)
        value = cp.sum(cp.logistic(-cp.multiply(signs, rows @ x))) / (10 * m)

        def surprise(x: Array) -> float:
            return float(np.logaddexp(0, -signs * (rows @ x)).mean())

        return Case(surprise, np.zeros(m), _least(value, []), {})
    assert kind == "simplex"
    factors = generator.standard_normal((m, 5))
    matrix = factors @ factors.T + np.diag(generator.uniform(0.1, 1.0, m))
    gains = generator.uniform(0.0, 0.5, m)
    value = cp.quad_form(x, cp.psd_wrap(matrix)) - gains @ x

    def risk(x: Array) -> float:
        return float(x @ matrix @ x - gains @ x)

    least = _least(value, [x >= 0, cp.sum(x) == 1])
    return Case(risk, np.full(m, 1 / m), least, {"domain": zoo.Simplex()})


def _least(value: Any, constraints: list[Any]) -> float:
    problem = cp.Problem(cp.Minimize(value), constraints)
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


def gaps(made: Case, sigma: float, seed: int, told: bool) -> list[float]:
    """The gap at every budget."""
    m, scale = len(made.x0), sigma * (made.objective(made.x0) - made.least)
    if told:
        return [made.gap(_answer(made, scale, seed, times * m)) for times in BUDGETS]
    loss = _noisy(made, scale, seed)
    return [made.gap(x) for x in answers(loss, made.x0, seed, made.given, BUDGETS)]


def _noisy(made: Case, sigma: float, seed: int) -> Loss:
    noise = np.random.default_rng([seed, 7])
    return lambda x: made.f(x) + sigma * float(noise.standard_normal())


def _answer(made: Case, sigma: float, seed: int, budget: int) -> Array:
    loss = _noisy(made, sigma, seed)
    return zoo.minimize(loss, made.x0, max_evaluations=budget, rng=seed, **made.given).x


def answers(
    loss: Loss, x0: Array, seed: int, given: dict[str, Any], budgets: Iterable[int]
) -> Iterator[Array]:
    """Those of one run without a budget, read at every budget, in evaluations a variable."""
    run = zoo.Optimizer(x0, rng=seed, **given)
    now = run.recommended()[0]
    for times in budgets:
        while (query := run.ask()) is not None:
            if run.evaluations + query.evaluations > times * len(x0):
                break
            points = [p for table in query.tables() for p in table.points]
            run.tell(query.id, np.array([loss(p) for p in points]).reshape(query.shape))
            now = run.recommended()[0]
        yield now


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.noise.small_budgets")
    parser.add_argument("form", nargs="?", choices=("develop", "judge"), default="judge")
    parser.add_argument("--told", action="store_true", help="the run knows its budget")
    parser.add_argument("--kinds", default="", help="only these, by commas")
    parser.add_argument("--sizes", default="", help="only these m, by commas")
    given = parser.parse_args()
    kinds, instances = (JUDGED, JUDGING) if given.form == "judge" else (DEVELOPED, DEVELOPING)
    kinds = tuple(given.kinds.split(",")) if given.kinds else kinds
    sizes = tuple(map(int, given.sizes.split(","))) if given.sizes else SIZES
    print("| kind | m | sigma | " + " | ".join(f"{times} m" for times in BUDGETS) + " |")
    print("|---|---|---|" + "---|" * len(BUDGETS))
    for kind in kinds:
        for m in sizes:
            made = [case(kind, m, instance) for instance in instances]
            for sigma in SIGMAS:
                found = [
                    gaps(c, sigma, i, given.told) for c, i in zip(made, instances, strict=True)
                ]
                medians = [statistics.median(column) for column in zip(*found, strict=True)]
                text = " | ".join(f"{value:.3g}" for value in medians)
                print(f"| {kind} | {m} | {sigma:g} | {text} |", flush=True)


if __name__ == "__main__":
    main()
