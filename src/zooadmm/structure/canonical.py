"""A problem as functions of the coordinates of x and of rows R x, where it is of that kind.

    minimize f(x) + phi(y)  over X and A x + b y = c     becomes     f(x) + Phi(x) + Psi(R x)

The rows are those of X, then those of A, then those of phi: R = [R_X; A; -R_phi A / b].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from zooadmm.problem.arrays import Vector
from zooadmm.problem.form import Form, form_of
from zooadmm.problem.linear_map import LinearMap
from zooadmm.problem.problem import Problem


class Canonical(NamedTuple):
    """Phi and Psi, and the way back to the dual of A x + b y = c."""

    form: Form
    first: int
    """The first row of A among the rows of the form."""
    rows: Any
    """R_phi, a sparse matrix"""
    multiple: float
    """b"""

    def dual(self, multipliers: Vector) -> Vector:
        """lambda with A' lambda = -(the part of R' multipliers that comes through y)."""
        d = self.rows.shape[1]
        of_A = multipliers[self.first : self.first + d]
        of_phi = multipliers[self.first + d :]
        return np.asarray(self.rows.T @ of_phi / self.multiple - of_A)

    def multipliers(self, dual: Vector) -> Vector | None:
        """Multipliers with this dual where all rows are those of A; None elsewhere."""
        alone = self.first == self.rows.shape[0] == 0
        return -dual if alone and len(dual) == self.form.num_rows > 0 else None


def canonical(problem: Problem) -> Canonical | None:
    """The form of X and phi together; None where one of them has none, or B is no multiple of I."""
    own, structure = problem.domain.form(problem.m), form_of(problem.regularizer, problem.d)
    K = problem.constraint
    if own is None or structure is None or K.multiple is None:
        return None
    part = structure
    if not K.is_consensus:
        c = -K.residual(np.zeros(problem.m), np.zeros(problem.d))
        part = structure.through(entries(K.maps(problem.m)[0]), K.multiple, c)
    form = own.plus(part)
    return None if form is None else Canonical(form, own.num_rows, structure.rows, K.multiple)


def entries(part: LinearMap) -> scipy.sparse.csr_array:
    """The matrix of a linear map."""
    return scipy.sparse.csr_array(
        part.matrix if scipy.sparse.issparse(part.matrix) else part.dense()
    )
