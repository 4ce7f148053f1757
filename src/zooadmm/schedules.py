"""Step sizes eta_t, smoothing radii beta_t and proximal weights alpha_t, for t = 1, 2, ...

A schedule is a value: it prints, it compares, and it is any callable of t that returns a positive
number. The functions here make the schedules that the paper names.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from zooadmm.directions import Distribution, Sphere

Schedule = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Constant:
    """The same value for every t.

    >>> Constant(0.1)(7)
    0.1
    """

    value: float

    def __call__(self, t: int) -> float:
        return self.value


@dataclass(frozen=True, slots=True)
class Power:
    """scale / t**exponent.

    >>> Power(scale=2.0, exponent=0.5)(4)
    1.0
    """

    scale: float
    exponent: float

    def __call__(self, t: int) -> float:
        return self.scale / math.pow(t, self.exponent)


@dataclass(frozen=True, slots=True)
class LinearizedWeight:
    """alpha_t = rho eta_t lambda_max(A'A) + 1, the smallest weight with G_t >= I (Sec. 6)."""

    penalty: float
    step_size: Schedule
    lambda_max: float

    def __call__(self, t: int) -> float:
        return self.penalty * self.step_size(t) * self.lambda_max + 1.0


def usable(name: str, schedule: Schedule, t: int) -> float:
    """The schedule at t as a plain number, or an error that names it.

    A numpy scalar would turn float32 iterates into float64.

    >>> usable("step_size", Power(1.0, 0.5), 4)
    0.5
    """
    value = float(schedule(t))
    if not 0 < value < math.inf:
        raise ValueError(f"{name} is {value} at t = {t}; it must stay positive.")
    return value


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
