"""Slopes and curvatures from points of a set that has more than bounds: points are projected on it.

The ways v from x to the points span what the set allows. The slope is the shortest g with
<g, v> = f(x + v) - f(x); curvatures solve v'Hv / 2 = f(x + v) - f(x) - <g, v> by least squares for
H = kappa u u' + c (I - u u'), u = g / |g|.
"""

from __future__ import annotations

import numpy as np

from zooadmm.methods.follow.state import Sizes, Slopes
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ConvexSet

SEEN = 1e-3
"""Ways shorter than this part of the longest one say nothing."""


def beside(domain: ConvexSet, x: Vector, far: float, noisy: bool) -> tuple[Matrix, Matrix]:
    """Ways to both sides of x along each variable; the longer one first unless noisy."""
    ways = far * np.eye(len(x))
    up, down = _ways(domain, x, ways), _ways(domain, x, -ways)
    if noisy:
        return up, down
    shorter = np.linalg.norm(up, axis=1) < np.linalg.norm(down, axis=1)
    return np.where(shorter[:, None], down, up), down


def curves(domain: ConvexSet, x: Vector, ways: Matrix, noisy: bool) -> list[Vector]:
    """The ways and their opposites, as the set allows them; the longer of two unless noisy."""
    both = zip(_ways(domain, x, ways), _ways(domain, x, -ways), strict=True)
    if noisy:
        return [way for pair in both for way in pair]
    return [max(pair, key=lambda way: float(way @ way)) for pair in both]


def gradient(plus: Matrix, minus: Matrix, changes: Vector, sizes: Sizes) -> Vector:
    """The shortest g that explains the changes from x + minus to x + plus.

    A pair whose middle is not x bends: the usual curvatures correct it.
    """
    between = plus - minus
    found = _shortest(between, changes)
    if not minus.any() or not found.any():
        return found
    u = found / np.linalg.norm(found)
    c = max(sizes.across, 0.0)
    extra = max(sizes.along - c, 0.0)
    bent = [c * np.square(v).sum(axis=1) + extra * np.square(v @ u) for v in (plus, minus)]
    return _shortest(between, changes - 0.5 * (bent[0] - bent[1]))


def curvatures(ways: Matrix, values: Vector, slopes: Slopes, sizes: Sizes) -> tuple[float, float]:
    """(kappa, c); the usual ones where no way shows them."""
    u = slopes.gradient / np.linalg.norm(slopes.gradient)
    unit = slopes.length
    along = np.square(ways @ u) / unit**2
    table = 0.5 * np.stack([along, np.square(ways).sum(axis=1) / unit**2 - along], axis=1)
    rises = (values - slopes.value - ways @ slopes.gradient) / unit**2
    usual = np.array([sizes.along, sizes.across])
    seen = np.abs(table).max(axis=0) > SEEN
    found = usual.copy()
    if seen.any():
        left = rises - table[:, ~seen] @ usual[~seen]
        found[seen] = np.linalg.lstsq(table[:, seen], left, rcond=SEEN)[0]
    return float(found[0]), float(found[1])


def _ways(domain: ConvexSet, x: Vector, ways: Matrix) -> Matrix:
    """The ways from x to the projections of the points that the given ways lead to."""
    return np.array([np.asarray(domain.project(x + way), dtype=np.float64) - x for way in ways])


def _shortest(ways: Matrix, changes: Vector) -> Vector:
    lengths = np.linalg.norm(ways, axis=1)
    unit = float(lengths.max(initial=0.0))
    seen = lengths > SEEN * unit
    if not seen.any() or not np.isfinite(changes).all():
        return np.zeros(ways.shape[1])
    return np.asarray(np.linalg.lstsq(ways[seen] / unit, changes[seen] / unit, rcond=SEEN)[0])
