"""Slopes of the loss and of all constraints from the same differences, along the variables."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import Coordinates

FIRST_DIFFERENCE = 1e-4
"""Length of the first differences, in units of the variables: long enough to show curvature."""

SHORTEST, LONGEST = 1e-10, 1e-4
"""Length of later differences, in units of the variables."""

VALUE_ULPS = 8.0
"""Error of a value at least, in units of its last place."""

LINE_VALUES = 8
"""Values on a line that show noise by their fourth differences (Moré and Wild 2011)."""

LINE_LENGTH = 0.01
"""Length of that line, as a part of the first differences."""

LEAST_CURVED = 1e-3
"""Curvature along a variable at least, as a part of its slope over its unit."""


class First(NamedTuple):
    """Slopes, curvatures and noise by the first query."""

    J: Matrix
    """Slopes, a row for f and for each constraint"""
    curvature: Vector
    """Curvature of f along each variable, positive"""
    bends: Vector
    """Curvature of each constraint: the sum along the variables, in their units"""
    noise: Vector
    """Errors of values of f and of each constraint"""


def first_points(x: Vector, units: Vector, bounds: Coordinates) -> Matrix:
    """x, two more points along every variable, and a short line; all within the bounds."""
    length = FIRST_DIFFERENCE * units
    up, down = bounds.upper - x, x - bounds.lower
    inward = np.where(up >= down, 1.0, -1.0) * np.minimum(length, 0.5 * np.maximum(up, down))
    both = (up >= length) & (down >= length)
    near, far = np.diag(inward), np.diag(np.where(both, -inward, 2.0 * inward))
    parts = LINE_LENGTH / math.sqrt(len(x)) * np.arange(1.0, LINE_VALUES + 1) / LINE_VALUES
    points = np.vstack([x, x + near, x + far, x + parts[:, None] * inward])
    return np.asarray(np.clip(points, bounds.lower, bounds.upper))


def read_first(points: Matrix, values: Matrix, units: Vector) -> First:
    """From the rows (f, c_1, ..., c_k) at these points; the first is finite."""
    x, m, at = points[0], points.shape[1], values[0]
    near, far = (np.diagonal(points[1 + i * m : 1 + (i + 1) * m] - x)[:, None] for i in (0, 1))
    short = (values[1 : 1 + m] - at) / near
    long = (values[1 + m : 1 + 2 * m] - at) / far
    second = 2.0 * (short - long) / (near - far)
    slopes = (short * -far + long * near) / (near - far)
    slopes = np.where(np.isfinite(slopes), slopes, np.where(np.isfinite(short), short, long))
    slopes, second = (np.where(np.isfinite(v), v, 0.0) for v in (slopes, second))
    finite = values[np.isfinite(values).all(axis=1)]
    noise = VALUE_ULPS * np.spacing(np.abs(finite).max(axis=0))
    line = np.vstack([at, values[1 + 2 * m :]])
    if np.isfinite(line).all():
        rough = np.abs(np.diff(line, 4, axis=0)).min(axis=0)  # a kink is in some of them only
        noise = np.maximum(noise, 2.0 * rough / math.sqrt(math.comb(8, 4)))
    least = LEAST_CURVED * float(np.linalg.norm(slopes[:, 0] * units)) / units**2
    moved = near[:, 0] != 0.0  # not where bounds leave no room
    unseen = np.where(moved, 4.0 * noise[0] / np.where(moved, near[:, 0], 1.0) ** 2, 0.0)
    curvature = np.maximum(np.maximum(np.abs(second[:, 0]), unseen), least)
    curvature = np.where(curvature > 0.0, curvature, 1.0 / units**2)
    bends = (np.abs(second[:, 1:]) * units[:, None] ** 2).sum(axis=0)
    return First(slopes.T, curvature, bends, noise)


def lengths(
    x: Vector, curvature: Vector, error: float, units: Vector, bounds: Coordinates
) -> Vector:
    """Lengths at which rounding and curvature leave equal errors, signed to stay in the bounds.

    >>> from zooadmm.problem.coordinates import coordinates
    >>> lengths(np.ones(1), np.ones(1), 1e-12, np.ones(1), coordinates(1, upper=1.0)).tolist()
    [-2e-06]
    """
    size = np.maximum(np.abs(x), units)
    length = 2.0 * np.sqrt(error / np.maximum(curvature, 1e-300))
    length = np.minimum(np.maximum(length, SHORTEST * size), LONGEST * size)
    up, down = bounds.upper - x, x - bounds.lower
    nearest = np.where(up >= down, up, -down)
    return np.where(up >= length, length, np.where(down >= length, -length, nearest))


def differences(x: Vector, at: Vector, points: Matrix, values: Matrix, former: Matrix) -> Matrix:
    """Slopes at x from a point along each variable; former ones where a value is not finite."""
    moved = np.diagonal(points) - x
    usable = moved != 0.0
    found = ((values - at) / np.where(usable, moved, 1.0)[:, None]).T
    return np.where(np.isfinite(found) & usable, found, former)
