"""x0 as the pair to beat: of a noisy loss no answer is worse than it, as far as values tell."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import BEYOND_NOISE, NARROW, ROUNDED
from zooadmm.methods.auto.model import Model
from zooadmm.methods.auto.strategy import Progress
from zooadmm.methods.method import Pair
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved


def start_value(minimizer: Minimizer, at: Progress) -> tuple[Solved, float]:
    """x0 with its y, and its mean loss; infinite where F is not finite there."""
    x, y, dual = minimizer.problem.start(at.known.anchor, None, None)
    allowed = minimizer.feasible(x, y)
    value = at.known.loss if np.array_equal(allowed[0], x) else math.inf
    return minimizer.init(*allowed, dual), value


def first_lengths(domain: ConvexSet, x: Vector, reach: float) -> Vector:
    """How far the first points are along each variable: on both sides of x, as far as bounds go.

    A pair on both sides shows a slope with an error of sigma / (sqrt(2) d), two points on one side
    with sqrt(17) sigma / d: far fewer than NARROW of the longer side must be left for the latter.
    """
    lengths, bounds = np.full(len(x), reach), domain.bounds()
    if bounds is None:
        return lengths
    below, above = x - bounds[0], bounds[1] - x
    room = (1.0 - ROUNDED) * np.minimum(below, above)
    fits = (room < lengths) & (room >= NARROW * np.maximum(below, above))
    return np.where(fits, room, lengths)


def better_than_start(minimizer: Minimizer, model: Model, at: Progress) -> Pair:
    """The pair of a model where it is better than x0 by BEYOND_NOISE standard deviations."""
    start, value = start_value(minimizer, at)
    found = model.loss + minimizer.phi(model.at)
    if found < value + minimizer.phi(start) - BEYOND_NOISE * at.known.radius.noise:
        return at.x, at.y
    x, y, _ = minimizer.pair(start)
    return x, y
