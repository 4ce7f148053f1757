"""The linear constraint A x + B y = c of problem (1).

`Consensus` is x = y, the case of most problems; `Linear` is any A and B: dense, scipy-sparse, or
LinearOperators, of any shape.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from zooadmm.problem.arguments import doubles, number
from zooadmm.problem.arrays import Vector
from zooadmm.problem.linear_map import LinearMap, as_matrix

Side = Literal["x", "y"]
"""Of the constraint: the one that is computed from the other."""


class Constraint(ABC):
    """A x + B y = c."""

    @abstractmethod
    def sizes(self, m: int) -> tuple[int, int]:
        """(d, l): the lengths of y and of the dual, for x of length m; refuses another m."""

    @property
    def is_consensus(self) -> bool:
        """Whether it says x = y."""
        return False

    @property
    def multiple(self) -> float | None:
        """The number b with B = b I, if there is one."""
        return None

    @property
    @abstractmethod
    def lambda_max(self) -> float:
        """The largest eigenvalue of A'A, never underestimated."""

    @property
    @abstractmethod
    def tau(self) -> float | None:
        """The number with B'B = tau I, if there is one."""

    @abstractmethod
    def residual(self, x: Vector, y: Vector) -> Vector:
        """A x + B y - c."""

    @abstractmethod
    def adjoint(self, v: Vector) -> Vector:
        """A' v."""

    @abstractmethod
    def y_target(self, x: Vector, scaled_dual: Vector) -> Vector:
        """c - A x + lambda/rho, the target of B y in the y-step."""

    @abstractmethod
    def y_center(self, x: Vector, scaled_dual: Vector) -> Vector:
        """argmin_y |B y - (c - A x + lambda/rho)|, that is B'(c - A x + lambda/rho)/tau."""

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

    @abstractmethod
    def maps(self, m: int) -> tuple[LinearMap, LinearMap]:
        """A and B, for x of length m."""


@dataclass(frozen=True)
class Consensus(Constraint):
    """x = y, that is A = I, B = -I, c = 0."""

    is_consensus = True
    multiple = -1.0
    lambda_max = 1.0
    tau = 1.0
    B_invertible = True
    A_invertible = True

    def sizes(self, m: int) -> tuple[int, int]:
        return m, m

    def residual(self, x: Vector, y: Vector) -> Vector:
        return x - y

    def adjoint(self, v: Vector) -> Vector:
        return v

    def y_target(self, x: Vector, scaled_dual: Vector) -> Vector:
        return scaled_dual - x

    def y_center(self, x: Vector, scaled_dual: Vector) -> Vector:
        return x - scaled_dual

    def complete_y(self, x: Vector) -> Vector:
        return x

    def complete_x(self, y: Vector) -> Vector:
        return y

    def maps(self, m: int) -> tuple[LinearMap, LinearMap]:
        return LinearMap(1.0, (m, m)), LinearMap(-1.0, (m, m))


@dataclass(frozen=True, eq=False, repr=False)
class Linear(Constraint):
    """A x + B y = c.

    A: dense array, scipy-sparse matrix or LinearOperator, of shape (l, m).
    B: the same, of shape (l, d), or a number b for b I; default -I, so that y = A x - c.
    c: vector of length l; default 0.

    Where B'B = tau I (a multiple of a matrix with orthonormal columns) the y-step is a proximal
    operator; with any other B it is solved from within, see `zooadmm.structure.y_steps`.

    >>> Linear(np.diff(np.eye(4), axis=0))
    Linear(A: 3 x 4, B = -I, c = 0)
    """

    A: Any
    B: Any = None
    c: Any = None
    _A: LinearMap = field(init=False)
    _B: LinearMap = field(init=False)

    def __post_init__(self) -> None:
        A = as_matrix("A", self.A)
        rows = int(A.shape[0])
        B = -1.0 if self.B is None else self.B
        B = number("B", B) if isinstance(B, numbers.Real) else as_matrix("B", B)
        if isinstance(B, float):
            if B == 0 or not np.isfinite(B):
                raise ValueError(f"B = {B} leaves y out of the constraint; give another number.")
            B_shape = (rows, rows)
        else:
            B_shape = (int(B.shape[0]), int(B.shape[1]))
        if B_shape[0] != rows:
            raise ValueError(
                f"B has {B_shape[0]} rows, but A has {rows}: both need one row a constraint."
            )
        c = None if self.c is None else doubles("c", self.c)
        if c is not None and c.shape != (rows,):
            raise ValueError(f"c has shape {c.shape}; A has {rows} rows, so give ({rows},).")
        if c is not None and not np.isfinite(c).all():
            raise ValueError("c has entries that are not finite.")
        for name, value in (
            ("A", A),
            ("B", B),
            ("c", c),
            ("_A", LinearMap(A, (rows, int(A.shape[1])))),
            ("_B", LinearMap(B, B_shape)),
        ):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        (rows, m), d = self._A.shape, self._B.shape[1]
        c = "c = 0" if self.c is None else f"c: {rows}"
        if isinstance(self.B, float):
            B = "B = -I" if self.B == -1.0 else f"B = {self.B:g} I"
        else:
            B = f"B: {rows} x {d}"
        return f"Linear(A: {rows} x {m}, {B}, {c})"

    @property
    def multiple(self) -> float | None:
        return self._B.multiple

    def sizes(self, m: int) -> tuple[int, int]:
        rows, columns = self._A.shape
        if m != columns:
            raise ValueError(f"A has {columns} columns, but x0 has length {m}: they must agree.")
        return self._B.shape[1], rows

    @property
    def lambda_max(self) -> float:
        return self._A.lambda_max

    @property
    def tau(self) -> float | None:
        return self._B.tau

    def residual(self, x: Vector, y: Vector) -> Vector:
        total = self._A.apply(x) + self._B.apply(y)
        if self.c is not None:
            total = total - self.c
        return np.asarray(total, dtype=x.dtype)

    def adjoint(self, v: Vector) -> Vector:
        return np.asarray(self._A.adjoint(v), dtype=v.dtype)

    def y_target(self, x: Vector, scaled_dual: Vector) -> Vector:
        v = scaled_dual - self._A.apply(x)
        return np.asarray(v if self.c is None else v + self.c, dtype=x.dtype)

    def y_center(self, x: Vector, scaled_dual: Vector) -> Vector:
        return np.asarray(self._B.least_squares(self.y_target(x, scaled_dual)), dtype=x.dtype)

    @property
    def B_invertible(self) -> bool:
        return self._B.inverse is not None

    @property
    def A_invertible(self) -> bool:
        return self._A.inverse is not None

    def complete_y(self, x: Vector) -> Vector:
        if self._B.inverse is None:
            raise ValueError("y cannot be completed: B has no inverse.")
        return np.asarray(self._B.inverse(self._remainder(self._A.apply(x))), dtype=x.dtype)

    def complete_x(self, y: Vector) -> Vector:
        if self._A.inverse is None:
            raise ValueError("x cannot be completed: A has no inverse.")
        return np.asarray(self._A.inverse(self._remainder(self._B.apply(y))), dtype=y.dtype)

    def _remainder(self, used: Any) -> Any:
        return -used if self.c is None else self.c - used

    def maps(self, m: int) -> tuple[LinearMap, LinearMap]:
        return self._A, self._B
