"""Losses that drift while they are evaluated: f(x - c(k)) after k evaluations.

c(k) goes round a circle whose radius is the distance from x0 to the first minimizer; 300 m
evaluations are one radian. Every value counts, so nobody sees two points at one moment. An answer
at a checkpoint is scored by F_k(x) - F*_k, with the loss as it is then.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.problem import Array, BatchedLoss, Problem
from benchmarks.solve.exact import accelerated

RADIAN = 300
"""Evaluations a variable."""
ACCURACY, STEPS = 1e-8, 5000


@dataclass(frozen=True, eq=False)
class Shifted:
    """f(x - c) for one c."""

    loss: BatchedLoss
    center: Array

    @property
    def observations(self) -> NDArray[np.intp]:
        return self.loss.observations

    def values(self, points: Array, observations: Any = None) -> Array:
        return self.loss.values(points - self.center, observations)

    def gradient(self, x: Array, w: Any = None) -> Array:
        return self.loss.gradient(x - self.center, w)


@dataclass(eq=False)
class Drifting:
    """The loss with a clock that counts values; times that a query names are not used.

    across, along: orthogonal, of the circle's radius.
    noise: added here where a query names times, since a trial adds its own otherwise.
    """

    loss: BatchedLoss
    across: Array
    along: Array
    noise: float
    random: np.random.Generator
    clock: int = field(default=0, init=False)

    @property
    def observations(self) -> NDArray[np.intp]:
        return np.arange(0)

    def center(self, count: int) -> Array:
        angle = count / (RADIAN * len(self.across))
        return np.asarray((np.cos(angle) - 1.0) * self.across + np.sin(angle) * self.along)

    def values(self, points: Array, observations: Any = None) -> Array:
        columns = 1 if observations is None else len(observations)
        found = np.empty((len(points), columns))
        for index in np.ndindex(found.shape):
            at = points[index[0]] - self.center(self.clock)
            found[index] = self.loss.values(at[None])[0]
            self.clock += 1
        if observations is None:
            return found[:, 0]
        return found + self.noise * self.random.standard_normal(found.shape)

    def gradient(self, x: Array, w: Any = None) -> Array:
        return np.zeros_like(x)  # nobody has it


def drifting(problem: Problem, noise: float, generator: np.random.Generator) -> Problem:
    """A problem without observations, set in motion behind noise."""
    reach = float(np.linalg.norm(accelerated(problem, ACCURACY, STEPS) - problem.x0))
    plane = np.linalg.qr(generator.standard_normal((problem.m, 2)))[0].T
    loss = Drifting(problem.loss, reach * plane[0], reach * plane[1], noise, generator)
    return replace(problem, loss=loss, noise=noise)


def still(problem: Problem, count: int) -> Problem:
    """The problem as it is after so many evaluations, without noise."""
    assert isinstance(problem.loss, Drifting)
    loss = Shifted(problem.loss.loss, problem.loss.center(count))
    return replace(problem, loss=loss, noise=0.0)


def least(problem: Problem, count: int) -> float:
    """F*_k."""
    now = still(problem, count)
    return now.objective(accelerated(now, ACCURACY, STEPS))
