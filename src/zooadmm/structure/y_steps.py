"""The y-step (3): argmin_y phi(y) + (rho/2) |B y - v|^2 with v = c - A x_{t+1} + lambda_t/rho.

In closed form where B'B = tau I, by one linear solve where phi is quadratic, and otherwise by
accelerated proximal gradient steps from y_t to a stated tolerance.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.linear_map import LinearMap
from zooadmm.problem.problem import Problem

TOLERANCE = 1e-12
"""The inner solve ends when what is missing to a subgradient, L |y - y_before|, is this small
beside |B'v| + L |y|, L = lambda_max(B'B). The error of y is at most about cond(B'B) times that."""

MAX_INNER_STEPS = 100_000


class YStep(ABC):
    """Solves the y-step."""

    @abstractmethod
    def __call__(self, x: Vector, scaled_dual: Vector, y: Vector) -> Vector:
        """y_{t+1} from x_{t+1}, lambda_t/rho and y_t."""


@dataclass(frozen=True, eq=False)
class ProximalStep(YStep):
    """y = prox_{phi/(rho tau)}(B'v/tau), for B'B = tau I."""

    problem: Problem
    scale: float
    """1/(rho tau)"""

    def __call__(self, x: Vector, scaled_dual: Vector, y: Vector) -> Vector:
        center = self.problem.constraint.y_center(x, scaled_dual)
        return self.problem.regularizer.prox(center, self.scale)  # (3)


class QuadraticStep(YStep):
    """(H + rho B'B) y = rho B'v, for phi(y) = y'Hy/2; factored once."""

    def __init__(self, problem: Problem, hessian: Any, B: LinearMap, penalty: float) -> None:
        self._y_target = problem.constraint.y_target
        self._B = B
        self._penalty = penalty
        if scipy.sparse.issparse(B.matrix):
            matrix = hessian + penalty * (B.matrix.T @ B.matrix)
        else:
            dense = B.dense()
            matrix = hessian.toarray() + penalty * dense.T @ dense
        solve = LinearMap(matrix.astype(np.float64), (problem.d, problem.d)).inverse
        if solve is None:
            raise ValueError(
                "the y-step has no unique solution: B has dependent columns, and the regularizer "
                "does not settle what they leave open. Remove columns or add a SquaredL2."
            )
        self._solve = solve

    def __call__(self, x: Vector, scaled_dual: Vector, y: Vector) -> Vector:
        v = self._y_target(x, scaled_dual)
        right = self._penalty * np.asarray(self._B.adjoint(v), dtype=np.float64)
        return np.asarray(self._solve(right), dtype=v.dtype)  # (3)


class IterativeStep(YStep):
    """Accelerated proximal gradient (FISTA with restart) on phi(y) + (rho/2) |B y - v|^2.

    Its step is 1/(rho lambda_max(B'B)); it starts from y_t, so it costs little once y_t settles.
    """

    def __init__(self, problem: Problem, B: LinearMap, penalty: float) -> None:
        self._prox = problem.regularizer.prox
        self._y_target = problem.constraint.y_target
        self._B = B
        self._step = 1.0 / B.lambda_max
        self._tau = 1.0 / (penalty * B.lambda_max)

    def __call__(self, x: Vector, scaled_dual: Vector, y: Vector) -> Vector:
        dtype = x.dtype
        right = self._step * np.asarray(
            self._B.adjoint(self._y_target(x, scaled_dual).astype(np.float64)), dtype=np.float64
        )
        y = y.astype(np.float64)  # in double precision whatever the run's
        scale, ahead, momentum = norm(right), y, 1.0
        for _ in range(MAX_INNER_STEPS):
            slope = self._step * self._B.adjoint(self._B.apply(ahead)) - right
            newer = self._prox(np.asarray(ahead - slope, dtype=np.float64), self._tau)
            moved = newer - ahead
            if norm(moved) <= TOLERANCE * (scale + norm(newer)):
                return newer.astype(dtype)  # (3)
            if np.vdot(moved, newer - y) < 0:  # the momentum leads uphill: restart it
                momentum = 1.0
            next_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead = newer + float((momentum - 1) / next_momentum) * (newer - y)
            y, momentum = newer, float(next_momentum)
        raise RuntimeError(
            f"the y-step did not reach its tolerance of {TOLERANCE} in {MAX_INNER_STEPS} inner "
            "steps: the columns of B are nearly dependent. Scale them, or split y differently."
        )


def y_step_for(problem: Problem, penalty: float) -> YStep:
    """The best way to solve the y-step of this problem."""
    tau = problem.constraint.tau
    if tau is not None:
        return ProximalStep(problem, 1.0 / (penalty * tau))
    _, B = problem.constraint.maps(problem.m)
    if hasattr(problem.regularizer, "hessian"):  # phi(y) = y'Hy/2
        return QuadraticStep(problem, problem.regularizer.hessian(problem.d), B, penalty)
    return IterativeStep(problem, B, penalty)
