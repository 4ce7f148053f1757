"""Quadratic programs with bounds and rows, by the dual active-set method of DAQP.

    argmin_u  <g, u> + u'Hu/2    over  lower <= u <= upper,  row_lower <= A u <= row_upper

Arnstroem, Bemporad and Axehill 2022. DAQP works with absolute tolerances, so the program is brought
to units first: H to a diagonal about 1, every row of A to norm about 1, the solution to size about
1; all by powers of two, which round nothing. A singular H has a proximal term, repeated to a fixed
point. The result is measured.
"""

from __future__ import annotations

from functools import cached_property
from importlib.metadata import version
from typing import NamedTuple

import daqp
import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.linalg import lapack

from zooadmm.problem.coordinates import FREE, LOWER, UPPER, Coordinates, Floats, coordinates
from zooadmm.structure.composite import Composite
from zooadmm.structure.factor import Factor, Hessian, is_definite, row_units
from zooadmm.structure.feasibility import feasibility
from zooadmm.structure.solution import Solution, Status

TOLERANCES = (1e-13, 1e-12, 1e-11, 1e-10, 1e-9)
"""Violations of a constraint that DAQP may leave, in the units above: the first that succeeds.
Narrow sets are empty at the first of them by rounding."""

PROXIMAL = 1e-6
"""Proximal term of a singular H, in units of its diagonal."""

FIXED_POINT = 1e-12
"""Change of u at which the proximal iteration ends."""

ACCURATE = 1e-8
"""Residual up to which a solution counts as solved."""

NEWTON_STEPS = 20
"""Faces at most before DAQP takes over: from a near start there are two or three."""

FEWEST_RELEASED = 16
"""Bounds and rows that may leave a face at once however few variables are free there."""

EMPTY = 1e-8
"""Violation of a row, relative to the largest bound, that shows that there is no point."""

EQUATION, INEQUALITY = 5, 0
"""How DAQP marks rows."""

UNLIMITED = 1e30
"""DAQP's infinity."""

SOLVER = f"daqp {version('daqp')}"
"""What bits depend on beside numbers: it stands in the checkpoints of automatic runs."""

STATUSES = {
    1: Status.SOLVED,
    2: Status.SOLVED,
    -1: Status.INFEASIBLE,
    -2: Status.INEXACT,  # cycling
    -3: Status.UNBOUNDED,
    -4: Status.LIMIT,
    -5: Status.INEXACT,  # not convex
    -6: Status.INEXACT,  # equations that depend on each other
    -7: Status.LIMIT,
}


class Limits(NamedTuple):
    """row_lower <= A u <= row_upper."""

    lower: Floats
    upper: Floats
    terms: Floats | float = 0.0
    """Size of the terms that the limits are differences of: their rounding violates nothing."""


class _Scaled(NamedTuple):
    """The program in DAQP's units, bounds before rows."""

    f: Floats
    lower: Floats
    upper: Floats
    size: float


class QuadraticProgram:
    """The programs of one H and one dense A. Calls share nothing: equal input, equal bits.

    >>> program = QuadraticProgram(Hessian(np.eye(2)), np.array([[1.0, 1.0]]))
    >>> box, rows = coordinates(2, lower=0.0), Limits(np.array([1.0]), np.array([1.0]))
    >>> program(np.array([-3.0, 0.0]), box, rows).u.tolist()
    [1.0, 0.0]
    """

    def __init__(self, H: Hessian, A: Floats) -> None:
        self.H = H
        self.A = np.asarray(A, dtype=np.float64)
        scaled = self.A * H.units
        self.row_units = row_units(scaled)
        self._A = np.ascontiguousarray(scaled * self.row_units[:, None])
        self._H = np.ascontiguousarray(H.scaled)

    @cached_property
    def _proximal(self) -> float:
        """The weight of DAQP's proximal term; 0 where H is definite."""
        definite = Factor(self.H.scaled).renew(np.ones(len(self.H.units), dtype=bool))
        return 0.0 if definite else PROXIMAL

    def __call__(self, g: Floats, box: Coordinates, rows: Limits) -> Solution:
        """The argmin above; kinks of `box` are ignored.

        Where DAQP fails, the method of multipliers of `composite` solves the program.
        """
        found = self.active_set(g, box, rows)
        if found.solved or found.status is Status.UNBOUNDED:
            return found
        plain = box._replace(below=0.0 * g, above=0.0 * g)
        limits = coordinates(len(self.A), rows.lower, rows.upper)
        other = Composite(self.H, self.A)(g, plain, limits, terms=rows.terms)
        if not other.solved and found.status is Status.INFEASIBLE and not self._is_empty(box, rows):
            return found._replace(status=Status.INEXACT)
        return other if other.solved else found

    def _is_empty(self, box: Coordinates, rows: Limits) -> bool:
        """Whether linear programming confirms that no u satisfies the constraints."""
        if (box.lower > box.upper).any() or (rows.lower > rows.upper).any():
            return True
        A = scipy.sparse.csr_array(self._A)
        low, high = rows.lower * self.row_units, rows.upper * self.row_units
        d = self.H.units
        bounds = np.abs(np.concatenate([low, high, np.ones(1)]))
        forgiven = EMPTY * float(bounds[np.isfinite(bounds)].max())
        found = feasibility(box.lower / d, box.upper / d, A, low, high, forgiven)
        return found is None or len(found.rows) > 0

    def active_set(self, g: Floats, box: Coordinates, rows: Limits) -> Solution:
        """The result of DAQP alone."""
        problem = self._scaled(g, box, rows)
        senses = np.where(problem.lower == problem.upper, EQUATION, INEQUALITY).astype(np.int32)
        for tolerance in TOLERANCES:
            v, flag, lam, iterations = self._solve(problem, senses, tolerance)
            if flag not in (-1, -2, -6):
                break
            senses = np.zeros_like(senses)  # equations as pairs of inequalities may depend
        m = len(g)
        face = np.where(lam[:m] > 0, UPPER, np.where(lam[:m] < 0, LOWER, FREE)).astype(np.int8)
        u = box.placed(self.H.units * v * problem.size, face)
        dual = self.row_units * lam[m:] * problem.size
        status = STATUSES.get(flag, Status.INEXACT)
        if status is not Status.SOLVED:
            return Solution(u, box.face(u), dual, np.inf, status, iterations)
        residual = self.residual(g, box, rows, u, dual)
        status = Status.SOLVED if residual <= ACCURATE else Status.INEXACT
        return Solution(u, box.face(u), dual, residual, status, iterations)

    def from_face(
        self, g: Floats, box: Coordinates, rows: Limits, start: Floats
    ) -> Solution | None:
        """Newton steps face by face, from the bounds and rows at which a start lies.

        On a face u solves a linear system in its free variables. Bounds and rows that u violates
        join the face, those with multipliers of a wrong sign leave it, all at once. None where
        this has no end soon; DAQP has no such fault, but adds bounds one by one.

        >>> program = QuadraticProgram(Hessian(np.eye(2)), np.array([[1.0, 1.0]]))
        >>> box, rows = coordinates(2, lower=0.0), Limits(np.array([1.0]), np.array([1.0]))
        >>> program.from_face(np.array([-3.0, 0.0]), box, rows, np.array([0.5, 0.5])).u.tolist()
        [1.0, 0.0]
        """
        problem, m = self._scaled(g, box, rows), len(g)
        face = self._face(problem, start)
        for count in range(1, NEWTON_STEPS + 1):
            found = self._on_face(problem, face)
            if found is None:
                return None
            v, lam = found
            changed = _next_face(problem, face, np.concatenate([v, self._A @ v]), lam)
            if np.array_equal(changed, face):
                u = box.placed(self.H.units * v * problem.size, face[:m].astype(np.int8))
                dual = self.row_units * lam[m:] * problem.size
                residual = self.residual(g, box, rows, u, dual)
                if residual > ACCURATE:
                    return None
                return Solution(u, box.face(u), dual, residual, Status.SOLVED, count)
            face = changed
        return None

    def from_face_each(self, G: Floats, box: Coordinates, rows: Limits, start: Floats) -> Floats:
        """u of `from_face` for each row g of G, all from one start; nan where it has no end soon.

        With free variables F and rows R on a face the system has the matrix [H_FF R'; R 0]. One
        Cholesky factor of H at the free variables of the start, bordered, serves all faces near.

        >>> program = QuadraticProgram(Hessian(np.eye(2)), np.array([[1.0, 1.0]]))
        >>> box, rows = coordinates(2, lower=0.0), Limits(np.array([1.0]), np.array([1.0]))
        >>> G = np.array([[-3.0, 0.0], [0.0, 0.0]])
        >>> program.from_face_each(G, box, rows, np.array([0.5, 0.5])).tolist()
        [[1.0, 0.0], [0.5, 0.5]]
        """
        found, m, left = np.full_like(G, np.nan), G.shape[1], np.arange(len(G))
        problem = self._scaled(G[0], box, rows)
        first, f = self._face(problem, start), G * self.H.units / problem.size
        nothing = np.zeros((len(self._A), len(self._A)))
        factor = Factor(np.block([[self._H, self._A.T], [self._A, nothing]]))
        base = np.concatenate([first[:m] == FREE, np.zeros(len(self._A), dtype=bool)])
        if not factor.select(base):
            return found
        face = np.tile(first, (len(G), 1))
        for _ in range(NEWTON_STEPS):
            unknown = np.hstack([face[:, :m] == FREE, face[:, m:] != FREE])
            at = np.where(face == LOWER, problem.lower, problem.upper)
            v = np.where(unknown[:, :m], 0.0, at[:, :m])
            slopes = f[left] + _times(v, self._H)
            right = np.hstack([-slopes, at[:, m:] - _times(v, self._A.T)])
            z = factor.solve_each(unknown, np.where(unknown, right, 0.0))
            v, on_rows = v + z[:, :m], z[:, m:]
            slopes += _times(z[:, :m], self._H)
            lam = np.hstack([-(slopes + on_rows @ self._A), on_rows])
            both = np.hstack([v, v @ self._A.T])
            missed = np.where(unknown, np.hstack([lam[:, :m], both[:, m:] - at[:, m:]]), 0.0)
            lam[:, :m] = np.where(unknown[:, :m], 0.0, lam[:, :m])
            changed = _next_face(problem, face, both, lam)
            rests = (changed == face).all(axis=1)
            sizes = np.maximum(1.0, np.abs(f[left]).max(axis=1))
            exact = rests & (np.abs(missed).max(axis=1) <= ACCURATE * sizes)
            u = self.H.units * v[exact] * problem.size
            found[left[exact]] = box.placed(u, face[exact][:, :m].astype(np.int8))
            goes_on = ~rests & np.isfinite(z).all(axis=1)
            face, left = changed[goes_on], left[goes_on]
            if len(left) == 0:
                break
        return found

    def _face(self, problem: _Scaled, start: Floats) -> NDArray[np.int_]:
        """The bounds and rows at which a point lies."""
        v = start / (self.H.units * problem.size)
        both = np.concatenate([v, self._A @ v])
        near = FIXED_POINT * np.concatenate([np.zeros(len(v)), np.abs(self._A) @ np.abs(v)])
        low, high = both <= problem.lower + near, both >= problem.upper - near
        return np.where(low, LOWER, np.where(high, UPPER, FREE))

    def _on_face(self, problem: _Scaled, face: NDArray[np.int_]) -> tuple[Floats, Floats] | None:
        """The minimizer on a face and the multipliers of bounds and rows there, as DAQP has them.

        None where H is singular on it, or the rows depend on each other.
        """
        m = len(problem.f)
        free, held = face[:m] == FREE, face[m:] != FREE
        at = np.where(face == LOWER, problem.lower, problem.upper)
        v = np.where(free, 0.0, at[:m])
        R = self._A[held]
        if not free.any():
            return None
        factor, failed = lapack.dpotrf(self._H[np.ix_(free, free)].T, lower=1, overwrite_a=1)
        if failed != 0 or not is_definite(factor):
            return None
        slope = problem.f + self._H @ v
        solved = lapack.dpotrs(factor, np.column_stack([-slope[free], R[:, free].T]), lower=1)[0]
        v[free] = solved[:, 0]
        lam = np.zeros(len(face))
        if held.any():
            reached, failed = lapack.dpotrf(R[:, free] @ solved[:, 1:], lower=1)
            if failed != 0:
                return None
            on_rows = lapack.dpotrs(reached, R @ v - at[m:][held], lower=1)[0]
            v[free] -= solved[:, 1:] @ on_rows
            lam[m:][held] = on_rows
        lam[:m] = np.where(free, 0.0, -(problem.f + self._H @ v + self._A.T @ lam[m:]))
        return v, lam

    def residual(self, g: Floats, box: Coordinates, rows: Limits, u: Floats, dual: Floats) -> float:
        """Largest slope or violation of a row, relative to the terms.

        Multipliers of a wrong sign count as slopes.
        """
        y, slack = self.A @ u, np.abs(self.A) @ np.abs(u)
        near = 1e-9 * np.maximum(np.maximum(slack, rows.terms), 1e-300)
        wrong = np.where(y < rows.upper - near, np.maximum(dual, 0.0), 0.0)
        wrong = wrong + np.where(y > rows.lower + near, np.minimum(dual, 0.0), 0.0)
        slope = (g + self.H.matrix @ u + self.A.T @ (dual - wrong)) * self.H.units
        free = np.where((u < box.upper), np.minimum(slope, 0.0), 0.0)
        free = free + np.where((u > box.lower), np.maximum(slope, 0.0), 0.0)
        forces = np.abs(g * self.H.units).max(initial=0.0)
        forces = max(forces, np.abs((self.A.T @ dual) * self.H.units).max(initial=0.0), 1e-300)
        gap = np.maximum(np.maximum(rows.lower - y, y - rows.upper), 0.0)
        side = np.where(y < rows.lower, rows.lower, rows.upper)
        largest = np.abs(self.A).sum(axis=1) * float(np.abs(u).max(initial=0.0))
        terms = np.maximum(largest, np.where(np.isfinite(side), np.abs(side), 0.0))
        terms = np.maximum(terms, rows.terms)
        violated = (gap / np.maximum(terms, 1e-300)).max(initial=0.0)
        return max(float(np.abs(free).max(initial=0.0) / forces), float(violated))

    def _scaled(self, g: Floats, box: Coordinates, rows: Limits) -> _Scaled:
        d = self.H.units
        f = g * d
        lower = np.concatenate([box.lower / d, rows.lower * self.row_units])
        upper = np.concatenate([box.upper / d, rows.upper * self.row_units])
        missed = max(float(np.max(lower, initial=0.0)), float(np.max(-upper, initial=0.0)))
        size = max(float(np.abs(f).max(initial=0.0)), missed)
        size = float(np.exp2(np.round(np.log2(size)))) if 0.0 < size < np.inf else 1.0
        lower = np.maximum(lower / size, -UNLIMITED)
        return _Scaled(f / size, lower, np.minimum(upper / size, UNLIMITED), size)

    def _solve(
        self, problem: _Scaled, senses: NDArray[np.int32], tolerance: float
    ) -> tuple[Floats, int, Floats, int]:
        v, _, flag, info = daqp.solve(
            self._H,
            problem.f,
            self._A,
            problem.upper,
            problem.lower,
            senses,
            primal_tol=tolerance,
            eps_prox=self._proximal,
            eta_prox=FIXED_POINT,
        )
        return v, int(flag), np.asarray(info["lam"]), int(info["iterations"])


def _times(rows: Floats, H: Floats) -> Floats:
    """The product, by the columns that are not zero in all rows."""
    some = np.flatnonzero(rows.any(axis=0))
    return np.asarray(rows[:, some] @ H[some] if len(some) < len(H) else rows @ H)


def _next_face(
    problem: _Scaled, face: NDArray[np.int_], both: Floats, lam: Floats
) -> NDArray[np.int_]:
    """Without what has a multiplier of the wrong sign, and with what is violated.

    Free variables at most double: of all that might leave a small face together most come back.

    both: variables and rows at the minimizer on the face, lam: the multipliers there.
    """
    lower, upper = problem.lower, problem.upper
    wrong = ((face == LOWER) & (lam > 0.0)) | ((face == UPPER) & (lam < 0.0))
    wrong &= lower < upper
    most = np.maximum(FEWEST_RELEASED, (face == FREE).sum(axis=-1))
    for i in np.argwhere(wrong.sum(axis=-1) > most):
        found = np.flatnonzero(wrong[*i])
        order = np.argsort(-np.abs(lam[*i, found]), kind="stable")
        wrong[*i, found[order[most[*i] :]]] = False
    changed = np.where(wrong, FREE, face)
    slack = FIXED_POINT * np.maximum(1.0, np.abs(both))
    low, high = both < lower - slack, both > upper + slack
    return np.where(low, LOWER, np.where(high, UPPER, changed))
