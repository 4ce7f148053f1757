"""The minimizer of the model by ADMM, for any phi with a prox and any A and B.

    argmin_{x, y}  <g, x - x_0> + |x - x_0|_H^2 / 2 + phi(y)   with  A x + B y = c

This is problem (1) with a quadratic in the place of the loss, so that (2) is a linear system and
(6) is not needed; (3) and (4) are the paper's, over-relaxed. The penalty rho is balanced so that
both residuals fall alike (Boyd et al. 2011, Sec. 3.4.1).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse

from zooadmm.problem.arrays import Matrix, Vector, norm
from zooadmm.problem.problem import Problem
from zooadmm.structure.y_steps import YStep, y_step_for

RELAXED = 1.7
CHECK_EVERY = 5
"""Iterations between two checks of the residuals."""

REBALANCE = 20
"""Iterations between two changes of rho, which cost a factorization each."""

UNBALANCED = 10.0
"""The ratio of the residuals from which rho is changed."""

MOST_CHANGE = 10.0
"""The factor by which rho is changed at most."""

MOST_PENALTY = 1e8
"""rho stays within this factor of the typical curvature of the model."""

ROUNDING = 1e-15
"""Residuals below this part of x and x_0 are rounding; where y is 0, of a step by g alone."""

TINY = 1e-300


class Accuracy(NamedTuple):
    """When the iteration ends."""

    tolerance: float
    """Size of the residuals at the end, relative to the step |x - x_0|"""
    max_steps: int


EXACT = Accuracy(1e-5, 1000)
ROUGH = Accuracy(1e-2, 100)
FINE = Accuracy(1e-10, 20_000)
"""To show that nothing is left to gain: a run ends on it."""


class Solved(NamedTuple):
    """A minimizer of the model: at it g + H (x - x_0) = A' dual."""

    x: Vector
    y: Vector
    dual: Vector


class Splitting:
    """ADMM for the models of one problem, X = R^m."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._y_steps: dict[float, YStep] = {}
        self._inverse: tuple[Matrix, float, Matrix] | None = None
        self.doubt = 0.0
        """How far the model at the last answer may be above its minimum: what the residuals leave
        open over a way as long as x."""

    def __call__(
        self, H: Matrix, x0: Vector, g: Vector, start: Solved, rho: float, accuracy: Accuracy
    ) -> tuple[Solved, float]:
        """The minimizer, and the rho to go on with."""
        K = self._problem.constraint
        nothing, constant = np.zeros_like(x0), H @ x0 - g
        typical = float(np.mean(np.diagonal(H)))
        first = typical / K.lambda_max
        alone = norm(g) / max(typical, TINY)  # far too long a step where rows bound a plane
        x, y, dual = start
        for k in range(1, accuracy.max_steps + 1):
            x = self._inverted(H, rho) @ (
                constant + K.adjoint(dual - rho * K.residual(nothing, y))
            )  # (2)
            r = K.residual(x, y)
            dual = dual + rho * (1.0 - RELAXED) * r
            y = self._y_step(rho)(x, dual / rho, y)  # (3)
            r_next = K.residual(x, y)
            dual = dual - rho * r_next  # (4)
            if k % CHECK_EVERY > 0:
                continue
            s = x - x0
            curved = norm(H @ s) / max(norm(s), TINY)
            primal, slope = norm(r_next), rho * norm(K.adjoint(r_next - r))
            swung = slope / max(curved, TINY)
            self.doubt = norm(dual) * primal + slope * (norm(x) + norm(x0))
            rounding = ROUNDING * (norm(x) + norm(x0) + (0.0 if y.any() else alone))
            if max(primal, swung) <= accuracy.tolerance * norm(s) + rounding:
                break
            ratio = primal / max(swung, TINY)
            if k % REBALANCE == 0 and not 1.0 / UNBALANCED <= ratio <= UNBALANCED:
                rho *= min(max(math.sqrt(ratio), 1.0 / MOST_CHANGE), MOST_CHANGE)
                rho = min(max(rho, first / MOST_PENALTY), first * MOST_PENALTY)
        return Solved(x, y, dual), rho

    def _inverted(self, H: Matrix, rho: float) -> Matrix:
        """(H + rho A'A)^-1"""
        known = self._inverse
        if known is None or known[0] is not H or known[1] != rho:
            factor = scipy.linalg.cho_factor(H + rho * self._gram, lower=True, check_finite=False)
            inverse = scipy.linalg.lapack.dpotri(factor[0], lower=1)[0]
            inverse = np.tril(inverse) + np.tril(inverse, -1).T
            self._inverse = known = (H, rho, inverse)
        return known[2]

    @cached_property
    def _gram(self) -> Any:
        """A'A"""
        problem = self._problem
        if problem.constraint.is_consensus:
            return np.eye(problem.m)
        A, _ = problem.constraint.maps(problem.m)
        if scipy.sparse.issparse(A.matrix):
            return (A.matrix.T @ A.matrix).toarray()
        dense = A.dense()
        return dense.T @ dense

    def _y_step(self, rho: float) -> YStep:
        if rho not in self._y_steps:
            self._y_steps.clear()
            self._y_steps[rho] = y_step_for(self._problem, rho)
        return self._y_steps[rho]
