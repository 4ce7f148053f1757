"""A crew: workers that have the loss, and get each query once."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from concurrent.futures import Future
from typing import Any

from zooadmm.oracle.queries import Query


class Ticket:
    """A task that was handed out.

    future: done when something has come of it.
    began: when work on it began, by `time.monotonic`; None before.
    """

    def __init__(self, future: Future[Any]) -> None:
        self.future = future
        self.began: float | None = time.monotonic()

    def result(self) -> Any:
        """What has come of it: a Part or a Failure; `WorkerDied` where its worker is gone."""
        return self.future.result()

    def give_up(self) -> None:
        """Do without it; its worker is let go where that can be done."""
        self.future.cancel()


class Crew(ABC):
    """Workers for one loss."""

    size: int
    """how many there are"""
    worthwhile: float
    """the seconds below which a task is not worth being handed out by itself"""

    @abstractmethod
    def publish(self, query: Query) -> None:
        """Let all know of the query that the next tasks are about."""

    @abstractmethod
    def submit(self, start: int, stop: int) -> Ticket:
        """Hand out the cells from start to stop; never more than `size` tasks at a time."""

    @abstractmethod
    def close(self) -> None:
        """Let go of all workers."""
