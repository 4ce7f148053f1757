"""Slopes of each observation along every variable, by forward differences, and their rounding."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import ULPS
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


def rounding(size: float, curvatures: Vector, x: Vector) -> float:
    """The error of f(x; w) of this size at least: its last digits, or what those of x change.

    A loss f >= 0 of curvature h has a slope of at most sqrt(2 h f), so the last digits of x change
    it by sqrt(2 f sum_j h_j ulp(x_j)^2): much, where a small f is a difference of large terms.
    """
    digits = float(curvatures @ np.square(np.spacing(np.abs(x))))
    return max(ULPS * float(np.spacing(size)), math.sqrt(2.0 * size * digits))
