"""Step sizes eta_t, smoothing radii beta_t and proximal weights alpha_t that the paper names."""

from __future__ import annotations

import math

from zooadmm.methods.schedule import Constant, LinearizedWeight, Power
from zooadmm.oracle.directions import Distribution, Sphere

__all__ = [
    "Constant",
    "LinearizedWeight",
    "Power",
    "general_smoothing",
    "general_step_size",
    "minibatch_step_size",
    "printed_minibatch_step_size",
    "strongly_convex_step_size",
]


def general_step_size(m: int, C1: float = 1.0, distribution: Distribution | None = None) -> Power:
    """eta_t = C1 / sqrt(s(m) t), the step of Theorem 1.

    Equation (11) prints C1 / (m sqrt t); the rate sqrt(m/T) claimed for it needs this one.

    >>> general_step_size(100)
    Power(scale=0.1, exponent=0.5)
    """
    return Power(C1 / math.sqrt((distribution or Sphere()).s(m)), 0.5)


def strongly_convex_step_size(sigma: float) -> Power:
    """eta_t = 1 / (sigma t), for a loss that is strongly convex with parameter sigma.

    Corollary 2 prints alpha / (sigma t) with a constant alpha, which is infeasible at small t
    unless sigma > rho lambda_max; with `proximal_weight="varying"` this one is feasible from t = 1.
    """
    return Power(1.0 / sigma, 1.0)


def minibatch_step_size(
    m: int, num_directions: int, C1: float = 1.0, distribution: Distribution | None = None
) -> Power:
    """eta_t = C1 / sqrt((1 + s(m)/q1) t), the step of Corollary 3 as its proof supports it.

    Observations that share their directions do not lower the factor s(m)/q1.
    """
    return Power(C1 / math.sqrt(1.0 + (distribution or Sphere()).s(m) / num_directions), 0.5)


def printed_minibatch_step_size(
    m: int,
    num_directions: int,
    num_observations: int,
    C1: float = 1.0,
    distribution: Distribution | None = None,
) -> Power:
    """eta_t = C1 / sqrt((1 + s(m)/(q1 q2)) t), the step of Corollary 3 as printed.

    The count q1 q2 is right for paired directions and observations and for q2 = 1.
    """
    pairs = num_directions * num_observations
    return Power(C1 / math.sqrt(1.0 + (distribution or Sphere()).s(m) / pairs), 0.5)


def general_smoothing(m: int, C2: float = 1.0, distribution: Distribution | None = None) -> Power:
    """beta_t = C2 / (M(mu) t), equation (11)."""
    return Power(C2 / (distribution or Sphere()).M(m), 1.0)
