"""Counting evaluations, and what a run has reached after each."""

from __future__ import annotations

import math
import time

import numpy as np

from benchmarks.yardstick.task import FEASIBLE, Array, Task

RESOLUTION = 1.03
"""Counts in a history are exact up to 33 and to 3 % beyond."""


class Spent(Exception):  # noqa: N818 - no error
    """The evaluations or the seconds of a run are spent."""


class Oracle:
    """A task's f, counted: call it with x.

    budget: evaluations; the next one raises `Spent`.
    max_seconds: processor time of the solver itself; time inside f is not counted.

    `history` has pairs (evaluations, least true f at a feasible point by then), a new pair only
    where the least has fallen. `best_x` is the feasible point with the least value as the solver
    saw it, the answer of a solver that has no other.

    >>> task = Task("square", np.ones(1), -np.ones(1), np.ones(1), lambda x: float(x @ x))
    >>> f = Oracle(task, budget=2, max_seconds=1.0)
    >>> f(np.ones(1)), f(np.zeros(1)), f.history()
    (1.0, 0.0, [(1, 1.0), (2, 0.0)])
    """

    def __init__(self, task: Task, budget: int, max_seconds: float) -> None:
        self.task, self.budget = task, budget
        self.used = 0
        self.status = "ended"
        self.best, self._least = math.inf, math.inf
        self.best_x = task.x0.copy()
        self._max_seconds = max_seconds
        self._began, self._inside = time.process_time(), 0.0
        self._records: dict[int, tuple[int, float]] = {}

    def __call__(self, x: Array) -> float:
        self.charge()
        began = time.process_time()
        at = np.array(x, dtype=np.float64)
        value = float(self.task.value(at))
        self.note(at, value)
        self._inside += time.process_time() - began
        return value

    def residuals(self, x: Array) -> Array:
        """r(x), counted as one evaluation of f."""
        assert self.task.residuals is not None
        self.charge()
        began = time.process_time()
        at = np.array(x, dtype=np.float64)
        found = self.task.residuals(at)
        self.note(at, float(found @ found))
        self._inside += time.process_time() - began
        return found

    def charge(self) -> None:
        """Count one evaluation, or end the run."""
        if self.used >= self.budget:
            self.status = "budget"
            raise Spent
        self.check_time()
        self.used += 1

    def check_time(self) -> None:
        if self.seconds > self._max_seconds:
            self.status = "out of time"
            raise Spent

    @property
    def seconds(self) -> float:
        """Processor time of the solver itself."""
        return time.process_time() - self._began - self._inside

    def note(self, x: Array, value: float) -> None:
        """Record the true value at a feasible point, by the value seen; the count stays."""
        if self.task.violation(x) > FEASIBLE:
            return
        if value < self._least:
            self._least, self.best_x = value, x
        true = value if self.task.truth is None else float(self.task.truth(x))
        if true < self.best:
            self.best = true
            count = max(self.used, 1)
            bin_ = round(math.log(count) / math.log(RESOLUTION))
            self._records[count if count <= 33 else 100_000 + bin_] = (count, true)

    def history(self) -> list[tuple[int, float]]:
        return list(self._records.values())
