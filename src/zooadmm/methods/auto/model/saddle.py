"""Whether what the descent measured contradicts a minimum: a direction that may lead down.

Along the steps since the first x, the rows of S, H is what slopes have shown of the second
derivatives M. If M has no negative eigenvalue, then

    b_i = h'(S H S')^-1 h  <=  M_ii,   h = S H e_i        (Cauchy and Schwarz),

and M_ii is about c_i, the second derivative along variable i at the first x. Where c_i is less, M
has the curvature c_i - b_i < 0 along w = e_i - S'(S H S')^-1 h: a saddle that was reached along its
ridge. M changes along the way and H is not exact, so this is a suspicion. Two values along w show
whether it is true.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import MANY, NEGLIGIBLE, SMALL_PART
from zooadmm.methods.auto.model import line, probes, start
from zooadmm.methods.auto.model.state import NOTHING, Model, Origin, Trial
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.minimizer import Minimizer


def stepped(origin: Origin, s: Vector) -> Origin:
    """After a step s."""
    if len(origin.curvatures) != len(s):
        return origin
    return origin._replace(steps=np.vstack([origin.steps, s])[-MANY:])


def suspect(model: Model) -> Vector:
    """The move w, as long as its second difference must be to show; empty where there is none."""
    origin, H = model.origin, model.H
    if len(origin.curvatures) != len(model.at.x) or len(origin.steps) == 0:
        return NOTHING
    Z = probes.orthonormal(origin.steps[::-1], H)  # Z H Z' = I
    h = Z @ H
    explained = np.square(h).sum(axis=0)
    lacking = np.where(explained > 0.0, 1.0 - origin.curvatures / explained, 0.0)
    i = int(np.argmax(lacking))
    if not lacking[i] > SMALL_PART:
        return NOTHING
    w = -(h[:, i] @ Z)
    w[i] += 1.0
    length = math.sqrt(start.aim(model.loss, model.eps) / (lacking[i] * explained[i]))
    return np.asarray(length * w) if math.isfinite(length) else NOTHING


def both_sides(minimizer: Minimizer, model: Model) -> Matrix:
    """The allowed points nearest to x + d and x - d for moves d that may curve downwards."""
    x, w = model.at.x, suspect(model)
    moves = [*model.start.downward, w] if len(w) > 0 else model.start.downward
    ways = [x + sign * d for d in moves for sign in (1.0, -1.0)]
    points = minimizer.allowed(model.at, ways)
    return np.array([p for p in points if not np.array_equal(p, x)]).reshape(-1, len(x))


def descent(minimizer: Minimizer, model: Model, values: Vector) -> Trial | None:
    """The lowest of these points; None where none is below x."""
    pairs = [line.at(minimizer, model.at, point) for point in model.ask]
    here, *phis = minimizer.phis([model.at, *pairs])
    before = model.loss + here
    fell = [value + phi - before for phi, value in zip(phis, values, strict=True)]
    i = int(np.argmin(np.where(np.isfinite(fell), fell, np.inf)))
    lower = fell[i] < -NEGLIGIBLE * model.eps
    return Trial(pairs[i], fell[i], float(values[i])) if lower else None
