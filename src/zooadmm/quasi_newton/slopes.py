"""Slopes along directions: forward differences between points of X, corrected by the curvature.

A point x + d with |d|_H = 2 sqrt(eps) makes the errors by rounding and by what H is off alike:

    <g, d> = f(x + d) - f(x) - |d|_H^2 / 2,   variance 2 eps^2 + (tau |d|_H^2 / 2)^2.

Points are projected on X, to that side on which more of the direction is left.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from zooadmm.arrays import Matrix, Vector
from zooadmm.sets import ConvexSet, WholeSpace

LEFT = 0.1
"""A direction of which less is left, in X on both sides, or by rounding, is not asked for."""


class Slopes(NamedTuple):
    """Z g = values up to errors of these variances; the rows of Z have length 1 in H."""

    Z: Matrix
    values: Vector
    variances: Vector


def points(domain: ConvexSet, x: Vector, H: Matrix, Z: Matrix, eps: float) -> Matrix:
    """The points that show the slopes along the rows of Z, inside X."""
    radius = 2.0 * math.sqrt(eps)
    wanted: Matrix = radius / _lengths(Z, H)[:, None] * Z
    ahead = x + wanted
    if not isinstance(domain, WholeSpace):
        back = np.array([domain.project(x - way) for way in wanted]).reshape(wanted.shape)
        ahead = np.array([domain.project(point) for point in ahead]).reshape(wanted.shape)
        further = _lengths(ahead - x, H) >= _lengths(back - x, H)
        ahead = np.where(further[:, None], ahead, back)
    return ahead[_lengths(ahead - x, H) > LEFT * radius]


def read(ways: Matrix, changes: Vector, H: Matrix, eps: float, tau: float) -> Slopes:
    """From f(x + d) - f(x) for each way d; where this is not finite nothing is known."""
    seen = np.isfinite(changes)
    ways, changes = ways[seen], changes[seen]
    lengths = _lengths(ways, H)
    values = changes / lengths - 0.5 * lengths
    variances = 2.0 * np.square(eps / lengths) + np.square(0.5 * tau * lengths)
    return Slopes(ways / lengths[:, None], values, variances)


def _lengths(rows: Matrix, H: Matrix) -> Vector:
    return np.asarray(np.sqrt(np.einsum("jm,jm->j", rows @ H, rows)))
