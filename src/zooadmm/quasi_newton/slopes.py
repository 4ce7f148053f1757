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
"""A direction of which less is left in X, on both sides, is not asked for."""

LONGER = 3
"""How often what is left is made longer."""


class Slopes(NamedTuple):
    """Z g = values up to errors of these variances; the rows of Z have length 1 in H."""

    Z: Matrix
    values: Vector
    variances: Vector


def moves(domain: ConvexSet, x: Vector, H: Matrix, Z: Matrix, eps: float) -> Matrix:
    """The ways from x to the points that show the slopes along the rows of Z, inside X."""
    length = 2.0 * math.sqrt(eps)
    wanted: Matrix = length / np.sqrt(np.einsum("jm,jm->j", Z @ H, Z))[:, None] * Z
    if isinstance(domain, WholeSpace):
        return wanted
    inside = (_inside(domain, x, H, way, length) for way in wanted)
    return np.array([way for way in inside if way is not None]).reshape(-1, len(x))


def _inside(domain: ConvexSet, x: Vector, H: Matrix, way: Vector, length: float) -> Vector | None:
    """What X leaves of a way, to the better side, about as long in H; None if that is little.

    Variables are compared in the units that the diagonal of H gives them. What is left may be much
    shorter in H itself, where the steep part of the way leads out of X; it is then gone further.
    """
    units = np.diagonal(H)
    sides = [domain.project(x + way) - x, domain.project(x - way) - x]
    left = max(sides, key=lambda d: float(units @ np.square(d)))
    if float(units @ np.square(left)) <= LEFT**2 * float(units @ np.square(way)):
        return None
    for _ in range(LONGER):
        now = math.sqrt(max(float(left @ H @ left), 0.0))
        if not 0.0 < now < 0.5 * length:
            break
        left = domain.project(x + length / now * left) - x
    return left if float(left @ H @ left) > 0.0 else None


def read(ways: Matrix, changes: Vector, H: Matrix, eps: float, tau: float) -> Slopes:
    """From f(x + d) - f(x) for each way d; where this is not finite nothing is known."""
    seen = np.isfinite(changes)
    ways, changes = ways[seen], changes[seen]
    lengths = np.sqrt(np.einsum("jm,jm->j", ways @ H, ways))
    values = changes / lengths - 0.5 * lengths
    variances = 2.0 * np.square(eps / lengths) + np.square(0.5 * tau * lengths)
    return Slopes(ways / lengths[:, None], values, variances)
