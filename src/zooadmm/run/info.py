"""What callbacks and observers see of an iteration."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.method import Method, State, Step
from zooadmm.oracle.observations import Observations
from zooadmm.oracle.queries import Answer, Query
from zooadmm.problem.arrays import Vector, norm


class Info:
    """Iteration t: its iterates, and how large the quantities of its step were.

    t, x, y, dual: the iteration and x_t, y_t, lambda_t.
    evaluations: f(x; w) made up to and with this iteration.
    dropped: how many of them failed and were dropped.
    loss: the mean of f(x_t; w) over the iteration's observations, nan where no value was asked.
    step_size, smoothing, penalty: eta_t, beta_t and rho.
    """

    __slots__ = ("_after", "_algorithm", "_before", "_step", "dropped", "evaluations", "loss")

    def __init__(
        self,
        algorithm: Method,
        before: State,
        step: Step,
        after: State,
        evaluations: int,
        dropped: int,
    ) -> None:
        self._algorithm = algorithm
        self._before = before
        self._step = step
        self._after = after
        self.evaluations = evaluations
        self.dropped = dropped
        self.loss = step.loss

    @property
    def t(self) -> int:
        """The iteration, from 1."""
        return self._before.t

    @property
    def x(self) -> Vector:
        """x_t"""
        return self._before.x

    @property
    def y(self) -> Vector:
        """y_t"""
        return self._before.y

    @property
    def dual(self) -> Vector:
        """lambda_t"""
        return self._before.dual

    @property
    def after(self) -> State:
        """The state after the step."""
        return self._after

    @property
    def regularizer(self) -> float:
        """phi(y_t)"""
        return float(self._algorithm.problem.regularizer(self._before.y))

    @property
    def objective(self) -> float:
        """f(x_t; w_t) + phi(y_t)"""
        return self.loss + self.regularizer

    @property
    def residual(self) -> float:
        """|A x_t + B y_t - c|"""
        return self._step.residual

    @property
    def dual_residual(self) -> float:
        """How far the x-step is from stationary, |g_t - A' lambda_{t+1} + n|, n normal to X."""
        return norm(self._algorithm.stationarity(self._before, self._step, self._after))

    @property
    def accuracy(self) -> float:
        """What a tolerance is held against: the largest of three relative sizes.

        The residual and the update relative to max(1, |x_t|), the dual residual to max(1, |g_t|).
        Where an iteration measured the gradient of a model without a step, s and H s of the step
        that it suggests take the place of the last two.
        """
        size = max(1.0, norm(self._before.x))
        slope = self.gradient_norm if math.isfinite(self.gradient_norm) else 0.0
        update, missing = self.update, self.dual_residual
        prospect = self._algorithm.prospect(self._after) if missing == math.inf else None
        if prospect is not None:
            update, missing = norm(prospect[0]), norm(prospect[1])
        return max(self.residual / size, update / size, missing / max(1.0, slope))

    @property
    def update(self) -> float:
        """|x_{t+1} - x_t|"""
        return self._step.update

    @property
    def gradient_norm(self) -> float:
        """|g_t|"""
        return self._step.gradient_norm

    @property
    def step_size(self) -> float:
        """eta_t"""
        return self._step.step_size

    @property
    def smoothing(self) -> float:
        """beta_t"""
        return self._step.smoothing

    @property
    def penalty(self) -> float:
        """rho; nan where none was needed"""
        return self._step.penalty

    def row(self) -> tuple[float, ...]:
        """The row of this iteration in the trace."""
        before, step = self._before, self._step
        return (
            before.t,
            self.evaluations,
            self.loss,
            self._algorithm.problem.regularizer(before.y),
            step.residual,
            step.update,
            step.gradient_norm,
            step.step_size,
            step.smoothing,
            step.penalty,
            self.dropped,
        )

    def __repr__(self) -> str:
        return (
            f"Info(t={self.t}, evaluations={self.evaluations}, loss={self.loss:.6g}, "
            f"residual={self.residual:.3g})"
        )


class Observer(Protocol):
    """Follows a run from its first iteration; a checkpoint keeps what it notes."""

    evaluations: int
    """f(x; w) evaluated only for the observer."""

    def begin(self, method: Method, observations: Observations | None) -> None:
        """Prepare to follow a run of this method."""

    def follow(self, evaluate: Callable[[Query], Answer], query: Query, info: Info) -> None:
        """Take in iteration t; `evaluate` answers further queries."""

    def notes(self) -> dict[str, NDArray[np.float64]]:
        """The arrays that a checkpoint keeps."""

    def resume(self, notes: dict[str, NDArray[np.float64]], t: int) -> None:
        """Continue from the notes kept after t iterations."""

    def copy(self) -> Self:
        """The observer as it is now."""
