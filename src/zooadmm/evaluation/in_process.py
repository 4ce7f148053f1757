"""Evaluate in this process: point by point, or many points at once where the loss can."""

from __future__ import annotations

from typing import Any

from zooadmm.evaluation.calls import Calls
from zooadmm.evaluation.evaluator import Evaluator, assembled
from zooadmm.evaluation.faults import OnError, policy_of
from zooadmm.oracle.queries import Answer, Query


class InProcess(Evaluator):
    """Turns a query into an answer by calling the loss here.

    loss: see `zooadmm.oracle.loss`; `values` is preferred to calls point by point.
    on_error: what to do where it raises, as for `minimize`.
    """

    def __init__(self, loss: Any, on_error: OnError = "stop") -> None:
        super().__init__(Calls(loss, policy_of(on_error)))

    def __call__(self, query: Query) -> Answer:
        part = self._calls.part(query, 0, query.cells)
        self._note(part)
        return assembled(query, part.values, part.dropped)

    def close(self) -> None:
        """There is nothing to close."""
