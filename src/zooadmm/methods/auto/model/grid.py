"""The numbers that points are made of: those of the type of x0, on a grid that may be coarse.

A model is in double precision, whatever x0 is. The points that it asks for are numbers of the type
of x0, so the loss is evaluated exactly where differences say. A grid is coarse beside the changes
that matter in single precision, and in double precision far from zero: 1e8 and the next number are
1.5e-8 apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zooadmm.methods.auto.constants import HALF_DIGITS, SEEN
from zooadmm.methods.auto.model.line import at
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ConvexSet
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved


def cells(x: Vector, dtype: np.dtype[Any]) -> Vector:
    """The distance from each entry to the next number of this type.

    >>> cells(np.array([1e8, 0.5]), np.dtype(np.float32))
    array([8.00000000e+00, 5.96046448e-08])
    """
    return np.asarray(np.spacing(np.abs(x).astype(dtype)), dtype=np.float64)


def rounded(points: Matrix, dtype: np.dtype[Any]) -> Matrix:
    """The nearest numbers of this type, as doubles."""
    return points if dtype == np.float64 else points.astype(dtype).astype(np.float64)


def nearest(minimizer: Minimizer, solved: Solved) -> Solved:
    """A pair whose x is on the grid."""
    dtype = minimizer.problem.dtype
    if dtype == np.float64:
        return solved
    return at(minimizer, solved, rounded(solved.x, dtype))


def length(x: float, radius: float, dtype: np.dtype[Any]) -> float:
    """A length near this one for which x + d and x - d are on the grid; itself on a fine one."""
    beyond = abs(x) + radius
    if np.spacing(dtype.type(beyond)) <= HALF_DIGITS * radius:
        return radius
    moved = float(dtype.type(beyond)) - abs(x)
    return moved if moved > 0.0 else float(np.spacing(dtype.type(beyond)))


def hidden(v: Vector, x: Vector, dtype: np.dtype[Any]) -> float:
    """The error of f at a point that was meant to lie between numbers of the grid."""
    return float(np.abs(v) @ cells(x, dtype))


def off(eps: float, v: Vector, x: Vector, dtype: np.dtype[Any]) -> float:
    """The error of values on a line: eps, or rounding of points on a coarse grid."""
    by_points = hidden(v, x, dtype)
    return by_points if by_points > SEEN * eps else eps


def line(domain: ConvexSet, x: Vector, v: Vector, dtype: np.dtype[Any], number: int) -> Matrix:
    """Neighbors of x, a cell apart, along the variable whose rounding hides most; inside X.

    Values at them are off by their own rounding only.
    """
    apart = cells(x, dtype)
    i = int(np.argmax(np.abs(v) * apart))
    made = np.tile(x, (number, 1))
    for sign in (1.0, -1.0):  # towards zero, where numbers are no further apart
        made[:, i] = x[i] - sign * np.copysign(apart[i], x[i]) * np.arange(1, number + 1)
        if all(np.array_equal(domain.project(point), point) for point in made):
            return made
    return made[:0]
