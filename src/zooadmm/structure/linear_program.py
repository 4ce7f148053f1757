"""Linear programs with bounds and rows, by HiGHS's simplex method, through scipy.

    argmin_u  <g, u>    over  lower <= u <= upper,  row_lower <= A u <= row_upper

A model whose curvature is nothing within its bounds is one. Its units are those of bounds and rows,
and a vertex may lie on many more rows than there are variables.
"""

from __future__ import annotations

import numpy as np
import scipy

from zooadmm.problem.coordinates import Coordinates, Floats
from zooadmm.structure.factor import row_units
from zooadmm.structure.solution import Solution, Status

TOLERANCE = 1e-10
"""Violation of a row of norm 1, and of a slope relative to the largest, that HiGHS may leave."""

STATUSES = {0: Status.SOLVED, 1: Status.LIMIT, 2: Status.INFEASIBLE, 3: Status.UNBOUNDED}


def linear_program(g: Floats, box: Coordinates, A: Floats, rows: Coordinates) -> Solution:
    """The argmin above; only bounds of `box` and `rows` count.

    >>> from zooadmm.problem.coordinates import coordinates
    >>> square, one = coordinates(2, 0.0, 2.0), coordinates(1, 1.0, 1.0)
    >>> found = linear_program(np.array([1.0, 2.0]), square, np.ones((1, 2)), one)
    >>> found.u.tolist(), found.dual.tolist()
    ([1.0, 0.0], [-1.0])
    """
    reach = np.maximum(np.abs(box.lower), np.abs(box.upper))
    reach = np.where((reach > 0.0) & (reach < np.inf), reach, 1.0)
    R = A * reach
    units = row_units(R)
    R, low, high = R * units[:, None], rows.lower * units, rows.upper * units
    size = float(np.abs(g * reach).max(initial=0.0)) or 1.0
    equal = low == high
    above, below = ~equal & np.isfinite(high), ~equal & np.isfinite(low)
    found = scipy.optimize.linprog(
        g * reach / size,
        A_ub=np.vstack([R[above], -R[below]]),
        b_ub=np.concatenate([high[above], -low[below]]),
        A_eq=R[equal],
        b_eq=high[equal],
        bounds=np.stack([box.lower / reach, box.upper / reach], axis=1),
        method="highs-ds",
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        },
    )
    dual = np.zeros(len(A))
    status = STATUSES.get(found.status, Status.INEXACT)
    if found.x is None:
        u = box.clip(np.zeros(len(g)))
        return Solution(u, box.face(u), dual, np.inf, status, 0)
    dual[equal] -= found.eqlin.marginals
    count = int(above.sum())
    dual[above] -= found.ineqlin.marginals[:count]
    dual[below] += found.ineqlin.marginals[count:]
    u = box.clip(found.x * reach)
    gap = np.maximum(np.maximum(low - R @ found.x, R @ found.x - high), 0.0)
    residual = float(gap.max(initial=0.0))
    return Solution(u, box.face(u), dual * units * size, residual, status, int(found.nit))
