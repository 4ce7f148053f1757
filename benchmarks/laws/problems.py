"""Forty problems by seeds: smooth, sparse, constrained, kinked, sampled, noisy, with jumps.

A name is `loss-structure-m`, with `@sampled` for observations and `@1e-2` for noise of that
standard deviation in units of F(x0) - F(x*), where x* is what a run without noise finds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

import zooadmm as zoo
from benchmarks.problem import Array, BatchedLoss, NoStructure, Problem
from benchmarks.structured import losses
from benchmarks.structured import problems as structured

NAMES = (
    # smooth
    "bowl1e2-none-10",
    "bowl1e6-none-30",
    "rosenbrock-none-10",
    "poisson-none-31",
    "logistic-none-100",
    "squares-none-200",
    # sparse
    "squares-l1-40",
    "squares-l1-200",
    "logistic-l1-60",
    "cox-l1-50",
    "squares-groups-60",
    # simplices, budgets, boxes, rows
    "squares-simplex-50",
    "logistic-simplex-100",
    "logdet-budget-40",
    "poisson-box-20",
    "squares-rows-20",
    "logistic-rows-40",
    "squares-equalities-40",
    # kinks
    "deviations-none-15",
    "deviations-none-40",
    "quantile-l1-20",
    "cvar-simplex-20",
    "largest-none-20",
    # observations: ridges and others
    "squares-none-20@sampled",
    "logistic-none-50@sampled",
    "logistic-l1-100@sampled",
    "deviations-none-20@sampled",
    "distances-none-10@sampled",
    "squares-simplex-20@sampled",
    # noise
    "bowl1e2-none-10@1e-3",
    "bowl1e2-none-10@1e-1",
    "squares-none-50@1e-2",
    "logistic-none-200@1e-2",
    "squares-l1-40@1e-2",
    "squares-simplex-20@1e-2",
    "deviations-none-15@1e-1",
    # jumps
    "inventory-box-5",
    "inventory-box-10@sampled",
    "queue-budget-5",
    "auc-simplex-10",
)

Generator = np.random.Generator


@dataclass(frozen=True, eq=False)
class Distances:
    """f(x; i) = |x - w_i|: its mean is least at the geometric median."""

    places: Array

    @property
    def observations(self) -> NDArray[np.intp]:
        return np.arange(len(self.places))

    def values(self, points: Array, observations: Any = None) -> Array:
        chosen = self.places if observations is None else self.places[np.asarray(observations)]
        table = np.linalg.norm(points[:, None] - chosen[None], axis=2)
        return np.asarray(table.mean(axis=1) if observations is None else table)

    def gradient(self, x: Array, w: Any = None) -> Array:
        apart = x - (self.places if w is None else self.places[np.atleast_1d(w)])
        return np.asarray((apart / np.linalg.norm(apart, axis=1)[:, None]).mean(axis=0))


def _bowl(condition: float) -> Callable[[Generator, int, int], BatchedLoss]:
    """A quadratic with curvatures from 1 to `condition` along random axes."""

    def make(generator: Generator, m: int, rows: int) -> BatchedLoss:
        axes = np.linalg.qr(generator.standard_normal((m, m)))[0]
        R = axes * np.sqrt(np.logspace(0.0, math.log10(condition), m))
        to = generator.standard_normal(m)
        return losses.Black(lambda x: 0.5 * float(np.square((x - to) @ R).sum()))

    return make


def _rosenbrock(generator: Generator, m: int, rows: int) -> BatchedLoss:
    start = generator.uniform(-2.0, 2.0, m)
    return losses.Black(lambda x: float(scipy.optimize.rosen(start + x)))


def _deviations(generator: Generator, m: int, rows: int) -> BatchedLoss:
    A = generator.standard_normal((rows, m))
    b = A @ generator.standard_normal(m) + generator.standard_t(3, rows)
    return losses.Ridge(A, b, lambda p, t: np.abs(p - t), lambda p, t: np.sign(p - t))


def _largest(generator: Generator, m: int, rows: int) -> BatchedLoss:
    A, b = generator.standard_normal((3 * m, m)), generator.standard_normal(3 * m)
    A -= A.mean(axis=0)
    return losses.Black(lambda x: float((A @ x + b).max() + 0.05 * (x @ x)))


def _distances(generator: Generator, m: int, rows: int) -> BatchedLoss:
    return Distances(2.0 + generator.standard_t(3, (rows, m)))


LOSSES: dict[str, Callable[[Generator, int, int], BatchedLoss]] = {
    **structured.LOSSES,
    "bowl1e2": _bowl(1e2),
    "bowl1e6": _bowl(1e6),
    "rosenbrock": _rosenbrock,
    "deviations": _deviations,
    "largest": _largest,
    "distances": _distances,
}


def _rows(loss: BatchedLoss, m: int) -> Problem:
    """Five rows, of which some are active: -0.2 <= A x <= 0.1."""
    A = np.random.default_rng(m).standard_normal((5, m)) / math.sqrt(m)
    polyhedron: Any = zoo.Inequality(A, -0.2, 0.1)  # the peers of other suites have no form for it
    return Problem("", loss, np.zeros(m), structure=NoStructure(None), constraint=polyhedron)


STRUCTURES: dict[str, Callable[[BatchedLoss, int], Problem]] = {
    **structured.STRUCTURES,
    "rows": _rows,
}


def build(name: str, seed: int) -> Problem:
    """The problem of a name, with the data of a seed."""
    base, _, regime = name.partition("@")
    loss_name, structure_name, size = base.split("-")
    m = int(size)
    generator = np.random.default_rng([seed, *map(ord, base)])
    loss = LOSSES[loss_name](generator, m, max(4 * m, 100))
    problem = replace(STRUCTURES[structure_name](loss, m), name=name)
    if regime == "sampled":
        return replace(problem.sampled(1), name=name)
    return problem.with_noise(float(regime) * depth(problem)) if regime else problem


def depth(problem: Problem) -> float:
    """F(x0) - F*, with F* the answer of a run without noise."""
    return problem.objective(problem.x0) - exact_optimum(problem)


REFERENCE = 300
"""Evaluations a variable of a run on the whole loss without noise."""


def exact_optimum(problem: Problem) -> float:
    whole = replace(problem, observations=None, noise=0.0)
    return whole.objective(answer(whole, REFERENCE * problem.m, seed=0).x)


def structure(problem: Problem) -> dict[str, Any]:
    """The arguments of `minimize` that a problem decides, by name."""
    names = "regularizer", "domain", "constraint", "observations", "complete"
    return {name: getattr(problem, name) for name in names}


def answer(problem: Problem, budget: int | None, seed: int, values: Any = None) -> zoo.Result:
    """`minimize` with its defaults; `values` in place of the loss's own."""
    return zoo.minimize(
        zoo.Loss(values=problem.loss.values if values is None else values),
        problem.x0,
        **structure(problem),
        max_evaluations=budget,
        rng=seed,
        progress=False,
    )
