"""The nearest point of a polyhedron with many sparse rows: multipliers and semismooth Newton.

    minimize_x  |x - v|^2 / 2 + s/2 dist(x + mu/s, box)^2 + s/2 dist(A x + lam/s, rows)^2

The augmented Lagrangian is smooth and piecewise quadratic in x. Newton's step solves the sparse
quasi-definite system of the constraints that are active at x; a line search makes it global. Then
mu and lam take the method of multipliers' step and s grows.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from zooadmm.problem.coordinates import Floats

OUTER, INNER = 30, 60
"""Steps on the multipliers, and Newton steps between two of them, at most."""

FIRST_PENALTY, GROWTH, MOST_PENALTY = 10.0, 5.0, 1e8
"""s: it starts above the curvature 1 of the distance; thin polyhedra need the largest."""

SLOPE = 1e-13
"""Relative slope at which Newton's iteration ends."""

GAP = 1e-11
"""Violation, relative to the size of the point, at which the multipliers are final."""


def nearest(
    v: Floats, lower: Floats, upper: Floats, A: scipy.sparse.csr_array, low: Floats, high: Floats
) -> Floats:
    """The nearest point to v, to about 1e-10, for rows of norm 1 that have a common point.

    Thin polyhedra may leave a larger gap: the caller measures it.
    """
    x, s = np.minimum(np.maximum(v, lower), upper), FIRST_PENALTY
    mu, lam = np.zeros_like(v), np.zeros(A.shape[0])
    AT = A.T.tocsr()
    size = 1.0 + float(np.abs(x).max(initial=0.0))
    before = np.inf
    for _ in range(OUTER):
        x = _newton(x, v, lower, upper, A, AT, low, high, mu, lam, s)
        mu = s * _outside(x + mu / s, lower, upper)
        lam = s * _outside(A @ x + lam / s, low, high)
        gap = max(
            float(np.abs(_outside(x, lower, upper)).max(initial=0.0)),
            float(np.abs(_outside(A @ x, low, high)).max(initial=0.0)),
        )
        if gap <= GAP * size:
            break
        if gap > 0.5 * before and s == MOST_PENALTY:
            break
        if gap > 0.1 * before:
            s = min(s * GROWTH, MOST_PENALTY)
        before = gap
    return x


def _outside(z: Floats, low: Floats, high: Floats) -> Floats:
    """z minus its projection on the interval."""
    return z - np.minimum(np.maximum(z, low), high)


def _newton(
    x: Floats,
    v: Floats,
    lower: Floats,
    upper: Floats,
    A: scipy.sparse.csr_array,
    AT: scipy.sparse.csr_array,
    low: Floats,
    high: Floats,
    mu: Floats,
    lam: Floats,
    s: float,
) -> Floats:
    """The minimizer of the augmented Lagrangian, from x."""

    def value(z: Floats) -> float:
        box, row = _outside(z + mu / s, lower, upper), _outside(A @ z + lam / s, low, high)
        return float(0.5 * ((z - v) @ (z - v)) + 0.5 * s * (box @ box + row @ row))

    here = value(x)
    for _ in range(INNER):
        box, row = _outside(x + mu / s, lower, upper), _outside(A @ x + lam / s, low, high)
        slope = (x - v) + s * (box + AT @ row)
        size = np.abs(x - v).max(initial=0.0) + s * np.abs(box).max(initial=0.0) + 1e-300
        if np.abs(slope).max(initial=0.0) <= SLOPE * (size + s * np.abs(x).max(initial=0.0)):
            break
        d = _direction(slope, 1.0 + s * (box != 0.0), A[np.flatnonzero(row)], s)
        t, fall = 1.0, float(slope @ d)
        while (there := value(x + t * d)) > here + 1e-4 * t * fall and t > 1e-6:
            t *= 0.5
        if not there < here:
            break
        x, here = x + t * d, there
    return x


def _direction(slope: Floats, diagonal: Floats, R: scipy.sparse.csr_array, s: float) -> Floats:
    """-(diag + s R'R)^-1 slope through [[diag, R'], [R, -I/s]]."""
    n, k = len(slope), R.shape[0]
    if k == 0:
        return -slope / diagonal
    K = scipy.sparse.block_array(
        [[scipy.sparse.diags_array(diagonal), R.T], [R, -scipy.sparse.eye_array(k) / s]],
        format="csc",
    )
    right = np.concatenate([-slope, np.zeros(k)])
    d: Floats = scipy.sparse.linalg.splu(
        K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    ).solve(right)[:n]
    return d
