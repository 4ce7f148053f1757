"""The projection on a polyhedron within a ball.

    argmin_x |x - v|   over  x in P,  |x| <= r

With the multiplier of the ball the minimizer is x(s) = P(s v) for one s of [0, 1], where P projects
on the polyhedron, and |x(s)| grows with s: s = 1 where P(v) lies in the ball, else the root of
|P(s v)| = r. The least norm is |x(0)|; where it is above r there is no point.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from zooadmm.problem.arrays import norm
from zooadmm.problem.coordinates import Floats
from zooadmm.problem.linear_constraints import PROMISED
from zooadmm.structure.polyhedron import Projection
from zooadmm.structure.solution import Status

EPS = float(np.finfo(np.float64).eps)
TINY = 1e-300
STEPS = 27
"""Steps of 4^k eps, relative to s, back into the ball; the last of them reaches 0."""


def within_ball(project: Callable[[Floats], Projection], v: Floats, radius: float) -> Projection:
    """The nearest point to v of a polyhedron, known by its projection, in the ball around 0.

    >>> from zooadmm.structure.polyhedron import Polyhedron
    >>> line = Polyhedron(np.full(2, -9.0), np.full(2, 9.0), [[1.0, 0]], np.ones(1), np.ones(1))
    >>> np.round(within_ball(line.project, np.array([5.0, 5.0]), 1.25).x, 12).tolist()
    [1.0, 0.75]
    """
    found = project(v)
    if found.status is not Status.SOLVED or norm(found.x) <= radius:
        return found
    least = project(np.zeros_like(v))
    outside = norm(least.x) - radius
    if least.status is not Status.SOLVED or outside > PROMISED * max(1.0, radius):
        message = least.message or f"the sets stay {outside:.3g} apart"
        return least._replace(status=Status.INFEASIBLE, message=message)
    if outside >= 0.0:
        return least
    s = float(brentq(lambda s: norm(project(s * v).x) - radius, 0.0, 1.0, xtol=TINY, rtol=4 * EPS))
    for k in range(STEPS):
        found = project(s * v)
        if found.status is Status.SOLVED and norm(found.x) <= radius:
            return found
        s *= max(0.0, 1.0 - 4.0**k * EPS)
    return least
