"""Slopes and curvatures from points in X.

There are m ways w from x into X, projections of x + far z or of x - far z on it. A way has two
points, x + w and x + r w: r = -1 where both sides have room, 1/2 next to the end of X, 0 for a loss
without noise, whose second point is x itself. With the slope s and the curvature q along w

    f(x + w) - f(x) = s + q / 2,   f(x + r w) - f(x) = r s + r^2 q / 2,

so two values say both. q = w'Hw teaches H (`learned`), and s follows by least squares from the q of
H: a pair on both sides of x does not need it. The slope of the loss is the shortest g with
<g, w> = s on all ways.

The z are the axes for an exact loss. For a noisy one they are a random orthonormal basis of the
variables that have room on both sides, and axes for the others: bases that change show all of H.

Curvatures along g and across it solve v'Hv / 2 = f(x + v) - f(x) - <g, v> by least squares for
H = kappa u u' + c (I - u u'), u = g / |g|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from zooadmm.methods.follow.state import Sizes, Slopes
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ConvexSet

SEEN = 1e-3
"""Ways shorter than this part of the longest one say nothing; two ways are opposite if their sum
is shorter."""


class Ways(NamedTuple):
    """The two points beside x of each variable."""

    first: Matrix
    """w, a row a variable"""
    ratios: Vector
    """r"""

    @property
    def second(self) -> Matrix:
        return self.ratios[:, None] * self.first

    def bends(self, first: Vector, second: Vector) -> Vector:
        """q from the rises f(x + w) - f(x) and f(x + r w) - f(x); r is not 0."""
        r = self.ratios
        return np.asarray(2.0 * (second - r * first) / (r**2 - r))

    def slope(self, first: Vector, second: Vector, hessian: Matrix) -> Vector:
        """g from the rises."""
        r, half = self.ratios, 0.5 * _forms(hessian, self.first)
        changes = (first - half + r * (second - r**2 * half)) / (1.0 + r**2)
        lengths = np.linalg.norm(self.first, axis=1)
        unit = float(lengths.max(initial=0.0))
        seen = lengths > SEEN * unit
        if not seen.any() or not np.isfinite(changes).all():
            return np.zeros(self.first.shape[1])
        ways, rises = self.first[seen] / unit, changes[seen] / unit
        return np.asarray(np.linalg.lstsq(ways, rises, rcond=SEEN)[0])


def beside(domain: ConvexSet, x: Vector, far: float, basis: Generator | None) -> Ways:
    """The ways of a noisy loss, with its random basis; or the longer ones along the axes."""
    ways = _both(domain, x, far * np.eye(len(x)))
    if basis is None:
        return Ways(ways.first, np.zeros(len(x)))
    free = np.flatnonzero(ways.ratios < 0.0)
    if len(free) > 1:
        turned = far * np.eye(len(x))
        drawn = basis.standard_normal((len(free), len(free)))
        turned[np.ix_(free, free)] = far * np.linalg.qr(drawn)[0]
        ways = _both(domain, x, turned)
    return ways


def _both(domain: ConvexSet, x: Vector, ways: Matrix) -> Ways:
    """The ways as X allows them, on the side that has more room."""
    up, down = _ways(domain, x, ways), _ways(domain, x, -ways)
    lengths = np.linalg.norm(up, axis=1), np.linalg.norm(down, axis=1)
    longer = np.where((lengths[0] < (1.0 - SEEN) * lengths[1])[:, None], down, up)
    opposite = np.linalg.norm(up + down, axis=1) < SEEN * np.maximum(*lengths)
    return Ways(longer, np.where(opposite, -1.0, 0.5))


def learned(hessian: Matrix, ways: Matrix, bends: Vector, rates: Vector) -> Matrix:
    """H after the least change by which w'Hw comes nearer to q, by a rate of 0 to 1 for each way.

    The change is sum_i a_i w_i w_i', where sum_j (w_i'w_j)^2 a_j is what q_i differs by. In random
    bases it finds H at a linear rate (Leventhal and Lewis, Optimization 60, 2011). Lengths of ways
    must not be 0.

    >>> learned(np.eye(2), np.array([[2.0, 0.0]]), np.array([12.0]), np.ones(1))
    array([[3., 0.],
           [0., 1.]])
    """
    units = ways / np.linalg.norm(ways, axis=1)[:, None]
    missing = bends / np.square(ways).sum(axis=1) - _forms(hessian, units)
    weights = np.linalg.lstsq(np.square(units @ units.T), rates * missing, rcond=SEEN)[0]
    return np.asarray(hessian + (units.T * weights) @ units)


def _forms(hessian: Matrix, ways: Matrix) -> Vector:
    """w'Hw of each way."""
    return np.asarray(np.einsum("ki,ki->k", ways @ hessian, ways))


def curves(domain: ConvexSet, x: Vector, ways: Matrix, noisy: bool) -> Matrix:
    """The ways and their opposites, as the set allows them; the longer of two unless noisy."""
    both = zip(_ways(domain, x, ways), _ways(domain, x, -ways), strict=True)
    if noisy:
        return np.array([way for pair in both for way in pair])
    return np.array([max(pair, key=lambda way: float(way @ way)) for pair in both])


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
    if domain.is_everything:
        return ways
    return np.array([np.asarray(domain.project(x + way), dtype=np.float64) - x for way in ways])
