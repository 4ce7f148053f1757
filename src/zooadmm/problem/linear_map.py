"""The matrices of the linear constraint, in whatever form they come."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator, lsmr, onenormest, splu

from zooadmm.problem.arguments import real_array

SMALL = 500
"""Up to this smaller side a matrix gets a dense singular value decomposition."""

LANCZOS_STEPS = 100
FAILURE_PROBABILITY = 1e-12


def as_dense(A: Any) -> Any:
    """A as a dense float64 array."""
    if scipy.sparse.issparse(A):
        return A.toarray().astype(np.float64)
    if isinstance(A, LinearOperator):
        return np.asarray(A @ np.eye(A.shape[1]), dtype=np.float64)
    return np.asarray(A, dtype=np.float64)


def largest_eigenvalue(A: Any) -> float:
    """An upper bound on lambda_max(A'A) that is tight up to rounding for a small A.

    The smallest of: the squared spectral norm (small A) or a Lanczos bound (any other A), and,
    where the entries are at hand, |A|_1 |A|_inf and the squared Frobenius norm.
    """
    rounding = 1.0 + 4 * np.finfo(np.float64).eps * max(A.shape)
    if min(A.shape) <= SMALL and max(A.shape) <= SMALL**2:
        bounds = [float(np.linalg.norm(as_dense(A), 2)) ** 2]
    else:
        bounds = [_lanczos_bound(A)]
    if not isinstance(A, LinearOperator):
        size = abs(A.astype(np.float64))
        bounds.append(float(size.sum(axis=0).max()) * float(size.sum(axis=1).max()))
        bounds.append(float((size**2).sum()))
    return float(min(bounds) * rounding)


def _lanczos_bound(A: Any) -> float:
    """A bound that holds with probability 1 - FAILURE_PROBABILITY over the starting vector.

    After k steps from a random start the largest Ritz value theta obeys
    P(theta < (1 - eps) lambda_max) <= 1.648 sqrt(n) exp(-sqrt(eps) (2k - 1))
    (Kuczynski and Wozniakowski, SIAM J. Matrix Anal. Appl. 13, 1992, Theorem 4.2).
    """
    n = A.shape[1]
    vector = np.random.default_rng(0).standard_normal(n)
    vector /= np.linalg.norm(vector)
    previous, beta = np.zeros(n), 0.0
    diagonal: list[float] = []
    off_diagonal: list[float] = []
    for _ in range(min(LANCZOS_STEPS, n)):
        image = A.T @ (A @ vector) - beta * previous
        diagonal.append(float(vector @ image))
        image -= diagonal[-1] * vector
        beta = float(np.linalg.norm(image))
        if beta <= 1e-14 * abs(diagonal[0]):  # an invariant subspace: the Ritz values are exact
            return _largest_ritz(diagonal, off_diagonal) * (1 + 1e-12)
        off_diagonal.append(beta)
        previous, vector = vector, image / beta
    steps = len(diagonal)
    exponent = math.log(1.648 * math.sqrt(n) / FAILURE_PROBABILITY) / (2 * steps - 1)
    return _largest_ritz(diagonal, off_diagonal[:-1]) / (1.0 - min(exponent**2, 0.5))


def _largest_ritz(diagonal: list[float], off_diagonal: list[float]) -> float:
    values = scipy.linalg.eigvalsh_tridiagonal(
        np.array(diagonal), np.array(off_diagonal[: len(diagonal) - 1])
    )
    return float(values[-1])


ORTHOGONALITY_TOLERANCE = 1e-10
"""How far, relative to tau, M'M may be from tau I."""

SINGLE_TOLERANCE = 1e-5
"""The same for a matrix in single precision."""

SINGULAR = 1e-13
"""A matrix whose reciprocal condition number is below this has no usable inverse."""

LSMR_TOLERANCE = 1e-13
"""What an operator without entries is inverted to."""


class LinearMap:
    """x -> M x: a number times the identity, a dense or sparse matrix, or a LinearOperator."""

    def __init__(self, matrix: Any, shape: tuple[int, int]) -> None:
        self.matrix = matrix
        self.shape = shape
        self._number = matrix if isinstance(matrix, float) else None

    def __getstate__(self) -> dict[str, Any]:
        """Without the factors of the inverse: a copy makes its own."""
        return {name: kept for name, kept in self.__dict__.items() if name != "inverse"}

    def apply(self, v: Any) -> Any:
        """M v."""
        return self.matrix @ v if self._number is None else self._number * v

    def adjoint(self, v: Any) -> Any:
        """M' v."""
        return self._transposed @ v if self._number is None else self._number * v

    @cached_property
    def _transposed(self) -> Any:
        """M', made once: sparse matrices take longer to transpose than to multiply."""
        return self.matrix.T

    @cached_property
    def lambda_max(self) -> float:
        """The largest eigenvalue of M'M, never underestimated."""
        return largest_eigenvalue(self.matrix) if self._number is None else self._number**2

    @cached_property
    def multiple(self) -> float | None:
        """The number b with M = b I, if there is one; an operator may hide it."""
        if self._number is not None or isinstance(self.matrix, LinearOperator):
            return self._number
        M, (rows, d) = scipy.sparse.coo_array(self.matrix), self.shape
        M.sum_duplicates()
        M.eliminate_zeros()
        diagonal = M.data[M.row == M.col]
        same = rows == d == M.nnz == len(diagonal) > 0 and bool((diagonal == diagonal[0]).all())
        return float(diagonal[0]) if same else None

    @cached_property
    def tau(self) -> float | None:
        """The number with M'M = tau I, if there is one."""
        if self._number is not None:
            return self._number**2
        M, d = self.matrix, self.shape[1]
        if isinstance(M, LinearOperator) or d > SMALL:
            # A random vector is an eigenvector of M'M only if all vectors are.
            probe = np.random.default_rng(0).standard_normal(d)
            image = M.T @ (M @ probe)
            tau = float(probe @ image / (probe @ probe))
            error = float(np.linalg.norm(image - tau * probe) / np.linalg.norm(probe))
        else:
            M64 = M.astype(np.float64)
            gram = as_dense(M64.T @ M64)
            tau = float(gram.trace()) / d
            error = float(np.abs(gram - tau * np.eye(d)).max())
        single = M.dtype == np.float32
        allowed = SINGLE_TOLERANCE if single else ORTHOGONALITY_TOLERANCE
        return tau if tau > 0 and error <= allowed * tau else None

    def dense(self) -> Any:
        """M as a dense array."""
        if self._number is not None:
            return self._number * np.eye(self.shape[0])
        return as_dense(self.matrix)

    def least_squares(self, v: Any) -> Any:
        """argmin_u |M u - v|, the shortest if there are several."""
        if self.tau is not None:
            return self.adjoint(v) / self.tau
        if self.inverse is not None:
            return self.inverse(v)
        return lsmr(self.matrix, v, atol=LSMR_TOLERANCE, btol=LSMR_TOLERANCE)[0]

    @cached_property
    def inverse(self) -> Callable[[Any], Any] | None:
        """v -> M^-1 v by a factorization done once, or None if M has no inverse.

        M'/tau where M'M = tau I, LU for dense and sparse matrices, LSMR for large operators.
        """
        rows, columns = self.shape
        if rows != columns:
            return None
        if self._number is not None:
            return lambda v: v / self._number
        if self.tau is not None:
            return lambda v: self.adjoint(v) / self.tau
        if scipy.sparse.issparse(self.matrix):
            return _sparse_inverse(self.matrix)
        if isinstance(self.matrix, LinearOperator) and rows > SMALL:
            return _iterative_inverse(self.matrix)
        return _dense_inverse(as_dense(self.matrix))


def _dense_inverse(M: Any) -> Callable[[Any], Any] | None:
    factor, condition = scipy.linalg.get_lapack_funcs(("getrf", "gecon"), (M,))
    lu, pivots, _ = factor(M)  # lu_factor, without its warning about a singular M
    reciprocal, _ = condition(lu, np.linalg.norm(M, 1))
    if reciprocal < SINGULAR:
        return None
    return lambda v: scipy.linalg.lu_solve((lu, pivots), v, check_finite=False)


def _sparse_inverse(M: Any) -> Callable[[Any], Any] | None:
    try:
        factors = splu(M.tocsc().astype(np.float64))
    except RuntimeError:  # exactly singular
        return None
    inverse = LinearOperator(
        M.shape,
        matvec=factors.solve,
        rmatvec=lambda v: factors.solve(v, trans="T"),
        dtype=np.float64,
    )
    if not onenormest(inverse) * abs(M).sum(axis=0).max() < 1 / SINGULAR:
        return None
    return lambda v: factors.solve(np.asarray(v, dtype=np.float64))


def _iterative_inverse(M: LinearOperator) -> Callable[[Any], Any] | None:
    def solve(v: Any) -> Any:
        return lsmr(M, v, atol=LSMR_TOLERANCE, btol=LSMR_TOLERANCE, maxiter=10 * M.shape[0])[0]

    right = np.random.default_rng(0).standard_normal(M.shape[0])
    missed = np.linalg.norm(M @ solve(right) - right)
    return solve if missed <= 1e-8 * np.linalg.norm(right) else None


def as_matrix(name: str, given: Any) -> Any:
    """A dense float array, a sparse matrix or a LinearOperator; anything else is refused."""
    if hasattr(given, "matvec") and not scipy.sparse.issparse(given):
        return _checked_operator(name, aslinearoperator(given))
    if scipy.sparse.issparse(given):
        matrix = _canonical(scipy.sparse.csr_array(given))
        real_array(name, matrix.data)
    else:
        matrix = real_array(name, given)
    matrix = matrix.astype(np.result_type(matrix.dtype, np.float32), copy=True)
    if matrix.ndim != 2:
        raise ValueError(f"{name} has {matrix.ndim} dimensions; it must be a matrix with two.")
    _not_empty(name, matrix.shape)
    if not np.isfinite(matrix.data if scipy.sparse.issparse(matrix) else matrix).all():
        raise ValueError(f"{name} has entries that are not finite.")
    (matrix.data if scipy.sparse.issparse(matrix) else matrix).setflags(write=False)
    return matrix


def _checked_operator(name: str, operator: LinearOperator) -> LinearOperator:
    """A real operator whose adjoint is its adjoint: <M u, v> = <u, M'v> for random u and v."""
    if operator.dtype is not None and np.dtype(operator.dtype).kind == "c":
        raise TypeError(f"{name} is a complex operator; it must be real.")
    _not_empty(name, operator.shape)
    generator = np.random.default_rng(0)
    u, v = (generator.standard_normal(n) for n in operator.shape[::-1])
    try:
        forth, back = operator @ u, operator.T @ v
    except NotImplementedError:
        raise ValueError(f"{name} is an operator without rmatvec; its adjoint is needed.") from None
    scale = np.linalg.norm(forth) * np.linalg.norm(v) + np.linalg.norm(back) * np.linalg.norm(u)
    if not abs(forth @ v - u @ back) <= 1e-5 * scale:
        raise ValueError(f"{name} is an operator whose rmatvec is not the adjoint of its matvec.")
    return operator


def _canonical(matrix: Any) -> Any:
    """The sparse array with each entry stored once, so that its data are its entries."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _not_empty(name: str, shape: tuple[int, ...]) -> None:
    if 0 in shape:
        raise ValueError(f"{name} has shape {shape}; it needs at least one row and column.")
