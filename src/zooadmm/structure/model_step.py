"""One step of structure: the proximal step that ADMM solves without evaluating the loss.

    argmin_{x in X, y}  <g, x - x_t> + |x - x_t|^2_W / (2 eta) + phi(y)   with  A x + B y = c

W is a positive diagonal. In closed form where phi leaves y free, where x = y if W is a multiple of
the identity, and where x = y and X and phi are made of coordinates and at most one row; else by the
iteration of Algorithm 1 with the loss replaced by this model, whose gradient is known, from the y
and lambda of the step before. Its penalty rho is balanced so that both residuals fall alike.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.form import Form
from zooadmm.problem.problem import Problem
from zooadmm.structure import diagonal
from zooadmm.structure.canonical import canonical
from zooadmm.structure.y_steps import YStep, y_step_for

TOLERANCE = 2e-3
"""The inner iteration ends when what it still changes is this small beside the step itself."""

MAX_INNER_STEPS = 300

CHECK_EVERY = 4
"""Inner iterations between two checks of the residuals."""

UNBALANCED = 5.0
"""The ratio of the residuals from which rho is doubled or halved."""

FIRST_PENALTY = 0.1
"""rho eta lambda_max(A'A) of the first inner iteration."""

Kind = Literal["free", "prox", "split"]


class Solved(NamedTuple):
    """A step of structure, and where the next one starts from."""

    x: Vector
    y: Vector
    dual: Vector
    penalty: float


class ModelStep:
    """Solves the step for one problem.

    penalty: rho of the inner iteration, or None to balance it.
    """

    def __init__(self, problem: Problem, penalty: float | None) -> None:
        self.problem = problem
        self._fixed_penalty = penalty
        self._y_steps: dict[float, YStep] = {}
        self._kind = _kind(problem)
        if self._kind == "split":
            self._y_step(penalty or 1.0)  # one that has no solution is refused before any work

    @property
    def in_diagonal_metrics(self) -> bool:
        """Whether the step has a closed form for every diagonal W."""
        free = self._kind == "free" and self.problem.domain.bounds() is not None
        return free or self._parts is not None

    def __call__(self, x: Vector, g: Vector, eta: float, weights: Vector, start: Solved) -> Solved:
        """The step from x along -g; all weights equal are given as a single one."""
        M = weights / eta
        if len(M) == 1:
            M = M[0]  # a number: any projection and any prox goes with it
        closed = self._closed(x - g / M, M) if np.ndim(M) > 0 else None
        if self._kind == "free" and closed is None:
            moved = self.problem.project(_like(x, x - g / M))
            return Solved(moved, self.problem.constraint.complete_y(moved), start.dual, 0.0)
        if self._kind == "prox" and np.ndim(M) == 0:
            moved = self.problem.regularizer.prox(_like(x, x - g / M), float(1.0 / M))
            return Solved(moved, moved.copy(), _like(x, g + M * (moved - x)), 0.0)
        if np.ndim(M) == 0:
            closed = self._closed(x - g / M, M)
        if closed is None:
            return self._admm(x, g, M, start)
        moved = _like(x, closed)
        return Solved(moved, moved.copy(), _like(x, g + M * (moved - x)), 0.0)

    def _closed(self, v: Vector, M: Vector | float) -> Vector | None:
        """argmin_z |z - v|^2_M / 2 + phi(z) over X, x = y; None where it has no closed form."""
        if self._parts is None:
            return None
        if self._parts.num_rows == 0:
            return diagonal.prox(v, M, self._parts.phi)
        row, psi = self._parts.rows.toarray()[0], self._parts.psi
        lower, upper = float(psi.lower[0]), float(psi.upper[0])
        found = diagonal.prox_row(v, M, self._parts.phi, row, lower, upper)
        return found.u if found.solved else None

    @cached_property
    def _parts(self) -> Form | None:
        """The form of the problem where x = y and a closed form is known."""
        if not self.problem.constraint.is_consensus:
            return None
        found = canonical(self.problem)
        if found is None or found.form.num_rows > 1 or found.form.psi.kinked.any():
            return None
        return found.form

    def _admm(self, x0: Vector, g: Vector, M: Vector | float, start: Solved) -> Solved:
        K = self.problem.constraint
        L = K.lambda_max
        typical = float(np.mean(M))
        rho = self._fixed_penalty or start.penalty or FIRST_PENALTY * typical / L
        x, y, dual = x0, start.y, start.dual
        rounded = max(1e-15, 4.0 * float(np.finfo(x0.dtype).eps))
        r = K.residual(x, y)
        for k in range(1, MAX_INNER_STEPS + 1):
            d = K.adjoint(dual - rho * r) - g - M * (x - x0)
            x_next = self.problem.project(_like(x0, x + d / (M + rho * L)))  # (6), M_t = M + rho L
            y_next = self._y_step(rho)(x_next, dual / rho, y)  # (3)
            r_next = K.residual(x_next, y_next)
            dual = dual - rho * r_next  # (4)
            if k % CHECK_EVERY == 0:
                moved, step = norm(x_next - x), norm(x_next - x0)
                primal = norm(K.adjoint(r_next)) / L
                swung = norm(K.adjoint(r_next - K.residual(x_next, y))) / L
                if max(moved, primal, swung / 10) <= TOLERANCE * step + rounded * norm(x):
                    return Solved(x_next, y_next, dual, rho)
                if self._fixed_penalty is None:
                    rho *= _balance(primal, rho * L / typical * max(moved, swung))
            x, y, r = x_next, y_next, r_next
        return Solved(x, y, dual, rho)

    def _y_step(self, rho: float) -> YStep:
        if rho not in self._y_steps:
            if len(self._y_steps) > 64:
                self._y_steps.clear()
            self._y_steps[rho] = y_step_for(self.problem, rho)
        return self._y_steps[rho]


def _kind(problem: Problem) -> Kind:
    """How the step is solved."""
    if problem.regularizer_is_zero and problem.constraint.B_invertible:
        return "free"
    if problem.constraint.is_consensus and problem.domain.is_everything:
        return "prox"
    return "split"


def _balance(primal: float, dual: float) -> float:
    """What rho is multiplied by: more than 1 where A x + B y = c lags behind stationarity.

    primal: |A'(A x + B y - c)| / lambda_max, dual: rho times the changes of x and y over the
    curvature of the model; both are lengths in x.
    """
    if primal > UNBALANCED * dual:
        return 2.0
    return 0.5 if dual > UNBALANCED * primal else 1.0


def _like(x: Vector, v: Vector) -> Vector:
    return np.asarray(v, dtype=x.dtype)
