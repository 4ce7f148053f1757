"""The variables that are not at work: they are zero, and each has a slope that may change that.

A slope is seen at a point where the variable is moved by length / w_i, to a side where the loss may
be evaluated; in these units every variable stays at zero as long as its slope T is 1 at the most.
Where there is less room than that, the variable is moved by what there is, by itself only.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import NEGLIGIBLE
from zooadmm.methods.auto.working_set import bisection
from zooadmm.methods.auto.working_set.bisection import Search
from zooadmm.methods.auto.working_set.entries import Entries, Indices
from zooadmm.methods.auto.working_set.restriction import light
from zooadmm.problem.arrays import Vector
from zooadmm.problem.coordinates import Coordinates
from zooadmm.problem.problem import Problem


class ZeroVariables:
    """The variables of one problem, as they are while they are zero."""

    def __init__(self, problem: Problem, parts: Coordinates) -> None:
        self.light = light(parts.above)
        """Variables that are always at work"""
        self.unit = 1.0 / np.where(self.light, float(np.median(parts.above)), parts.above)
        self.free = parts.lower < parts.upper
        """Variables that bounds do not fix"""
        self._rises, self._falls = parts.upper > 0.0, parts.lower < 0.0
        self._lower, self._upper = parts.lower, parts.upper
        self._down, self._up = _room(problem)

    def movable(self, chosen: Indices) -> Indices:
        """The variables that are not chosen and may leave zero."""
        could = self._rises | self._falls
        could[chosen] = False
        return np.flatnonzero(could)

    def roomy(self, variables: Indices, length: float) -> Indices:
        """Those of these variables that have room for a move of this length."""
        room = np.maximum(self._down[variables], self._up[variables])
        return np.compress(room >= length * self.unit[variables], variables)

    def search(self, variables: Indices, length: float, normals: Vector, caution: float) -> Search:
        """Among these, in an order and with signs that are made from as many normal numbers."""
        order = np.argsort(np.abs(normals), kind="stable")
        variables, signs = variables[order], np.sign(normals[order])
        moves = length * self.unit[variables]
        signs[self._down[variables] < moves] = 1.0
        signs[self._up[variables] < moves] = -1.0
        rises, falls = self._rises[variables], self._falls[variables]
        along, against = np.where(signs > 0, rises, falls), np.where(signs > 0, falls, rises)
        return bisection.init(variables, signs, along, against, caution)

    def one_by_one(self, variables: Indices, length: float) -> Entries:
        """A point for each of these: as far as the length, or as there is room."""
        target = length * self.unit[variables]
        up = np.minimum(target, self._up[variables])
        down = np.minimum(target, self._down[variables])
        moves = np.where(up >= down, up, -down)
        return Entries(np.arange(len(variables) + 1), variables, moves)

    def that_matter(self, measured: Entries, changes: Vector, length: float, eps: float) -> Indices:
        """Those of them that promise a decrease beyond rounding, the steepest first.

        changes: of the loss. The length is 2 sqrt(eps / h), with h the usual curvature in units
        of 1 / w_i, so that a slope T promises (|T| - 1) t - h t^2 / 2 for a step t, of which the
        best is (|T| - 1) / h or what the bounds leave of it.
        """
        variables = measured.columns
        unit, h = self.unit[variables], eps / (0.5 * length) ** 2
        slopes = changes / (measured.values / unit)
        to_bound = np.where(slopes < 0.0, self._upper[variables], -self._lower[variables])
        beyond = np.maximum(np.where(np.isfinite(slopes), np.abs(slopes) - 1.0, 0.0), 0.0)
        step = np.minimum(beyond / h, to_bound / unit)
        matter = np.flatnonzero((beyond - 0.5 * h * step) * step > NEGLIGIBLE * eps)
        return variables[matter[np.argsort(-beyond[matter], kind="stable")]]


def _room(problem: Problem) -> tuple[Vector, Vector]:
    """Distance down and up from zero at which the loss may be evaluated, along each variable."""
    lower, upper = problem.domain.bounds() or (-math.inf, math.inf)
    ones: NDArray[np.float64] = np.ones(problem.m)
    return -lower * ones, upper * ones
