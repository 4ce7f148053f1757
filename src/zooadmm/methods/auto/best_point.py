"""The best of the points whose values are known."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import HALF_DIGITS
from zooadmm.methods.auto.model.regression import Values
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.problem import Problem


def objective(problem: Problem, x: Vector, loss: float, slack: float = HALF_DIGITS) -> float:
    """F(x) = f(x) + phi(y) with A x + B y = c; inf outside X, and where no such y is computed.

    slack: how far outside X counts as inside, relative to |x|; by default for a user's points.
    """
    K = problem.constraint
    outside = problem.domain.distance(x) > slack * max(1.0, norm(x))
    if outside or not (K.B_invertible and math.isfinite(loss)):
        return math.inf
    return loss + float(problem.regularizer(K.complete_y(x)))


def best(problem: Problem, known: Values, x: Vector, loss: float) -> tuple[Vector, float]:
    """The point with the least F, and f there; x where none is better."""
    found = [objective(problem, *pair) for pair in zip(known.points, known.values, strict=True)]
    i = int(np.argmin(found)) if found else -1
    if i < 0 or not found[i] < objective(problem, x, loss):
        return x, loss
    return known.points[i], float(known.values[i])
