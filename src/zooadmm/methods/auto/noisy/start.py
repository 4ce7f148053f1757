"""x0 as the pair to beat: of a noisy loss no answer is worse than it, as far as values tell."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import BEYOND_NOISE
from zooadmm.methods.auto.model import Model
from zooadmm.methods.auto.strategy import Progress
from zooadmm.methods.method import Pair
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved


def start_value(minimizer: Minimizer, at: Progress) -> tuple[Solved, float]:
    """x0 with its y, and its mean loss; infinite where F is not finite there."""
    x, y, dual = minimizer.problem.start(at.known.anchor, None, None)
    allowed = minimizer.feasible(x, y)
    value = at.known.radius.center if np.array_equal(allowed[0], x) else math.inf
    return minimizer.init(*allowed, dual), value


def better_than_start(minimizer: Minimizer, model: Model, at: Progress) -> Pair:
    """The pair of a model where it is better than x0 by BEYOND_NOISE standard deviations."""
    start, value = start_value(minimizer, at)
    found = model.loss + minimizer.phi(model.at)
    if found < value + minimizer.phi(start) - BEYOND_NOISE * at.known.radius.noise:
        return at.x, at.y
    x, y, _ = minimizer.pair(start)
    return x, y
