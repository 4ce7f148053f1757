"""Points on the line from x to a trial: the slope at x and both losses make f a parabola on it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from zooadmm.methods.auto.model.state import Model, Trial
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved

STEPS = (0.2, 0.35, 0.5, 0.7, 0.85, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0)
"""Points of the line at which the parabola is evaluated; the trial is at 1."""


def at(minimizer: Minimizer, solved: Solved, x: Vector) -> Solved:
    """Another x on the way to a minimizer, with its y."""
    problem = minimizer.problem
    if minimizer.same:
        return Solved(x, x, solved.dual)
    if not problem.constraint.B_invertible:
        return solved._replace(x=x)
    return minimizer.init(x, problem.constraint.complete_y(x), minimizer.pair(solved)[2])


def best(
    minimizer: Minimizer, model: Model, trial: Trial, before: float, decrease: float
) -> Trial | None:
    """The point of the line with the least F by the parabola, where F falls by more than this.

    before: F(x).
    """
    problem, x = minimizer.problem, model.at.x
    domain, s = problem.domain, trial.solved.x - x
    slope = float(model.belief.v @ s)
    curved = 2.0 * (trial.loss - model.loss - slope)
    steps: Sequence[float] = STEPS
    if not domain.is_everything:
        steps = [t for t in STEPS if t < 1.0 or not domain.distance(x + t * s) > 0.0]
    points = [at(minimizer, trial.solved, x + t * s) for t in steps]
    least, found = before - decrease, None
    for t, point, phi in zip(steps, points, minimizer.phis(points), strict=True):
        value = model.loss + t * slope + 0.5 * t * t * curved + phi
        if value < least and (t < 1.0 or math.isfinite(problem.regularizer(point.y[: problem.d]))):
            least, found = value, point
    return None if found is None else Trial(found, least - before, math.nan)


def least(
    minimizer: Minimizer, x: Solved, loss: float, points: Matrix, values: Vector
) -> tuple[Solved, float]:
    """The one of x and some points with the least F, and f there."""
    pairs = [(x, loss)]
    pairs += [(at(minimizer, x, u), float(v)) for u, v in zip(points, values, strict=True)]
    finite = [pair for pair in pairs if math.isfinite(pair[1])]
    phis = minimizer.phis([pair for pair, _ in finite])
    objectives = [f + phi for (_, f), phi in zip(finite, phis, strict=True)]
    return finite[objectives.index(min(objectives))]
