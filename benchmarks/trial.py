"""One run of one method on one problem: what is counted, when it ends, what is written down.

A method sees the loss through its trial alone. The trial counts evaluations (one f(x; w) each),
takes the method's recommendation whenever it is about to pass a checkpoint, and ends the run when
the evaluations or the seconds are spent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.problem import Array, Problem


class Spent(Exception):  # noqa: N818 - nothing went wrong
    """The evaluations or the seconds of a trial are spent."""


@dataclass(frozen=True)
class Snapshot:
    """What a method would have answered after so many evaluations.

    used: how many evaluations it had made by then; fewer than asked if it ended before.
    seconds: processor time in the method and the loss; loss_seconds: in the loss.
    """

    evaluations: int
    used: int
    x: Array
    seconds: float
    loss_seconds: float


class Trial:
    """The loss as a method sees it, with a meter.

    checkpoints: ascending; the last is the budget.
    max_seconds: processor time, which does not depend on what else the machine does; the
        referee's own is left out.
    """

    def __init__(
        self, problem: Problem, checkpoints: list[int], max_seconds: float, seed: int
    ) -> None:
        self.problem = problem
        self.budget = checkpoints[-1]
        self.rng = np.random.default_rng([seed, 20_181])
        self.seed = seed
        self.evaluations = 0
        self.snapshots: list[Snapshot] = []
        self.capped = False
        self.best_value = np.inf
        self._best = problem.x0
        self._recommended: Callable[[], Array] = lambda: self._best
        self._ahead = list(checkpoints)
        self._max_seconds = max_seconds
        self._loss_seconds = 0.0
        self._refereeing = 0.0
        self._began = time.thread_time()

    @property
    def seconds(self) -> float:
        return time.thread_time() - self._began - self._refereeing

    @property
    def remaining(self) -> int:
        return self.budget - self.evaluations

    def recommend(self, x: Array) -> None:
        """From now on the method would answer x, which it must not change afterwards."""
        self._recommended = lambda: x

    def recommend_by(self, answer: Callable[[], Array]) -> None:
        """From now on the method would answer what this function returns."""
        self._recommended = answer

    # what a method may ask

    def values(self, points: Array, observations: Any = None) -> Array:
        """f(x; w) for every row and observation, as `zooadmm` asks for it: batched, with noise."""
        problem = self.problem
        self.charge(len(points) * (1 if observations is None else len(observations)))
        began = time.thread_time()
        if observations is None:
            table = problem.loss.values(points)
            if problem.noise > 0:
                table = table + problem.noise * self.rng.standard_normal(table.shape)
        else:
            table = problem.loss.values(points, observations)
        self._loss_seconds += time.thread_time() - began
        return table

    def measure(self, points: Array) -> Array:
        """f at every row, all on the same q2 fresh observations where there are any."""
        problem = self.problem
        if problem.observations is None:
            return self.values(points)
        chosen = self.rng.choice(problem.observations, size=problem.num_observations)
        means: Array = self.values(points, chosen).mean(axis=1)
        return means

    def objective(self, x: Array) -> float:
        """F for a method that knows nothing of structure.

        Measured at the feasible point nearest to x, plus the squared distance from x to it. Without
        a `recommend` the answer is the best point seen here.
        """
        near = self.problem.nearest(x)
        apart = float(np.square(x - near).sum())
        value = float(self.measure(near[None])[0]) + self.problem.structure(near)
        if value < self.best_value:
            self.best_value, self._best = value, near.copy()
        return value + apart

    def forward_gradient(self, x: Array, relative_step: float = 1.5e-8) -> tuple[float, Array]:
        """f and its gradient by forward differences: m + 1 evaluations per observation."""
        steps = relative_step * np.maximum(1.0, np.abs(x))
        at = x + steps
        measured = self.measure(np.vstack([x, x + np.diag(at - x)]))
        return float(measured[0]), (measured[1:] - measured[0]) / (at - x)

    def charge(self, count: int) -> None:
        """Count what is about to be evaluated; beyond the budget or the time, end the run.

        `values` does it by itself; a method that is given something else says what it costs.
        """
        while self._ahead and self.evaluations + count > self._ahead[0]:
            self._snapshot(self._ahead.pop(0))
        if not self._ahead:
            raise Spent
        if self.seconds > self._max_seconds:
            self.capped = True
            raise Spent
        self.evaluations += count

    # bookkeeping

    def _snapshot(self, checkpoint: int) -> None:
        began = time.thread_time()
        x = np.array(self._recommended(), dtype=np.float64)
        seconds = began - self._began - self._refereeing
        self.snapshots.append(
            Snapshot(checkpoint, self.evaluations, x, seconds, self._loss_seconds)
        )
        self._refereeing += time.thread_time() - began

    def close(self) -> None:
        """The run has ended: what it would answer at the checkpoints it did not reach."""
        while self._ahead:
            self._snapshot(self._ahead.pop(0))
