"""The structured step in a dense metric, solved exactly where the problem has a form.

S(g) = argmin_x  <g, x - x_0> + |x - x_0|_H^2 / 2 + phi(x) + psi(R x)

no rows                          faces              Newton steps face by face
rows alone (equations, TV)       rows               the same on the dual
bounds and rows without kinks    quadratic_program  faces from a start, then DAQP; linear_program
                                                    where H is nothing
many such rows, few variables    _by_cuts           the same with the rows that are violated
anything else of the kind        composite          multipliers of the rows over faces
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import FREE, Coordinates, Floats, coordinates
from zooadmm.problem.form import Form
from zooadmm.structure import faces
from zooadmm.structure.composite import Composite
from zooadmm.structure.factor import Hessian, row_units
from zooadmm.structure.linear_program import linear_program
from zooadmm.structure.quadratic_program import ACCURATE, Limits, QuadraticProgram
from zooadmm.structure.rows import Rows, conjugate
from zooadmm.structure.solution import Solution, Status

FLAT = 1e-5
"""A curvature below this part of slope / width decides nothing within the bounds."""

LINEAR = 1e-10
"""Where curvature changes slopes at a vertex by no more than this part of them, the vertex of the
linear program is the minimizer."""

REPETITIONS = 20
"""Proximal steps of a flat model at most; a vertex takes two."""

FIXED = 1e-12
"""Change of the point, relative to it, at which proximal steps end."""

ON_FACE = 1e-12
"""A fixed coordinate may miss stationarity by this part of its slope, which is rounding."""

FEW_FOR_DAQP = 80
"""Variables up to which DAQP, which adds bounds one by one but is compiled, is the faster."""

MANY_ROWS = 8
"""Rows a variable from which most are never at their limits: only those that are violated join."""

CUTTING_ROUNDS = 60
"""Rounds that add violated rows at most; a dozen is usual."""

TINY = 1e-300


class _OneMetric:
    """The solvers for one H, made when they are needed."""

    def __init__(self, H: Matrix, form: Form, R: Matrix) -> None:
        self.H = H
        self.hessian = Hessian(H)
        self.dual: Floats | None = None
        """Multipliers of the rows in the last solution: where the next begins."""
        self._form, self._R = form, R

    @cached_property
    def rows(self) -> Rows:
        return Rows(self.hessian, self._R)

    @cached_property
    def program(self) -> QuadraticProgram:
        return QuadraticProgram(self.hessian.curved(self._form.phi.curvature), self._R)

    @cached_property
    def composite(self) -> Composite:
        return Composite(self.hessian, self._R)


class _Local(NamedTuple):
    """The step in u = x - x_0."""

    g: Floats
    """Slopes at u = 0"""
    phi: Coordinates
    psi: Coordinates
    start: Floats
    terms: Floats
    """Sizes of the terms of R x_0, whose rounding the rows have"""


class Nearby(NamedTuple):
    """How S(g + e) is solved for many e."""

    together: bool
    """Whether faces are guessed for all e at once, which rounds otherwise than one by one"""
    across: int
    """How many e, the first, may lead to other faces; for the others S counts as linear"""
    rho: float = 0.0
    """Penalty of ADMM, where it solves the step; 0: one is chosen"""


class ExactStep:
    """S for one form. The factors of an H are kept until `renew`.

    >>> from zooadmm.problem.form import of_coordinates
    >>> l1 = of_coordinates(coordinates(2, below=-1.0, above=1.0))
    >>> S, zero = ExactStep(l1), np.zeros(2)
    >>> S(np.eye(2), zero, np.array([-3.0, 0.5]), zero)[0].tolist()
    [2.0, 0.0]
    """

    def __init__(self, form: Form) -> None:
        phi, self._slopes = _without_kinks_at_bounds(form.phi)
        self.form = form._replace(phi=phi)
        self._R: Matrix = form.rows.toarray()
        self._size = np.abs(self._R)
        self._free = _is_zero(phi)
        bends = phi.kinked.any() or form.psi.kinked.any() or form.psi.curvature.any()
        self._plain = not bends
        self._many = self._plain and len(self._R) > MANY_ROWS * len(phi.lower)
        self._known: _OneMetric | None = None

    def renew(self) -> None:
        """Forget all factors: what follows then does not depend on what came before."""
        self._known = None

    def _at(self, H: Matrix) -> _OneMetric:
        if self._known is None or self._known.H is not H:
            self._known = _OneMetric(H, self.form, self._R)
        return self._known

    def __call__(
        self, H: Matrix, x0: Vector, g: Vector, start: Vector, dual: Vector | None = None
    ) -> tuple[Vector, Solution]:
        """S(g) from a start, and how it was solved.

        dual: multipliers of the rows to start from, before there are any of this H.
        """
        given = self._at(H)
        if given.dual is None:
            given.dual = dual
        phi, psi = self.form.phi, self.form.psi
        y0 = self._R @ x0
        slopes = g + self._slopes + phi.curvature * x0 + self._R.T @ (psi.curvature * y0)
        if len(self._R) == 0:
            found = faces.minimizer(given.hessian, slopes, phi.shifted(x0), start - x0)
        else:
            terms = self._size @ np.abs(x0)
            local = _Local(slopes, phi.shifted(x0), psi.shifted(y0), start - x0, terms)
            found = self._solved(given, local)
        return phi.placed(x0 + found.u, found.face), found

    def nearby(
        self, H: Matrix, x0: Vector, g: Vector, x: Vector, errors: Matrix, how: Nearby
    ) -> Matrix:
        """S(g + e) - S(g) for each row e, where x = S(g); nan where it takes a step by itself.

        Where S(g + e) has the face of x, S is linear and one factor serves all e.

        >>> from zooadmm.problem.form import of_coordinates
        >>> S, zero = ExactStep(of_coordinates(coordinates(2, lower=0.0))), np.zeros(2)
        >>> g, x, errors = np.array([-1.0, 1.0]), np.array([1.0, 0.0]), np.array([[0.5], [2.0]])
        >>> S.nearby(np.eye(2), zero, g, x, errors * [1.0, 0.0], Nearby(True, 2)).tolist()
        [[-0.5, 0.0], [-1.0, 0.0]]
        >>> S.nearby(np.eye(2), zero, g, x, errors * [1.0, 0.0], Nearby(True, 1)).tolist()
        [[-0.5, 0.0], [-2.0, 0.0]]
        """
        moves, stays = self._on_one_face(H, x0, g, x, errors)
        left = ~stays & ((np.arange(len(errors)) < how.across) | np.isnan(moves[:, 0]))
        moves[left] = np.nan
        if how.together and left.any():
            both = np.vstack([np.zeros_like(g), errors[left]])
            points = self._across_faces(self._at(H), x0, g, x, both)
            moves[left] = points[1:] - points[0]
        return moves

    def _across_faces(
        self, given: _OneMetric, x0: Vector, g: Vector, x: Vector, errors: Matrix
    ) -> Matrix:
        """S(g + e) for each row e near x = S(g); nan where no guess of its face comes to rest."""
        y0, nothing = self._R @ x0, np.full_like(errors, np.nan)
        phi, psi = self.form.phi.shifted(x0), self.form.psi.shifted(y0)
        slopes = g + self._slopes + phi.curvature * x0 + errors
        if len(self._R) == 0:
            found = faces.minimizers(given.hessian, slopes, phi, x - x0)
        elif self._many or _flatness(given.hessian, g, self.form.phi).any():
            return nothing
        elif self._free and conjugate(psi) is not None:
            if given.dual is None:
                return nothing
            return np.asarray(x0 + given.rows.nearby(slopes, psi, given.dual))
        elif self._plain and len(g) > FEW_FOR_DAQP:
            limits = Limits(psi.lower, psi.upper, self._size @ np.abs(x0))
            found = given.program.from_face_each(slopes, phi, limits, x - x0)
        else:
            return nothing
        return self.form.phi.placed(x0 + found, phi.face(found))

    def _on_one_face(
        self, H: Matrix, x0: Vector, g: Vector, x: Vector, errors: Matrix
    ) -> tuple[Matrix, NDArray[np.bool_]]:
        """S(g + e) - S(g) for each row e, were all on the face of x, and whether S(g + e) is.

        On one face S is linear, so one factor serves all e: the free coordinates, and the rows of R
        at their limits. All are nan where psi is more than limits, H is singular on the face, or
        rows depend on each other there.
        """
        phi, g = self.form.phi, g + self._slopes
        nothing = np.full_like(errors, np.nan), np.zeros(len(errors), dtype=bool)
        if len(self._R) > 0 and not self._plain:
            return nothing
        free = phi.face(x) == FREE
        unit = 1.0 / np.sqrt(np.maximum(np.diagonal(H) + phi.curvature, TINY))
        scaled = H[np.ix_(free, free)] * unit[free] * unit[free, None]
        scaled[np.diag_indices(len(scaled))] += (phi.curvature * unit**2)[free]
        factor, failed = lapack.dpotrf(scaled, lower=1) if free.any() else (scaled, 0)
        if failed != 0:
            return nothing
        slope = g + H @ (x - x0) + phi.curvature * x
        size = np.abs(g) + np.abs(slope) + np.abs(errors)
        both = np.vstack([errors, slope])
        steps = np.zeros_like(both)
        if free.any():
            steps[:, free] = -lapack.dpotrs(factor, (both * unit)[:, free].T, lower=1)[0].T
        kept = np.ones(len(errors), dtype=bool)
        if len(self._R) > 0:
            multipliers = self._on_rows(factor, steps, unit, free, x)
            if multipliers is None:
                return nothing
            pull = multipliers @ self._R
            if pull.any():
                steps[:, free] -= lapack.dpotrs(factor, (pull * unit)[:, free].T, lower=1)[0].T
            both, size = both + pull, size + np.abs(pull[-1])
            kept = self._keeps_rows(x, steps[:-1] * unit, multipliers[:-1] + multipliers[-1])
        steps = steps[:-1] * unit
        slopes = both[-1] + both[:-1] + steps @ H + phi.curvature * steps
        off = np.where(free, 0.0, np.abs(phi.distances(x + 0.0 * steps, slopes)))
        to = x + steps
        sides = np.where(x > phi.kink, to > phi.kink, to < phi.kink) | ~phi.kinked
        inside = (to > phi.lower) & (to < phi.upper) & sides
        stays = (inside | ~free).all(axis=1) & (off <= ON_FACE * size).all(axis=1)
        return steps, stays & kept

    def _sides(self, x: Vector) -> NDArray[np.int8]:
        """-1 and 1 for rows at their lower and upper limits, 0 for the others."""
        psi, y, near = self.form.psi, self._R @ x, ON_FACE * (self._size @ np.abs(x))
        return np.where(y >= psi.upper - near, 1, np.where(y <= psi.lower + near, -1, 0)).astype(
            np.int8
        )

    def _on_rows(
        self, factor: Floats, solved: Matrix, unit: Floats, free: NDArray[np.bool_], x: Vector
    ) -> Matrix | None:
        """What multipliers of the rows at their limits add to each step, so that these stay."""
        held = self._sides(x) != 0
        multipliers = np.zeros((len(solved), len(held)))
        if not held.any():
            return multipliers
        R = (self._R[held] * unit)[:, free]
        if R.shape[1] == 0:
            return None
        reached, failed = lapack.dpotrf(R @ lapack.dpotrs(factor, R.T, lower=1)[0], lower=1)
        if failed != 0:
            return None
        multipliers[:, held] = lapack.dpotrs(reached, R @ solved[:, free].T, lower=1)[0].T
        return multipliers

    def _keeps_rows(self, x: Vector, steps: Matrix, multipliers: Matrix) -> NDArray[np.bool_]:
        """Whether rows stay at their limits by the sign of the multiplier, and others within."""
        psi, sides = self.form.psi, self._sides(x)
        signed = (multipliers * sides >= 0.0) | (psi.lower == psi.upper)
        y = (x + steps) @ self._R.T
        within = ((y >= psi.lower) & (y <= psi.upper)) | (sides != 0)
        return np.asarray((signed & within).all(axis=1))

    def _solved(self, given: _OneMetric, local: _Local) -> Solution:
        """With rows; where H is nothing within the bounds, by steps in a steeper metric."""
        g, phi, psi, _, _ = local
        flat = _flatness(given.hessian, g, phi)
        if not flat.any():
            found = self._with_rows(given, local)
            if not self._plain or (found.solved and self._holds(found.u, found.u, local)):
                return found
        vertex = linear_program(g, phi, self._R, psi) if self._plain else None
        bends = given.hessian.curved(phi.curvature).matrix
        if vertex is not None and vertex.solved and _is_linear(bends, g, vertex.u):
            return vertex
        if flat.any():
            found = self._by_proximal_steps(given, local, flat)
        if found.solved or vertex is None or not vertex.solved:
            return found
        if self._holds(found.u, vertex.u, local):
            return found
        return vertex._replace(status=Status.INEXACT, residual=found.residual)

    def _holds(self, u: Floats, known: Floats, local: _Local) -> bool:
        """Whether the rows hold at u, in units of their terms at a point that is known."""
        y, psi = self._R @ u, local.psi
        missed = np.maximum(psi.lower - y, y - psi.upper)
        return bool((missed <= ACCURATE * (self._size @ np.abs(known) + local.terms)).all())

    def _by_proximal_steps(self, given: _OneMetric, local: _Local, flat: Floats) -> Solution:
        """Minimizers of the model with curvatures `flat` added; they end in that of the model."""
        steeper = _OneMetric(given.H + np.diag(flat), self.form, self._R)
        u, moved = np.zeros_like(local.g), np.inf
        for _ in range(REPETITIONS):
            found = self._with_rows(steeper, local._replace(g=local.g - flat * u))
            moved, u = float(np.abs(found.u - u).max()), found.u
            if moved <= FIXED * float(np.abs(u).max()):
                return found
        return found._replace(status=Status.INEXACT, residual=max(found.residual, moved))

    def _with_rows(self, given: _OneMetric, local: _Local) -> Solution:
        g, phi, psi, start, terms = local
        first: Solution | None = None
        if self._many:
            first = self._by_cuts(given, local)
        elif self._free and conjugate(psi) is not None:
            first = given.rows(g, psi, given.dual, terms)
        elif self._plain:
            limits = Limits(psi.lower, psi.upper, terms)
            if len(local.g) > FEW_FOR_DAQP:
                first = given.program.from_face(g, phi, limits, start)
            first = first or given.program.active_set(g, phi, limits)
        if first is None or not (first.solved or self._many):
            other = given.composite(g, phi, psi, start, given.dual, terms)
            first = other if first is None or other.residual < first.residual else first
        given.dual = first.dual
        return first

    def _by_cuts(self, given: _OneMetric, local: _Local) -> Solution:
        """DAQP with few rows, then with those that its point violates most, until none is.

        A minimizer with some of the rows that violates no other is that with all. Each round adds
        as many as there are variables, no more of which can be at their limits by necessity.
        """
        g, phi, psi, _, terms = local
        H, m = given.hessian.curved(phi.curvature), len(g)
        chosen = psi.lower == psi.upper
        if given.dual is not None:
            chosen = chosen | (given.dual != 0.0)
        units, violated = row_units(self._R), np.zeros(0, dtype=np.intp)
        for _ in range(CUTTING_ROUNDS):
            chosen[violated] = True
            limits = Limits(psi.lower[chosen], psi.upper[chosen], terms[chosen])
            found = QuadraticProgram(H, self._R[chosen]).active_set(g, phi, limits)
            y, size = self._R @ found.u, self._size @ np.abs(found.u) + terms
            missed = np.maximum(psi.lower - y, y - psi.upper)
            violated = np.flatnonzero(~chosen & (missed > ON_FACE * size))
            if len(violated) == 0 or not found.solved or (missed > ACCURATE * size)[chosen].any():
                break
            order = np.argsort(-(missed * units)[violated], kind="stable")
            violated = violated[order[:m]]
        dual = np.zeros(len(self._R))
        dual[chosen] = found.dual
        status = found.status if len(violated) == 0 else Status.INEXACT
        return found._replace(dual=dual, status=status)


def _without_kinks_at_bounds(phi: Coordinates) -> tuple[Coordinates, Floats]:
    """phi without slopes where no kink lies between the bounds, and these slopes: they add to g."""
    above = phi.kink <= phi.lower
    straight = above | (phi.kink >= phi.upper) | ~phi.kinked
    slopes = np.where(straight, np.where(above, phi.above, phi.below), 0.0)
    below, beyond = np.where(straight, 0.0, phi.below), np.where(straight, 0.0, phi.above)
    return phi._replace(below=below, above=beyond), slopes


def _is_linear(H: Floats, g: Floats, u: Floats) -> bool:
    """Whether H u is nothing beside g, variable by variable.

    It is nothing, too, where |Hu|_i |u_i| is lost in the rounding of <|g|, |u|>: along variables
    that the loss does not depend on.
    """
    bends, slopes, size = np.abs(H @ u), np.abs(g), np.abs(u)
    lost = bends * size <= np.finfo(float).eps * float(slopes @ size)
    return bool(((bends <= LINEAR * slopes) | lost).all())


def _flatness(H: Hessian, g: Floats, phi: Coordinates) -> Floats:
    """The curvature to add to variables whose own is nothing beside their slope within bounds.

    Along these the model is a linear program, and its units are those of the bounds, not of H.
    """
    reach = np.maximum(np.abs(phi.lower), np.abs(phi.upper))
    bounded = (reach > 0.0) & np.isfinite(reach)
    least = FLAT * np.abs(g) / np.where(bounded, reach, 1.0)
    return np.where(bounded & (H.diagonal < least), least, 0.0)


def _is_zero(phi: Coordinates) -> bool:
    """Whether phi is 0 everywhere."""
    nothing = coordinates(len(phi.lower))
    pairs = zip(phi._replace(kink=nothing.kink), nothing, strict=True)
    return all(np.array_equal(part, none) for part, none in pairs)
