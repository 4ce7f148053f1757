"""The best of the points whose values are known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from zooadmm.methods.auto.constants import HALF_DIGITS
from zooadmm.methods.auto.model.regression import Values
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.problem import Problem


def objectives(
    problem: Problem, points: Sequence[Vector], losses: Sequence[float], slack: float = HALF_DIGITS
) -> list[float]:
    """F(x) = f(x) + phi(y) of each x, with A x + B y = c.

    It is inf outside X, and where no such y is computed.

    slack: how far outside X counts as inside, relative to |x|; by default for a user's points.
    """
    K, domain = problem.constraint, problem.domain
    if not K.B_invertible:
        return [math.inf] * len(points)
    known = [i for i, loss in enumerate(losses) if math.isfinite(loss)]
    if not domain.is_everything:
        distances = {i: domain.distance(points[i]) for i in known}
        known = [i for i in known if not distances[i] > slack * max(1.0, norm(points[i]))]
    found, ys = [math.inf] * len(points), [K.complete_y(points[i]) for i in known]
    for i, y in zip(known, ys, strict=True):
        found[i] = losses[i] + float(problem.regularizer(y))
    return found


def best(problem: Problem, known: Values, x: Vector, loss: float) -> tuple[Vector, float]:
    """The point with the least F, and f there; x where none is better."""
    *found, here = objectives(problem, [*known.points, x], [*known.values, loss])
    i = int(np.argmin(found)) if found else -1
    if i < 0 or not found[i] < here:
        return x, loss
    return known.points[i], float(known.values[i])
