"""The solutions of a system of linear equations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form
from zooadmm.problem.sets.convex_set import ConvexSet
from zooadmm.problem.sets.parameters import frozen_array, frozen_matrix, in_dtype_of


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
    _nearest: Callable[[Vector], Vector] = field(init=False)

    def __post_init__(self) -> None:
        b = frozen_array("b", self.b, ndim=1)
        M = frozen_matrix("M", self.M)
        if M.shape[0] != b.size:
            raise ValueError(
                f"M has {M.shape[0]} rows and b has length {b.size}; give one entry of b per row."
            )
        object.__setattr__(self, "M", M)
        object.__setattr__(self, "b", b)
        nearest = _by_gram_matrix(M, b) if sparse.issparse(M) else _by_row_space(M, b)
        object.__setattr__(self, "_nearest", nearest)
        x = nearest(np.zeros(M.shape[1]))
        missed = np.abs(M @ x - b)
        rounding = 16.0 * float(np.finfo(np.float64).eps) * (abs(M) @ np.abs(x))
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
        return in_dtype_of(v, self._nearest(np.asarray(v, dtype=np.float64)))

    def form(self, m: int) -> Form:
        return Form(
            coordinates(m), sparse.csr_array(self.M), coordinates(len(self.b), self.b, self.b)
        )

    def fits(self, m: int) -> None:
        if self.M.shape[1] != m:
            raise ValueError(
                f"M has {self.M.shape[1]} columns, but the vector has length {m}; "
                f"give one column per coordinate."
            )


def _by_row_space(M: Matrix, b: Vector) -> Callable[[Vector], Vector]:
    """Through an orthonormal basis of the row space, where M x = b says basis @ x = along."""
    left, values, right = np.linalg.svd(M, full_matrices=False)
    negligible = values.max(initial=0.0) * max(M.shape) * np.finfo(np.float64).eps
    rank = int(np.count_nonzero(values > negligible))
    basis = right[:rank]
    along = (left[:, :rank].T @ b) / values[:rank]
    return lambda v: v - basis.T @ (basis @ v - along)


def _by_gram_matrix(M: Any, b: Vector) -> Callable[[Vector], Vector]:
    """Through the factors of M M' + 1e-12 I, with the rows of M scaled to unit length.

    The small multiple of the identity admits rows that depend on each other; repeating the step
    on what is left of the residual removes its effect.
    """
    lengths = np.sqrt(np.asarray(M.multiply(M).sum(axis=1)).ravel())
    used = lengths > 0.0
    if not used.any():
        return np.array
    rows = sparse.csr_array(sparse.diags_array(1.0 / lengths[used]) @ M[used])
    right_side = b[used] / lengths[used]
    identity = sparse.eye_array(rows.shape[0])
    solve = splu(sparse.csc_array(rows @ rows.T + 1e-12 * identity)).solve

    def nearest(v: Vector) -> Vector:
        x = v
        for _ in range(20):
            residual = rows @ x - right_side
            if np.linalg.norm(residual) <= 1e-14 * (np.linalg.norm(b) + np.linalg.norm(x)):
                break
            x = x - rows.T @ solve(residual)
        return np.array(x)

    return nearest
