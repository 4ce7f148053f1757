"""What scipy calls bounds and constraints: l <= x <= u, lower <= A x <= upper, and c(x) <= 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy
import scipy.sparse
from numpy.typing import ArrayLike

from zooadmm.problem import assembly
from zooadmm.problem.arguments import doubles, listed
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import Box, ConvexSet

LINEAR_TO = 1e-8
"""How far from linear a constraint may be, relative to the size of its terms."""

KEPT = (
    "{} is an equation (lb = ub), and {} has keep_feasible: an equation has no room to be kept "
    "while others are. Leave keep_feasible out."
)


class Rows(NamedTuple):
    """lower <= A x <= upper"""

    A: Any
    lower: Vector
    upper: Vector

    def violation(self, x: Vector) -> float:
        """By how much the worst row is violated."""
        values = self.A @ x
        return float(np.max([self.lower - values, values - self.upper], initial=0.0))


class Nonlinear(NamedTuple):
    """lower <= g(x) <= upper, for a g that may be anything.

    name: as in scipy's messages, such as constraints[0].
    keep_feasible: whether it is to hold at every point that is evaluated.
    """

    name: str
    g: Callable[[Vector], Vector]
    lower: Vector
    upper: Vector
    keep_feasible: bool = False

    @property
    def num_sides(self) -> int:
        """The number of finite sides."""
        return int(np.isfinite(self.lower).sum() + np.isfinite(self.upper).sum())

    @property
    def is_equation(self) -> bool:
        """Whether one of its values is to be met exactly."""
        return bool((self.lower == self.upper).any())

    def excess(self, values: Vector) -> Vector:
        """A number for each finite side, at most 0 where values of g satisfy it."""
        below, above = self.lower - values, values - self.upper
        return np.concatenate([below[np.isfinite(self.lower)], above[np.isfinite(self.upper)]])


class FoundLinear(NamedTuple):
    """A constraint whose g was A x + c at all points that were tested.

    constants: the size of the terms that do not grow with x, for each value of g.
    """

    one: Nonlinear
    A: Matrix
    c: Vector
    constants: Vector

    @property
    def rows(self) -> Rows:
        """lower <= A x + c <= upper"""
        return Rows(self.A, self.one.lower - self.c, self.one.upper - self.c)

    def deviation(self, x: Vector, values: Vector) -> Vector:
        """|g(x) - A x - c| for each value of g; 0 where that is at most LINEAR_TO of its terms."""
        deviation = np.abs(values - self.A @ x - self.c)
        allowed = LINEAR_TO * (np.abs(self.A) @ np.abs(x) + self.constants)
        return np.where(deviation <= allowed, 0.0, deviation)

    def misleads(self, x: Vector, values: Vector) -> bool:
        """Whether it is not linear at x, and near enough to a side for that to matter."""
        deviation, linear = self.deviation(x, values), self.A @ x + self.c
        slack = np.minimum(linear - self.one.lower, self.one.upper - linear)
        return bool(((deviation != 0.0) & ~(slack > deviation)).any())


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


def box_among(constraints: list[Any], bounds: Any, m: int) -> ConvexSet | None:
    """The bounds, and those among the constraints, which scipy allows there too."""
    low, high, bounded = np.full(m, -np.inf), np.full(m, np.inf), False
    given = [one for one in constraints if isinstance(one, scipy.optimize.Bounds)]
    for box in (box_of(one, m) for one in (bounds, *given)):
        if box is not None:
            between = box.bounds()
            assert between is not None
            low, high, bounded = np.maximum(low, between[0]), np.minimum(high, between[1]), True
    if not (low <= high).all():
        raise ValueError("bounds and the Bounds in constraints have no point in common.")
    return Box(low, high) if bounded else None


def several(constraints: Any) -> list[Any]:
    """A list of what scipy takes as one constraint, or as any collection of them."""
    if constraints is None:
        return []
    found = None if isinstance(constraints, dict) else listed(constraints)
    return [constraints] if found is None else found


class Constraints(NamedTuple):
    """The constraints of scipy, by what is known of them."""

    rows: Rows | None
    """Those that are linear, or were found to be; None where there are none"""
    found_linear: list[FoundLinear]
    """The functions among these"""
    nonlinear: list[Nonlinear]


def split(constraints: list[Any], x0: Vector, domain: ConvexSet | None) -> Constraints:
    """Linear constraints and others.

    domain: where functions are evaluated; x0 lies there.
    """
    linear: list[Rows] = []
    found_linear: list[FoundLinear] = []
    nonlinear: list[Nonlinear] = []
    for i, given in enumerate(constraints):
        if isinstance(given, scipy.optimize.Bounds):
            continue
        one = _constraint(f"constraints[{i}]", given, x0)
        _check_sides(one)
        if isinstance(one, Rows):
            linear.append(one)
        elif one.keep_feasible or (found := _linear(one, x0, domain)) is None:
            nonlinear.append(one)  # a test might violate one that is to be kept
        else:
            linear.append(found.rows)
            found_linear.append(found)
    nonlinear = [one for one in nonlinear if one.num_sides > 0]
    _check_kept(nonlinear)
    return Constraints(_stacked(linear), found_linear, nonlinear)


def _check_kept(nonlinear: list[Nonlinear]) -> None:
    equations = [one.name for one in nonlinear if one.is_equation]
    kept = [one.name for one in nonlinear if one.keep_feasible]
    if equations and kept:
        raise ValueError(KEPT.format(equations[0], kept[0]))


def _check_sides(one: Rows | Nonlinear) -> None:
    if np.isnan(one.lower).any() or np.isnan(one.upper).any():
        raise ValueError("constraints have bounds that are NaN; give -inf or inf for no bound.")
    if not (one.lower <= one.upper).all():
        raise ValueError("constraints have a lower bound above the upper bound; exchange the two.")
    if isinstance(one, Rows):
        return
    if (one.lower == np.inf).any() or (one.upper == -np.inf).any():
        raise ValueError("constraints have a bound that no x satisfies: lb = inf or ub = -inf.")
    if one.keep_feasible and one.is_equation:
        raise ValueError("an equation (lb = ub) has no room for keep_feasible; leave that out.")


def _stacked(found: list[Rows]) -> Rows | None:
    if not found:
        return None
    stacked: Any = [rows.A for rows in found]
    some_sparse = any(scipy.sparse.issparse(A) for A in stacked)
    A = scipy.sparse.csr_array(scipy.sparse.vstack(stacked)) if some_sparse else np.vstack(stacked)
    return Rows(A, *(np.concatenate(part) for part in zip(*(r[1:] for r in found), strict=True)))


def _constraint(name: str, constraint: Any, x0: Vector) -> Rows | Nonlinear:
    if isinstance(constraint, scipy.optimize.LinearConstraint):
        A = constraint.A
        A = scipy.sparse.csr_array(A) if scipy.sparse.issparse(A) else np.atleast_2d(A)
        if A.shape[1] != len(x0):
            raise ValueError(f"{name} has {A.shape[1]} columns, but x0 has length {len(x0)}.")
        return Rows(A, *_sides(name, constraint.lb, constraint.ub, A.shape[0]))
    if isinstance(constraint, scipy.optimize.NonlinearConstraint):
        g = _vectors(name, constraint.fun, ())
        lower, upper = constraint.lb, constraint.ub
        safe = bool(np.any(constraint.keep_feasible))
    elif isinstance(constraint, dict) and {"type", "fun"} <= constraint.keys():
        if constraint["type"] not in ("eq", "ineq"):
            raise ValueError(f'{name} has the type {constraint["type"]!r}; it is "eq" or "ineq".')
        g = _vectors(name, constraint["fun"], constraint.get("args", ()))
        lower, upper, safe = 0.0, 0.0 if constraint["type"] == "eq" else np.inf, False
    else:
        raise TypeError(
            f"{name} is {constraint!r}; give a LinearConstraint, a NonlinearConstraint, or a "
            "dictionary with type and fun."
        )
    return Nonlinear(name, g, *_sides(name, lower, upper, len(g(x0))), safe)


def _sides(name: str, lower: ArrayLike, upper: ArrayLike, count: int) -> tuple[Vector, Vector]:
    sides = [np.asarray(side, dtype=float) for side in (lower, upper)]
    if any(side.shape not in ((), (1,), (count,)) for side in sides):
        raise ValueError(f"{name} has {count} values; give as many bounds, or one for all.")
    low, high = (np.broadcast_to(side, count) for side in sides)
    return low, high


def _vectors(
    name: str, function: Callable[..., Any], args: Sequence[Any]
) -> Callable[[Vector], Vector]:
    """The function of x alone, with a vector of numbers as its value."""
    if not callable(function):
        raise TypeError(f"{name} has the fun {function!r}; give a function of x.")

    lengths: set[int] = set()

    def values(x: Vector) -> Vector:
        found = np.atleast_1d(doubles(f"the value of {name}", function(x.copy(), *args)))
        lengths.add(len(found))
        if found.ndim > 1:
            raise ValueError(f"{name} returns an array of shape {found.shape}; return a vector.")
        if len(lengths) > 1:
            raise ValueError(f"{name} returns vectors of different lengths; return one length.")
        return found

    return values


def _linear(one: Nonlinear, x0: Vector, domain: ConvexSet | None) -> FoundLinear | None:
    """g(x) = A x + c, from values around x0; None where other values deny it.

    These are around x0 too, and all over the bounds where these are finite. A g that raises at one
    of them, as logarithms do, is not linear. Nor is one with a bounded value that is constant at
    all of them: whether it is satisfied or violated, this says nothing of where it changes.
    """
    base = one.g(x0)
    try:
        found = _fitted(one, x0, domain, base)
    except (ArithmeticError, ValueError):
        return None
    bounded = np.isfinite(one.lower) | np.isfinite(one.upper)
    return None if found is None or (bounded & ~found.A.any(axis=1)).any() else found


def _fitted(
    one: Nonlinear, x0: Vector, domain: ConvexSet | None, base: Vector
) -> FoundLinear | None:
    """The same for the value at x0, constant or not."""

    def inside(x: Vector) -> Vector:
        return x if domain is None else np.asarray(domain.project(x))

    lengths = np.maximum(1.0, np.abs(x0))
    A = np.zeros((len(base), len(x0)))
    for i, length in enumerate(lengths):
        way = np.zeros(len(x0))
        way[i] = length
        to = max(inside(x0 + way), inside(x0 - way), key=lambda x: abs(x[i] - x0[i]))
        if to[i] != x0[i]:
            A[:, i] = (one.g(to) - base) / (to[i] - x0[i])
    A[np.abs(A) <= 1e-12 * np.abs(A).max(initial=0.0)] = 0.0
    c = base - A @ x0
    found = FoundLinear(one, A, c, np.abs(base) + np.abs(c))
    random = np.random.default_rng(0)
    near = x0 + lengths * random.standard_normal((3, len(x0)))
    for z in map(inside, (*near, *_spread(x0, domain, random))):
        if found.deviation(z, one.g(z)).any():
            return None
    return found


def _spread(x0: Vector, domain: ConvexSet | None, random: np.random.Generator) -> Matrix:
    """Points all over finite bounds, and both their corners; x0 where there are none."""
    between = None if domain is None else domain.bounds()
    if between is None:
        return np.zeros((0, len(x0)))
    low, high = (np.where(np.isfinite(side), side, x0) for side in between)
    return np.vstack([low, high, low + (high - low) * random.random((6, len(x0)))])
