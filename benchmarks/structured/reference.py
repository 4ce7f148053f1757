"""F* where it can be computed: long runs with true gradients, linear programs for kinks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.optimize

import zooadmm as zoo
from benchmarks.problem import Array, Problem
from benchmarks.solve.exact import accelerated
from benchmarks.structured.losses import Black, Ridge
from benchmarks.structured.problems import build
from benchmarks.structured.simulators import Simulator

ACCURACY, STEPS = 1e-10, 20_000


def optimum(name: str) -> float:
    """The least F known by other means than the solvers; infinite where there is none."""
    base = name.partition("@")[0]
    problem = build(name if name.endswith("@streamed") else base)
    loss_name = base.partition("-")[0]
    if loss_name == "cvar":
        return _cvar(problem, base)
    if loss_name == "quantile":
        return _quantile(problem)
    if isinstance(problem.loss, Black | Simulator):
        return math.inf
    return problem.objective(accelerated(problem, ACCURACY, STEPS))


def _quantile(problem: Problem) -> float:
    """Pinball loss with L1 or nothing, x = u - v and residuals p - q, as a linear program."""
    assert isinstance(problem.loss, Ridge)
    A, b, level = problem.loss.features, problem.loss.targets, 0.8
    n, m = A.shape
    phi = problem.regularizer
    strength = phi.strength if isinstance(phi, zoo.L1) else 0.0
    cost = np.concatenate(
        [np.full(2 * m, strength), np.full(n, level / n), np.full(n, (1 - level) / n)]
    )
    rows = np.hstack([A, -A, np.eye(n), -np.eye(n)])
    found = scipy.optimize.linprog(cost, A_eq=rows, b_eq=b, method="highs")
    return float(found.fun)


def _cvar(problem: Problem, base: str) -> float:
    """min t + sum z / k with z >= -r_i'x - t, z >= 0, on the simplex: Rockafellar and Uryasev."""
    returns = _returns_of(problem.loss)
    n, m = returns.shape
    count = max(1, round(0.05 * n))
    cost = np.concatenate([np.zeros(m), [1.0], np.full(n, 1.0 / count)])
    rows = np.hstack([-returns, -np.ones((n, 1)), -np.eye(n)])
    total = np.concatenate([np.ones(m), np.zeros(n + 1)])[None]
    bounds = [(0, None)] * m + [(None, None)] + [(0, None)] * n
    found = scipy.optimize.linprog(
        cost, A_ub=rows, b_ub=np.zeros(n), A_eq=total, b_eq=[1.0], bounds=bounds, method="highs"
    )
    return float(found.fun)


def _returns_of(loss: Any) -> Array:
    import inspect

    found: Array = inspect.getclosurevars(loss.value).nonlocals["returns"]
    return found
