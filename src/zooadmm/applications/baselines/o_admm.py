"""O-ADMM, the first-order method, for any of the applications."""

from __future__ import annotations

from typing import Any

import numpy as np

import zooadmm as zoo
from zooadmm.applications.formulation import Array, Formulation

POWERS = 20
"""Gradient differences from which the curvature is estimated."""


def o_admm(problem: Formulation, max_iterations: int = 2000, rng: Any = None) -> zoo.Result:
    """Algorithm 1 with true gradients of the whole loss, from `estimator.formulation(...)`.

    The steps are constant, eta = 1 / (2 L), with the largest curvature L at x0; rho = L divided by
    lambda_max(A'A). The last iterates are recommended, as there is no noise to average.

    >>> from zooadmm.applications import Blender
    >>> task = Blender().formulation([[1.0, 0.0], [0.0, 1.0]], [0.75, 0.25])
    >>> np.round(o_admm(task).x, 3)
    array([0.75, 0.25])
    """
    if not hasattr(problem.loss, "gradient"):
        raise TypeError("O-ADMM needs a loss with a gradient, which a metric has not.")
    constraint = zoo.problem.Consensus() if problem.constraint is None else problem.constraint
    L = curvature(problem.loss, problem.x0)
    return zoo.minimize(
        zoo.Loss(value=lambda x: problem.loss(x), gradient=lambda x: problem.loss.gradient(x)),
        problem.x0,
        regularizer=problem.regularizer,
        domain=problem.domain,
        constraint=constraint,
        complete=problem.complete,
        settings="paper",
        gradient=zoo.paper.Exact(),
        step_size=1.0 / (2.0 * L),
        penalty=L / constraint.lambda_max,
        output="last",
        max_iterations=max_iterations,
        rng=rng,
        progress=False,
    )


def curvature(loss: Any, x: Array) -> float:
    """The largest eigenvalue of the Hessian at x, by powers of it from gradient differences."""
    here, direction = loss.gradient(x), np.ones_like(x) / np.sqrt(len(x))
    direction = direction + np.linspace(0.0, 1e-3, len(x))  # not orthogonal to everything
    size, largest = 1e-5 * max(1.0, float(np.abs(x).max())), 0.0
    for _ in range(POWERS):
        direction = direction / np.linalg.norm(direction)
        direction = (loss.gradient(x + size * direction) - here) / size
        largest = max(largest, float(np.linalg.norm(direction)))
        if not np.linalg.norm(direction) > 0.0:
            break
    return largest or 1.0
