"""Pairs of points x + d, x - d for slopes of a noisy loss, x itself, and what their values say.

With z of length 1 in H and d = l z the slope (f(x + d) - f(x - d)) / (2 l) has the variance
sigma^2 / (2 l^2), and the second difference is l^2 = LENGTH sigma, where H is right: far enough for
slopes to rise above the noise, near enough for the loss to be nearly quadratic between the points.
The second difference shows z'f''z with the variance 6 sigma^2 / l^4. Points are projected on X;
then the two moves differ, and H accounts for the difference:

    f(x + d) - f(x - d') = <g, d + d'> + (|d|_H^2 - |d'|_H^2) / 2.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from zooadmm.methods.auto.constants import BEYOND_NOISE, LEFT, PARALLEL, TINY_PART
from zooadmm.methods.auto.model.rounding import spread
from zooadmm.methods.auto.model.slopes import Slopes
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ConvexSet

LENGTH = BEYOND_NOISE
"""|d|_H^2 in units of sigma: a slope in units of H is then known to sqrt(sigma / 8)."""


def orthonormal(rows: Matrix, H: Matrix) -> Matrix:
    """The rows made orthogonal and of length 1 in H; dependent ones are dropped."""
    lengths = np.sqrt(np.einsum("jm,jm->j", rows @ H, rows))
    kept = lengths > 0.0
    unit = rows[kept] / lengths[kept, None]
    products = unit @ H @ unit.T
    factor, order, rank, _ = scipy.linalg.lapack.dpstrf(products, tol=PARALLEL**2, lower=1)
    chosen = unit[order[:rank] - 1]
    L = np.tril(factor[:rank, :rank])
    return np.asarray(scipy.linalg.solve_triangular(L, chosen, lower=True))


def points(domain: ConvexSet, x: Vector, H: Matrix, Z: Matrix, length: float) -> Matrix:
    """x, then x + d for every row of Z that X leaves enough of, then x - d for each of these."""
    Z = np.ascontiguousarray(Z)  # sums over rows have the same bits with and without a domain
    moves = _between_bounds(domain, x, length * Z)
    sides: list[Matrix] = [x + moves, x - moves]
    if not domain.is_everything:
        sides = [_inside(domain, x, H, points, length) for points in sides]
        left = _squares(sides[0] - sides[1], H) > (2.0 * LEFT * length) ** 2
        sides = [points[left] for points in sides]
    return np.concatenate([x[None], *sides])


def _inside(domain: ConvexSet, x: Vector, H: Matrix, points: Matrix, length: float) -> Matrix:
    """The points of X nearest to these, drawn to x where that led further away in H than `length`.

    A projection is nearest in Euclid's metric: in H it may lead far away, where H says nothing.
    """
    inside = np.array([domain.project(p) for p in points]).reshape(-1, len(x))
    moved = (inside != points).any(axis=1)
    far = np.sqrt(_squares(inside - x, H)) / length
    for j in np.flatnonzero(moved & (far > 1.0)):
        inside[j] = domain.project(x + (inside[j] - x) / far[j])  # without rounding
    return inside


def _between_bounds(domain: ConvexSet, x: Vector, moves: Matrix) -> Matrix:
    """Cut to what bounds leave on both sides, so that slopes are those at x.

    Where that is less than LEFT of a move, it is cut on one side only.
    """
    bounds = domain.bounds()
    if bounds is None:
        return moves
    room = np.maximum(np.minimum(x - bounds[0], bounds[1] - x), 0.0)
    enough = room >= LEFT * np.abs(moves)
    return np.where(enough, np.clip(moves, -room, room), moves)


def curved(
    x: Vector, asked: Matrix, values: Vector, v: Vector, H: Matrix, sigma: float, tau: float
) -> Matrix:
    """H given the second differences, where it is believed to be off by tau relative to itself.

    A second difference of c |d|_H^2 changes H along d by the factor 1 + (c - 1) tau^2 / (tau^2 + r)
    with the variance r = 6 sigma^2 / |d|_H^4 of c: the mean of the prior given c; by a half or
    1 / TINY_PART at most.
    """
    d, e, plus, minus = _halves(x, asked, values)
    expected = 0.5 * (_squares(d, H) + _squares(e, H))
    bends = plus + minus - 2.0 * values[0] - (d + e) @ v
    seen = np.isfinite(bends) & (expected > 0.0)
    moves, ratios = 0.5 * (d - e)[seen], bends[seen] / expected[seen]
    gains = tau**2 / (tau**2 + spread(2) * np.square(sigma / expected[seen]))
    factors = np.clip(1.0 + gains * (ratios - 1.0), 0.5, 1.0 / TINY_PART)
    changed = moves @ H
    lengths = np.einsum("jm,jm->j", changed, moves)
    return np.asarray(H + (changed * ((factors - 1.0) / lengths)[:, None]).T @ changed)


def read(x: Vector, asked: Matrix, values: Vector, H: Matrix, sigma: float) -> Slopes:
    """The slopes that the values show; pairs that are not finite show none."""
    d, e, plus, minus = _halves(x, asked, values)
    seen = np.isfinite(plus) & np.isfinite(minus)
    d, e, plus, minus = d[seen], e[seen], plus[seen], minus[seen]
    lengths = np.sqrt(_squares(d - e, H))
    bent = 0.5 * (_squares(d, H) - _squares(e, H))  # known as well as H is: hardly
    variances = (2.0 * sigma**2 + np.square(bent)) / np.square(lengths)
    return Slopes((d - e) / lengths[:, None], (plus - minus - bent) / lengths, variances)


def level(
    x: Vector, asked: Matrix, values: Vector, v: Vector, H: Matrix, sigma: float
) -> tuple[float, float]:
    """f(x) by the mean of the values less what the model adds to them, and its standard error."""
    moves = asked - x
    alone = values - moves @ v - 0.5 * _squares(moves, H)
    seen = np.isfinite(alone)
    number = int(np.count_nonzero(seen))
    if 2 * number <= len(values):
        return np.inf, sigma
    return float(alone[seen].mean()), sigma / float(np.sqrt(number))


def _halves(x: Vector, asked: Matrix, values: Vector) -> tuple[Matrix, Matrix, Vector, Vector]:
    end = 1 + len(asked) // 2
    return asked[1:end] - x, asked[end:] - x, values[1:end], values[end:]


def _squares(rows: Matrix, H: Matrix) -> Vector:
    return np.asarray(np.einsum("jm,jm->j", rows @ H, rows))
