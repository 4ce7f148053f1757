"""Whether bounds and rows have a common point, by linear programming (HiGHS, through scipy).

    minimize  sum_j s_j   over  lower <= x <= upper,  row_lower - s <= A x <= row_upper + s,  s >= 0

The optimum is 0 if and only if there is a point. Otherwise the rows with a multiplier contradict
each other within the bounds: their combination proves it (Farkas).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
import scipy.sparse

from zooadmm.problem.coordinates import Floats
from zooadmm.problem.linear_constraints import ROUNDING

TOLERANCE = 1e-10
"""Violation of a row of norm 1 that the linear program ignores."""

NAMED = 5
"""Rows that a message names at most."""


class Feasibility(NamedTuple):
    """A point that satisfies the constraints, or the rows that exclude one."""

    point: Floats
    rows: tuple[int, ...]
    """Rows that contradict each other; empty where the point is feasible."""
    missed: float
    """By how much the rows are missed at best, in their own units."""

    @property
    def message(self) -> str:
        """One sentence on the contradiction, or ''.

        >>> Feasibility(np.zeros(1), (0, 3), 0.5).message
        'no point satisfies rows 0, 3 within the bounds: they are missed by at least 0.5'
        """
        if not self.rows:
            return ""
        names = ", ".join(str(row) for row in self.rows[:NAMED])
        more = f" and {len(self.rows) - NAMED} more" if len(self.rows) > NAMED else ""
        noun = "row" if len(self.rows) == 1 else "rows"
        pronoun = "it is" if len(self.rows) == 1 else "they are"
        return (
            f"no point satisfies {noun} {names}{more} within the bounds: {pronoun} missed by at "
            f"least {self.missed:.3g}"
        )


def feasibility(
    lower: Floats,
    upper: Floats,
    A: scipy.sparse.csr_array,
    row_lower: Floats,
    row_upper: Floats,
    forgiven: Floats | float,
) -> Feasibility | None:
    """A feasible point or a contradiction; None where the linear program fails. Rows of norm 1.

    forgiven: violation of each row up to which it counts as satisfied; rounding of its terms and a
        few tolerances of the linear program are forgiven too.

    >>> rows = scipy.sparse.csr_array([[1.0, 1.0]])
    >>> found = feasibility(np.zeros(2), np.ones(2), rows, np.array([3.0]), np.array([4.0]), 1e-9)
    >>> found.rows, round(found.missed, 6)
    ((0,), 1.0)
    """
    m, k = len(lower), len(row_lower)
    above, below = np.isfinite(row_upper), np.isfinite(row_lower)
    slack = -scipy.sparse.eye_array(k, format="csr")
    G = scipy.sparse.vstack(
        [scipy.sparse.hstack([A, slack])[above], scipy.sparse.hstack([-A, slack])[below]]
    )
    h = np.concatenate([row_upper[above], -row_lower[below]])
    costs = np.concatenate([np.zeros(m), np.ones(k)])
    low, high = np.concatenate([lower, np.zeros(k)]), np.concatenate([upper, np.full(k, np.inf)])
    answer = scipy.optimize.linprog(
        costs,
        A_ub=G.tocsr(),
        b_ub=h,
        bounds=np.stack([low, high], axis=1),
        method="highs",
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        },
    )
    if answer.x is None:
        return None
    point = np.minimum(np.maximum(answer.x[:m], lower), upper)
    y = A @ point
    gap = np.maximum(row_lower - y, y - row_upper)
    rounding = ROUNDING * float(np.finfo(np.float64).eps) * (abs(A) @ np.abs(point))
    if (gap <= np.maximum(np.maximum(forgiven, 4.0 * TOLERANCE), rounding)).all():
        return Feasibility(point, (), 0.0)
    multipliers = np.zeros(k)
    prices = np.abs(answer.ineqlin.marginals)
    multipliers[above] += prices[: int(above.sum())]
    multipliers[below] += prices[int(above.sum()) :]
    rows = np.flatnonzero(multipliers > 1e-9 * max(1e-300, float(multipliers.max(initial=0.0))))
    return Feasibility(point, tuple(int(row) for row in rows), float(answer.fun))
