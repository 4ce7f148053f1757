"""The long run: proximal gradient steps with momentum, from the true gradient; for squares in a
box, where those may take millions, an active-set method.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.optimize

import zooadmm as zoo
from benchmarks.problem import Array, Problem
from benchmarks.solve.data import squares_on_few_rows
from zooadmm.losses import Squares

ROUNDING = 1e-14
"""What a value of f may be off by, relative to itself or to 1."""


def accelerated(
    problem: Problem, accuracy: float = 1e-14, max_steps: int = 300_000, start: Array | None = None
) -> Array:
    """The minimizer of F, by FISTA with backtracking and with restarts.

    x+ = prox(z - g(z) / L, 1 / L) from the extrapolated z. L doubles until f lies below its
    quadratic model at x+; the momentum starts afresh where it points uphill, or where z has no
    value. Ends where no coordinate moves by more than the accuracy, relative to the largest.
    """
    x = problem.nearest(problem.x0 if start is None else start)
    z, momentum, curvature = x, 1.0, 1e-3
    for _ in range(max_steps):
        if not math.isfinite(_value(problem, z)):
            z, momentum = x, 1.0
        moved, curvature = _step(problem, z, curvature)
        change = moved - x
        uphill = float((z - moved) @ change) > 0
        still = np.abs(moved - z).max() <= accuracy * max(1.0, float(np.abs(moved).max()))
        faster = 1.0 if uphill else (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        z = moved if uphill else moved + (momentum - 1) / faster * change
        x, momentum = moved, faster
        if still:
            break
    return x


def active_set(problem: Problem) -> Array:
    """The minimizer of squares in a box: which bounds bind, then least squares on the rest."""
    assert isinstance(problem.loss, Squares)
    assert isinstance(problem.feasible, zoo.Box)
    A, b = squares_on_few_rows(problem.loss)
    found = scipy.optimize.lsq_linear(
        A, b, (problem.feasible.lower, problem.feasible.upper), method="bvls", tol=1e-15
    )
    return problem.nearest(np.asarray(found.x))


def _step(problem: Problem, z: Array, curvature: float) -> tuple[Array, float]:
    """A proximal step from z, and the L that it was taken with."""
    value, gradient = _value(problem, z), problem.loss.gradient(z)
    while True:
        moved = problem.structure.prox(z - gradient / curvature, 1.0 / curvature)
        d = moved - z
        model = value + gradient @ d + curvature / 2 * (d @ d)
        if _value(problem, moved) <= model + ROUNDING * max(1.0, abs(value)):
            return moved, curvature
        curvature *= 2


def _value(problem: Problem, x: Array) -> float:
    return float(problem.loss.values(x[None])[0])
