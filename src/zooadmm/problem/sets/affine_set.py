"""The solutions of a system of linear equations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dnrm2
from scipy.sparse.linalg import splu

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form
from zooadmm.problem.sets.convex_set import ConvexSet
from zooadmm.problem.sets.parameters import frozen_array, frozen_matrix, in_dtype_of

CORRECTIONS = 20
"""Corrections of a projection at most; a dense M takes one or two."""

ROUNDING = 1e-14
"""Residual, relative to b and x, at which corrections end."""


@dataclass(frozen=True, eq=False, repr=False)
class AffineSet(ConvexSet):
    """{x : M x = b} for a dense or scipy-sparse matrix M; the system must have a solution.

    M is factorized once. Its rows may depend on each other, as long as b agrees. A sparse M is
    resolved down to singular values of about 1e-6 times the lengths of its rows, a dense one down
    to rounding.

    >>> line = AffineSet(M=np.array([[1.0, 1.0]]), b=np.array([2.0]))
    >>> line
    AffineSet(M of shape (1, 2))
    >>> np.round(line.project(np.array([3.5, 1.5])), 9)
    array([2., 0.])
    """

    M: Matrix | sparse.csr_array[Any]
    b: Vector
    _equations: _Equations = field(init=False)

    def __post_init__(self) -> None:
        b = frozen_array("b", self.b, ndim=1)
        M = frozen_matrix("M", self.M)
        if M.shape[0] != b.size:
            raise ValueError(
                f"M has {M.shape[0]} rows and b has length {b.size}; give one entry of b per row."
            )
        object.__setattr__(self, "M", M)
        object.__setattr__(self, "b", b)
        object.__setattr__(self, "_equations", _Equations(M, b))
        x = self.project(np.zeros(M.shape[1]))
        missed = np.abs(M @ x - b)
        rounding = 16.0 * float(np.finfo(np.float64).eps) * (abs(M) @ np.abs(x))
        with np.errstate(over="ignore"):
            unit = np.maximum(np.abs(b), min(1.0, float(np.linalg.norm(b))))
        if (missed > np.maximum(1e-9 * unit, rounding)).any():
            error = float(missed.max())
            raise ValueError(
                f"M x = b has no solution: the nearest miss leaves an error of {error:.2g}. Remove "
                f"the equations that contradict each other, or pass a nearly singular M as a dense "
                f"array."
            )

    def __repr__(self) -> str:
        return f"AffineSet(M of shape {self.M.shape})"

    def __reduce__(self) -> tuple[Any, ...]:
        return AffineSet, (self.M, self.b)

    def project(self, v: Vector) -> Vector:
        return in_dtype_of(v, self._equations.nearest(v, self._equations.right_side))

    def form(self, m: int) -> Form:
        return Form(
            coordinates(m), sparse.csr_array(self.M), coordinates(len(self.b), self.b, self.b)
        )

    @property
    def stretch(self) -> float:
        return math.sqrt(self.M.shape[1])  # an orthogonal projection: |z|_2 <= sqrt(m) |z|_inf

    def inradius(self, m: int) -> float:
        return math.inf  # directions that M fixes neither move nor limit

    def shrunk(self, radius: float) -> AffineSet:
        return self

    def tangent(self, rows: Matrix) -> Matrix:
        zero = np.zeros_like(self._equations.right_side)
        along = [self._equations.nearest(row, zero) for row in np.ascontiguousarray(rows)]
        return in_dtype_of(rows, np.array(along).reshape(rows.shape))

    def clip(self, points: Matrix) -> Matrix:
        return points

    def fits(self, m: int) -> None:
        if self.M.shape[1] != m:
            raise ValueError(
                f"M has {self.M.shape[1]} columns, but the vector has length {m}; "
                f"give one column per coordinate."
            )


class _Equations:
    """M x = b without rows of zeros, each row divided by the sum of its |entries|.

    What is negligible then does not depend on the units of the rows.
    """

    def __init__(self, M: Any, b: Vector) -> None:
        sums = np.asarray(abs(M).sum(axis=1)).reshape(-1)
        used = sums > 0.0
        self.rows = sparse.diags_array(1.0 / sums[used]).tocsr() @ M[used]
        self.right_side = b[used] / sums[used]
        sparsely = sparse.issparse(M)
        self._shortest = _by_gram_matrix(self.rows) if sparsely else _by_row_space(self.rows)

    def nearest(self, v: Vector, right_side: Vector) -> Vector:
        """The nearest solution: residuals are removed until rounding is left, mostly at once."""
        x = np.array(v, dtype=np.float64)
        for _ in range(CORRECTIONS if len(right_side) > 0 else 0):
            residual = self.rows @ x - right_side
            if dnrm2(residual) <= ROUNDING * (dnrm2(right_side) + dnrm2(x)):  # never overflows
                break
            x -= self._shortest(residual)
        return x


def _by_row_space(rows: Matrix) -> Callable[[Vector], Vector]:
    """The shortest x with M x = r, by singular values."""
    left, values, right = np.linalg.svd(rows, full_matrices=False)
    negligible = values.max(initial=0.0) * max(rows.shape) * np.finfo(np.float64).eps
    rank = int(np.count_nonzero(values > negligible))
    inverse = (right[:rank].T / values[:rank]) @ left[:, :rank].T
    return lambda residual: inverse @ residual


def _by_gram_matrix(rows: Any) -> Callable[[Vector], Vector]:
    """About the same through the factors of M M' + 1e-12 I, which admits dependent rows."""
    if rows.shape[0] == 0:
        return lambda residual: np.zeros(rows.shape[1])
    factors = splu(sparse.csc_array(rows @ rows.T + 1e-12 * sparse.eye_array(rows.shape[0])))
    return lambda residual: rows.T @ factors.solve(residual)
