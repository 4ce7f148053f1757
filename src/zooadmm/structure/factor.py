r"""Linear systems with H_FF for an index set F that changes a little at a time.

One Cholesky factor of H_00 for the first set F_0; later sets border it. With R = F_0 \ F (columns
that leave, kept at zero by unit vectors) and J = F \ F_0 (columns that enter),

    [H_00  E] [z]   [b_0]        E = [I_R, H_0J],  C = diag(0, H_JJ),
    [E'    C] [w] = [b_J],       S = C - E' H_00^-1 E

S has as many rows as F and F_0 differ; it is factored again for every F, the columns of L^-1 E are
kept. A change of more than a sixth of F_0 starts again from a factor of F itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from zooadmm.problem.coordinates import Floats

Mask = NDArray[np.bool_]

SMALL = 64
"""Up to this many free variables a new Cholesky factor is cheaper than a border."""

EPS = float(np.finfo(np.float64).eps)

UNSURE = 64
"""Squared pivots of a unit diagonal up to (64 + n) roundings may be zeros."""

SHARE = 6
"""A border may have 1/6 of the rows of the factor: then both cost about the same."""


DEARER = 1.25
"""A border of n rows costs as much as a Cholesky factor of this many times n."""


class _Joined(NamedTuple):
    """The border of several sets at once."""

    columns: NDArray[np.intp]
    """Where one of the sets differs from that of the factor"""
    Y: Floats
    """L^-1 E"""
    S: Floats


class Factor:
    """Solves (H + ridge I)_FF z = b_F.

    >>> factor = Factor(np.array([[4.0, 1.0], [1.0, 3.0]]))
    >>> factor.select(np.array([True, False]))
    True
    >>> factor.solve(np.array([8.0, 5.0])).tolist()
    [2.0, 0.0]
    """

    def __init__(self, H: Floats, ridge: float = 0.0) -> None:
        self.H = H
        self.ridge = ridge
        self._base: Mask | None = None
        self._L: Floats = np.zeros((0, 0))
        self._changed = np.zeros(0, dtype=np.intp)

    @property
    def bordered(self) -> bool:
        """Whether the present set is solved through a border."""
        return len(self._changed) > 0

    @property
    def lower(self) -> Floats:
        """The Cholesky factor of the last set that was factored itself."""
        return self._L

    def select(self, F: Mask) -> bool:
        """Make F the set of the next solves; False where H_FF is not positive definite."""
        if self._base is None or self._count <= SMALL:
            if self._base is not None and np.array_equal(F, self._base):
                return True
            return self.renew(F)
        changed = np.flatnonzero(self._base != F)
        fresh = [j for j in changed.tolist() if j not in self._slots]
        if len(self._slots) + len(fresh) > len(self._columns):
            return self.renew(F)
        if fresh:
            self._extend(fresh)
        self._changed = changed
        return len(changed) == 0 or self._border() or self.renew(F)

    def renew(self, F: Mask) -> bool:
        """A Cholesky factor of H_FF itself."""
        self._index = np.flatnonzero(F)
        self._count = n = len(self._index)
        self._changed = np.zeros(0, dtype=np.intp)
        part = self.H if n == len(F) else self.H[np.ix_(self._index, self._index)]
        part = np.array(part, order="F")
        part[np.diag_indices(n)] += self.ridge
        self._L, failed = lapack.dpotrf(part, lower=1, overwrite_a=1) if n else (part, 0)
        if failed != 0 or (n and not is_definite(self._L)):
            self._base = None
            return False
        self._base = F.copy()
        self._position = np.full(len(F), -1)
        self._position[self._index] = np.arange(n)
        self._slots: dict[int, int] = {}
        self._columns = np.empty((max(16, n // SHARE), n if n > SMALL else 0))
        self._all = _Joined(np.zeros(0, dtype=np.intp), np.zeros((n, 0)), np.zeros((0, 0)))
        return True

    def solve(self, b: Floats) -> Floats:
        """z with (H + ridge I)_FF z_F = b_F and zeros elsewhere."""
        z = np.zeros_like(b)
        if not self.bordered:
            if self._count:
                z[self._index] = lapack.dpotrs(self._L, b[self._index], lower=1)[0]
            return z
        leaving, entering = self._changed[~self._enters], self._changed[self._enters]
        right = b[self._index]
        right[self._position[leaving]] = 0.0
        half = lapack.dtrtrs(self._L, right, lower=1)[0]
        rest = -(self._Y @ half)
        rest[self._enters] += b[entering]
        w = lapack.dgetrs(self._lu, self._pivots, rest)[0]
        z[self._index] = lapack.dtrtrs(self._L, half - self._Y.T @ w, lower=1, trans=1)[0]
        z[leaving] = 0.0
        z[entering] = w[self._enters]
        return z

    def solve_each(self, F: Mask, B: Floats) -> Floats:
        """The rows z with (H + ridge I)_FF z_F = b_F for each row of F and of B; nan where none is.

        Sets near that of the last Cholesky factor border it; the others are factored themselves.
        `select` must have succeeded before. Only its set has to be one of a definite H_FF.

        >>> factor = Factor(np.array([[4.0, 1.0], [1.0, 3.0]]))
        >>> factor.select(np.array([True, False]))
        True
        >>> both = np.array([[True, False], [True, True]])
        >>> factor.solve_each(both, np.array([[8.0, 5.0], [9.0, 5.0]])).tolist()
        [[2.0, 0.0], [2.0, 1.0]]
        """
        assert self._base is not None
        changed: Mask = np.not_equal(self._base, F)
        near = changed.sum(axis=1) * DEARER <= F.sum(axis=1)
        z = np.zeros_like(B)
        z[near] = self._solve_near(F[near], changed[near], B[near])
        for i in np.flatnonzero(~near & F.any(axis=1)):
            at = np.flatnonzero(F[i])
            part = self.H[at[:, None], at]
            part[np.diag_indices(len(at))] += self.ridge
            solve = lapack.dposv if (np.diagonal(part) > 0.0).all() else lapack.dsysv
            *_, z[i, at], failed = solve(part, B[i, at], lower=1)
            z[i] += 0.0 if failed == 0 else np.nan
        return z

    def _solve_near(self, F: Mask, changed: Mask, B: Floats) -> Floats:
        """`solve_each` by the border, for sets that differ from that of the factor as marked."""
        joined = self._joined(np.flatnonzero(changed.any(axis=0)))
        enters = self._position[joined.columns] < 0
        half = np.zeros((self._count, len(B)))
        if half.size:
            half = lapack.dtrtrs(self._L, B[:, self._index].T, lower=1)[0]
        rest = np.where(enters, B[:, joined.columns], 0.0) - half.T @ joined.Y
        w, z = np.zeros_like(rest), np.zeros_like(B)
        for i, differs in enumerate(changed[:, joined.columns]):
            at = np.flatnonzero(differs)
            if len(at) > 0:
                _, _, w[i, at], failed = lapack.dgesv(joined.S[at[:, None], at], rest[i, at])
                z[i] = 0.0 if failed == 0 else np.nan
        if half.size:
            solved = lapack.dtrtrs(self._L, half - joined.Y @ w.T, lower=1, trans=1)[0]
            z[:, self._index] += np.where(F[:, self._index], solved.T, 0.0)
        z[:, joined.columns[enters]] += w[:, enters]
        return z

    def _joined(self, columns: NDArray[np.intp]) -> _Joined:
        """L^-1 E and S for columns of E, with those that were known already before them."""
        known = self._all
        fresh = np.setdiff1d(columns, known.columns)
        if len(fresh) == 0:
            return known
        inner, E = self._position[fresh], np.zeros((self._count, len(fresh)), order="F")
        E[:, inner < 0] = self.H[np.ix_(self._index, fresh[inner < 0])]
        E[inner[inner >= 0], np.flatnonzero(inner >= 0)] = 1.0
        Y = np.hstack([known.Y, lapack.dtrtrs(self._L, E, lower=1)[0] if self._count else E])
        columns = np.concatenate([known.columns, fresh])
        enters = self._position[columns] < 0
        right = np.where(np.outer(enters, inner < 0), self.H[np.ix_(columns, fresh)], 0.0)
        right -= Y.T @ Y[:, len(known.columns) :]
        S = np.block([[known.S, right[: len(known.S)]], [right.T]])
        S[np.arange(len(known.S), len(S)), np.arange(len(known.S), len(S))] += np.where(
            inner < 0, self.ridge, 0.0
        )
        self._all = _Joined(columns, Y, S)
        return self._all

    def _extend(self, fresh: list[int]) -> None:
        """L^-1 E for the columns of E that are new."""
        E = np.zeros((self._count, len(fresh)), order="F")
        for q, j in enumerate(fresh):
            if self._position[j] >= 0:
                E[self._position[j], q] = 1.0
            else:
                E[:, q] = self.H[j][self._index]
        E, _ = lapack.dtrtrs(self._L, E, lower=1, overwrite_b=1)
        first = len(self._slots)
        self._columns[first : first + len(fresh)] = E.T
        self._slots.update({j: first + q for q, j in enumerate(fresh)})

    def _border(self) -> bool:
        """Factor S; False where it is singular."""
        changed = self._changed
        self._enters = self._position[changed] < 0
        self._Y = self._columns[[self._slots[j] for j in changed.tolist()]]
        both = np.outer(self._enters, self._enters)
        C = np.where(both, self.H[np.ix_(changed, changed)], 0.0)
        C[np.diag_indices(len(changed))] += np.where(self._enters, self.ridge, 0.0)
        self._lu, self._pivots, failed = lapack.dgetrf(C - self._Y @ self._Y.T)
        return bool(failed == 0)


def is_definite(L: Floats) -> bool:
    """Whether the pivots of a Cholesky factor of a unit diagonal are more than rounding."""
    return float(np.diagonal(L).min()) ** 2 > (UNSURE + len(L)) * EPS


RIDGE = 1e-14
"""First ridge of a singular matrix, per variable and unit of its row norms: 50 roundings."""

STEEPER = 100.0
"""Factor by which the ridge rises until the Cholesky factorization succeeds."""

FLAT = 1e-300
"""Diagonal entries up to this count as zero; a semidefinite matrix then has a zero row."""


class Hessian:
    """H, scaled, with its current factor. One object serves all steps of the same H,
    which must not change afterward.

    The factor depends on the free sets solved before: equal bits need an equal sequence of solves
    from a new object (a resumed run begins with a new one).

    >>> H = Hessian(np.array([[4.0, 0.0], [0.0, 1e6]]))
    >>> H.units.tolist()
    [0.5, 0.0009765625]
    """

    def __init__(self, matrix: Floats, curvature: Floats | None = None) -> None:
        self.matrix: Floats = np.asarray(matrix, dtype=np.float64)
        if curvature is not None:
            self.matrix = self.matrix.copy()
            self.matrix[np.diag_indices(len(self.matrix))] += curvature
        self.diagonal = np.diagonal(self.matrix).copy()
        self.flat = self.diagonal <= FLAT
        exponents = np.round(np.log2(np.where(self.flat, 1.0, self.diagonal)) / 2.0)
        self.units: Floats = np.exp2(-exponents)
        self.scaled: Floats = self.matrix * self.units
        self.scaled *= self.units[:, None]
        self.row_norms: Floats = np.sqrt(np.einsum("ij,ij->i", self.scaled, self.scaled))
        self._factor = Factor(self.scaled)
        self._plain = matrix
        self._curved: tuple[Floats, Hessian] | None = None

    def curved(self, curvature: Floats) -> Hessian:
        """H + diag(curvature), the last one kept."""
        if not curvature.any():
            return self
        if self._curved is None or not np.array_equal(self._curved[0], curvature):
            self._curved = curvature, Hessian(self._plain, curvature)
        return self._curved[1]

    def select(self, F: Mask) -> Factor | None:
        """The factor at F, with a larger ridge where H_FF is singular; None if none helps."""
        while not self._factor.select(F):
            first = RIDGE * len(F) * max(1.0, float(self.row_norms.max()))
            ridge = max(first, STEEPER * self._factor.ridge)
            if ridge > 1.0:
                return None
            self._factor = Factor(self.scaled, ridge)
        return self._factor


def row_units(A: Floats) -> Floats:
    """Powers of two that bring the rows of A to a norm of about 1; 1 for a row of zeros.

    >>> row_units(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [0.25, 1.0]
    """
    norms = np.sqrt(np.einsum("ij,ij->i", A, A))
    units: Floats = np.exp2(-np.round(np.log2(np.where(norms > 0, norms, 1.0))))
    return units
