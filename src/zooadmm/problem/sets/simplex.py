"""The simplex: nonnegative coordinates that share a fixed total."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates, with_row
from zooadmm.problem.sets.box_budget import BoxBudget
from zooadmm.problem.sets.budget import centered
from zooadmm.problem.sets.convex_set import ConvexSet
from zooadmm.problem.sets.parameters import in_dtype_of, positive


@dataclass(frozen=True)
class Simplex(ConvexSet):
    """{x : x >= 0, 1'x = budget} with budget > 0; the probability simplex by default.

    The projection is max(v - theta, 0), where theta makes the total right.

    >>> Simplex().project(np.array([0.5, 0.5, -1.0]))
    array([0.5, 0.5, 0. ])
    >>> Simplex(budget=2.0).project(np.array([4.0, 3.0, 0.0]))
    array([1.5, 0.5, 0. ])
    """

    budget: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "budget", positive("budget", self.budget))

    def project(self, v: Vector) -> Vector:
        shifted = np.asarray(v, dtype=np.float64) - v.max()
        return in_dtype_of(v, np.maximum(shifted - threshold(shifted, self.budget), 0.0))

    def form(self, m: int) -> Form:
        return with_row(of_coordinates(coordinates(m, lower=0.0)), np.ones(m), self.budget)

    stretch = 2.0

    def inradius(self, m: int) -> float:
        return self.budget / m

    def shrunk(self, radius: float) -> BoxBudget:
        return BoxBudget(0.0, math.inf, self.budget).shrunk(radius)

    def tangent(self, rows: Matrix) -> Matrix:
        return centered(rows)

    def clip(self, points: Matrix) -> Matrix:
        return np.maximum(points, 0.0)


def threshold(v: Vector, budget: float) -> float:
    """The theta with sum(max(v - theta, 0)) = budget, for budget > 0.

    Whatever is positive in the end lies above max(v) - budget, so only that much is sorted.
    """
    top = float(v.max())
    below = v - top  # a budget far below max(v) is not lost in it
    descending = np.sort(below[below >= -budget])[::-1]
    thetas = (np.cumsum(descending) - budget) / np.arange(1, descending.size + 1)
    support = max(1, int(np.count_nonzero(descending > thetas)))
    return top + float((descending[:support].sum() - budget) / support)
