"""Let a crew answer: cut a query into tasks, hand them out, put the values in their places.

Where the cuts are does not change what the loss is called with, values go to the places of their
cells, and a task that is made again gives what it would have given: so the answer does not depend
on the number of workers, on the order in which they finish, or on what befalls them.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from zooadmm.evaluation.calls import Calls, Part
from zooadmm.evaluation.evaluator import Evaluator, masked
from zooadmm.evaluation.faults import TRIES, EvaluationFailed, Failure, WorkerDied
from zooadmm.oracle.queries import Answer, Query

START = 3600.0
"""The seconds in which a task must begin while no other is at work, where there is a timeout.

They are no part of the timeout: a worker may have to start, or a cluster to find a machine.
"""

NOT_BEGUN = (
    "did not begin within {:g} seconds, while no other was at work: no worker has room for it, or "
    "one hangs as it loads the loss. See that the cluster has a machine with what an evaluation "
    "needs (cpus, gpus), and that the loss can be loaded there"
)


class Ticket:
    """A task that was handed out.

    future: done when something has come of it.
    began: the time at which work on it began, by `time.monotonic`; None until then. A crew that
        does not know takes the time at which it was handed out.
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
    """the number of tasks that may be out at a time"""
    room: int | None = None
    """the number of tasks that can be at work at a time, where that is less than `size`"""
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


@dataclass(eq=False)
class Task:
    """Some neighboring cells of a query."""

    seams: list[int]
    """where it begins, may be cut, and ends"""
    tries: int = 0
    """how often it has ended its worker or outlasted its time"""
    done: bool = False

    @property
    def last_try(self) -> bool:
        """Whether it is given up if it fails once more."""
        return self.tries == TRIES - 1


class HandingOut(Evaluator):
    """An evaluator whose work is done by a crew."""

    def __init__(self, crew: Crew, calls: Calls, timeout: float | None) -> None:
        self.calls = calls
        self._crew = crew
        self._timeout = timeout
        self._pace: float | None = None
        """the seconds that a cell of the last query took"""

    def __call__(self, query: Query) -> Answer:
        self._crew.publish(query)
        round_ = _Round(self._crew, self.calls.drops, self._timeout, query)
        parts = round_.answered(self._tasks(query))
        took = sum(part.seconds for _, part in parts)
        self._pace = took / max(1, query.cells)
        values = np.empty(query.shape).reshape(query.cells, -1)
        dropped: list[int] = []
        for start, part in sorted(parts, key=lambda found: found[0]):
            rows = part.values.reshape(-1, values.shape[1])
            values[start : start + len(rows)] = rows
            dropped += part.dropped
            self.dropped = self.dropped or part.why
        answer = values.reshape(query.shape)
        return masked(query, answer, dropped) if dropped else answer

    def _tasks(self, query: Query) -> list[Task]:
        """One task a worker where evaluations are quick, one an evaluation where they are slow.

        Also one an evaluation where their time is limited, or not known yet.
        """
        seams = self.calls.seams(query)
        pieces, size = len(seams) - 1, self._crew.size
        if self._pace is None or self._timeout is not None:
            number = pieces
        else:
            took = self._pace * query.cells / pieces
            together = int(min(self._crew.worthwhile / max(took, 1e-9), -(-pieces // size)))
            number = -(-pieces // max(1, together))
            number = min(pieces, -(-number // size) * size)
        cuts = [k * pieces // number for k in range(number + 1)]
        return [Task(seams[a : b + 1]) for a, b in pairwise(cuts)]

    def close(self) -> None:
        self._crew.close()


class _Round:
    """The tasks of one query, from the first that is handed out to the last that is answered."""

    def __init__(self, crew: Crew, drops: bool, timeout: float | None, query: Query) -> None:
        self._crew = crew
        self._drops = drops
        self._timeout = timeout
        self._query = query
        self._waiting: deque[Task] = deque()
        self._out: dict[Ticket, Task] = {}
        self._late: set[Ticket] = set()
        """tickets that have outlasted their time"""
        self._last_work = time.monotonic()
        """when a task was last at work within its time, or ended"""
        self._parts: list[tuple[int, Part]] = []

    def answered(self, tasks: list[Task]) -> list[tuple[int, Part]]:
        """(first cell, values) of tasks that make up the query."""
        self._waiting.extend(tasks)
        try:
            while self._waiting or any(not task.done for task in self._out.values()):
                self._hand_out()
                finished = wait(
                    [ticket.future for ticket in self._out], self._patience(), FIRST_COMPLETED
                ).done
                for ticket in [ticket for ticket in self._out if ticket.future in finished]:
                    self._last_work = time.monotonic()
                    self._take(ticket, self._out.pop(ticket))
                self._check_deadlines()
        finally:
            for ticket in self._out:
                ticket.give_up()
        return self._parts

    def _hand_out(self) -> None:
        """The last try is made alone, so that nobody else can be to blame if it fails."""
        while self._waiting and len(self._out) < self._crew.size:
            others = [task for ticket, task in self._out.items() if ticket not in self._late]
            if any(task.last_try for task in (*others, self._waiting[0])) and others:
                return
            task = self._waiting.popleft()
            if not task.done:
                self._out[self._crew.submit(task.seams[0], task.seams[-1])] = task

    def _patience(self) -> float | None:
        """Until the next ticket may have outlasted its time."""
        if self._timeout is None:
            return None
        now = time.monotonic()
        begun = [now if ticket.began is None else ticket.began for ticket in self._out]
        lates = [ticket in self._late for ticket in self._out]
        ends = [b + self._timeout - now for b, late in zip(begun, lates, strict=True) if not late]
        return max(0.0, min(START, *ends, self._timeout))

    def _take(self, ticket: Ticket, task: Task) -> None:
        """What came of a ticket: the first answer counts."""
        if task.done:
            return
        try:
            got = ticket.result()
        except WorkerDied as died:  # one that is late has been handed out again already
            if ticket not in self._late:
                self._once_more(task, f"ended its worker {TRIES} times ({died})", died.times)
            return
        if isinstance(got, Failure):
            raise got.error()
        self._settle(task, got)

    def _settle(self, task: Task, part: Part) -> None:
        task.done = True
        self._parts.append((task.seams[0], part))
        for other, its in self._out.items():
            if its is task:
                other.give_up()

    def _check_deadlines(self) -> None:
        """Hand out again what has outlasted its time; its worker may still answer first.

        Unless late tasks take up all the room, or nothing has begun for long: then they are ended.
        """
        if self._timeout is None:
            return
        now = time.monotonic()
        for ticket, task in list(self._out.items()):
            late = ticket.began is not None and now >= ticket.began + self._timeout
            if late and not task.done and ticket not in self._late:
                self._late.add(ticket)
                what = f"did not end within {self._timeout:g} seconds, {TRIES} times"
                self._once_more(task, what)
        began = [ticket for ticket in self._out if ticket.began is not None]
        some_wait = bool(self._waiting) or len(began) < len(self._out)
        if not some_wait or not all(ticket in self._late for ticket in began):
            self._last_work = now
            return
        stalled = now >= self._last_work + START
        if not (stalled or len(began) >= (self._crew.room or self._crew.size)):
            return
        if not began:
            what = NOT_BEGUN.format(START)
            raise EvaluationFailed(self._query, next(iter(self._out.values())).seams[0], what)
        self._last_work = now
        for ticket in began:
            ticket.give_up()
            del self._out[ticket]

    def _once_more(self, task: Task, what: str, times: int = 1) -> None:
        """After a fault: again, and piece by piece, so that it is known which piece is to blame."""
        if len(task.seams) > 2:
            task.done = True
            self._waiting.extendleft(Task(list(ends)) for ends in pairwise(task.seams))
            return
        task.tries += times
        if task.tries < TRIES:
            self._waiting.appendleft(task)
            return
        failed = EvaluationFailed(self._query, task.seams[0], what)
        if not self._drops:
            raise failed
        start, stop = task.seams
        values = np.full((stop - start) * self._query.numbers, np.nan)
        self._settle(task, Part(values, tuple(range(start, stop)), repr(failed)))
