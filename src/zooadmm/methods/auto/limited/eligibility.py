"""Whether a run is to use a limited-memory model of its loss."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import AT_ONCE, MOST_MODELED
from zooadmm.methods.auto.given import Given
from zooadmm.methods.auto.known import Refusal
from zooadmm.methods.auto.limited.step import LimitedStep
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.strategy import Progress


def refusal(given: Given, at: Progress) -> Refusal | None:
    """None for exact losses of more than AT_ONCE variables.

    A model with a matrix factors it, with m^3 operations, for at most MANY slopes; a limited-memory
    model takes m slopes a step. On convex losses without structure they need about as many
    evaluations, and the matrix costs about a millisecond of each at 450 variables, the other 0.02.
    Where a probe met a kink the model is needed, which leads to the descent across kinks.
    """
    known, m = at.known, given.problem.m
    other = given.sampled or known.radius.noise != 0.0 or m <= AT_ONCE
    kinked = known.radius.kinked and m <= MOST_MODELED
    if other or kinked or known.failed("limited memory") or given.demands_steps:
        return Refusal("")
    if not given.has("model"):
        return Refusal("left out")
    if not (math.isfinite(known.loss) and np.array_equal(at.x, known.anchor)):
        return Refusal("the loss at x is not known")
    if not math.isfinite(given.problem.regularizer(at.y)):
        return Refusal("the regularizer is infinite at x0")
    if not LimitedStep(given.problem).applies:
        return Refusal("its steps would need a matrix, which is too large")
    needed = 2 * (2 * m) + radius.PROBE  # twice what first slopes and curvatures take
    short = 0 < known.budget < needed
    reason = f"the budget is too small: it needs {needed} evaluations"
    return Refusal(reason, until=known.budget) if short else None
