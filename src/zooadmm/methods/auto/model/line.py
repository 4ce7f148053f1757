"""Points on the line from x to a trial: the slope at x and both losses make f a parabola on it."""

from __future__ import annotations

import math

from zooadmm.methods.auto.model.state import Model, Trial
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved

STEPS = (0.2, 0.35, 0.5, 0.7, 0.85, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0)
"""Points of the line at which the parabola is evaluated; the trial is at 1."""


def objective(minimizer: Minimizer, model: Model) -> float:
    """F(x)"""
    return model.loss + minimizer.phi(model.at)


def at(minimizer: Minimizer, solved: Solved, x: Vector) -> Solved:
    """Another x on the way to a minimizer, with its y."""
    problem = minimizer.problem
    if minimizer.same:
        return Solved(x, x, solved.dual)
    if not problem.constraint.B_invertible:
        return solved._replace(x=x)
    return minimizer.init(x, problem.constraint.complete_y(x), minimizer.pair(solved)[2])


def best(minimizer: Minimizer, model: Model, trial: Trial, below: float) -> Trial | None:
    """The point of the line with the least F by the parabola, where that is below this."""
    problem, x = minimizer.problem, model.at.x
    bounded = not problem.domain.is_everything
    s = trial.solved.x - x
    slope = float(model.belief.v @ s)
    curved = 2.0 * (trial.loss - model.loss - slope)
    least, found = below, None
    for t in STEPS:
        point = at(minimizer, trial.solved, x + t * s)
        if t > 1.0 and bounded and problem.domain.distance(point.x) > 0.0:
            continue
        value = model.loss + t * slope + 0.5 * t * t * curved + minimizer.phi(point)
        if value < least and (t < 1.0 or math.isfinite(problem.regularizer(point.y[: problem.d]))):
            least, found = value, point
    if found is None:
        return None
    return Trial(found, least - objective(minimizer, model), math.nan)


def least(
    minimizer: Minimizer, x: Solved, loss: float, points: Matrix, values: Vector
) -> tuple[Solved, float]:
    """The one of x and some points with the least F, and f there."""
    pairs = [(x, loss)]
    pairs += [(at(minimizer, x, u), float(v)) for u, v in zip(points, values, strict=True)]
    finite = [pair for pair in pairs if math.isfinite(pair[1])]
    return min(finite, key=lambda pair: pair[1] + minimizer.phi(pair[0]))
