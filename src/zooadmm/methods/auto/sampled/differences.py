"""Slopes of each observation along every variable, by forward differences, and their rounding.

Within bounds, or where X does not count, x moves along one variable at a time. In another X the
points x + d_j e_j are projected on it, and the ways q_j to the projections span what X allows:
there the slopes g of an observation solve <g, q_j> = f(x + q_j; w) - f(x; w) - q_j'D q_j / 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import FLATTEST, LEFT, ULPS
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ConvexSet


class Moves(Protocol):
    """Moves from x whose differences have a length of 2 sqrt(eps) in the units of D."""

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """The variables along which X leaves no room."""

    def points(self) -> Matrix:
        """x, then a point for each variable, all in X."""

    def slopes(self, answer: Answer, v: Vector) -> Matrix:
        """The slopes of each observation, one a row, in units of 1 / sqrt(D).

        answer: values at the points. Where X leaves no room they are those of v.
        """


def moves(reach: ConvexSet, x: Vector, eps: float, curvatures: Vector) -> Moves:
    """d_j = 2 sqrt(eps/D_j), to the inner side of X."""
    d = 2.0 * np.sqrt(eps / curvatures)
    if reach.is_everything or reach.bounds() is not None:
        ahead, back = reach.project(x + d) - x, reach.project(x - d) - x
        inner = np.where(np.abs(ahead) >= 0.5 * d, ahead, back)
        return _AlongVariables(x, inner, curvatures, reach)
    to = _projected(reach, x, d)
    root = np.sqrt(curvatures)
    lengths = np.linalg.norm((to - x) * root, axis=1) / (2.0 * math.sqrt(eps))
    if (lengths > 1.0).any():  # other variables, which are steeper, move too
        d = d / np.maximum(lengths, 1.0)
        to = _projected(reach, x, d)
    return _Projected(x, to, d, curvatures)


def _projected(reach: ConvexSet, x: Vector, d: Vector) -> Matrix:
    """The points of X nearest to x + d_j e_j, or to x - d_j e_j where these are further from x."""
    found = np.empty((len(x), len(x)))
    for j, way in enumerate(np.diag(d)):
        both = reach.project(x + way), reach.project(x - way)
        found[j] = max(both, key=lambda point: float(np.square(point - x).sum()))
    return found


@dataclass(frozen=True, eq=False)
class _AlongVariables:
    x: Vector
    d: Vector
    curvatures: Vector
    reach: ConvexSet

    @property
    def blocked(self) -> NDArray[np.bool_]:
        return np.asarray(self.d == 0.0)

    def points(self) -> Matrix:
        to = self.reach.project(self.x + self.d)  # rounding of x + d stays inside
        return np.vstack([self.x, np.where(np.eye(len(self.x), dtype=bool), to, self.x)])

    def slopes(self, answer: Answer, v: Vector) -> Matrix:
        d, moved = self.d, ~self.blocked
        each = (answer[1:] - answer[0]).T / np.where(moved, d, 1.0) - 0.5 * d * self.curvatures
        return np.where(moved, each, v) / np.sqrt(self.curvatures)


@dataclass(frozen=True, eq=False)
class _Projected:
    x: Vector
    to: Matrix
    d: Vector
    curvatures: Vector

    @cached_property
    def blocked(self) -> NDArray[np.bool_]:
        return np.asarray(np.linalg.norm(self.to - self.x, axis=1) < LEFT * self.d)

    @cached_property
    def _ways(self) -> Matrix:
        """q_j, one a row, in units of 1 / sqrt(D)."""
        ways = (self.to - self.x) * np.sqrt(self.curvatures)
        return np.where(self.blocked[:, None], 0.0, ways)

    @cached_property
    def _inverse(self) -> Matrix:
        return np.linalg.pinv(self._ways, rcond=FLATTEST)

    def points(self) -> Matrix:
        return np.vstack([self.x, self.to])

    def slopes(self, answer: Answer, v: Vector) -> Matrix:
        known = v / np.sqrt(self.curvatures)
        curved = 0.5 * np.square(self._ways).sum(axis=1)
        missed = (answer[1:] - answer[0]).T - curved - self._ways @ known
        return np.asarray(known + np.where(self.blocked, 0.0, missed) @ self._inverse.T)


def rounding(size: float, curvatures: Vector, x: Vector) -> float:
    """The error of f(x; w) of this size at least: its last digits, or what those of x change.

    A loss f >= 0 of curvature h has a slope of at most sqrt(2 h f), so the last digits of x change
    it by sqrt(2 f sum_j h_j ulp(x_j)^2): much, where a small f is a difference of large terms.
    """
    digits = float(curvatures @ np.square(np.spacing(np.abs(x))))
    return max(ULPS * float(np.spacing(size)), math.sqrt(2.0 * size * digits))
