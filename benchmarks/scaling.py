"""The same problem in other units: users do not normalise.

F times `value`, in variables u = `unit` x: the solution is the same point in the new unit, and
gaps, being relative, stay comparable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo
from benchmarks.problem import Array, BatchedLoss, NoStructure, Problem

SCALES = {
    "loss1e-3": (1e-3, 1.0),
    "loss1e3": (1e3, 1.0),
    "unit1e-2": (1.0, 1e-2),
    "unit1e2": (1.0, 1e2),
}
"""(value, unit) by the name that stands behind the @ of a problem's name."""


@dataclass(frozen=True)
class RescaledLoss:
    """value f(u / unit), entry by entry."""

    loss: BatchedLoss
    value: float
    unit: float | Array

    @property
    def observations(self) -> NDArray[np.intp]:
        return self.loss.observations

    def values(self, points: Array, observations: Any = None) -> Array:
        return self.value * self.loss.values(points / self.unit, observations)

    def gradient(self, x: Array, w: Any = None) -> Array:
        return self.value / self.unit * self.loss.gradient(x / self.unit, w)


def rescaled(problem: Problem, name: str) -> Problem:
    """The problem in the units of that name."""
    value, unit = SCALES[name]
    return in_units(problem, name, value, unit)


def in_units(problem: Problem, name: str, value: float, unit: float | Array) -> Problem:
    """value F in variables unit x, for an L1 regularizer or a box, with x = y.

    unit: one for all variables, or one for each.
    """
    if problem.regularizer is not None and problem.domain is not None:
        raise TypeError(f"{problem.name} has a regularizer and a domain; only one can be rescaled.")
    phi, domain = problem.regularizer, problem.domain
    if isinstance(phi, zoo.L1):
        phi = _l1(phi, value, unit)
    elif phi is not None:
        raise TypeError(f"{problem.name} has a {type(phi).__name__}, which cannot be rescaled.")
    if isinstance(domain, zoo.Box):
        domain = zoo.Box(domain.lower * unit, domain.upper * unit)
    elif domain is not None:
        raise TypeError(f"{problem.name} has a {type(domain).__name__}, which cannot be rescaled.")
    return replace(
        problem,
        name=f"{problem.name}@{name}",
        loss=RescaledLoss(problem.loss, value, unit),
        x0=problem.x0 * unit,
        structure=NoStructure(domain) if phi is None else phi,
        feasible=domain,
        regularizer=phi,
        domain=domain,
        noise=problem.noise * value,
        optimum=problem.optimum * value,
    )


def _l1(phi: zoo.L1, value: float, unit: float | Array) -> zoo.L1:
    if isinstance(unit, float):
        return zoo.L1(phi.strength * value / unit, phi.weights)
    weights = np.ones(len(unit)) if phi.weights is None else phi.weights
    return zoo.L1(phi.strength * value, weights / unit)
