"""From what a user hands over as domain, constraint and regularizer to the parts of problem (1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from zooadmm.problem.arrays import Vector
from zooadmm.problem.constraint import Consensus, Constraint, Linear
from zooadmm.problem.form import form_of
from zooadmm.problem.linear_constraints import Equality, Inequality, Rows, joined
from zooadmm.problem.problem import Problem, as_vector
from zooadmm.problem.regularizers import Indicator, Zero, as_regularizer
from zooadmm.problem.regularizers.beside import Beside
from zooadmm.problem.regularizers.indicator import Within
from zooadmm.problem.regularizers.regularizer import Regularizer
from zooadmm.problem.sets import AffineSet, Box, BoxBudget, ConvexSet, Nonnegative, WholeSpace
from zooadmm.problem.sets.bounds import rounded_inward

KINDS = "Equality(A, b), Inequality(A, lower, upper) or Linear(A, B, c)"


@dataclass(frozen=True)
class Assembly:
    """The problem with the rows of the user in it, and the way back to the user's y."""

    problem: Problem
    """With rows that make a set of ours with X in X, and others in A x + B y = c."""
    given: ConvexSet
    """X without rows, where x0 must lie"""
    rows: Rows | None
    """The linear constraints of the user, wherever they went; None where there are none."""
    own: int | None
    """How many entries of y are the user's; None where y is x to the user."""

    def visible(self, x: Vector, y: Vector) -> Vector:
        """The y of the user's problem."""
        return x.copy() if self.own is None else y[: self.own]

    def starts(
        self, x: Vector, y0: ArrayLike | None, dual0: ArrayLike | None
    ) -> tuple[ArrayLike | None, ArrayLike | None]:
        """y0 and dual0 of the user, with those of the rows where they joined y."""
        d, l = self.problem.d, self.problem.l  # noqa: E741
        y, dual = y0, dual0
        if y0 is not None and self.rows is not None and d != np.size(y0):
            joining = np.asarray(self.rows.A @ x)
            theirs = as_vector("y0", y0, len(x) if self.own is None else self.own, x.dtype)
            y = joining if self.own is None else np.append(theirs, joining)
        further = 0 if self.own is None else d - self.own
        if dual0 is not None and further > 0 and l != np.size(dual0):
            dual = np.append(as_vector("dual0", dual0, l - further, x.dtype), np.zeros(further))
        return y, dual


def assembled(
    regularizer: Any, domain: Any, constraint: Any, m: int, dtype: np.dtype[Any]
) -> Assembly:
    """The parts for x of length m and a type, or a sentence on the one that does not fit.

    Bounds become numbers of the type, rounded inwards: no x of that type crosses the given ones.
    """
    own: ConvexSet = WholeSpace()
    more: list[Equality | Inequality] = []
    if domain is not None:
        own, more = _domain(domain, m)
    K, linear, boxes = (Consensus(), [], []) if constraint is None else _constraints(constraint, m)
    d, l = K.sizes(m)  # noqa: E741 - refuses another length of x
    for box in boxes:
        own, as_rows = _met(own, box, m)
        more += as_rows
    sized = as_regularizer(regularizer)
    sized.fits(d)
    phi: Regularizer = sized
    if dtype != np.float64:
        own, phi = _in_type(own, dtype), _phi_in_type(sized, dtype)
    rows = joined([*more, *linear], m) if more or linear else None
    enforces = K.is_consensus or not K.B_invertible
    if not enforces and (regularizer is None or _is_nothing(phi, d)):
        raise ValueError(
            f"constraint {K!r} enforces nothing without a regularizer: y is free to be whatever "
            "A x + B y = c makes of it. For A x = c use Equality(A, c), for bounds on A x "
            "Inequality(A, lower, upper); else give the regularizer of y, or Zero() if y is to be "
            "free."
        )
    if not own.is_everything:
        own.fits(m)
    within = None if rows is None else _set_of(own, rows)
    problem = Problem(m, d, l, dtype, phi, own if within is None else within, K)
    if rows is None or within is not None:
        return Assembly(problem, own, rows, d)
    return _beside(problem, rows)


def _is_nothing(phi: Regularizer, d: int) -> bool:
    """Whether phi is 0 everywhere without saying so, as a norm with weight 0 is."""
    form = form_of(phi, d)
    if isinstance(phi, Zero) or form is None:
        return False
    parts = form.phi
    bounded = np.isfinite(parts.lower).any() or np.isfinite(parts.upper).any()
    sloped = parts.above.any() or parts.below.any() or parts.curvature.any()
    return not (form.num_rows or bounded or sloped)


def _in_type(X: ConvexSet, dtype: np.dtype[Any]) -> ConvexSet:
    """The set with bounds that are numbers of a type, none of them further out."""
    bounds = (X.lower, X.upper) if isinstance(X, BoxBudget) else X.bounds()
    if bounds is None:
        return X
    inward = rounded_inward(*bounds, dtype)
    if all(np.array_equal(*pair) for pair in zip(bounds, inward, strict=True)):
        return X
    return BoxBudget(*inward, X.budget) if isinstance(X, BoxBudget) else Box(*inward)


def _phi_in_type(phi: Regularizer, dtype: np.dtype[Any]) -> Regularizer:
    """The same for the set of a regularizer."""
    if isinstance(phi, Indicator):
        return Indicator(_in_type(phi.convex_set, dtype))
    if isinstance(phi, Within):
        box = _in_type(phi.box, dtype)
        assert isinstance(box, Box | Nonnegative)
        return Within(phi.regularizer, box)
    return phi


def _beside(problem: Problem, rows: Rows) -> Assembly:
    """The rows as further entries of y."""
    phi, K, m, d = problem.regularizer, problem.constraint, problem.m, problem.d
    between, further = Box(rows.lower, rows.upper), len(rows.lower)
    if K.is_consensus and isinstance(phi, Zero):
        alone = replace(
            problem,
            d=further,
            l=further,
            regularizer=Indicator(between),
            constraint=Linear(rows.A),
        )
        return Assembly(alone, problem.domain, rows, None)
    A, B = K.maps(m)
    c = -K.residual(np.zeros(m), np.zeros(d))
    first, zeros = _entries(A), np.zeros(further)
    if K.multiple is not None:
        stacked = scipy.sparse.vstack([first, -K.multiple * rows.A])
        constraint = Linear(stacked, K.multiple, np.append(c, zeros))
    else:
        size = math.sqrt(K.tau or 1.0)
        constraint = Linear(
            scipy.sparse.vstack([first, size * rows.A]),
            scipy.sparse.block_diag([_entries(B), -size * scipy.sparse.eye_array(further)]),
            np.append(c, zeros),
        )
    both = replace(
        problem,
        d=d + further,
        l=problem.l + further,
        regularizer=Beside(phi, between, d),
        constraint=constraint,
    )
    return Assembly(both, problem.domain, rows, d)


def _entries(part: Any) -> Any:
    return (
        part.matrix if scipy.sparse.issparse(part.matrix) else scipy.sparse.csr_array(part.dense())
    )


def _set_of(domain: ConvexSet, rows: Rows) -> ConvexSet | None:
    """The points of X that satisfy the rows, where these are a set of ours: it is projected on."""
    bounds = domain.bounds()
    if bounds is None or not np.array_equal(rows.lower, rows.upper):
        return None
    if domain.is_everything:
        try:
            return AffineSet(_plain(rows.A), rows.lower)
        except ValueError:
            raise ValueError(
                "constraint: A x = b has no solution; remove the equations that contradict each "
                "other."
            ) from None
    row = rows.A[[0]].toarray()[0]
    if len(rows.lower) > 1 or row[0] == 0.0 or np.ptp(row) > 1e-12 * abs(row[0]):
        return None
    budget = BoxBudget(*bounds, float(rows.lower[0] / row[0]))
    try:
        budget.fits(rows.A.shape[1])
    except ValueError as error:
        raise ValueError(f"domain and constraint allow no point: {error}") from None
    return budget


def _plain(A: Any) -> Any:
    """Dense where that is small: its factors are exact."""
    return A.toarray() if A.shape[0] * A.shape[1] <= 10**6 else A


def _domain(given: Any, m: int) -> tuple[ConvexSet, list[Equality | Inequality]]:
    """X, and the rows where it was given by rows."""
    if isinstance(given, ConvexSet):
        return given, []
    if isinstance(given, scipy.optimize.Bounds):
        return box_of(given, m), []
    rows = _linear(given, "domain")
    if rows is not None:
        return WholeSpace(), rows
    if isinstance(given, type):
        raise TypeError(
            f"domain is the class {given.__name__}; pass an instance, such as Box(0, 1) or "
            "Simplex()."
        )
    raise TypeError(
        "domain must be a ConvexSet, such as Box(0, 1) or Simplex(), or scipy's Bounds, not a "
        f"{type(given).__name__}."
    )


def _constraints(
    given: Any, m: int
) -> tuple[Constraint, list[Equality | Inequality], list[ConvexSet]]:
    """A x + B y = c, the rows beside it, and bounds among them."""
    boxes: list[ConvexSet] = []
    several = isinstance(given, Sequence) and not isinstance(given, str)
    named: Constraint | None = None
    linear: list[Equality | Inequality] = []
    for i, one in enumerate(given if several else [given]):
        name = f"constraint[{i}]" if several else "constraint"
        rows = _linear(one, name)
        if rows is not None:
            linear += rows
        elif isinstance(one, scipy.optimize.Bounds):
            boxes.append(box_of(one, m))
        elif isinstance(one, type):
            raise TypeError(
                f"{name} is the class {one.__name__}; pass an instance, such as Linear(A, B, c)."
            )
        elif not isinstance(one, Constraint):
            raise TypeError(
                f"{name} must be a Constraint, such as {KINDS}, or a list of these, not a "
                f"{type(one).__name__}."
            )
        elif named is not None:
            raise ValueError(
                f"{name} is a second {type(one).__name__}, and there is one y: stack the rows of "
                "both in one Linear(A, B, c); Equality and Inequality may be several."
            )
        else:
            named = one
    return Consensus() if named is None else named, linear, boxes


def _linear(given: Any, name: str) -> list[Equality | Inequality] | None:
    """Plain linear constraints, as values of ours; None for anything else."""
    if isinstance(given, Equality | Inequality):
        return [given]
    if not isinstance(given, scipy.optimize.LinearConstraint):
        return None
    try:
        return inequalities(given.A, given.lb, given.ub)
    except (TypeError, ValueError) as error:
        said = str(error).replace("lower", "lb").replace("upper", "ub")
        raise type(error)(f"{name}: {said}") from None


def inequalities(A: Any, lower: ArrayLike, upper: ArrayLike) -> list[Equality | Inequality]:
    """lower <= A x <= upper without the rows that restrict nothing, which scipy allows."""
    if not scipy.sparse.issparse(A):
        A = np.atleast_2d(A)
    count = A.shape[0]
    low, high = (np.broadcast_to(np.asarray(b, dtype=float), (count,)) for b in (lower, upper))
    empty = np.asarray(abs(scipy.sparse.csr_array(A)).sum(axis=1)).reshape(-1) == 0.0
    wrong = np.flatnonzero(empty & ((low > 0.0) | (high < 0.0)))
    if len(wrong):
        raise ValueError(f"row {wrong[0]} of A is empty, and its bounds exclude 0.")
    useful = ~(empty | (np.isneginf(low) & np.isposinf(high)))
    if not useful.any():
        return []
    kept = np.flatnonzero(useful)
    return [Inequality(scipy.sparse.csr_array(A)[kept], low[kept], high[kept])]


def box_of(bounds: scipy.optimize.Bounds, m: int) -> ConvexSet:
    """scipy's Bounds as a set."""
    try:
        low, high = (np.broadcast_to(np.asarray(b, float), (m,)) for b in (bounds.lb, bounds.ub))
    except ValueError:
        raise ValueError(
            f"Bounds have lengths {np.size(bounds.lb)} and {np.size(bounds.ub)}, but x0 has length "
            f"{m}: they must agree."
        ) from None
    if np.isneginf(low).all() and np.isposinf(high).all():
        return WholeSpace()
    return Box(low, high)


def _met(
    domain: ConvexSet, box: ConvexSet, m: int
) -> tuple[ConvexSet, list[Equality | Inequality]]:
    """X within further bounds: a box where X has bounds only, else X and rows."""
    ours, theirs = domain.bounds(), box.bounds()
    assert theirs is not None
    if box.is_everything:
        return domain, []
    if ours is None:
        return domain, inequalities(scipy.sparse.eye_array(m, format="csr"), *theirs)
    lower, upper = np.maximum(ours[0], theirs[0]), np.minimum(ours[1], theirs[1])
    if not np.all(lower <= upper):
        raise ValueError("domain and the Bounds in constraint have no point in common.")
    return Box(lower, upper), []
