"""An algorithm for optimagic's `minimize`, `maximize` and `criterion_plot`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from optimagic import mark
from optimagic.optimization.algorithm import Algorithm, InternalOptimizeResult
from optimagic.optimization.internal_optimization_problem import InternalOptimizationProblem
from optimagic.typing import AggregationLevel
from scipy.optimize import Bounds

from zooadmm.integrations.scipy import scipy_method
from zooadmm.methods.choice import Settings
from zooadmm.problem.arrays import Vector

__all__ = ["ZooADMM"]


@mark.minimizer(
    name="zooadmm",
    solver_type=AggregationLevel.SCALAR,
    is_available=True,
    is_global=False,
    needs_jac=False,
    needs_hess=False,
    needs_bounds=False,
    supports_parallelism=False,
    supports_bounds=True,
    supports_infinite_bounds=True,
    supports_linear_constraints=False,  # optimagic reparametrizes them for every algorithm
    supports_nonlinear_constraints=True,
)
@dataclass(frozen=True)
class ZooADMM(Algorithm):
    """Minimizes fun(x) + phi(x) over bounds and constraints, from values of fun.

    Pass it as `optimagic.minimize(..., algorithm=ZooADMM(seed=0))`. A `NonlinearConstraint` is
    tested for linearity; if it is linear, it holds at the answer to 1e-9 max(1, |bound|), else it
    is evaluated with fun and counts as satisfied up to 1e-8. Other constraints of optimagic
    reparametrize the problem, as for any algorithm.

    stopping_maxfun, stopping_maxiter, stopping_max_seconds: the largest number of calls of fun, of
        iterations, of seconds. Without any of them 500 (m + 1) calls for m parameters.
    regularizer, settings: as in `zooadmm.minimize`, about the internal parameters of optimagic,
        which are yours unless a constraint or scaling transforms them. `fun` of the result then
        includes phi.
    seed: of the random directions.

    >>> import optimagic
    >>> found = optimagic.minimize(
    ...     lambda params: (params["a"] - 1) ** 2 + (params["b"] + 2) ** 2,
    ...     params={"a": 0.0, "b": 0.0},
    ...     bounds=optimagic.Bounds(lower={"a": -1.0, "b": -1.0}),
    ...     algorithm=ZooADMM(seed=0),
    ... )
    >>> {name: round(float(value), 6) for name, value in found.params.items()}
    {'a': 1.0, 'b': -1.0}
    """

    stopping_maxfun: int | None = None
    stopping_maxiter: int | None = None
    stopping_max_seconds: float | None = None
    regularizer: Any = None
    settings: Settings = "auto"
    seed: int | None = None

    def _solve_internal_problem(
        self, problem: InternalOptimizationProblem, x0: Vector
    ) -> InternalOptimizeResult:
        low, high = problem.bounds.lower, problem.bounds.upper
        found = scipy_method(
            problem.fun,
            x0,
            bounds=Bounds(-np.inf if low is None else low, np.inf if high is None else high),
            constraints=problem.nonlinear_constraints or (),
            maxfev=self.stopping_maxfun,
            maxiter=self.stopping_maxiter,
            max_seconds=self.stopping_max_seconds,
            regularizer=self.regularizer,
            settings=self.settings,
            rng=self.seed,
        )
        return InternalOptimizeResult(
            x=found.x,
            fun=float(found.fun),
            success=bool(found.success),
            message=found.message,
            status=int(found.status),
            n_fun_evals=int(found.nfev),
            n_iterations=int(found.nit),
            max_constraint_violation=float(found.get("maxcv", 0.0)),
        )
