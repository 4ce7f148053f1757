"""Functions of coordinates and of rows at once, by multipliers of the rows.

    argmin_u  <g, u> + u'Hu/2 + phi(u) + psi(A u)

phi and psi are any functions of coordinates: L1 with a box and a budget, total variation within
bounds, rows with kinks. With a slack y = A u for every row that is no equation, w = (u, y) and
E w = b, the dual function of the augmented Lagrangian

    D(l) = min_w  <g, u> + u'Hu/2 + phi(u) + psi(y) + <l, E w - b> + s |E w - b|^2 / 2

is concave with slope E w - b; `faces` minimizes over w. Newton's step on D uses the face of w.
Where D does not rise along it, the step s (E w - b) of the method of multipliers follows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from zooadmm.problem.coordinates import FREE, Coordinates, Floats
from zooadmm.structure import faces
from zooadmm.structure.factor import Hessian, Mask, row_units
from zooadmm.structure.solution import Solution, Status

PENALTY = 4.0
"""First s, in units of the diagonal of H for rows of norm 1."""

STRONGER = 10.0
"""Factor of s after a step that does not bring the gap to a quarter."""

MOST_PENALTY = 1e7
"""Largest s: half of the digits are left to H."""

ITERATIONS = 100
"""Steps on the multipliers at most; a few are usual."""

SATISFIED = 2e-15
"""Gap of a row, relative to its terms, at which the iteration ends."""

KNOWN = 1e-6
"""A point is known to this part of the largest slope at best, in units of H."""

ACCURATE = 1e-8
"""Residual up to which a solution counts as solved."""

STALL = 10
"""Steps at the largest s that must bring the gap to STALLED of what it was."""

STALLED = 0.9
"""Multipliers that rounding of an s so large spoils gain less; those that converge gain half."""

ROUNDED = 1e-11
"""Gap below which a step that does not halve it is rounding."""


class _Augmented(NamedTuple):
    """What depends on H, A and the set of equations alone."""

    curvature: Floats
    equations: Mask
    E: Floats
    plain: Floats
    """H in units, with zeros for the slacks."""
    gram: Floats
    """E'E"""
    first: Hessian
    """H + s E'E for the first s"""


class Composite:
    """Solves the problem above for one H and one dense A.

    >>> from zooadmm.problem.coordinates import coordinates
    >>> budget = Composite(Hessian(np.eye(2)), np.ones((1, 2)))
    >>> l1, one = coordinates(2, below=-0.1, above=0.1), coordinates(1, lower=1.0, upper=1.0)
    >>> budget(np.array([-1.0, 0.0]), l1, one).u.round(12).tolist()
    [1.0, 0.0]
    """

    def __init__(self, H: Hessian, A: Floats) -> None:
        self.H = H
        self.A = np.asarray(A, dtype=np.float64)
        scaled = self.A * H.units
        self.row_units = row_units(scaled)
        self._A = scaled * self.row_units[:, None]
        self._augmented: _Augmented | None = None

    def __call__(
        self,
        g: Floats,
        phi: Coordinates,
        psi: Coordinates,
        start: Floats | None = None,
        dual: Floats | None = None,
        terms: Floats | float = 0.0,
    ) -> Solution:
        """The argmin above from a point and multipliers.

        terms: size of the terms that the limits of the rows are differences of.
        """
        if (phi.lower > phi.upper).any() or (psi.lower > psi.upper).any():
            u = phi.clip(np.zeros(len(g)))
            nothing = np.zeros(len(self.A))
            return Solution(u, phi.face(u), nothing, np.inf, Status.INFEASIBLE, 0)
        parts = self._parts(phi.curvature, psi)
        slack = ~parts.equations
        m = len(g)
        u = phi.clip(np.zeros(m) if start is None else start)
        y = psi.clip(self.A @ u)
        inner = _Inner(parts, *self._units(g, phi, psi, parts.equations), terms * self.row_units)
        w = np.concatenate([u / self.H.units, (y * self.row_units)[slack]])
        lam: Floats = np.zeros(len(self.A)) if dual is None else dual / self.row_units
        found, lam, iterations = inner.maximize(w, lam)
        u = phi.clip(found.u[:m] * self.H.units)
        residual = max(found.residual, inner.gap(found.u))
        status = found.status
        if status in (Status.SOLVED, Status.INEXACT):
            status = Status.SOLVED if residual <= ACCURATE else Status.INEXACT
        if status is Status.INEXACT and iterations == ITERATIONS:
            status = Status.LIMIT
        return Solution(u, phi.face(u), lam * self.row_units, residual, status, iterations)

    def _parts(self, curvature: Floats, psi: Coordinates) -> _Augmented:
        """The augmented quadratic, the last one kept."""
        equations = (psi.lower == psi.upper) & (psi.curvature == 0.0)
        known = self._augmented
        if (
            known is not None
            and np.array_equal(known.equations, equations)
            and np.array_equal(known.curvature, curvature)
        ):
            return known
        slack = np.flatnonzero(~equations)
        m = len(self.H.units)
        E = np.zeros((len(self.A), m + len(slack)))
        E[:, :m] = self._A
        E[slack, m + np.arange(len(slack))] = -1.0
        plain = np.zeros((E.shape[1], E.shape[1]))
        plain[:m, :m] = self.H.curved(curvature).matrix * self.H.units * self.H.units[:, None]
        gram = E.T @ E
        first = Hessian(plain + PENALTY * gram)
        self._augmented = _Augmented(curvature.copy(), equations, E, plain, gram, first)
        return self._augmented

    def _units(
        self, g: Floats, phi: Coordinates, psi: Coordinates, equations: Mask
    ) -> tuple[Floats, Coordinates, Floats]:
        """Slopes and coordinates of w in units, and b."""
        zero = np.zeros_like(phi.curvature)
        first = phi.scaled(self.H.units)._replace(curvature=zero)
        second = psi.scaled(1.0 / self.row_units).restricted(~equations)
        both = first.beside(second)
        slopes = np.concatenate([g * self.H.units, np.zeros(int((~equations).sum()))])
        return slopes, both, np.where(equations, psi.lower * self.row_units, 0.0)


class _Inner:
    """D and its maximization, in units."""

    def __init__(
        self, parts: _Augmented, g: Floats, both: Coordinates, b: Floats, terms: Floats
    ) -> None:
        self.parts, self.E, self.g, self.both, self.b = parts, parts.E, g, both, b
        self._terms = np.maximum(np.abs(b), terms)
        self._sizes: Floats = np.abs(self.E).sum(axis=1)
        self._least = KNOWN * float(np.abs(g).max(initial=0.0))
        self.penalty, self.hessian = PENALTY, parts.first

    def maximize(self, w: Floats, lam: Floats) -> tuple[Solution, Floats, int]:
        """The minimizer w of the best multipliers, these, and the number of steps."""
        found = self._minimizer(w, lam)
        best = self._dual_value(found.u, lam)
        gap = self.gap(found.u)
        gaps: list[float] = []
        for n in range(1, ITERATIONS + 1):
            if found.status is Status.UNBOUNDED or gap <= SATISFIED:
                return found, lam, n
            if self.penalty >= MOST_PENALTY:
                gaps.append(gap)
                if len(gaps) > STALL and gap > STALLED * gaps[-1 - STALL]:
                    return found, lam, n
            c = self.E @ found.u - self.b
            trial, to = self._trial(found, lam, c, best, gap)
            after = self.gap(trial.u)
            if gap <= ROUNDED and after > 0.5 * gap:
                return found, lam, n
            weak = after > 0.25 * gap and self.penalty < MOST_PENALTY
            found, lam, gap = trial, to, after
            if weak:
                self.penalty *= STRONGER
                self.hessian = Hessian(self.parts.plain + self.penalty * self.parts.gram)
                found = self._minimizer(found.u, lam)
                gap = self.gap(found.u)
            best = self._dual_value(found.u, lam)
        return found, lam, ITERATIONS

    def _trial(
        self, found: Solution, lam: Floats, c: Floats, best: float, gap: float
    ) -> tuple[Solution, Floats]:
        """Newton's step, a shorter one, or that of the method of multipliers."""
        step = self._newton(found, c)
        for shorter in (1.0, 0.25, 0.0):
            to = lam + (shorter * step if shorter else self.penalty * c)
            trial = self._minimizer(found.u, to)
            rise = self._dual_value(trial.u, to) - best
            if rise >= 1e-4 * float(c @ (to - lam)) > 0.0 or self.gap(trial.u) < 0.1 * gap:
                break
        return trial, to

    def gap(self, w: Floats) -> float:
        """Largest |E w - b|, relative to the largest terms that w could give it."""
        largest = max(float(np.abs(w).max(initial=0.0)), self._least)
        terms = np.maximum(self._sizes * largest, self._terms)
        rows = np.abs(self.E @ w - self.b) / np.maximum(terms, faces.TINY)
        return float(rows.max(initial=0.0))

    def _minimizer(self, w: Floats, lam: Floats) -> Solution:
        slopes = self.g + self.E.T @ (lam - self.penalty * self.b)
        return faces.minimizer(self.hessian, slopes, self.both, w)

    def _dual_value(self, w: Floats, lam: Floats) -> float:
        slopes = self.g + self.E.T @ (lam - self.penalty * self.b)
        quadratic = float(slopes @ w + 0.5 * (w @ (self.hessian.matrix @ w)))
        return quadratic + self.both.value(w) - float(lam @ self.b)

    def _newton(self, found: Solution, c: Floats) -> Floats:
        """(E_F G_FF^-1 E_F')^-1 c, F the free coordinates of w."""
        free = found.face == FREE
        hessian = self.hessian.curved(self.both.curvature)
        factor = hessian.select(free & ~hessian.flat)
        if factor is None or not free.any():
            return self.penalty * c
        d = hessian.units
        columns = np.stack([d * factor.solve(np.where(free, d * row, 0.0)) for row in self.E])
        S = self.E @ columns.T
        S[np.diag_indices(len(c))] += 1e-13 / self.penalty
        if not (np.isfinite(S).all() and np.isfinite(c).all()):  # beyond the range of floats
            return self.penalty * c
        step: Floats = scipy.linalg.lstsq(0.5 * (S + S.T), c, lapack_driver="gelsd")[0]
        return step
