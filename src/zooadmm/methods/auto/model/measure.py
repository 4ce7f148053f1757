"""How far a point is from stationary, by what is believed of the gradient there.

    |x - S(v)|_H,   g ~ N(v, P)

and its standard error over draws of g. Half the square of the length is about the decrease of F
that is left.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.method import FirstOrder
from zooadmm.problem.arrays import Matrix
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import FINE, Solved

DRAWS = 4
"""Draws of the gradient: they cost arithmetic, no evaluation."""


def measure(
    minimizer: Minimizer, at: Solved, belief: Belief, H: Matrix, rho: float, scale: float
) -> FirstOrder | None:
    """The measure at x; None where the belief has numbers that are not finite.

    scale: the size of the loss and of its changes so far.
    """
    (v, P), x = belief, at.x
    if not (np.isfinite(v).all() and np.isfinite(P).all() and np.isfinite(H).all()):
        return None
    to, rho = minimizer(H, x, v, at, rho, FINE)
    to = minimizer.exactly(to)
    errors = beliefs.draws(belief, np.random.default_rng(0).standard_normal((DRAWS, len(x))))
    changed = minimizer.changes(H, x, v, errors, to, rho)
    return FirstOrder(_length(to.x - x, H), _length(changed, H) / math.sqrt(DRAWS), scale)


def _length(steps: Matrix, H: Matrix) -> float:
    """The root of the sum of |s|_H^2 over the rows s."""
    return math.sqrt(max(float(((steps @ H) * steps).sum()), 0.0))
