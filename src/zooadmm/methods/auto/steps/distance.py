"""The step size from the distance travelled: eta_t = r_t / sqrt(G_t).

r_t = max_s |x_s - x_1|_W and G_t = G_1 + sum_s |x_{s+1} - x_s|^2_W / eta_s^2, the squared gradients
as far as constraints and regularizer let them act (DoG, Ivgi, Hinder and Carmon 2023, with the
mapped gradient in the place of the gradient). G_1 = K (V + r_1^2 / tau^2) accounts for the K
estimates of the scale search as if they had been K steps; without it the first steps are too long.

Condition: r_1 > 0. For a bounded, convex problem DoG is within a logarithm of the best fixed step
size in hindsight. With a horizon h, for a loss that drifts, the step size settles at that of a run
of h iterations: from t = h on G_t counts for h of its terms only, G_t h/t, and r_t is the distance
of the mean iterate, which does not grow when steps that are too long swing to and fro.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.steps.state import Distance
from zooadmm.problem.arrays import Vector


def length(v: Vector, weights: Vector) -> float:
    """|v|_W"""
    return math.sqrt(float(np.vdot(v, weights * v)))


def init(r: float, tau: float, estimates: int, noise: float) -> Distance:
    """From the search: its distance r, step length tau, and the noise V of its K estimates."""
    return Distance(r, estimates * (noise + (r / tau) ** 2))


def step_size(distance: Distance, t: int = 1, horizon: float = math.inf) -> float:
    """eta_t, after t estimates"""
    return distance.r / math.sqrt(distance.G * min(1.0, horizon / t))


def travelled(distance: Distance, eta: float, update: float, r: float) -> Distance:
    """After a step of length `update` to a point at a distance r from x_1."""
    return Distance(max(distance.r, r), distance.G + (update / eta) ** 2)
