"""Threads of this process: for losses that release the interpreter's lock, or wait."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from zooadmm.evaluation.calls import Calls, timed
from zooadmm.evaluation.dispatch import Crew, Ticket
from zooadmm.evaluation.engine import Engine, number_of_workers
from zooadmm.oracle.queries import Query


@dataclass(frozen=True)
class Threads(Engine):
    """Evaluate in threads of this process.

    For losses that release the interpreter's lock, as much of numpy and most compiled code does,
    or that wait for somebody else: a `Command`, a server. The loss is called by several threads at
    the same time.

    workers: how many.
    """

    workers: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", number_of_workers(self.workers))

    def crew(self, calls: Calls) -> Crew:
        return _ThreadCrew(calls, self.workers)


class _ThreadCrew(Crew):
    worthwhile = 1e-3

    def __init__(self, calls: Calls, size: int) -> None:
        self.size = size
        self._calls = calls
        self._pool = ThreadPoolExecutor(size, thread_name_prefix="zooadmm")
        self._query: Query | None = None

    def publish(self, query: Query) -> None:
        self._query = query

    def submit(self, start: int, stop: int) -> Ticket:
        assert self._query is not None
        return Ticket(self._pool.submit(timed, self._calls, self._query, start, stop))

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
