"""A selection of sensors, what a choice is worth, and how each method is run on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo
from zooadmm.applications import SensorSelector
from zooadmm.applications.selection import mean_squared_error
from zooadmm.losses import LogDeterminant

Array = NDArray[np.floating[Any]]
Mask = NDArray[np.bool_]

JOSHI_BOYD = "Joshi-Boyd"
RANDOM = "chosen at random"
WHOLE = "default settings, all samples at once"

MEAN, POOLED = "mse", "pooled"
"""The two readings of the MSE, as columns."""

READINGS = {MEAN: "mean over samples", POOLED: "one pooled inverse"}
"""What the report calls them."""

DIRECTIONS = 30
"""The paper's minibatch of directions."""


@dataclass(frozen=True, eq=False)
class Task:
    """Choose `budget` of m sensors, for the mean of f(x; t) = -log det sum_i x_i a_{t,i} a_{t,i}'.

    vectors: the a_{t,i}, (T, m, n). loss: f of them.
    """

    vectors: Array
    loss: LogDeterminant
    budget: int

    @property
    def start(self) -> Array:
        """x_1 = (m0/m) 1: at the paper's x_1 = 0 the loss is infinite."""
        m = self.vectors.shape[1]
        return np.full(m, self.budget / m)

    @property
    def feasible(self) -> zoo.BoxBudget:
        """0 <= x <= 1 with 1'x = m0."""
        return zoo.BoxBudget(0.0, 1.0, self.budget)

    def value(self, x: Array) -> float:
        """The mean of f over all samples, at the feasible weights nearest to x."""
        return self.loss(np.asarray(self.feasible.project(x)))

    def errors(self, choice: Mask) -> dict[str, float]:
        """Both readings of the MSE of a choice S of sensors.

        mse: mean_t tr((sum_{i in S} a a')^-1). pooled: tr((sum_t sum_{i in S} a a')^-1), which the
        authors' released program computes.
        """
        inside = self.vectors[:, choice].reshape(-1, self.vectors.shape[2])
        pooled = float(np.trace(np.linalg.inv(inside.T @ inside)))
        return {MEAN: mean_squared_error(choice, self.vectors), POOLED: pooled}


def online(
    task: Task,
    gradient: Any,
    iterations: int,
    rng: np.random.Generator,
    callback: Callable[[zoo.run.Info], Any] | None = None,
) -> zoo.Result:
    """Algorithm 1 with the paper's constants and splitting; iteration t sees sample t.

    gradient: `zoo.paper.Smoothed(DIRECTIONS)` for ZOO-ADMM, `zoo.paper.Exact()` for O-ADMM.
    Beyond the last sample the first comes again.
    """
    return zoo.minimize(
        task.loss,
        task.start,
        regularizer=zoo.regularizers.Indicator(zoo.Budget(task.budget)),
        domain=zoo.Box(0.0, 1.0),
        observations=zoo.Samples(task.loss.observations, order="in order"),
        settings="paper",
        gradient=gradient,
        max_iterations=iterations,
        max_trace_rows=0,
        rng=rng,
        callback=callback,
        progress=False,
    )


def default_settings(task: Task, evaluations: int, rng: np.random.Generator) -> Array:
    """The weights that `SensorSelector` finds from single values f(x; t), samples in any order."""
    selector = SensorSelector(
        task.budget, batch="sampled", max_evaluations=evaluations, random_state=rng
    )
    weights: Array = selector.fit(task.vectors).weights_
    return weights
