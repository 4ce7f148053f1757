"""Evaluators: a loss at hand, and queries turned into answers; `InProcess` does it here."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from zooadmm.evaluation.calls import Calls, Part
from zooadmm.evaluation.faults import OnError
from zooadmm.oracle.queries import Answer, Query


class Evaluator(AbstractContextManager["Evaluator"]):
    """Turns a query into an answer: `optimizer.tell(query.id, evaluator(query))`.

    The answer is an array of the query's shape; where cells were dropped, a masked one.
    """

    dropped = ""
    """what the first dropped evaluation failed with; empty while there is none"""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self.has_values = calls.has_values
        """Whether the loss can be evaluated, not only differentiated."""
        self.has_gradient = calls.has_gradient
        """Whether the loss can be differentiated."""

    @abstractmethod
    def __call__(self, query: Query) -> Answer:
        """The answer to a query."""

    @abstractmethod
    def close(self) -> None:
        """Let go of all workers."""

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _note(self, part: Part) -> None:
        self.dropped = self.dropped or part.why


def assembled(query: Query, values: Answer, dropped: Collection[int]) -> Answer:
    """The values in the shape of the query, masked where they were dropped."""
    answer = values.reshape(query.shape)
    if not dropped:
        return answer
    mask = np.zeros((query.cells, answer.size // query.cells), dtype=bool)
    mask[list(dropped)] = True
    masked: Answer = np.ma.array(answer, mask=mask.reshape(query.shape))
    return masked


class InProcess(Evaluator):
    """Turns a query into an answer by calling the loss here.

    loss: see `zooadmm.oracle.loss`; `values` is preferred to calls point by point.
    on_error: what to do where it raises, as for `minimize`.
    """

    def __init__(self, loss: Any, on_error: OnError = "stop") -> None:
        super().__init__(Calls(loss, on_error))

    def __call__(self, query: Query) -> Answer:
        part = self._calls.part(query, 0, query.cells)
        self._note(part)
        return assembled(query, part.values, part.dropped)

    def close(self) -> None:
        """There is nothing to close."""
