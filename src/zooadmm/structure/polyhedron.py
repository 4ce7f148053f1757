"""The exact projection on a polyhedron.

    argmin_x |x - v|   over  lower <= x <= upper,  row_lower <= A x <= row_upper

A solver finds which constraints are active; on these the projection is a least-squares problem,
solved to rounding by an orthogonal factorization. Bounds hold bit for bit; rows hold to rounding of
their terms. Rows may repeat or depend on each other, be empty, differ in scale by any factor, and
have infinite bounds. Where no point exists, the result names rows that contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse

from zooadmm.problem.arrays import norm
from zooadmm.problem.coordinates import Floats, coordinates
from zooadmm.problem.form import Form
from zooadmm.problem.linear_constraints import PROMISED, Rows
from zooadmm.structure.factor import Hessian, Mask
from zooadmm.structure.feasibility import Feasibility, feasibility
from zooadmm.structure.quadratic_program import UNLIMITED, Limits, QuadraticProgram
from zooadmm.structure.semismooth import nearest
from zooadmm.structure.solution import Status

DENSE = 1_000_000
"""Entries of A up to which the active-set method is faster than sparse Newton steps (0.1 s for
500 x 400; 7 s against 3 s for 2,000 x 1,600)."""

SPARSE = 1000
"""Variables or rows from which the last least-squares problem is solved with sparse factors."""

ROUNDS = 40
"""Changes of the active set in the final least-squares problem at most."""

ACTIVE = 1e-7
"""Distance to a constraint, relative to the point, at which it enters the first active set."""

EXACT = 1e-13
"""Violation of a row, relative to its terms, that counts as rounding."""

ABSOLUTE = 1e-12
"""Violation of a row, relative to max(1, |b|), that counts as rounding."""

ACCURATE = 1e-9
"""Violation of a row, relative to its terms, from which further solvers are tried."""


class Projection(NamedTuple):
    """A point of the polyhedron and how exactly it is one."""

    x: Floats
    """Within its bounds exactly."""
    violation: float
    """Largest violation of a row, relative to max(|b|, sum |a_j x_j|)."""
    status: Status
    message: str
    """Why there is no point, or by how much it misses a row; '' where it is solved."""


class Polyhedron:
    """{x: lower <= x <= upper, row_lower <= A x <= row_upper}.

    >>> body = Polyhedron(np.zeros(2), np.ones(2), np.ones((1, 2)), np.ones(1), np.ones(1))
    >>> body.project(np.array([0.75, 0.0])).x.tolist()
    [0.875, 0.125]
    """

    def __init__(
        self, lower: Floats, upper: Floats, A: Any, row_lower: Floats, row_upper: Floats
    ) -> None:
        self.lower, self.upper = lower, upper
        self.A = scipy.sparse.csr_array(A, dtype=np.float64)
        self.row_lower, self.row_upper = row_lower, row_upper
        self._bounded = Rows(self.A, row_lower, row_upper)
        norms = np.sqrt(np.asarray(self.A.multiply(self.A).sum(axis=1)).reshape(-1))
        bounded = np.isfinite(row_lower) | np.isfinite(row_upper)
        self._rows = np.flatnonzero((norms > 0) & bounded)
        self._empty = np.flatnonzero(norms == 0)
        units = np.exp2(-np.round(np.log2(norms[self._rows])))
        self._units = units
        self._A = scipy.sparse.csr_array(self.A[self._rows] * units[:, None])
        self._low, self._high = row_lower[self._rows] * units, row_upper[self._rows] * units
        self._absolute = abs(self._A)
        self._contradiction = self._plain_contradiction()

    def project(self, v: Floats) -> Projection:
        """The nearest point to v."""
        if self._contradiction:
            return self._infeasible(v, self._contradiction)
        x = self._clip(v)
        if self.violation(x) <= 0.0:
            return Projection(x, 0.0, Status.SOLVED, "")
        k, n = self._A.shape
        near = self._newton_point(v) if k * n > DENSE else self._active_set_point(v)
        x = self._polished(v, near)
        violation = self.violation(x)
        if violation > ACCURATE or not self._satisfied(x):
            found = self.feasibility()
            if found is not None and found.rows:
                self._contradiction = found.message
                return self._infeasible(v, found.message)
            others = [solver(v) for solver in (self._newton_point, self._active_set_point)]
            candidates = [x, *(self._polished(v, other) for other in others)]
            x = next(
                filter(self._satisfied, candidates), min(candidates, key=self._bounded.violation)
            )
            if found is not None and not self._satisfied(x):  # not the nearest, but a point
                other = self._polished(found.point, found.point)
                x = other if self._bounded.missed(other) is None else x
            violation = self.violation(x)
        if self._satisfied(x):
            return Projection(x, violation, Status.SOLVED, "")
        message = f"no point was found that satisfies each row to 1e-9: {self._bounded.missed(x)}"
        return Projection(x, violation, Status.INEXACT, message)

    def _satisfied(self, x: Floats) -> bool:
        """Whether each row holds to 1e-9 max(1, |bound|) or to rounding."""
        missed = self._bounded.missed(x)
        return missed is None or missed.by_rounding

    def violation(self, x: Floats) -> float:
        """Largest violation of a row at x, relative to max(|b|, sum |a_j x_j|)."""
        y = self._A @ x
        gap = np.maximum(np.maximum(self._low - y, y - self._high), 0.0)
        side = np.where(y < self._low, self._low, self._high)
        terms = np.maximum(
            self._absolute @ np.abs(x), np.where(np.isfinite(side), np.abs(side), 0.0)
        )
        return float((gap / np.maximum(terms, 1e-300)).max(initial=0.0))

    def feasibility(self) -> Feasibility | None:
        """A point of the polyhedron, or rows that exclude one, named as in A."""
        smaller = np.minimum(np.abs(self.row_lower), np.abs(self.row_upper))[self._rows]
        forgiven = PROMISED * np.maximum(1.0, smaller) * self._units
        found = feasibility(self.lower, self.upper, self._A, self._low, self._high, forgiven)
        if found is None:
            return None
        return found._replace(rows=tuple(int(self._rows[row]) for row in found.rows))

    def _clip(self, v: Floats) -> Floats:
        return np.minimum(np.maximum(v, self.lower), self.upper)

    def _infeasible(self, v: Floats, message: str) -> Projection:
        x = self._clip(v) if (self.lower <= self.upper).all() else v
        return Projection(x, np.inf, Status.INFEASIBLE, message)

    def _plain_contradiction(self) -> str:
        """Contradictions that need no solver: crossed bounds, empty rows that exclude 0."""
        crossed = np.flatnonzero(self.lower > self.upper)
        if len(crossed):
            return f"no point satisfies the bounds: lower is above upper at variable {crossed[0]}"
        rows = np.flatnonzero(self.row_lower > self.row_upper)
        if len(rows):
            return f"no point satisfies row {rows[0]}: its lower bound is above its upper bound"
        low, high = self.row_lower[self._empty], self.row_upper[self._empty]
        wrong = self._empty[(low > 0.0) | (high < 0.0)]
        if len(wrong):
            return f"no point satisfies row {wrong[0]}: it has no entries and excludes 0"
        return ""

    def _newton_point(self, v: Floats) -> Floats:
        return self._clip(nearest(v, self.lower, self.upper, self._A, self._low, self._high))

    def _active_set_point(self, v: Floats) -> Floats:
        n = len(v)
        program = QuadraticProgram(Hessian(np.eye(n)), self._A.toarray())
        start = self._clip(v)
        y = self._A @ start
        box = coordinates(n, self.lower - start, self.upper - start)
        found = program.active_set(start - v, box, Limits(self._low - y, self._high - y))
        return self._clip(start + found.u)

    def _polished(self, v: Floats, near: Floats) -> Floats:
        """The projection on the face of a point near it, to rounding."""
        near = np.where(np.abs(near) < UNLIMITED, near, self._clip(v))  # a solver that failed
        reach = ACTIVE * (1.0 + np.abs(near))
        low, high = near <= self.lower + reach, near >= self.upper - reach
        y = self._A @ near
        terms = ACTIVE * (1.0 + self._absolute @ np.abs(near))
        active = (y <= self._low + terms) | (y >= self._high - terms)
        target = np.where(np.abs(y - self._low) <= np.abs(self._high - y), self._low, self._high)
        best = self._clip(near)
        for _ in range(ROUNDS):
            x = self._on_face(v, near, low, high, active, target)
            inside = self._clip(x)
            if self.violation(inside) < self.violation(best):
                best = inside
            under, over = x < self.lower, x > self.upper
            y = self._A @ inside
            short, long = ~active & (y < self._low), ~active & (y > self._high)
            if not (under.any() or over.any() or short.any() or long.any()):
                break
            low, high = low | under, high | over
            target = np.where(short, self._low, np.where(long, self._high, target))
            active = active | short | long
        return best

    def _on_face(
        self, v: Floats, near: Floats, low: Mask, high: Mask, active: Mask, target: Floats
    ) -> Floats:
        """argmin |x - v| with some variables at bounds and some rows at targets."""
        x = np.where(low, self.lower, np.where(high, self.upper, v))
        free = ~(low | high)
        rows = self._A[np.flatnonzero(active)]
        right = target[active]
        solve = _least_change(rows[:, np.flatnonzero(free)])
        for _ in range(4):
            gap = right - rows @ x
            terms = abs(rows) @ np.abs(x)
            allowed = np.minimum(EXACT * terms, ABSOLUTE * np.maximum(1.0, np.abs(right)))
            if not np.isfinite(gap).all() or not (np.abs(gap) > allowed).any():
                break
            x[free] += solve(gap)
        return x


def of_form(form: Form) -> Polyhedron:
    """Where a form is finite."""
    phi, psi = form.phi, form.psi
    return Polyhedron(phi.lower, phi.upper, form.rows, psi.lower, psi.upper)


def with_zeros(form: Form, x: Floats) -> Polyhedron:
    """The same with the variables of x that are at a kink of phi, its zeros, fixed there."""
    phi, psi = form.phi, form.psi
    at_kink = phi.kinked & (x == phi.kink)
    lower, upper = np.where(at_kink, x, phi.lower), np.where(at_kink, x, phi.upper)
    return Polyhedron(lower, upper, form.rows, psi.lower, psi.upper)


def _least_change(R: scipy.sparse.csr_array) -> Any:
    """gap -> the shortest change d with R d = gap, for rows that may depend."""
    k, n = R.shape
    if k == 0 or n == 0:
        return lambda gap: np.zeros(n)
    if max(k, n) > SPARSE and R.nnz < 0.05 * k * n:
        return _sparse_change(R)
    Q, T, order = scipy.linalg.qr(R.toarray().T, mode="economic", pivoting=True)
    sizes = np.abs(np.diagonal(T))
    rank = int((sizes > 1e-11 * max(sizes.max(initial=0.0), 1e-300)).sum())

    def change(gap: Floats) -> Floats:
        z = scipy.linalg.solve_triangular(T[:rank, :rank], gap[order[:rank]], trans="T")
        d: Floats = Q[:, :rank] @ z
        return d

    return change


def _sparse_change(R: scipy.sparse.csr_array) -> Any:
    """The same through [[I, R'], [R, -r I]] with a small r; repetition removes its effect."""
    k, n = R.shape
    K = scipy.sparse.block_array(
        [[scipy.sparse.eye_array(n), R.T], [R, -1e-10 * scipy.sparse.eye_array(k)]], format="csc"
    )
    factor = scipy.sparse.linalg.splu(K)

    def change(gap: Floats) -> Floats:
        d: Floats = factor.solve(np.concatenate([np.zeros(n), gap]))[:n]
        return d

    return change


EPS = float(np.finfo(np.float64).eps)
TINY = 1e-300
STEPS = 27
"""Steps of 4^k eps, relative to s, back into the ball; the last of them reaches 0."""


def within_ball(project: Callable[[Floats], Projection], v: Floats, radius: float) -> Projection:
    """The nearest point to v of a polyhedron, known by its projection, in the ball around 0.

    >>> from zooadmm.structure.polyhedron import Polyhedron
    >>> line = Polyhedron(np.full(2, -9.0), np.full(2, 9.0), [[1.0, 0]], np.ones(1), np.ones(1))
    >>> np.round(within_ball(line.project, np.array([5.0, 5.0]), 1.25).x, 12).tolist()
    [1.0, 0.75]
    """
    found = project(v)
    if found.status is not Status.SOLVED or norm(found.x) <= radius:
        return found
    least = project(np.zeros_like(v))
    outside = norm(least.x) - radius
    if least.status is not Status.SOLVED or outside > PROMISED * max(1.0, radius):
        message = least.message or f"the sets stay {outside:.3g} apart"
        return least._replace(status=Status.INFEASIBLE, message=message)
    if outside >= 0.0:
        return least
    s = float(
        scipy.optimize.brentq(
            lambda s: norm(project(s * v).x) - radius, 0.0, 1.0, xtol=TINY, rtol=4 * EPS
        )
    )
    for k in range(STEPS):
        found = project(s * v)
        if found.status is Status.SOLVED and norm(found.x) <= radius:
            return found
        s *= max(0.0, 1.0 - 4.0**k * EPS)
    return least
