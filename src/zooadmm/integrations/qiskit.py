"""An optimizer for the variational algorithms of Qiskit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from qiskit_algorithms.optimizers import Optimizer as QiskitOptimizer
from qiskit_algorithms.optimizers import OptimizerResult, OptimizerSupportLevel

from zooadmm.integrations.precision import EVALUATIONS_PER_VARIABLE, checked, is_reached
from zooadmm.integrations.scipy.rows import box_of
from zooadmm.methods.choice import Settings
from zooadmm.problem.arrays import Vector
from zooadmm.run.optimizer import Optimizer

__all__ = ["ZooADMM"]


class ZooADMM(QiskitOptimizer):
    """Minimizes fun(x) + phi(x) within bounds, from values with or without shot noise.

    No point leaves the bounds. Without noise the run ends when it settles. With noise it ends when
    the measured gradient leaves at most `precision` to gain, two standard errors included, or at
    `max_evaluations`.

    max_evaluations: the largest number of calls of fun; by default 500 (m + 1) for m parameters.
    precision: in units of the objective; by default only the budget ends a noisy run.
    regularizer, settings: as in `zooadmm.minimize`.
    seed: of the random directions.
    callback: callback(evaluations, x) after each iteration.

    >>> found = ZooADMM(seed=0).minimize(
    ...     lambda x: float(np.cos(x).sum()), x0=np.array([1.0, 2.0]), bounds=[(0, 3), (0, 6)]
    ... )
    >>> np.round(found.x, 3).tolist()
    [3.0, 3.142]
    """

    def __init__(
        self,
        *,
        max_evaluations: int | None = None,
        precision: float | None = None,
        regularizer: Any = None,
        settings: Settings = "auto",
        seed: int | None = None,
        callback: Callable[[int, Vector], None] | None = None,
    ) -> None:
        super().__init__()
        self._arguments: dict[str, Any] = {
            "max_evaluations": max_evaluations,
            "precision": checked(precision),
            "regularizer": regularizer,
            "settings": settings,
            "seed": seed,
            "callback": callback,
        }

    def get_support_level(self) -> dict[str, OptimizerSupportLevel]:
        """Bounds are respected, gradients ignored."""
        return {
            "gradient": OptimizerSupportLevel.ignored,
            "bounds": OptimizerSupportLevel.supported,
            "initial_point": OptimizerSupportLevel.required,
        }

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments: ZooADMM(**settings) is the same optimizer."""
        return dict(self._arguments)

    def minimize(
        self,
        fun: Callable[[Any], float],
        x0: Any,
        jac: Callable[[Any], Any] | None = None,
        bounds: list[tuple[float, float]] | None = None,
    ) -> OptimizerResult:
        """Minimize fun from x0; jac is ignored. The last call of fun measures the answer."""
        chosen, start = self._arguments, np.array(x0, dtype=np.float64).reshape(-1)
        domain = box_of(bounds, len(start))
        budget = chosen["max_evaluations"] or EVALUATIONS_PER_VARIABLE * (len(start) + 1)
        optimizer = Optimizer(
            start if domain is None else domain.project(start),
            domain=domain,
            regularizer=chosen["regularizer"],
            settings=chosen["settings"],
            max_evaluations=budget - 1,
            rng=chosen["seed"],
        )
        while (query := optimizer.ask()) is not None:
            optimizer.tell(query.id, [float(fun(x)) for x in query.points])
            if chosen["callback"] is not None:
                chosen["callback"](optimizer.evaluations, optimizer.recommended()[0])
            if is_reached(chosen["precision"], optimizer):
                break
        result = OptimizerResult()
        result.x = optimizer.recommended()[0]
        result.fun = float(fun(result.x))
        result.nfev = optimizer.evaluations + 1
        result.nit = optimizer.state.t - 1
        return result
