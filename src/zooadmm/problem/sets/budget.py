"""Coordinates that share a fixed total."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates, with_row
from zooadmm.problem.sets.convex_set import ConvexSet
from zooadmm.problem.sets.parameters import finite, in_dtype_of


@dataclass(frozen=True)
class Budget(ConvexSet):
    """{x : 1'x = budget}, a hyperplane; the budget is any finite number.

    The projection moves every coordinate by the same amount, (budget - 1'v) / m.

    >>> Budget(6.0).project(np.array([0.0, 1.0, 2.0]))
    array([1., 2., 3.])
    """

    budget: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "budget", finite("budget", self.budget))

    def project(self, v: Vector) -> Vector:
        wide = np.asarray(v, dtype=np.float64)
        x = wide - (wide.sum() - self.budget) / v.size
        x -= (x.sum() - self.budget) / v.size  # what rounding left when |v| is large
        return in_dtype_of(v, x)

    def form(self, m: int) -> Form:
        return with_row(of_coordinates(coordinates(m)), np.ones(m), self.budget)

    stretch = 2.0

    def inradius(self, m: int) -> float:
        return math.inf

    def shrunk(self, radius: float) -> Budget:
        return self

    def tangent(self, rows: Matrix) -> Matrix:
        return centered(rows)

    def clip(self, points: Matrix) -> Matrix:
        return points


def centered(rows: Matrix) -> Matrix:
    """Each row minus its mean; the same whatever rows stand beside it."""
    contiguous = np.ascontiguousarray(rows)
    means = contiguous.mean(axis=1, keepdims=True, dtype=np.float64)
    return contiguous - in_dtype_of(rows, means)
