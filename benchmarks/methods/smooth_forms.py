"""Smooth problems that have the solution of a problem with phi and C, for methods with gradients.

Each takes f's values and differences from the trial, one gradient for m + 1 evaluations, and adds
what is known exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import zooadmm as zoo
from benchmarks.methods.forms import Limits, penalty
from benchmarks.problem import Array, Problem
from benchmarks.trial import Trial

RADII = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
"""phi is smoothed less and less: each form starts where the one before ended."""
COARSE, FINE = 1e-6, 1e-15
"""Relative decrease of a value below which a step is the last: before the last form, and in it."""


@dataclass(frozen=True)
class SmoothForm:
    """minimize f(x(z)) + h(z) over lower <= z <= upper.

    pull: the gradient of z -> f(x(z)), from z and that of f.
    known: h and its gradient.
    """

    start: Array
    lower: Array
    upper: Array
    x: Callable[[Array], Array]
    pull: Callable[[Array, Array], Array]
    known: Callable[[Array], tuple[float, Array]]

    def value(self, trial: Trial, z: Array) -> float:
        return float(trial.measure(self.x(z)[None])[0]) + self.known(z)[0]

    def value_and_gradient(
        self, trial: Trial, z: Array, relative_step: float
    ) -> tuple[float, Array]:
        f, g = trial.forward_gradient(self.x(z), relative_step)
        h, h_gradient = self.known(z)
        return f + h, self.pull(z, g) + h_gradient


def _same(z: Array) -> Array:
    return z


def _pass_on(z: Array, g: Array) -> Array:
    return g


def _nothing(z: Array) -> tuple[float, Array]:
    return 0.0, np.zeros_like(z)


def direct(x: Array, limits: Limits) -> SmoothForm:
    """x itself within its bounds."""
    return SmoothForm(x, limits.lower, limits.upper, _same, _pass_on, _nothing)


def parts(x: Array, limits: Limits, prices: Array) -> SmoothForm:
    """sum_i prices_i |x_i| by x = u - v with u, v >= 0, where it is prices'(u + v)."""
    m = len(x)
    price = np.concatenate([prices, prices])
    return SmoothForm(
        start=np.concatenate([np.maximum(x, 0.0), np.maximum(-x, 0.0)]),
        lower=np.concatenate([np.maximum(limits.lower, 0.0), np.maximum(-limits.upper, 0.0)]),
        upper=np.concatenate([np.maximum(limits.upper, 0.0), np.maximum(-limits.lower, 0.0)]),
        x=lambda z: z[:m] - z[m:],
        pull=lambda z, g: np.concatenate([g, -g]),
        known=lambda z: (float(price @ z), price),
    )


def smoothed(x: Array, problem: Problem, limits: Limits, radius: float) -> SmoothForm:
    """phi replaced by its Moreau envelope, min_p phi(p) + |A x - p|^2 / (2 mu).

    Its gradient is A'(A x - p) / mu at p = prox of phi. With mu = radius / strength, p is `radius`
    away from A x wherever it is not zero: in a coordinate, a group or a singular value.
    """
    phi, constraint = penalty(problem), problem.constraint or zoo.problem.Consensus()
    mu = radius / phi.strength

    def envelope(z: Array) -> tuple[float, Array]:
        y = constraint.complete_y(z)
        p = phi.prox(y, mu)
        apart = (y - p) / mu
        gradient = np.asarray(constraint.adjoint(apart), dtype=np.float64)
        return float(phi(p)) + 0.5 * mu * float(apart @ apart), gradient

    return SmoothForm(x, limits.lower, limits.upper, _same, _pass_on, envelope)


def less_and_less(
    problem: Problem, limits: Limits, descend: Callable[[SmoothForm, float], Array]
) -> None:
    """`smoothed` with every radius of RADII; descend(form, tolerance) returns where it ended."""
    x = problem.x0
    for radius in RADII:
        tolerance = COARSE if radius > RADII[-1] else FINE
        x = descend(smoothed(x, problem, limits, radius), tolerance)


def splits(problem: Problem) -> bool:
    """Whether phi is an l1 norm of x itself, so that `parts` is the form for it."""
    alone = problem.constraint is None or isinstance(problem.constraint, zoo.problem.Consensus)
    return alone and isinstance(penalty(problem), zoo.L1)


def shares(x: Array, total: float) -> SmoothForm:
    """x = total z / 1'z with z >= 0: the simplex, boundary included."""

    def pull(z: Array, g: Array) -> Array:
        return total / float(z.sum()) * (g - float(g @ z) / float(z.sum()))

    return SmoothForm(
        start=x,
        lower=np.zeros_like(x),
        upper=np.full_like(x, np.inf),
        x=lambda z: total * z / z.sum(),
        pull=pull,
        known=_nothing,
    )


def augmented(x: Array, limits: Limits, multiplier: float, weight: float) -> SmoothForm:
    """1'x = total by the augmented Lagrangian, multiplier r + weight r^2 / 2, r = 1'x - total."""

    def lagrangian(z: Array) -> tuple[float, Array]:
        r = float(z.sum()) - (limits.total or 0.0)
        return r * (multiplier + 0.5 * weight * r), np.full_like(z, multiplier + weight * r)

    return SmoothForm(x, limits.lower, limits.upper, _same, _pass_on, lagrangian)


def above(x: Array, problem: Problem, limits: Limits, prices: Array) -> SmoothForm:
    """sum_i prices_i |A x|_i as prices't over z = (x, t); the caller holds -t <= A x <= t."""
    m = problem.m
    y = (problem.constraint or zoo.problem.Consensus()).complete_y(x)
    slope = np.concatenate([np.zeros(m), prices])
    return SmoothForm(
        start=np.concatenate([x, np.abs(y)]),
        lower=np.concatenate([limits.lower, np.zeros_like(y)]),
        upper=np.concatenate([limits.upper, np.full_like(y, np.inf)]),
        x=lambda z: z[:m],
        pull=lambda z, g: np.concatenate([g, np.zeros_like(y)]),
        known=lambda z: (float(slope @ z), slope),
    )


def prices(phi: zoo.L1, size: int) -> Array:
    """What a unit of |y_i| costs."""
    weights = np.ones(size) if phi.weights is None else phi.weights
    return phi.strength * np.asarray(weights, dtype=np.float64)
