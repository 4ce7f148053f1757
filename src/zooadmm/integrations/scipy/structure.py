"""Bounds and rows as the parts of problem (1): X, phi and A x + B y = c."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from zooadmm.integrations.scipy.rows import Rows
from zooadmm.problem.arrays import Vector
from zooadmm.problem.constraint import Constraint, Linear
from zooadmm.problem.regularizers import Indicator
from zooadmm.problem.regularizers.beside import Beside
from zooadmm.problem.regularizers.coercion import as_regularizer
from zooadmm.problem.sets import AffineSet, Box, BoxBudget, ConvexSet


class Structure(NamedTuple):
    """A start point that is feasible, and the parts for `minimize`."""

    x0: Vector
    domain: ConvexSet | None
    regularizer: Any
    constraint: Constraint | None


def structured(x0: Vector, box: Box | None, rows: Rows | None, regularizer: Any) -> Structure:
    """The parts, with a set that can be projected on where there is one.

    One row of equal coefficients that is an equation is a budget, equations without bounds are an
    affine set; any other rows are y = A x with lower <= y <= upper.
    """
    if rows is None:
        return Structure(x0 if box is None else box.project(x0), box, regularizer, None)
    start = _feasible(x0, box, rows)
    domain = _set_of(box, rows)
    if domain is not None:
        return Structure(domain.project(start), domain, regularizer, None)
    between = Box(rows.lower, rows.upper)
    if regularizer is None:
        return Structure(start, box, Indicator(between), Linear(rows.A))
    identity = scipy.sparse.eye_array(len(x0))
    both = Beside(as_regularizer(regularizer), between, len(x0))
    return Structure(start, box, both, Linear(scipy.sparse.vstack([identity, rows.A])))


def _set_of(box: Box | None, rows: Rows) -> ConvexSet | None:
    """The points within the bounds that satisfy the rows, where these are one of our sets."""
    if not np.array_equal(rows.lower, rows.upper):
        return None
    if box is None:
        return AffineSet(rows.A, rows.lower)
    if len(rows.lower) > 1:
        return None
    row = rows.A.toarray()[0] if scipy.sparse.issparse(rows.A) else rows.A[0]
    if row[0] == 0.0 or np.ptp(row) > 1e-12 * abs(row[0]):
        return None
    return BoxBudget(box.lower, box.upper, float(rows.lower[0] / row[0]))


def _feasible(x0: Vector, box: Box | None, rows: Rows) -> Vector:
    """x0 within the bounds, or where that violates a row the nearest point in the L1 norm."""
    x = x0 if box is None else box.project(x0)
    if rows.violation(x) <= 1e-9 * max(1.0, float(np.abs(x).max())):
        return x
    m = len(x)
    low, high = (-np.inf, np.inf) if box is None else (box.lower, box.upper)
    one, none = scipy.sparse.eye_array(m), scipy.sparse.csr_array((len(rows.lower), m))
    nearest = milp(  # min 1's  with  -s <= x - x0 <= s: a linear program
        np.repeat([0.0, 1.0], m),
        constraints=[
            LinearConstraint(scipy.sparse.hstack([one, -one]), -np.inf, x),
            LinearConstraint(scipy.sparse.hstack([one, one]), x, np.inf),
            LinearConstraint(scipy.sparse.hstack([rows.A, none]), rows.lower, rows.upper),
        ],
        bounds=Bounds(
            np.append(np.broadcast_to(low, m), np.zeros(m)),
            np.append(np.broadcast_to(high, m), np.full(m, np.inf)),
        ),
    )
    if nearest.x is None:
        raise ValueError(
            "no point satisfies both bounds and constraints; remove those that contradict."
        )
    found = np.asarray(nearest.x[:m], dtype=x0.dtype)
    return found if box is None else box.project(found)
