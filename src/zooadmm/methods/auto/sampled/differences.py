"""Slopes of each observation along every variable, by forward differences."""

from __future__ import annotations

import numpy as np

from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ConvexSet


def moves(reach: ConvexSet, x: Vector, eps: float, curvatures: Vector) -> Vector:
    """The length of the difference along each variable, 2 sqrt(eps/D), to the inner side."""
    d = 2.0 * np.sqrt(eps / curvatures)
    ahead, back = reach.project(x + d) - x, reach.project(x - d) - x
    return np.where(np.abs(ahead) >= 0.5 * d, ahead, back)


def slopes(answer: Answer, d: Vector, curvatures: Vector, v: Vector) -> Matrix:
    """The slopes of each observation, one a row, in units of 1 / sqrt(D).

    answer: values at x and at x + d_j e_j. A variable that cannot move keeps the slope v_j.
    """
    moved = d != 0.0
    each = (answer[1:] - answer[0]).T / np.where(moved, d, 1.0) - 0.5 * d * curvatures
    return np.where(moved, each, v) / np.sqrt(curvatures)
