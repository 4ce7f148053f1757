"""The runs of Fig. 2(b): processor seconds of each method against the number m of variables."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any, TypeVar

import numpy as np

import zooadmm as zoo
from zooadmm.applications.baselines import log_determinant_derivatives, second_order
from zooadmm.losses import LogDeterminant
from zooadmm_reproduction.exhibits import AUTO, FIRST_ORDER, ZOO
from zooadmm_reproduction.rows import Row, short
from zooadmm_reproduction.sensors.selecting import field, run_rng
from zooadmm_reproduction.sensors.task import (
    DIRECTIONS,
    JOSHI_BOYD,
    Task,
    default_settings,
    online,
)

BUDGET = 10
"""m0, for every m; the paper does not say its own."""

PROVEN = 1e-3
"""How near to the optimum the second-order method proves to be, where it is run as usual."""

HALF = 0.5
"""The common accuracy: at most this part of f(x_1) - f* is left, as far as ZOO-ADMM can get in
reasonable time."""

LOOKS = 1.1
"""Between two looks at the accuracy a run grows by this factor; seconds are known to a tenth."""

LONG_ENOUGH = 0.05
"""Seconds of what is timed: of a thing that takes less, many in a row."""

GRADIENTS: dict[str, Any] = {ZOO: zoo.paper.Smoothed(DIRECTIONS), FIRST_ORDER: zoo.paper.Exact()}

INVERSE, HESSIAN, SOLVE = "n x n inverse", "Hessian", "m x m solve"
"""What iterations are made of: that of O-ADMM has the first, a Newton step the other two."""

Result = TypeVar("Result")


def timed_trial(seed: int, trial: int, m: int, T: int, most_seconds: float) -> list[Row]:
    """Every method on one field: as it is usually run, then until half the gap has gone.

    most_seconds: after which Algorithm 1 gives up on the latter.
    """
    vectors = field(seed, trial, m, T)
    task = Task(vectors, LogDeterminant(vectors), BUDGET)
    seconds, x = timed(lambda: second_order(vectors, BUDGET, PROVEN))
    first, best = task.value(task.start), task.value(x)
    rows: list[Row] = [row("usual", m, trial, JOSHI_BOYD, seconds)]

    def left(weights: Any) -> Row:
        return {"left": short((task.value(weights) - best) / (first - best))}

    for method, gradient in GRADIENTS.items():
        rng = run_rng(seed, trial, m, BUDGET)
        seconds, run = timed(partial(online, task, gradient, T, rng))
        rows.append(row("usual", m, trial, method, seconds) | left(run.x_average))
    rng = run_rng(seed, trial, m, BUDGET)
    seconds, x = timed(lambda: default_settings(task, (DIRECTIONS + 1) * T, rng))
    rows.append(row("usual", m, trial, AUTO, seconds) | left(x))
    rows += until_half(task, (first, best), seed, trial, most_seconds)
    return rows + parts(task, trial)


def until_half(
    task: Task, ends: tuple[float, float], seed: int, trial: int, most_seconds: float
) -> list[Row]:
    """Seconds until at most half of f(x_1) - f* is left; reached = 0 where they were not enough.

    ends: f(x_1) and f*. The second-order method has to prove it; ZOO-ADMM and O-ADMM are
    observed from outside, at no cost; default settings have it as their target.
    """
    first, best = ends
    m, target = len(task.start), best + HALF * (first - best)
    seconds, _ = timed(lambda: second_order(task.vectors, task.budget, HALF * (first - best)))
    rows = [row("half", m, trial, JOSHI_BOYD, seconds) | {"reached": 1}]
    rng = run_rng(seed, trial, m, task.budget)
    seconds, found = timed(lambda: to_target(task, target, rng))
    reached = int(task.value(found.x) <= target)
    rows.append(row("half", m, trial, AUTO, seconds) | {"reached": reached})
    for method, gradient in GRADIENTS.items():
        watch = Watch(task, target, most_seconds)
        online(task, gradient, 10**9, run_rng(seed, trial, m, task.budget), watch)
        rows.append(row("half", m, trial, method, watch.seconds))
        rows[-1] |= {"reached": int(watch.reached), "iterations": watch.iterations}
    return rows


def to_target(task: Task, target: float, rng: np.random.Generator) -> zoo.Result:
    """Default settings, on values of the mean over all samples."""
    return zoo.minimize(
        task.loss,
        task.start,
        domain=task.feasible,
        target=target,
        max_evaluations=30_000,
        rng=rng,
        progress=False,
    )


class Watch:
    """Ends a run when the average of its iterates is good enough; its own time does not count.

    seconds, iterations: how long the run was. reached: whether it was good enough in the end.
    """

    def __init__(self, task: Task, target: float, most_seconds: float) -> None:
        self._task, self._target, self._most = task, target, most_seconds
        self._sum, self._next = np.zeros(len(task.start)), 1
        self._began, self._aside = process_time(), 0.0
        self.reached, self.seconds, self.iterations = False, 0.0, 0

    def __call__(self, info: zoo.run.Info) -> None:
        self._sum += info.x
        if info.t < self._next:
            return
        now = process_time()
        self.seconds, self.iterations = now - self._began - self._aside, info.t
        self._next = math.ceil(LOOKS * info.t)
        self.reached = self._task.value(self._sum / info.t) <= self._target
        self._aside += process_time() - now
        if self.reached or self.seconds > self._most:
            raise StopIteration


def parts(task: Task, trial: int) -> list[Row]:
    """Seconds of an n x n inverse, of the Hessian over all samples, and of its m x m system."""
    m, x, a = len(task.start), task.start, task.vectors[0]
    information = a.T @ (x[:, None] * a)
    gradient, H = log_determinant_derivatives(task.vectors, x)
    H[np.diag_indices_from(H)] += 1.0  # as the barrier adds to it
    times = {
        INVERSE: seconds_of_one(lambda: np.linalg.inv(information)),
        HESSIAN: seconds_of_one(lambda: log_determinant_derivatives(task.vectors, x)),
        SOLVE: seconds_of_one(lambda: np.linalg.solve(H, gradient)),
    }
    return [row("parts", m, trial, name, seconds) for name, seconds in times.items()]


def seconds_of_one(work: Callable[[], object]) -> float:
    """Processor seconds of some work that has been done before, the mean of many in a row."""

    def in_a_row() -> None:
        for _ in range(count):
            work()

    work()
    count = 1
    while (seconds := timed(in_a_row)[0]) < LONG_ENOUGH:
        count *= 2
    return seconds / count


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Processor seconds of some work, and what came of it."""
    began = process_time()
    result = work()
    return process_time() - began, result


def row(part: str, m: int, trial: int, method: str, seconds: float) -> Row:
    """What every row of Fig. 2(b) begins with."""
    return {"part": part, "m": m, "trial": trial, "method": method, "seconds": short(seconds)}
