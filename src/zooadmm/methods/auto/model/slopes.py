"""Slopes along directions: forward differences between points of X, corrected by the curvature.

A point x + d with |d|_H = 2 sqrt(eps) makes the errors by rounding and by what H is off alike:

    <g, d> = f(x + d) - f(x) - |d|_H^2 / 2,   variance 2 eps^2 + (tau |d|_H^2 / 2)^2.

Points are projected on X, to that side on which more of the direction is left.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from zooadmm.methods.auto.constants import LEFT, TRIES, ULPS
from zooadmm.problem.arrays import Matrix, Vector, metric_norm, metric_norms
from zooadmm.problem.sets import ConvexSet


class Slopes(NamedTuple):
    """Z g = values up to errors of these variances; the rows of Z have length 1 in H."""

    Z: Matrix
    values: Vector
    variances: Vector


def points(domain: ConvexSet, x: Vector, H: Matrix, Z: Matrix, eps: float, cells: Vector) -> Matrix:
    """The points that show the slopes along the rows of Z, inside X.

    cells: the distances between numbers at x, see `grid`; moves are longer than what rounding of
    their points makes of them.
    """
    coarse = np.sqrt((Z != 0.0) @ (np.diagonal(H) * np.square(cells)))
    radii = np.maximum(2.0 * math.sqrt(eps), 0.5 * ULPS * coarse)
    moves: Matrix = radii[:, None] / metric_norms(Z, H)[:, None] * Z
    made = x + moves
    if not domain.is_everything:
        ways = zip(moves, radii, strict=True)
        found = [_inside(domain, x, H, way, float(radius)) for way, radius in ways]
        left = [row for row, point in enumerate(found) if point is not None]
        made = np.array([found[row] for row in left]).reshape(-1, len(x))
        radii = radii[left]
    return np.asarray(made[metric_norms(made - x, H) > LEFT * radii])


def _inside(domain: ConvexSet, x: Vector, H: Matrix, way: Vector, radius: float) -> Vector | None:
    """Where X lets a way lead to, on the better side, about as far in H; None if that is little.

    Variables are compared in the units that the diagonal of H gives them. What is left may be much
    shorter in H itself, where the steep part of the way leads out of X; it is then gone further.
    """
    units = np.diagonal(H)
    sides = [domain.project(x + way), domain.project(x - way)]
    if np.array_equal(sides[0], x + way):  # as without X: rounding must not choose the side
        return sides[0]
    point = max(sides, key=lambda p: float(units @ np.square(p - x)))
    if float(units @ np.square(point - x)) <= LEFT**2 * float(units @ np.square(way)):
        return None
    for _ in range(TRIES):
        left = point - x
        now = metric_norm(left, H)
        if not 0.0 < now < 0.5 * radius:
            break
        point = domain.project(x + radius / now * left)
    return point


def read(ways: Matrix, changes: Vector, H: Matrix, eps: float, tau: float) -> Slopes:
    """From f(x + d) - f(x) for each way d; where this is not finite nothing is known."""
    seen = np.isfinite(changes)
    ways, changes = ways[seen], changes[seen]
    lengths = metric_norms(ways, H)
    values = changes / lengths - 0.5 * lengths
    variances = 2.0 * np.square(eps / lengths) + np.square(0.5 * tau * lengths)
    return Slopes(ways / lengths[:, None], values, variances)
