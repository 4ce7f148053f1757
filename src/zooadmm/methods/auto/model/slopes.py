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
    made, cut = x + moves, np.zeros(len(moves), dtype=bool)
    if not domain.is_everything:
        found = [_inside(domain, x, np.diagonal(H), way) for way in moves]
        left = [row for row, point in enumerate(found) if point is not None]
        free = made[left]
        made = np.array([found[row] for row in left]).reshape(-1, len(x))
        radii, cut = radii[left], (made != free).any(axis=1)
    lengths = metric_norms(made - x, H)
    for row in np.flatnonzero(cut & (lengths < 0.5 * radii)):
        made[row] = _further(domain, x, H, made[row], float(radii[row]))
        lengths[row] = metric_norm(made[row] - x, H)
    return np.asarray(made[lengths > LEFT * radii])


def _inside(domain: ConvexSet, x: Vector, units: Vector, way: Vector) -> Vector | None:
    """Where X lets a way lead to, on the better side; None if that is little.

    units: the diagonal of H, in whose units variables are compared.
    """
    sides = [domain.project(x + way), domain.project(x - way)]
    if np.array_equal(sides[0], x + way):  # as without X: rounding must not choose the side
        return sides[0]
    lengths = [float(units @ np.square(point - x)) for point in sides]
    longer = int(lengths[1] > lengths[0])
    if lengths[longer] <= LEFT**2 * float(units @ np.square(way)):
        return None
    return sides[longer]


def _further(domain: ConvexSet, x: Vector, H: Matrix, point: Vector, radius: float) -> Vector:
    """A point of X about as far from x in H as the radius.

    What X leaves of a way may be much shorter in H, where its steep part leads out of X.
    """
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
