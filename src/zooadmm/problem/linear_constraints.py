"""Plain linear constraints on x: equations and inequalities as values of their own.

Any number of them goes with any regularizer and any set. They become part of A x + B y = c: u = R x
joins y, and the indicator of lower <= u <= upper joins phi,

    [A; -b R] x + b (y, u) = (c, 0),   phi(y) + 1(lower <= u <= upper)      where B = b I
    [A; s R] x + [B, 0; 0, -s I] (y, u) = (c, 0),   s^2 = tau               where B'B = tau I
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from zooadmm.problem.arguments import doubles, real_array
from zooadmm.problem.arrays import Vector
from zooadmm.problem.linear_map import as_matrix

PROMISED = 1e-9
"""Violation of a row, relative to max(1, |bound|), up to which it counts as satisfied."""

ROUNDING = 16.0
"""Rounding of a row, in units of eps sum_j |a_j x_j|: what no x of its type can improve on."""


class Missed(NamedTuple):
    """A row that is violated by more than 1e-9 max(1, |bound|)."""

    row: int
    gap: float
    """By how much, in the units of the row"""
    by_rounding: bool
    """Whether the gap is no larger than rounding of the terms of the row."""

    def __str__(self) -> str:
        return f"row {self.row} is missed by {self.gap:.3g}"


class Rows(NamedTuple):
    """lower <= A x <= upper"""

    A: Any
    """A scipy.sparse.csr_array with a row for each constraint"""
    lower: Vector
    upper: Vector

    def violation(self, x: Vector) -> float:
        """By how much the worst row is violated, relative to max(1, |bound|)."""
        gap, unit = self._gaps(x)
        return float((gap / unit).max(initial=0.0))

    def missed(self, x: Vector) -> Missed | None:
        """The row that is violated most beside what is forgiven; None where each is satisfied.

        Forgiven is 1e-9 max(1, |bound|), or rounding of the terms a_j x_j in the type of x.

        >>> Rows(np.eye(2), np.array([1e6, 0.005]), np.array([np.inf, np.inf])).missed(np.zeros(2))
        Missed(row=0, gap=1000000.0, by_rounding=False)
        """
        gap, unit = self._gaps(x)
        if not (gap > PROMISED * unit).any():
            return None
        eps = float(np.finfo(x.dtype).eps)
        rounding = ROUNDING * eps * (abs(self.A) @ np.abs(np.asarray(x, dtype=np.float64)))
        excess = gap / np.maximum(PROMISED * unit, rounding)
        beyond = excess if (excess > 1.0).any() else gap / unit
        row = int(np.argmax(beyond))
        return Missed(row, float(gap[row]), bool(excess[row] <= 1.0))

    def _gaps(self, x: Vector) -> tuple[Vector, Vector]:
        """By how much each row is violated, and max(1, |bound|)."""
        y = self.A @ np.asarray(x, dtype=np.float64)
        gap = np.maximum(np.maximum(self.lower - y, y - self.upper), 0.0)
        side = np.abs(np.where(y < self.lower, self.lower, self.upper))
        return gap, np.maximum(np.where(np.isfinite(side), side, 1.0), 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class Inequality:
    """lower <= A x <= upper, row by row.

    A: dense or scipy-sparse matrix with a column for each variable; a vector is one row.
    lower, upper: a number or a vector with an entry for each row; -inf and inf for none.

    The answer satisfies each row to 1e-9 max(1, |bound|), or to rounding of its terms a_j x_j where
    that is more: with a float32 x0, or terms above 1e5. The message says so then. x0 need not: the
    run starts from the nearest point that does.

    >>> Inequality([[1.0, 1.0, 0.0], [0.0, 1.0, -1.0]], upper=1.0)
    Inequality(A: 2 x 3)
    """

    A: Any
    lower: ArrayLike = -np.inf
    upper: ArrayLike = np.inf
    rows: Rows = field(init=False)
    """The same with A sparse and bounds as vectors."""

    def __post_init__(self) -> None:
        A = _matrix(self.A)
        low, high = (_bound(name, getattr(self, name), A.shape[0]) for name in ("lower", "upper"))
        crossed = np.flatnonzero(~(low <= high))
        if len(crossed):
            i = int(crossed[0])
            raise ValueError(
                f"lower[{i}] = {low[i]:g} is above upper[{i}] = {high[i]:g}, so no x satisfies row "
                f"{i}; exchange the two."
            )
        for name, bound, never in (("lower", low, np.inf), ("upper", high, -np.inf)):
            if (bound == never).any():
                i = int(np.flatnonzero(bound == never)[0])
                raise ValueError(f"{name}[{i}] is {never}, which no x satisfies.")
        free = np.flatnonzero(np.isneginf(low) & np.isposinf(high))
        if len(free):
            raise ValueError(
                f"row {free[0]} has neither a lower nor an upper bound: give one, or leave it out."
            )
        object.__setattr__(self, "rows", Rows(A, low, high))

    def __repr__(self) -> str:
        return f"Inequality(A: {self.rows.A.shape[0]} x {self.rows.A.shape[1]})"


@dataclass(frozen=True, eq=False, repr=False)
class Equality:
    """A x = b.

    A: dense or scipy-sparse matrix with a column for each variable; a vector is one row.
    b: a number or a vector with an entry for each row.

    Rows may depend on each other as long as b agrees. The answer satisfies each to
    1e-9 max(1, |b|), or to rounding of its terms a_j x_j where that is more: with a float32 x0, or
    terms above 1e5. The message says so then. x0 need not: the run starts from the nearest point
    that does.

    >>> Equality([1.0, 1.0, 1.0], 1.0)
    Equality(A: 1 x 3)
    """

    A: Any
    b: ArrayLike
    rows: Rows = field(init=False)
    """The same with A sparse and b as both bounds."""

    def __post_init__(self) -> None:
        A = _matrix(self.A)
        b = _bound("b", self.b, A.shape[0])
        if not np.isfinite(b).all():
            raise ValueError(
                "b must be finite; for one-sided rows use Inequality(A, lower, upper)."
            )
        object.__setattr__(self, "rows", Rows(A, b, b))

    def __repr__(self) -> str:
        return f"Equality(A: {self.rows.A.shape[0]} x {self.rows.A.shape[1]})"


LinearConstraint = Equality | Inequality


def joined(constraints: Sequence[LinearConstraint], m: int) -> Rows:
    """The rows of all of them, at least one, for x of length m."""
    for constraint in constraints:
        columns = constraint.rows.A.shape[1]
        if columns != m:
            name = type(constraint).__name__
            raise ValueError(
                f"A of constraint {name} has {columns} columns, but x0 has length {m}: they must "
                "agree."
            )
    parts = [constraint.rows for constraint in constraints]
    return Rows(
        scipy.sparse.csr_array(scipy.sparse.vstack([part.A for part in parts])),
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
    )


def _matrix(given: Any) -> scipy.sparse.csr_array:
    """A as a sparse matrix without empty rows."""
    matrix = as_matrix("A", np.atleast_2d(given) if _is_row(given) else given)
    if not (scipy.sparse.issparse(matrix) or isinstance(matrix, np.ndarray)):
        raise TypeError("A is an operator; a constraint needs its entries: give a matrix.")
    rows = scipy.sparse.csr_array(matrix, dtype=np.float64)
    sizes = np.asarray(abs(rows).sum(axis=1)).reshape(-1)
    if (sizes == 0.0).any():
        raise ValueError(
            f"row {np.flatnonzero(sizes == 0.0)[0]} of A is empty: it constrains no variable; "
            "leave it out."
        )
    return rows


def _is_row(given: Any) -> bool:
    if scipy.sparse.issparse(given) or hasattr(given, "matvec"):
        return False
    return bool(real_array("A", given).ndim == 1)


def _bound(name: str, given: ArrayLike, count: int) -> Vector:
    """A bound for each row, read-only."""
    bound = doubles(name, given)
    if bound.ndim > 1 or bound.shape not in ((), (1,), (count,)):
        raise ValueError(
            f"{name} has shape {bound.shape}; A has {count} rows, so give a number or ({count},)."
        )
    if np.isnan(bound).any():
        raise ValueError(f"{name} has entries that are NaN; give -inf or inf for no bound.")
    bound = np.array(np.broadcast_to(bound, count))
    bound.setflags(write=False)
    return bound
