"""The best fixed pair in hindsight, for small problems: a comparator for the regret."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zooadmm.evaluation import InProcess
from zooadmm.oracle.gradients import Exact
from zooadmm.oracle.observations import Samples, as_observations
from zooadmm.oracle.queries import GradientQuery, PointsQuery
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.constraint import Constraint
from zooadmm.problem.problem import as_start_point
from zooadmm.problem.sets import ConvexSet
from zooadmm.run.optimizer import Optimizer

POWER_STEPS = 20
TRIES = 8


def best_fixed(
    loss: Any,
    x0: ArrayLike,
    *,
    observations: Any = None,
    regularizer: Any = None,
    domain: ConvexSet | None = None,
    constraint: Constraint | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 200_000,
) -> tuple[Vector, Vector]:
    """(x*, y*) = argmin (1/n) sum_i f(x; w_i) + phi(y) with A x + B y = c, x in X.

    By O-ADMM with the gradient of the whole sum, the loss's own or by central differences, and a
    constant step from the curvature near x0, lowered until the run settles. `tolerance` is on the
    stationarity relative to the largest gradient met, so coordinates whose curvature is smaller
    than that by this factor stay where they are. For problems of up to some hundred variables and
    some thousand observations (`Samples`, or none); judge anything else by a tool made for it.

    >>> numbers = np.array([1.0, 2.0, 6.0])
    >>> x, y = best_fixed(lambda x, w: (x[0] - w) ** 2, [0.0], observations=numbers)
    >>> np.round(x, 6)
    array([3.])
    """
    samples = as_observations(observations)
    if samples is not None and not isinstance(samples, Samples):
        raise TypeError("best_fixed needs observations that can all be seen: an array or Samples.")
    batch = None if samples is None else samples.values
    evaluator = InProcess(loss)

    def gradient(x: Vector) -> Vector:
        if evaluator.calls.has_gradient:
            rows = evaluator(GradientQuery(0, x, batch))
            return rows if rows.ndim == 1 else rows.mean(axis=0)
        slopes = np.empty(len(x))
        for i in range(len(x)):
            h = 1e-5 * max(1.0, abs(x[i]))
            ends = np.array([x, x])
            ends[:, i] += h, -h
            high, low = evaluator(PointsQuery(0, ends, batch)).mean(axis=1).tolist()
            slopes[i] = (high - low) / (2 * h)
        return slopes

    start = as_start_point(x0).astype(np.float64)
    step = 1.0 / max(_curvature(gradient, start), math.ulp(0.0) ** 0.5)
    for _ in range(TRIES):
        optimizer = Optimizer(
            start,
            regularizer=regularizer,
            domain=domain,
            constraint=constraint,
            settings="paper",
            gradient=Exact(),
            step_size=step,
            penalty=1.0 / step,
            max_iterations=max_iterations,
            max_trace_rows=0,
        )
        if _converges(optimizer, gradient, step, tolerance):
            state = optimizer.state
            complete = optimizer.method.problem.constraint
            if complete.B_invertible:
                return state.x.copy(), complete.complete_y(state.x).copy()
            return state.x.copy(), state.y.copy()
        step /= 4
    raise RuntimeError(
        f"best_fixed did not reach its tolerance of {tolerance}; the problem may be unbounded or "
        "not smooth. Solve it with a tool made for it, and give Regret its solution."
    )


def _converges(
    optimizer: Optimizer, gradient: Callable[[Vector], Vector], step: float, tolerance: float
) -> bool:
    """Run until stationary and feasible relative to the largest gradient met; False if never."""
    largest = 0.0
    while (query := optimizer.ask()) is not None:
        g = gradient(optimizer.state.x)
        largest = max(largest, norm(g))
        if not math.isfinite(largest):
            return False
        try:
            info = optimizer.tell(query.id, g)
        except FloatingPointError:
            return False
        assert info is not None
        reach = step * largest  # how far a gradient of that size moves x
        if info.dual_residual <= tolerance * largest and (
            max(info.residual, info.update) <= tolerance * max(reach, norm(info.x))
        ):
            return True
    return False


def _curvature(gradient: Callable[[Vector], Vector], x: Vector) -> float:
    """The largest curvature of the loss near x, by power steps on gradient differences.

    Looked for near and far, since a loss may be straight where it starts.
    """
    largest, base = 0.0, gradient(x)
    for distance in (1e-4, 1.0, 1e2):
        direction = np.random.default_rng(0).standard_normal(len(x))
        for _ in range(POWER_STEPS):
            size = norm(direction)
            if size == 0:
                break
            direction = (gradient(x + (distance / size) * direction) - base) / distance
            if not np.isfinite(direction).all():
                break
            largest = max(largest, norm(direction))
    return 1.2 * largest
