"""The same problem with a unit of its own for every variable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo
from benchmarks.problem import Array, BatchedLoss, NoStructure, Problem

LOG10_RANGE = 2.0
"""Units lie between 10^-2 and 10^2, evenly in the logarithm."""


@dataclass(frozen=True)
class LossInUnits:
    """f(u / units), entry by entry."""

    loss: BatchedLoss
    units: Array

    @property
    def observations(self) -> NDArray[np.intp]:
        return self.loss.observations

    def values(self, points: Array, observations: Any = None) -> Array:
        return self.loss.values(points / self.units, observations)

    def gradient(self, x: Array, w: Any = None) -> Array:
        return self.loss.gradient(x / self.units, w) / self.units


def drawn_units(m: int) -> Array:
    """Log-uniform, the same for every run."""
    generator = np.random.default_rng(2018)
    return np.asarray(10.0 ** generator.uniform(-LOG10_RANGE, LOG10_RANGE, m))


def each_in_its_unit(problem: Problem, units: Array) -> Problem:
    """The problem in variables u_i = units_i x_i; for an L1 regularizer, a box or neither."""
    phi, domain = problem.regularizer, problem.domain
    if phi is not None and domain is not None:
        raise TypeError(f"{problem.name} has a regularizer and a domain; only one can be rescaled.")
    if isinstance(phi, zoo.L1):
        weights = np.ones(problem.m) if phi.weights is None else phi.weights
        phi = zoo.L1(phi.strength, weights=weights / units)
    elif phi is not None:
        raise TypeError(f"{problem.name} has a {type(phi).__name__}, which cannot be rescaled.")
    if isinstance(domain, zoo.Box):
        domain = zoo.Box(domain.lower * units, domain.upper * units)
    elif domain is not None:
        raise TypeError(f"{problem.name} has a {type(domain).__name__}, which cannot be rescaled.")
    return replace(
        problem,
        name=f"{problem.name}@each",
        loss=LossInUnits(problem.loss, units),
        x0=problem.x0 * units,
        structure=NoStructure(domain) if phi is None else phi,
        feasible=domain,
        regularizer=phi,
        domain=domain,
    )
