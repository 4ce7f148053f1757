"""How far a point is from stationary, by what is believed of the gradient there.

    sqrt(2 p(v)),   p(v) = -min_s { <v, s> + |s|_H^2 / 2 + phi(x + s) - phi(x) },   g ~ N(v, P)

and its standard error over draws of g, with what ADMM leaves unsolved. p is the decrease of F that
is left. Where nothing is constrained the length is |x - S(v)|_H; at bounds p may be much more than
half its square.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import FEWEST, FLATTEST, TINY_PART
from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.model import curvature
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.model.state import Model
from zooadmm.methods.method import FirstOrder
from zooadmm.problem.arrays import Matrix, Vector, metric_norm
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, FINE, Accuracy, Solved


def of_model(minimizer: Minimizer, model: Model, changed: float) -> FirstOrder | None:
    """That of a model; None before a gradient is known.

    Where trials keep failing H is doubtful, and small steps say nothing: None too.
    changed: how far the loss was seen to change before there was a model.
    """
    H = model.uncorrected
    if len(model.belief.v) == 0 or model.poor > 1 or model.start.on_kinks.any():
        return None
    if curvature.has_grown(H, model.first) or _is_of_a_kink(model, H):
        return None
    scale = max(abs(model.loss), abs(model.first_loss - model.loss), changed)
    v, P = model.belief
    belief = Belief(v, P + np.diag(np.square(_secant_errors(model, H))))
    return measure(minimizer, model.at, belief, H, model.rho, scale)


def _is_of_a_kink(model: Model, H: Matrix) -> bool:
    """Whether a repair may have measured across a kink, and nothing has shown otherwise yet.

    The curvature there grows as the differences shrink, beyond what it was at first.
    """
    if model.repairs == 0 or model.stage == "settled":
        return False
    first = model.origin.curvatures
    if len(first) != len(H):
        return False
    least = FLATTEST * float(first.max())
    return least == 0.0 or curvature.has_grown(H, np.maximum(first, least))


def _secant_errors(model: Model, H: Matrix) -> Vector:
    """What slopes may be wrong by where their lengths compare with the whole way.

    The lengths are 1e-8 for most losses, and as long as X is wide where a loss was straight at
    first. The gradient has changed by d over the way s from where it was first measured, so
    there is a curvature of |d_i| / |s|.
    """
    origin, x = model.origin, model.at.x
    if len(origin.x) != len(x) or np.array_equal(origin.x, x):
        return np.zeros(len(x))
    lengths, way = 2.0 * np.sqrt(model.eps / np.diagonal(H)), float(np.abs(x - origin.x).max())
    curvature = np.abs(model.belief.v - origin.v) / way
    return np.where(lengths > TINY_PART * way, 0.5 * curvature * lengths, 0.0)


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
    length, unsolved = max(length, metric_norm(s, H)), 2.0 * minimizer.doubt
    off = []
    for e in beliefs.draws(belief, np.random.default_rng(0).standard_normal((FEWEST, len(x)))):
        other, longer = step(v + e, EXACT)
        off.append(max(metric_norm(other - s, H), longer - length))
    return FirstOrder(length, math.sqrt(float(np.square(off).mean()) + unsolved), scale)
