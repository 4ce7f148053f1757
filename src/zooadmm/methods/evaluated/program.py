"""The quadratic program of a step: measured slopes of constraints are rows of the structured step.

    min_d  <g, d> + d'Hd/2 + phi(x + d)   over  x + d in X,  c_i + <a_i, d> <= -reserve_i

Where no d satisfies the rows, violations cost weight_i each: a kink in place of a limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates
from zooadmm.structure.exact import ExactStep
from zooadmm.structure.solution import Status

SOFT = 1e-4
"""Curvature of the cost of a violation, relative to its slope: without, the program is singular."""


class Programmed(NamedTuple):
    """The solution."""

    d: Vector
    multipliers: Vector
    """Multipliers of the constraints, at least 0"""
    of_rows: Vector
    """Multipliers of the rows of the form"""
    elastic: bool
    """Whether violations were allowed, because the rows contradict each other"""


def solve(
    form: Form,
    x: Vector,
    H: Matrix,
    J: Matrix,
    limits: Vector,
    box: Vector | None,
    weights: Vector | None = None,
) -> Programmed | None:
    """The step for slopes J of (f, c) and <a_i, d> <= limits_i, also |d_j| <= box_j; None for none.

    weights: cost of violations, where the rows contradict each other; None to allow none.

    >>> free = of_coordinates(coordinates(2))
    >>> J = np.array([[-2.0, -2.0], [1.0, 0.0]])
    >>> limit, weight = np.array([0.5]), np.ones(1)
    >>> solve(free, np.zeros(2), np.eye(2), J, limit, None, weight).d.tolist()
    [0.5, 2.0]
    """
    g, A = J[0], J[1:]
    m = len(x)
    if box is not None:
        near = form.plus(of_coordinates(coordinates(m, x - box, x + box)))
        assert near is not None  # bounds have no kink
        form = near
    found = _solved(form, x, H, g, A, limits)
    if found is None and weights is not None:
        found = _elastic(form, x, H, g, A, limits, weights)
    return found


def _solved(
    form: Form, x: Vector, H: Matrix, g: Vector, A: Matrix, limits: Vector
) -> Programmed | None:
    k, m = A.shape
    rows = Form(coordinates(m), scipy.sparse.csr_array(A), coordinates(k, upper=A @ x + limits))
    joint = form.plus(rows)
    assert joint is not None  # rows are new ones
    to, found = ExactStep(joint)(H, x, g, x)
    if not found.solved or not np.isfinite(to).all():
        return None
    return Programmed(to - x, np.maximum(found.dual[-k:], 0.0), found.dual[:-k], False)


def _elastic(
    form: Form, x: Vector, H: Matrix, g: Vector, A: Matrix, limits: Vector, weights: Vector
) -> Programmed | None:
    """With a variable s_i >= 0 for each violation, which costs weight_i s_i."""
    k, m = A.shape
    missed = np.maximum(-limits, 0.0)
    typical = np.maximum(missed, 1e-3 * max(float(missed.max()), 1e-300))
    metric = scipy.linalg.block_diag(H, np.diag(SOFT * np.maximum(weights, 1e-300) / typical))
    rows = scipy.sparse.hstack([scipy.sparse.csr_array(A), -scipy.sparse.eye_array(k)], "csr")
    both = form.beside(of_coordinates(coordinates(k, lower=0.0))).plus(
        Form(coordinates(m + k), rows, coordinates(k, upper=A @ x + limits))
    )
    assert both is not None  # rows are new ones
    start = np.append(x, missed)
    to, found = ExactStep(both)(metric, np.append(x, np.zeros(k)), np.append(g, weights), start)
    if found.status in (Status.INFEASIBLE, Status.UNBOUNDED) or not np.isfinite(to).all():
        return None
    return Programmed(to[:m] - x, np.maximum(found.dual[-k:], 0.0), found.dual[:-k], True)
