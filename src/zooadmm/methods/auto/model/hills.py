"""Values of one line among those that the descent evaluates: do they show a hill?

slopes    back to the x before the last step s, and a probe along s
further   x, the trial, and another point of their line
kink      the whole line of the test
bend      x and the last two points of the test for a saddle
second    x + d_i, x and x - d_i
"""

from __future__ import annotations

import numpy as np

from zooadmm.methods.auto.constants import SEEN
from zooadmm.methods.auto.convexity import on_line
from zooadmm.methods.auto.model.state import Model
from zooadmm.problem.arrays import Vector


def are_seen(model: Model, values: Vector) -> bool:
    """Whether these values, at the points of the model's query, show that f is not convex."""
    x, loss, eps = model.at.x, model.loss, model.eps
    if model.stage == "slopes" and len(model.secant.s) > 0:
        points, known = np.vstack([model.ask, x - model.secant.s]), model.secant.loss
        return on_line(x, loss, points, np.append(values, known), eps)
    if model.stage == "further":
        points, known = np.vstack([model.ask, model.best.solved.x]), model.best.loss
        return on_line(x, loss, points, np.append(values, known), eps)
    if model.stage in ("kink", "bend"):
        return on_line(x, loss, model.ask, values, eps)
    if model.stage == "second":
        m = len(model.moves)
        second = values[:m] + values[m : 2 * m] - 2.0 * model.loss
        return bool((second < -SEEN * model.eps).any())
    return False
