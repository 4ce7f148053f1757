"""The minimizer of a limited-memory model over the structure.

    S(g) = argmin_{x in X, y}  <g, x - x_0> + |x - x_0|_H^2 / 2 + phi(y)   with  A x + B y = c

In closed form where nothing confines x. Where a step in a diagonal metric has a closed form, by
proximal gradients in l U^2, l the largest eigenvalue of U^-1 H U^-1, with momentum that starts
again where it leads uphill (O'Donoghue and Candes 2015). Else, as for rows and total variation, by
the solvers for a matrix, which is made for one step. It costs no evaluation.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import MOST_NUMBERS
from zooadmm.methods.auto.limited.metric import LimitedMetric
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.problem import Problem
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.model_step import ModelStep, Solved
from zooadmm.structure.splitting import EXACT

MOST_INNER = 1000
"""Proximal gradients at most: condition numbers of 1e5 are solved, in about three seconds at 10,000
variables, the time of 300 of its evaluations at 10 ms each."""

STEP_PART = 1e-4
"""The iteration ends when it moves x by this part of the step: a model is no better than that."""


class LimitedStep:
    """S for one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._step = ModelStep(problem, None)
        self._lower, self._upper = problem.domain.bounds() or (-math.inf, math.inf)
        self._minimizer = None if self._step.in_diagonal_metrics else Minimizer(problem)
        self.is_free = problem.domain.is_everything and problem.regularizer_is_zero
        """Whether nothing confines x"""

    @property
    def applies(self) -> bool:
        """Whether no matrix is needed, for the step or for differences inside X, or a small one."""
        single = self._minimizer is None and self.problem.domain.bounds() is not None
        return single or self.problem.m**2 <= MOST_NUMBERS

    def __call__(self, metric: LimitedMetric, g: Vector, at: Solved) -> Solved:
        """S(g) from x_0 = at.x."""
        if self.is_free:
            return self.on_line(at, at.x - metric.solve(g))
        if self._minimizer is not None:
            return self._by_matrix(self._minimizer, metric.matrix(), g, at)
        weights, eta = np.square(metric.units), 1.0 / metric.largest
        root = math.sqrt(metric.least / metric.largest)
        momentum = (1.0 - root) / (1.0 + root)
        found, ahead = at, at.x
        for _ in range(MOST_INNER):
            slope = g + metric.times(ahead - at.x)
            new = self._step(ahead, slope, eta, weights, found)
            moved = new.x - found.x
            uphill = float((weights * (ahead - new.x)) @ moved) > 0.0
            ahead = new.x if uphill else new.x + momentum * moved
            found = new
            step = new.x - at.x
            if weights @ np.square(moved) <= (STEP_PART * root) ** 2 * (weights @ np.square(step)):
                break
        return found

    def _by_matrix(self, minimizer: Minimizer, H: Matrix, g: Vector, at: Solved) -> Solved:
        minimizer.renew()  # a resumed run begins with a new one
        first = minimizer.init(at.x, at.y, at.dual)
        to, rho = minimizer(H, at.x, g, first, at.penalty, EXACT)
        return Solved(*minimizer.pair(minimizer.exactly(to)), rho)

    def on_line(self, at: Solved, x: Vector) -> Solved:
        """The pair with this x, on the way to a minimizer."""
        K = self.problem.constraint
        x = np.clip(x, self._lower, self._upper)  # without rounding
        return Solved(x, x.copy() if K.is_consensus else K.complete_y(x), at.dual, at.penalty)
