"""The y-step (3): argmin_y phi(y) + (rho/2) |B y - v|^2 with v = c - A x_{t+1} + lambda_t/rho.

In closed form where B'B = tau I, by one linear solve where phi is quadratic, and otherwise by
accelerated proximal gradient steps from y_t to a stated tolerance.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.sparse.linalg import splu

from zooadmm.arrays import Vector
from zooadmm.linear_map import LinearMap
from zooadmm.problem import Problem
from zooadmm.regularizers import GraphLaplacian, Regularizer, SquaredL2, Zero
from zooadmm.spectrum import as_dense

TOLERANCE = 1e-10
"""The inner solve ends when its step is this small beside max(1, |y|)."""

MAX_INNER_STEPS = 100_000


class YStep(ABC):
    """Solves the y-step."""

    @abstractmethod
    def __call__(self, x: Vector, scaled_dual: Vector, y: Vector) -> Vector:
        """y_{t+1} from x_{t+1}, lambda_t/rho and y_t."""


class ProximalStep(YStep):
    """y = prox_{phi/(rho tau)}(B'v/tau), for B'B = tau I."""

    def __init__(self, problem: Problem, tau: float, penalty: float) -> None:
        self._prox = problem.regularizer.prox
        self._center = problem.constraint.y_center
        self._tau = 1.0 / (penalty * tau)

    def __call__(self, x: Vector, scaled_dual: Vector, y: Vector) -> Vector:
        return self._prox(self._center(x, scaled_dual), self._tau)  # (3)


class QuadraticStep(YStep):
    """(H + rho B'B) y = rho B'v, for phi(y) = y'Hy/2; factored once."""

    def __init__(self, problem: Problem, hessian: Any, B: LinearMap, penalty: float) -> None:
        self._wanted = problem.constraint.wanted
        self._B = B
        self._penalty = penalty
        if scipy.sparse.issparse(B.matrix) and scipy.sparse.issparse(hessian):
            matrix = (hessian + penalty * (B.matrix.T @ B.matrix)).tocsc()
            self._solve: Callable[[Any], Any] = splu(matrix.astype(np.float64)).solve
        else:
            dense = as_dense(B.matrix)
            factor = scipy.linalg.cho_factor(as_dense(hessian) + penalty * dense.T @ dense)
            self._solve = lambda right: scipy.linalg.cho_solve(factor, right)

    def __call__(self, x: Vector, scaled_dual: Vector, y: Vector) -> Vector:
        v = self._wanted(x, scaled_dual)
        right = self._penalty * np.asarray(self._B.adjoint(v), dtype=np.float64)
        return np.asarray(self._solve(right), dtype=v.dtype)  # (3)


class IterativeStep(YStep):
    """Accelerated proximal gradient (FISTA with restart) on phi(y) + (rho/2) |B y - v|^2.

    Its step is 1/(rho lambda_max(B'B)); it starts from y_t, so it costs little once y_t settles.
    """

    def __init__(self, problem: Problem, B: LinearMap, penalty: float) -> None:
        self._prox = problem.regularizer.prox
        self._wanted = problem.constraint.wanted
        self._B = B
        self._step = 1.0 / B.lambda_max
        self._tau = 1.0 / (penalty * B.lambda_max)

    def __call__(self, x: Vector, scaled_dual: Vector, y: Vector) -> Vector:
        v = self._wanted(x, scaled_dual)
        dtype = v.dtype
        tolerance = max(TOLERANCE, 4 * float(np.finfo(dtype).eps))
        ahead, momentum = y, 1.0
        for _ in range(MAX_INNER_STEPS):
            slope = self._B.adjoint(self._B.apply(ahead) - v)
            newer = self._prox(np.asarray(ahead - self._step * slope, dtype=dtype), self._tau)
            moved = newer - ahead
            if np.linalg.norm(moved) <= tolerance * max(1.0, float(np.linalg.norm(newer))):
                return newer  # (3)
            if np.vdot(moved, newer - y) < 0:  # the momentum leads uphill: start it anew
                momentum = 1.0
            next_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead = newer + float((momentum - 1) / next_momentum) * (newer - y)
            y, momentum = newer, float(next_momentum)
        raise RuntimeError(
            f"the y-step did not reach its tolerance of {tolerance} in {MAX_INNER_STEPS} inner "
            "steps: the columns of B are nearly dependent. Scale them, or split y differently."
        )


def y_step_for(problem: Problem, penalty: float) -> YStep:
    """The best way to solve the y-step of this problem."""
    tau = problem.constraint.tau
    if tau is not None:
        return ProximalStep(problem, tau, penalty)
    _, B = problem.constraint.maps(problem.m)
    hessian = _hessian(problem.regularizer, problem.d)
    if hessian is not None:
        try:
            return QuadraticStep(problem, hessian, B, penalty)
        except (np.linalg.LinAlgError, RuntimeError):
            raise ValueError(
                "the y-step has no unique solution: B has dependent columns, and the regularizer "
                "does not settle what they leave open. Remove columns or add a SquaredL2."
            ) from None
    return IterativeStep(problem, B, penalty)


def _hessian(regularizer: Regularizer, d: int) -> Any:
    """The matrix H of a quadratic phi(y) = y'Hy/2, or None."""
    if isinstance(regularizer, Zero):
        return scipy.sparse.csc_array((d, d))
    if isinstance(regularizer, SquaredL2):
        return regularizer.strength * scipy.sparse.eye_array(d, format="csc")
    if isinstance(regularizer, GraphLaplacian):
        return regularizer.strength * scipy.sparse.csc_array(regularizer.laplacian)
    return None
