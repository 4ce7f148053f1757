"""Evaluators: a loss at hand, and queries turned into answers; `InProcess` does it here."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from zooadmm.evaluation.calls import Calls
from zooadmm.evaluation.faults import OnError
from zooadmm.oracle.queries import Answer, Query


class Evaluator(AbstractContextManager["Evaluator"]):
    """Turns a query into an answer: `optimizer.tell(query.id, evaluator(query))`.

    The answer is an array of the query's shape; where cells were dropped, a masked one.
    """

    calls: Calls
    """the loss, and how it is called"""
    dropped = ""
    """what the first dropped evaluation failed with; empty while there is none"""

    @abstractmethod
    def __call__(self, query: Query) -> Answer:
        """The answer to a query."""

    @abstractmethod
    def close(self) -> None:
        """Let go of all workers."""

    def __exit__(self, *exception: object) -> None:
        self.close()


def masked(query: Query, answer: Answer, dropped: Collection[int]) -> Answer:
    """The answer to a query without the cells that were dropped."""
    mask = np.zeros((query.cells, answer.size // query.cells), dtype=bool)
    mask[list(dropped)] = True
    left: Answer = np.ma.array(answer, mask=mask.reshape(query.shape))
    return left


class InProcess(Evaluator):
    """Turns a query into an answer by calling the loss here.

    loss: see `zooadmm.oracle.loss`; `values` is preferred to calls point by point.
    on_error: what to do where it raises, as for `minimize`.
    """

    def __init__(self, loss: Any, on_error: OnError = "stop") -> None:
        self.calls = Calls(loss, on_error)

    def __call__(self, query: Query) -> Answer:
        part = self.calls.part(query, 0, query.cells)
        self.dropped = self.dropped or part.why
        answer = part.values.reshape(query.shape)
        return masked(query, answer, part.dropped) if part.dropped else answer

    def close(self) -> None:
        """There is nothing to close."""
