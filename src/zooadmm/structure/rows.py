"""Few functions of rows A u and a dense quadratic, by the dual.

    argmin_u  <g, u> + u'Hu/2 + psi(A u)

Rows between bounds, equations, and total variation (A takes differences, psi is L1) are of this
form. With the conjugate psi*, again a function of coordinates, the dual is

    argmin_l  l'Ql/2 + <A H^-1 g, l> + psi*(l),   Q = A H^-1 A',   u = -H^-1 (g + A'l)

in as many variables as A has rows; `faces` solves it. A singular H is made definite by a proximal
term that vanishes as the iteration repeats.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from zooadmm.problem.coordinates import FREE, Coordinates, Floats
from zooadmm.structure import faces
from zooadmm.structure.factor import Factor, Hessian
from zooadmm.structure.solution import Solution, Status

PROXIMAL = 1e-7
"""Ridge of a singular H in units of its diagonal; the iteration contracts by about this factor."""

REPETITIONS = 60
"""Proximal iterations at most."""

CORRECTIONS = 3
"""Repetitions of the last solve, against rounding."""

ROUNDED = 1e-13
"""Slope, relative to its terms, after which one correction is enough."""

TIED = 1e-4
"""Ridge of Q around the last multipliers, in units of its diagonal, where more rows than variables
make Q singular. With 1e-6 three times as many guesses of a face do not come to rest."""

KNOWN = 1e-6
"""A point is known to this part of the largest slope at best, in units of H."""

ACCURATE = 1e-8
"""Residual up to which a solution counts as solved."""


def conjugate(psi: Coordinates) -> Coordinates | None:
    """psi*(l) = sup_y l y - psi(y) up to a constant, or None where it has two kinks or is curved.

    >>> from zooadmm.problem.coordinates import coordinates
    >>> equation = coordinates(1, lower=2.0, upper=2.0)
    >>> conjugate(equation).right(np.zeros(1)).tolist()
    [2.0]
    """
    kinked = psi.kinked & (psi.lower < psi.kink) & (psi.kink < psi.upper)
    bounded = np.isfinite(psi.lower) | np.isfinite(psi.upper)
    if psi.curvature.any() or (kinked & bounded).any():
        return None
    slope = np.where(psi.kink <= psi.lower, psi.above, psi.below)  # the only one within bounds
    lower = np.where(kinked, psi.below, np.where(np.isfinite(psi.lower), -np.inf, slope))
    upper = np.where(kinked, psi.above, np.where(np.isfinite(psi.upper), np.inf, slope))
    below = np.where(kinked, psi.kink, np.where(np.isfinite(psi.lower), psi.lower, 0.0))
    above = np.where(kinked, psi.kink, np.where(np.isfinite(psi.upper), psi.upper, 0.0))
    below = np.where(~kinked & ~np.isfinite(psi.lower), above, below)
    above = np.where(~kinked & ~np.isfinite(psi.upper), below, above)
    kink = np.where(kinked, 0.0, slope)
    return Coordinates(lower, upper, kink, below, above, np.zeros_like(kink))


class Rows:
    """Solves the problem above for one H and one dense A.

    >>> from zooadmm.problem.coordinates import coordinates
    >>> tied = Rows(Hessian(np.eye(2)), np.array([[1.0, 1.0]]))
    >>> tied(np.array([-1.0, 0.0]), coordinates(1, lower=0.0, upper=0.0)).u.tolist()
    [0.5, -0.5]
    """

    def __init__(self, H: Hessian, A: Floats) -> None:
        self.H = H
        self.A: Floats = np.asarray(A, dtype=np.float64) * H.units
        everywhere = np.ones(len(H.units), dtype=bool)
        factor = Factor(H.scaled)
        if not factor.renew(everywhere):
            factor = Factor(H.scaled, PROXIMAL)
            factor.renew(everywhere)
        self.ridge = factor.ridge
        self._L = factor.lower
        self._W = lapack.dtrtrs(self._L, np.asfortranarray(self.A.T), lower=1)[0]
        self.Q = Hessian(self._W.T @ self._W)
        self._Z = lapack.dtrtrs(self._L, self._W, lower=1, trans=1)[0]  # H^-1 A'

    def __call__(
        self, g: Floats, psi: Coordinates, start: Floats | None = None, terms: Floats | float = 0.0
    ) -> Solution:
        """The argmin above from multipliers `start`; psi must have a conjugate.

        terms: size of the terms that the limits of the rows are differences of.
        """
        dual = conjugate(psi)
        if dual is None:
            raise ValueError("psi has rows with a kink strictly between finite bounds.")
        gv = g * self.H.units
        v: Floats = np.zeros_like(gv)
        iterations = 0
        lam: Floats = np.zeros(len(self.A)) if start is None else start
        for _ in range(REPETITIONS if self.ridge else 1):
            found = faces.minimizer(self.Q, self._image(gv - self.ridge * v), dual, lam)
            iterations += found.iterations
            lam, before = found.u, v
            v, lam = self._primal(gv - self.ridge * v, dual, found)
            if np.abs(v - before).max() <= 1e-14 * np.abs(v).max(initial=0.0):
                break
        if found.status is Status.UNBOUNDED:  # of the dual: no u satisfies the rows
            return self._solution(v, lam, np.inf, Status.INFEASIBLE, iterations)
        residual = self._residual(gv, v, lam, psi, terms)
        status = Status.SOLVED if residual <= ACCURATE else found.status
        status = Status.INEXACT if residual > ACCURATE and status is Status.SOLVED else status
        return self._solution(v, lam, residual, status, iterations)

    def nearby(self, G: Floats, psi: Coordinates, start: Floats) -> Floats:
        """The argmin for each row g of G, from the multipliers of one of them.

        nan where guesses of the face do not come to rest, or H is singular.
        """
        dual = conjugate(psi)
        if dual is None or self.ridge > 0.0:
            return np.full_like(G, np.nan)
        gv = G * self.H.units
        images, lam = gv @ self._Z, np.tile(start, (len(gv), 1))
        tied = len(self.A) > self.A.shape[1]
        ridge = TIED * tied * self.Q.diagonal
        for _ in range(CORRECTIONS if tied else 1):
            lam = np.where(np.isfinite(lam), lam, start)
            lam = faces.minimizers(self.Q.curved(ridge), images - ridge * lam, dual, lam)
        forces = gv + lam @ self.A
        v: Floats = -self._inverse(forces.T).T
        v -= self._inverse((forces + v @ self.H.scaled).T).T
        return v * self.H.units

    def _solution(
        self, v: Floats, lam: Floats, residual: float, status: Status, iterations: int
    ) -> Solution:
        u = v * self.H.units
        return Solution(u, np.zeros(len(u), dtype=np.int8), lam, residual, status, iterations)

    def _image(self, g: Floats) -> Floats:
        """A H^-1 g"""
        image: Floats = self._Z.T @ g
        return image

    def _inverse(self, b: Floats) -> Floats:
        solved: Floats = lapack.dpotrs(self._L, b, lower=1)[0]
        return solved

    def _primal(self, g: Floats, dual: Coordinates, found: Solution) -> tuple[Floats, Floats]:
        """u of the multipliers, refined until rows and slopes are at rounding."""
        lam = found.u
        v = -self._inverse(g + self.A.T @ lam)
        active = found.face == FREE
        target = dual.right(lam)
        factor = self.Q.select(active)
        d = self.Q.units
        for _ in range(CORRECTIONS):
            forces = self.A.T @ lam
            slope = g + self.H.scaled @ v + self.ridge * v + forces
            v = v - self._inverse(slope)
            gap = np.where(active, self.A @ v - target, 0.0)
            if factor is not None and gap.any():
                change = d * factor.solve(d * gap)
                lam, v = lam + change, v - self._Z @ change
            largest = np.abs(g).max(initial=0.0) + np.abs(forces).max(initial=0.0)
            if np.abs(slope).max(initial=0.0) <= ROUNDED * largest:
                break
        return v, lam

    def _residual(
        self, g: Floats, v: Floats, lam: Floats, psi: Coordinates, terms: Floats | float
    ) -> float:
        slope = np.abs(g + self.H.scaled @ v + self.A.T @ lam).max(initial=0.0)
        forces = max(
            float(np.abs(g).max(initial=0.0)), float(np.abs(self.A.T @ lam).max(initial=0.0))
        )
        y = self.A @ v
        largest = max(float(np.abs(v).max(initial=0.0)), KNOWN * float(np.abs(g).max(initial=0.0)))
        size = np.maximum(np.maximum(np.abs(self.A).sum(axis=1) * largest, terms), faces.TINY)
        gap = np.maximum(np.maximum(psi.lower - y, y - psi.upper), 0.0)
        bound = np.where(y < psi.lower, psi.lower, psi.upper)
        finite = np.where(np.isfinite(bound), np.abs(bound), 0.0)
        rows = float((gap / np.maximum(size, finite)).max(initial=0.0))
        return max(float(slope) / max(forces, faces.TINY), rows, self._complementarity(y, lam, psi))

    def _complementarity(self, y: Floats, lam: Floats, psi: Coordinates) -> float:
        """Distance of l to the slopes of psi near y, relative to the largest of both."""
        size = 1e-9 * np.maximum(np.abs(self.A).max(axis=1, initial=0.0), np.abs(y))
        low = np.where(y - size <= psi.lower, -np.inf, psi.left(y - size))
        high = np.where(y + size >= psi.upper, np.inf, psi.right(y + size))
        gap = np.maximum(np.maximum(low - lam, lam - high), 0.0)
        slopes = np.abs(np.stack([psi.below, psi.above])).max(initial=0.0)
        size = max(float(np.abs(lam).max(initial=0.0)), float(slopes), faces.TINY)
        return float(gap.max(initial=0.0)) / size
