"""An optimizer with the steps of PennyLane's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pennylane import numpy as qnp

from zooadmm.integrations.precision import EVALUATIONS_PER_VARIABLE, checked, is_reached
from zooadmm.methods.choice import Settings
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import Box
from zooadmm.run.optimizer import Optimizer
from zooadmm.run.result import Result
from zooadmm.run.trace import Info

__all__ = ["ZooADMMOptimizer"]


class ZooADMMOptimizer:
    """Minimizes a cost plus phi within bounds, from values with or without shot noise.

        params, cost = optimizer.step_and_cost(circuit, params)

    A step answers one query of the run: from one evaluation to a few hundred. It returns the best
    parameters known. The run ends when it settles, which needs a cost without noise, when the
    measured gradient leaves at most `precision` to gain, two standard errors included, or at
    `max_evaluations`; then `ended` is True, and further steps change nothing.

    low, high: bounds of all trainable parameters; no point leaves them.
    max_evaluations: the largest number of evaluations; by default 500 (m + 1) for m parameters.
    precision: in units of the cost; by default only the budget ends a noisy run.
    regularizer, settings: as in `zooadmm.minimize`, about the parameters in one row.
    seed: of the random directions.

    >>> optimizer, params = ZooADMMOptimizer(seed=0), qnp.array([1.0, 2.0], requires_grad=True)
    >>> while not optimizer.ended:
    ...     params = optimizer.step(lambda x: np.cos(x).sum(), params)
    >>> np.round(params, 3).tolist()
    [3.142, 3.142]
    """

    def __init__(
        self,
        *,
        low: float = -math.inf,
        high: float = math.inf,
        max_evaluations: int | None = None,
        precision: float | None = None,
        regularizer: Any = None,
        settings: Settings = "auto",
        seed: int | None = None,
    ) -> None:
        self._domain = None if (low, high) == (-math.inf, math.inf) else Box(low, high)
        self._max_evaluations = max_evaluations
        self._precision = checked(precision)
        self._arguments = {"regularizer": regularizer, "settings": settings, "rng": seed}
        self._optimizer: Optimizer | None = None
        self._point: Vector = np.empty(0)

    @property
    def ended(self) -> bool:
        """Whether the run has ended."""
        if self._optimizer is None:
            return False
        return self._optimizer.ask() is None or is_reached(self._precision, self._optimizer)

    def result(self) -> Result:
        """What the run knows; after the first step."""
        if self._optimizer is None:
            raise RuntimeError("no step was taken yet; call step(cost, params) first.")
        return self._optimizer.result()

    def step(self, objective_fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The trainable arguments after a step; one alone is not in a list."""
        return self._advance(objective_fn, args, kwargs)[0]

    def step_and_cost(
        self, objective_fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> tuple[Any, float]:
        """The trainable arguments after a step, and the cost before it."""
        returned, info = self._advance(objective_fn, args, kwargs)
        if info is not None and math.isfinite(info.loss):
            return returned, float(info.loss)
        return returned, _number(objective_fn(*args, **kwargs))

    def _advance(
        self, cost: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, Info | None]:
        trained = [i for i, arg in enumerate(args) if getattr(arg, "requires_grad", False)]
        if not trained:
            raise ValueError(
                "no argument is trainable; give pennylane.numpy.array(..., requires_grad=True)."
            )
        point = np.concatenate([np.ravel(np.array(args[i], dtype=np.float64)) for i in trained])
        optimizer, info = self._run_from(point), None
        query = None if self.ended else optimizer.ask()
        if query is not None:
            places = _filled(args, trained, query.points)
            info = optimizer.tell(query.id, [_number(cost(*place, **kwargs)) for place in places])
            self._point = optimizer.recommended()[0]
        (returned,) = _filled(args, trained, [self._point])
        return (returned[0] if len(returned) == 1 else returned), info

    def _run_from(self, point: Vector) -> Optimizer:
        if self._optimizer is None:
            start = point if self._domain is None else self._domain.project(point)
            budget = self._max_evaluations or EVALUATIONS_PER_VARIABLE * (len(point) + 1)
            self._optimizer = Optimizer(
                start, domain=self._domain, max_evaluations=budget, **self._arguments
            )
        elif not np.array_equal(point, self._point):
            raise ValueError(
                "step needs the parameters that the last step returned; make a new optimizer to "
                "start elsewhere."
            )
        return self._optimizer


def _filled(args: tuple[Any, ...], trained: list[int], points: Any) -> list[list[Any]]:
    """The arguments at each point: those that are trained have its values."""
    filled = []
    for point in points:
        placed, first = list(args), 0
        for index in trained:
            size, shape = int(np.size(args[index])), np.shape(args[index])
            values = np.reshape(point[first : first + size], shape)
            placed[index] = qnp.array(values, requires_grad=True)
            first += size
        filled.append(placed)
    return filled


def _number(value: ArrayLike) -> float:
    if np.size(value) != 1:
        raise ValueError(f"the cost must be one number, not an array of shape {np.shape(value)}.")
    return float(np.real(np.reshape(value, ())))
