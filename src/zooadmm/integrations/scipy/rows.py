"""What scipy calls bounds and constraints, as l <= x <= u and lower <= A x <= upper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy
import scipy.sparse
from numpy.typing import ArrayLike

from zooadmm.problem import assembly
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import Box, ConvexSet

LINEAR_TO = 1e-8
"""How far from linear a constraint may be, relative to the size of its terms."""


class Rows(NamedTuple):
    """lower <= A x <= upper"""

    A: Any
    lower: Vector
    upper: Vector

    def violation(self, x: Vector) -> float:
        """By how much the worst row is violated."""
        values = self.A @ x
        return float(np.max([self.lower - values, values - self.upper], initial=0.0))


def box_of(bounds: Any, m: int) -> ConvexSet | None:
    """The bounds of scipy, `Bounds` or pairs with None for none; None where nothing is bounded."""
    if bounds is None:
        return None
    if not isinstance(bounds, scipy.optimize.Bounds):
        pairs = list(bounds) if np.iterable(bounds) else []
        if len(pairs) != m or any(np.size(pair) != 2 for pair in pairs):
            raise ValueError(
                f"bounds must be a scipy.optimize.Bounds or {m} pairs (low, high), one a variable."
            )
        low = [-np.inf if pair[0] is None else float(pair[0]) for pair in pairs]
        high = [np.inf if pair[1] is None else float(pair[1]) for pair in pairs]
        bounds = scipy.optimize.Bounds(low, high)
    box = assembly.box_of(bounds, m)
    return None if box.is_everything else box


def box_among(constraints: Any, bounds: Any, m: int) -> ConvexSet | None:
    """The bounds, and those among the constraints, which scipy allows there too."""
    low, high, bounded = np.full(m, -np.inf), np.full(m, np.inf), False
    given = [one for one in _several(constraints) if isinstance(one, scipy.optimize.Bounds)]
    for box in (box_of(one, m) for one in (bounds, *given)):
        if box is not None:
            between = box.bounds()
            assert between is not None
            low, high, bounded = np.maximum(low, between[0]), np.minimum(high, between[1]), True
    if not (low <= high).all():
        raise ValueError("bounds and the Bounds in constraints have no point in common.")
    return Box(low, high) if bounded else None


def _several(constraints: Any) -> list[Any]:
    several = isinstance(constraints, Sequence) or constraints is None
    return list(constraints or ()) if several else [constraints]


def rows_of(constraints: Any, x0: Vector) -> Rows | None:
    """The constraints of scipy, of any form, if they are linear; None where there are none."""
    found = [
        _rows(f"constraints[{i}]", one, x0)
        for i, one in enumerate(_several(constraints))
        if not isinstance(one, scipy.optimize.Bounds)
    ]
    if not found:
        return None
    stacked: Any = [rows.A for rows in found]
    some_sparse = any(scipy.sparse.issparse(A) for A in stacked)
    A = scipy.sparse.csr_array(scipy.sparse.vstack(stacked)) if some_sparse else np.vstack(stacked)
    rows = Rows(A, *(np.concatenate(part) for part in zip(*(r[1:] for r in found), strict=True)))
    if np.isnan([rows.lower, rows.upper]).any():
        raise ValueError("constraints have bounds that are NaN; give -inf or inf for no bound.")
    if not (rows.lower <= rows.upper).all():
        raise ValueError("constraints have a lower bound above the upper bound; exchange the two.")
    return rows


def _rows(name: str, constraint: Any, x0: Vector) -> Rows:
    if isinstance(constraint, scipy.optimize.LinearConstraint):
        A = constraint.A
        A = scipy.sparse.csr_array(A) if scipy.sparse.issparse(A) else np.atleast_2d(A)
        if A.shape[1] != len(x0):
            raise ValueError(f"{name} has {A.shape[1]} columns, but x0 has length {len(x0)}.")
        return _between(A, constraint.lb, constraint.ub)
    if isinstance(constraint, scipy.optimize.NonlinearConstraint):
        A, c = _linear(name, constraint.fun, (), x0)
        return _between(A, constraint.lb - c, constraint.ub - c)
    if not isinstance(constraint, dict) or not {"type", "fun"} <= constraint.keys():
        raise TypeError(
            f"{name} is {constraint!r}; give a LinearConstraint, or a dictionary with type and fun."
        )
    if constraint["type"] not in ("eq", "ineq"):
        raise ValueError(f'{name} has the type {constraint["type"]!r}; it is "eq" or "ineq".')
    A, c = _linear(name, constraint["fun"], constraint.get("args", ()), x0)
    return _between(A, -c, -c if constraint["type"] == "eq" else np.inf)


def _between(A: Any, lower: ArrayLike, upper: ArrayLike) -> Rows:
    low, high = (np.broadcast_to(np.asarray(v, float), A.shape[0]) for v in (lower, upper))
    return Rows(A, low, high)


def _linear(
    name: str, function: Callable[..., Any], args: Sequence[Any], x0: Vector
) -> tuple[Matrix, Vector]:
    """(A, c) with function(x) = A x + c, which is evaluated around x0 and then tested elsewhere."""
    if not callable(function):
        raise TypeError(f"{name} has the fun {function!r}; give a function of x.")

    def at(x: Vector) -> Vector:
        return np.atleast_1d(np.asarray(function(x, *args), dtype=float))

    base = at(x0.copy())
    lengths = np.maximum(1.0, np.abs(x0))
    A = np.stack([at(x0 + step) - base for step in np.diag(lengths)], axis=1) / lengths
    A[np.abs(A) <= 1e-12 * np.abs(A).max(initial=0.0)] = 0.0
    c = base - A @ x0
    for z in x0 + lengths * np.random.default_rng(0).standard_normal((3, len(x0))):
        allowed = LINEAR_TO * (np.abs(A) @ np.abs(z) + np.abs(base) + np.abs(c))
        if not (np.abs(at(z) - A @ z - c) <= allowed).all():
            raise ValueError(
                f"{name} is not linear, and only linear constraints can be kept. Give "
                "options={'domain': a set that projects on it}, add a penalty for it to fun, or "
                "use scipy's own COBYQA or SLSQP."
            )
    return A, c
