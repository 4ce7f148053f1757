"""Engines: where evaluations are made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from zooadmm.evaluation.calls import Calls
from zooadmm.evaluation.dispatch import Crew, HandingOut
from zooadmm.evaluation.evaluator import Evaluator
from zooadmm.evaluation.faults import OnError
from zooadmm.problem.arguments import number, whole_number

MOST_WORKERS = 65_536
"""More would not be meant: a slip, or bytes in place of a number."""


class Engine(ABC):
    """Where evaluations are made: `minimize(..., evaluator=engine)`, or by ask and tell

    with engine.evaluator(loss) as evaluate:
        while (query := optimizer.ask()) is not None:
            optimizer.tell(query.id, evaluate(query))
    """

    timeout: float | None = None
    """the seconds that an evaluation may take"""

    @abstractmethod
    def crew(self, calls: Calls) -> Crew:
        """Workers for a loss."""

    def evaluator(self, loss: Any, on_error: OnError = "stop") -> Evaluator:
        """Start workers for a loss; close it, or use it in a `with` statement, to end them.

        on_error: what to do about an evaluation that fails, as for `minimize`.
        """
        calls = Calls(loss, on_error)
        return HandingOut(self.crew(calls), calls, self.timeout)


def number_of_workers(workers: Any) -> int:
    """The number, if it is one."""
    count = whole_number(workers)
    if count is None or count < 1:
        raise ValueError(f"workers = {workers!r} must be a whole number, at least 1.")
    if count > MOST_WORKERS:
        raise ValueError(f"workers must be at most {MOST_WORKERS}.")
    return count


def seconds(timeout: object) -> float | None:
    """The time that an evaluation may take, if it is one."""
    if timeout is None:
        return None
    real = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if not real or not (found := number("timeout", timeout)) > 0:
        raise ValueError(f"timeout = {timeout!r} must be a number of seconds above 0, or None.")
    return found
