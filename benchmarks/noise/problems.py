"""Smooth problems of S2MPJ behind noise, and least squares with noise in every residual."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import scipy.optimize

from benchmarks.s2mpj.features import load
from benchmarks.yardstick.task import Array, Task

Value = TypeVar("Value")

SIGMAS = {
    "sigma-0": 0.0,
    "sigma-1e-7": 1e-7,
    "sigma-1e-6": 1e-6,
    "sigma-1e-5": 1e-5,
    "sigma-1e-3": 1e-3,
    "sigma-1e-1": 1e-1,
}
"""The paper's levels, with 1e-6; 0 for the runs without noise."""

SMOOTH = (
    "ARWHEAD", "BDQRTIC", "BIGGS6", "BROWNAL", "CHNROSNB", "COSINE", "DIXMAANA1", "DIXMAANE1",
    "DIXON3DQ", "EDENSCH", "EIGENALS", "ERRINROS", "EXTROSNB", "FLETCHCR", "GENROSE", "HILBERTA",
    "INTEQNELS", "NONDQUAR", "PENALTY1", "SCHMVETT", "TRIDIA", "TRIGON1", "VARDIM", "WATSON",
)  # fmt: skip
SQUARES = ("BARDNE", "BROYDN3D", "KOWOSBNE", "OSBORNE2", "WATSONNE", "ENGVAL2NE",
           "ARGTRIG", "METHANL8", "BIGGS6NE")  # fmt: skip
"""Nonlinear equations of S2MPJ: f is the sum of their squares."""


def noisy(name: str, sigma: float, seed: int) -> Task:
    """A task whose noise is drawn anew at each evaluation; the seed is the run's."""
    problem = load(name)
    generator = np.random.default_rng([seed, 2102])
    whole = np.full(problem.n, np.inf)
    truth, residuals = _parts(problem, name in SQUARES)

    def seen(x: Array) -> Array:
        assert residuals is not None
        r = residuals(x)
        return r + sigma * generator.standard_normal(len(r))

    def value(x: Array) -> float:
        if residuals is not None:
            return float(np.square(seen(x)).sum())
        return truth(x) + sigma * float(generator.standard_normal())

    return Task(
        name=name,
        x0=np.asarray(problem.x0, dtype=np.float64),
        lower=-whole,
        upper=whole,
        value=value,
        truth=truth,
        residuals=None if residuals is None else seen,
        noise=sigma,
    )


def _parts(
    problem: Any, squares: bool
) -> tuple[Callable[[Array], float], Callable[[Array], Array] | None]:
    """The true f, and its residuals where it is a sum of squares."""
    if not squares:
        value = _at_last_point(lambda x: float(problem.fun(x)))
        return value, None

    def equations(x: Array) -> Array:
        parts = [problem.ceq(x), problem.aeq @ x - problem.beq]
        return np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in parts])

    residuals = _at_last_point(equations)
    return lambda x: float(np.square(residuals(x)).sum()), residuals


def _at_last_point(function: Callable[[Array], Value]) -> Callable[[Array], Value]:
    """The same, evaluated once where the last point comes again: to be seen, then scored."""

    @lru_cache(maxsize=1)
    def at(x: bytes) -> Value:
        return function(np.frombuffer(x))

    return lambda x: at(np.asarray(x, dtype=np.float64).tobytes())


def optimum(name: str) -> float:
    """f* near the start, from true values, by BFGS and then a simplex search."""
    task = noisy(name, 0.0, 0)
    assert task.truth is not None
    best = np.inf
    x = task.x0
    for method in ("BFGS", "L-BFGS-B", "BFGS"):
        found = scipy.optimize.minimize(task.truth, x, method=method, options={"maxiter": 2000})
        if found.fun < best:
            best, x = float(found.fun), found.x
    return best
