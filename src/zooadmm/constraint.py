"""The linear constraint A x + B y = c of problem (1).

`Consensus` is x = y, the case of most problems; `Linear` is any A (dense, scipy-sparse or a
LinearOperator) with any B such that B'B = tau I, for which the y-step (3) is a proximal operator.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator, splu

from zooadmm.arrays import Vector
from zooadmm.spectrum import as_dense, largest_eigenvalue

ORTHOGONALITY_TOLERANCE = 1e-10
"""How far, relative to tau, B'B may be from tau I."""

SINGULAR = 1e-13
"""A matrix whose reciprocal condition number is below this has no usable inverse."""


class Constraint(ABC):
    """A x + B y = c with B'B = tau I."""

    tau: float
    """The number with B'B = tau I."""

    @abstractmethod
    def sizes(self, m: int) -> tuple[int, int]:
        """(d, l): the lengths of y and of the dual, for x of length m; refuses another m."""

    @property
    @abstractmethod
    def lambda_max(self) -> float:
        """The largest eigenvalue of A'A, never underestimated."""

    @abstractmethod
    def residual(self, x: Vector, y: Vector) -> Vector:
        """A x + B y - c."""

    @abstractmethod
    def adjoint(self, v: Vector) -> Vector:
        """A' v."""

    @abstractmethod
    def y_center(self, x: Vector, scaled_dual: Vector) -> Vector:
        """B'(c - A x + lambda/rho) / tau, where the y-step takes its proximal operator."""

    @property
    @abstractmethod
    def B_invertible(self) -> bool:
        """Whether y' = B^-1 (c - A x) exists."""

    @property
    @abstractmethod
    def A_invertible(self) -> bool:
        """Whether x' = A^-1 (c - B y) exists."""

    @abstractmethod
    def complete_y(self, x: Vector) -> Vector:
        """y' = B^-1 (c - A x), line 8 of Algorithm 1."""

    @abstractmethod
    def complete_x(self, y: Vector) -> Vector:
        """x' = A^-1 (c - B y), line 10 of Algorithm 1."""


@dataclass(frozen=True)
class Consensus(Constraint):
    """x = y, that is A = I, B = -I, c = 0."""

    tau = 1.0
    lambda_max = 1.0
    B_invertible = True
    A_invertible = True

    def sizes(self, m: int) -> tuple[int, int]:
        return m, m

    def residual(self, x: Vector, y: Vector) -> Vector:
        return x - y

    def adjoint(self, v: Vector) -> Vector:
        return v

    def y_center(self, x: Vector, scaled_dual: Vector) -> Vector:
        return x - scaled_dual

    def complete_y(self, x: Vector) -> Vector:
        return x

    def complete_x(self, y: Vector) -> Vector:
        return y


@dataclass(frozen=True, eq=False, repr=False)
class Linear(Constraint):
    """A x + B y = c.

    A: dense array, scipy-sparse matrix or LinearOperator, of shape (l, m).
    B: the same, of shape (l, d), or a number b for b I; default -I, so that y = A x - c.
    c: vector of length l; default 0.

    Condition: B'B = tau I for some tau > 0 (any multiple of an orthogonal matrix, or of a matrix
    with orthonormal columns).

    >>> Linear(np.diff(np.eye(4), axis=0))
    Linear(A: 3 x 4, B = -I, c = 0)
    """

    A: Any
    B: Any = None
    c: Any = None

    def __post_init__(self) -> None:
        A = _as_matrix("A", self.A)
        B = -1.0 if self.B is None else self.B
        B = float(B) if isinstance(B, numbers.Real) else _as_matrix("B", B)
        rows = A.shape[0]
        if not isinstance(B, float) and B.shape[0] != rows:
            raise ValueError(
                f"B has {B.shape[0]} rows, but A has {rows}: both need one row a constraint."
            )
        c = None if self.c is None else _real_array("c", self.c).astype(np.float64)
        if c is not None and c.shape != (rows,):
            raise ValueError(f"c has shape {c.shape}; A has {rows} rows, so give ({rows},).")
        if c is not None and not np.isfinite(c).all():
            raise ValueError("c has entries that are not finite.")
        for name, value in (("A", A), ("B", B), ("c", c), ("tau", _multiple_of_identity(B))):
            object.__setattr__(self, name, value)

    @property
    def m(self) -> int:
        """The length of x."""
        return int(self.A.shape[1])

    @property
    def d(self) -> int:
        """The length of y."""
        return self.l if isinstance(self.B, float) else int(self.B.shape[1])

    @property
    def l(self) -> int:  # noqa: E743 - the paper's letter
        """The number of constraints."""
        return int(self.A.shape[0])

    def __repr__(self) -> str:
        c = "c = 0" if self.c is None else f"c: {self.l}"
        if isinstance(self.B, float):
            B = "B = -I" if self.B == -1.0 else f"B = {self.B:g} I"
        else:
            B = f"B: {self.l} x {self.d}"
        return f"Linear(A: {self.l} x {self.m}, {B}, {c})"

    def sizes(self, m: int) -> tuple[int, int]:
        if m != self.m:
            raise ValueError(f"A has {self.m} columns, but x0 has length {m}: they must agree.")
        return self.d, self.l

    @cached_property
    def lambda_max(self) -> float:
        return largest_eigenvalue(self.A)

    def residual(self, x: Vector, y: Vector) -> Vector:
        total = self.A @ x + self._B(y)
        if self.c is not None:
            total = total - self.c
        return np.asarray(total, dtype=x.dtype)

    def adjoint(self, v: Vector) -> Vector:
        return np.asarray(self.A.T @ v, dtype=v.dtype)

    def y_center(self, x: Vector, scaled_dual: Vector) -> Vector:
        v = scaled_dual - self.A @ x
        if self.c is not None:
            v = v + self.c
        return np.asarray(self._B_adjoint(v) / self.tau, dtype=x.dtype)

    @property
    def B_invertible(self) -> bool:
        return self.d == self.l

    @cached_property
    def A_invertible(self) -> bool:
        return self.l == self.m and self._solve_A is not None

    def complete_y(self, x: Vector) -> Vector:
        return self.y_center(x, np.zeros(self.l, dtype=x.dtype))  # B^-1 = B'/tau

    def complete_x(self, y: Vector) -> Vector:
        if self._solve_A is None:
            raise ValueError("x cannot be completed: A has no inverse.")
        right = -self._B(y) if self.c is None else self.c - self._B(y)
        return np.asarray(self._solve_A(right), dtype=y.dtype)

    def _B(self, y: Vector) -> Any:
        return self.B * y if isinstance(self.B, float) else self.B @ y

    def _B_adjoint(self, v: Any) -> Any:
        return self.B * v if isinstance(self.B, float) else self.B.T @ v

    @cached_property
    def _solve_A(self) -> Callable[[Any], Any] | None:
        """v -> A^-1 v by a factorization done once, or None if A is singular."""
        if scipy.sparse.issparse(self.A):
            try:
                factors = splu(self.A.tocsc().astype(np.float64))
            except RuntimeError:
                return None
            return lambda v: factors.solve(np.asarray(v, dtype=np.float64))
        A = as_dense(self.A)
        factor, condition = scipy.linalg.get_lapack_funcs(("getrf", "gecon"), (A,))
        lu, pivots, _ = factor(A)  # lu_factor, without its warning about a singular A
        reciprocal, _ = condition(lu, np.linalg.norm(A, 1))
        if reciprocal < SINGULAR:
            return None
        return lambda v: scipy.linalg.lu_solve((lu, pivots), v, check_finite=False)


def _as_matrix(name: str, given: Any) -> Any:
    """A dense float array, a sparse matrix or a LinearOperator; anything else is refused."""
    if hasattr(given, "matvec") and not scipy.sparse.issparse(given):
        return aslinearoperator(given)
    if scipy.sparse.issparse(given):
        matrix = given.tocsr()
        entries = _real_array(name, matrix.data)
    else:
        matrix = _real_array(name, given)
        matrix = matrix.astype(np.result_type(matrix, np.float32), copy=False)
        entries = matrix
    if matrix.ndim != 2:
        raise ValueError(f"{name} has {matrix.ndim} dimensions; it must be a matrix with two.")
    if not np.isfinite(entries).all():
        raise ValueError(f"{name} has entries that are not finite.")
    return matrix


def _real_array(name: str, given: Any) -> Any:
    try:
        array = np.asarray(given)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths.") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be made of real numbers, not {array.dtype}.")
    return array


def _multiple_of_identity(B: Any) -> float:
    """tau with B'B = tau I; refused if there is none."""
    if isinstance(B, float):
        if B == 0 or not np.isfinite(B):
            raise ValueError(f"B = {B} leaves y out of the constraint; give a number other than 0.")
        return B * B
    if isinstance(B, LinearOperator):
        # A random vector is an eigenvector of B'B only if all of them are.
        probe = np.random.default_rng(0).standard_normal(B.shape[1])
        image = B.T @ (B @ probe)
        tau = float(probe @ image / (probe @ probe))
        error = float(np.linalg.norm(image - tau * probe) / np.linalg.norm(probe))
    else:
        gram = B.T @ B
        tau = float(gram.trace()) / B.shape[1]
        difference = gram - tau * scipy.sparse.eye_array(B.shape[1])
        error = float(np.abs(difference).max())
    if not error <= ORTHOGONALITY_TOLERANCE * tau:
        raise ValueError(
            f"B'B is not a multiple of the identity (off by {error:.2g}, trace/d = {tau:.2g}), and "
            "the y-step is a proximal operator only if it is. Scale the rows of the constraint, or "
            "split y so that B has orthogonal columns of one length."
        )
    return tau
