"""What a solver of the public benchmarks is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.yardstick.oracle import Oracle
from benchmarks.yardstick.task import Array, Task

Method = Callable[[Task, Oracle, int], Array | None]
"""method(task, f, seed): the point it returns, or None for the best that it evaluated."""


@dataclass(frozen=True)
class Solver:
    """One thing a user could pick.

    package: the distribution that has it; its version stands in the rows' digest.
    kinds: the kinds of tasks it can be given: u, b, l.
    max_n: beyond so many variables it is not run, because its own time would not allow it.
    """

    name: str
    package: str
    method: Method
    kinds: str = "ubl"
    max_n: int = 200
    random: bool = False

    def unfit(self, task: Task) -> str:
        """Why it cannot run, or an empty text."""
        if task.kind not in self.kinds:
            return f"no form for kind {task.kind}"
        if task.n > self.max_n:
            return f"more than {self.max_n} variables"
        return ""
