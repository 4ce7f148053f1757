"""How far a point is from stationary, by what is believed of the gradient there.

    sqrt(2 p(v)),   p(v) = -min_s { <v, s> + |s|_H^2 / 2 + phi(x + s) - phi(x) },   g ~ N(v, P)

and its standard error over draws of g, with what ADMM leaves unsolved. p is the decrease of F that
is left. Where nothing is constrained the length is |x - S(v)|_H; at bounds p may be much more than
half its square.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import FEWEST
from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.method import FirstOrder
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, FINE, Accuracy, Solved


def measure(
    minimizer: Minimizer, at: Solved, belief: Belief, H: Matrix, rho: float, scale: float
) -> FirstOrder | None:
    """The measure at x; None where the belief has numbers that are not finite.

    scale: the size of the loss and of its changes so far.
    """
    (v, P), x = belief, at.x
    if not (np.isfinite(v).all() and np.isfinite(P).all() and np.isfinite(H).all()):
        return None

    def step(g: Vector, accuracy: Accuracy) -> tuple[Vector, float]:
        """S(g) - x, and sqrt(2 p(g))"""
        to = minimizer.exactly(minimizer(H, x, g, at, rho, accuracy)[0])
        s = to.x - x
        change = float(g @ s + 0.5 * (s @ H @ s)) + minimizer.phi(to) - minimizer.phi(at)
        return s, math.sqrt(max(-2.0 * change, 0.0))

    s, length = step(v, FINE)
    length, unsolved = max(length, _length(s, H)), 2.0 * minimizer.doubt
    off = []
    for e in beliefs.draws(belief, np.random.default_rng(0).standard_normal((FEWEST, len(x)))):
        other, longer = step(v + e, EXACT)
        off.append(max(_length(other - s, H), longer - length))
    return FirstOrder(length, math.sqrt(float(np.square(off).mean()) + unsolved), scale)


def _length(s: Vector, H: Matrix) -> float:
    """|s|_H"""
    return math.sqrt(max(float(s @ H @ s), 0.0))
