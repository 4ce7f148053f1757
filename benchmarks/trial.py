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

FULL_CHECKPOINTS = (300, 550, 1000, 1800, 3000, 5500, 10_000, 18_000, 30_000)
SAMPLED_CHECKPOINTS = (*FULL_CHECKPOINTS, 55_000, 100_000, 180_000, 300_000)
LARGE, LARGE_BUDGET = 10_000, 10_000
"""Beyond so many variables a problem ends after so many evaluations."""


def checkpoints(problem: Problem) -> list[int]:
    """The numbers of evaluations at which methods are compared; the last is the budget."""
    every = FULL_CHECKPOINTS if problem.regime == "full" else SAMPLED_CHECKPOINTS
    return [count for count in every if problem.m <= LARGE or count <= LARGE_BUDGET]


PRICED_AFTER = 20
"""Values at the beginning from which the price of being infeasible is taken."""


class Spent(BaseException):
    """The evaluations or the seconds of a trial are spent."""


class Diverged(ArithmeticError):  # noqa: N818 - a verdict, the method's own
    """A method says of itself that it diverges."""


@dataclass(frozen=True)
class Snapshot:
    """What a method would have answered after so many evaluations.

    used: how many evaluations it had made by then.
    reached: whether it was still at work then.
    seconds: processor time in the method and the loss; loss_seconds: in the loss.
    """

    evaluations: int
    used: int
    reached: bool
    x: Array
    seconds: float
    loss_seconds: float


class Trial:
    """The loss as a method sees it, with a meter.

    checkpoints: ascending; the last is the budget.
    max_seconds: processor time of the method itself, which does not depend on what else the
        machine does; the loss and the referee are left out.
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
        self._best, self._least = problem.x0, np.inf
        self._seen: list[tuple[float, float]] = []
        self._price = 0.0
        self._held: Any = None
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
    def own_seconds(self) -> float:
        """Of the method itself."""
        return self.seconds - self._loss_seconds

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

    def hold(self, count: int) -> None:
        """From now on measure on the same `count` observations, drawn once: sample averages."""
        known = self.problem.observations
        if known is not None:
            self._held = self.rng.choice(known, size=min(count, len(known)), replace=False)

    def measure(self, points: Array) -> Array:
        """f at every row: all on the same q2 fresh observations, or on those held."""
        problem = self.problem
        if problem.observations is None:
            return self.values(points)
        chosen = self._held
        if chosen is None:
            chosen = self.rng.choice(problem.observations, size=problem.num_observations)
        means: Array = self.values(points, chosen).mean(axis=1)
        return means

    def objectives(self, points: list[Array]) -> list[float]:
        """F for a method that knows nothing of structure, at many points.

        Measured at the feasible point nearest to each, plus a price for the squared distance to
        it. Without a `recommend` the answer is the best point seen here.
        """
        near = [self.problem.nearest(x) for x in points]
        values = self.measure(np.stack(near)) + [self.problem.structure(x) for x in near]
        for value, x in zip(values.tolist(), near, strict=True):
            if value < self._least:
                self._least, self._best = value, x.copy()
            self._note(value, x)
        return [
            value + self._price * float(np.square(x - n).sum())
            for value, x, n in zip(values.tolist(), points, near, strict=True)
        ]

    def objective(self, x: Array) -> float:
        """The same at one point."""
        return self.objectives([x])[0]

    def _note(self, value: float, x: Array) -> None:
        """After 20 values the price of distance is set: their spread for the way they went."""
        if len(self._seen) < PRICED_AFTER:
            self._seen.append((value, float(np.square(x - self.problem.x0).sum())))
            if len(self._seen) == PRICED_AFTER:
                values, ways = zip(*self._seen, strict=True)
                self._price = (max(values) - min(values)) / max(max(ways), 1e-300)

    def gradient(self, x: Array, observation: tuple[Any, ...], cost: int) -> Array:
        """The true gradient, for a method that is given it at the price of `cost` evaluations."""
        self.charge(cost)
        began = time.thread_time()
        g = self.problem.loss.gradient(x, *observation)
        self._loss_seconds += time.thread_time() - began
        return g

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
            self._snapshot(self._ahead.pop(0), reached=True)
        if not self._ahead:
            raise Spent
        self.check_time()
        self.evaluations += count

    def check_time(self) -> None:
        """End the run if the method has had its time."""
        if self.own_seconds > self._max_seconds:
            self.capped = True
            raise Spent

    # bookkeeping

    def _snapshot(self, checkpoint: int, reached: bool) -> None:
        began = time.thread_time()
        x = np.array(self._recommended(), dtype=np.float64)
        seconds = began - self._began - self._refereeing
        self.snapshots.append(
            Snapshot(checkpoint, self.evaluations, reached, x, seconds, self._loss_seconds)
        )
        self._refereeing += time.thread_time() - began

    def close(self) -> None:
        """The run has ended: what it would answer at the checkpoints it did not reach."""
        while self._ahead:
            self._snapshot(self._ahead.pop(0), reached=False)
