"""Processes of this machine: for losses that hold the interpreter's lock, which most do."""

from __future__ import annotations

import os
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

from zooadmm.evaluation.calls import Calls
from zooadmm.evaluation.dispatch import Crew, Ticket
from zooadmm.evaluation.engine import Engine, number_of_workers, seconds
from zooadmm.evaluation.faults import cannot_be_sent
from zooadmm.evaluation.shared_file import Layout, SharedFile
from zooadmm.evaluation.worker import Order
from zooadmm.evaluation.worker_process import WorkerProcess
from zooadmm.oracle.queries import Query


@dataclass(frozen=True)
class Processes(Engine):
    """Evaluate in processes of this machine; `workers=n` means this.

    The loss is sent once to each process; closures are fine, and its output is shown. x is in
    shared memory. A process that dies is replaced, and its evaluations are repeated.

    workers: how many.
    timeout: the seconds that an evaluation may take; one that takes longer is repeated
        elsewhere, and the first answer counts. By default no limit.
    """

    workers: int
    timeout: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", number_of_workers(self.workers))
        object.__setattr__(self, "timeout", seconds(self.timeout))

    def crew(self, calls: Calls) -> Crew:
        if os.name != "posix":
            raise OSError("Processes needs a POSIX system; use Threads, Dask or Ray on this one.")
        return _ProcessCrew(calls, self.workers)


class _ProcessCrew(Crew):
    """A thread for each process: it hands over an order and waits for the answer."""

    worthwhile = 0.02

    def __init__(self, calls: Calls, size: int) -> None:
        self.size = size
        with ExitStack() as opened:
            self._loss = opened.enter_context(closing(SharedFile()))
            self._query = opened.enter_context(closing(SharedFile()))
            loss = self._loss.descriptor, _written(self._loss, calls)
            self._workers: list[WorkerProcess] = []
            for _ in range(size):
                worker = WorkerProcess(loss, self._query.descriptor)
                self._workers.append(opened.enter_context(closing(worker)))
            opened.pop_all()  # all went well: `close` closes them
        self._idle: queue.SimpleQueue[WorkerProcess] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="zooadmm")
        self._serial = 0
        self._layout: Layout | None = None

    def publish(self, query: Query) -> None:
        self._serial += 1
        self._layout = self._query.put(query)

    def submit(self, start: int, stop: int) -> Ticket:
        assert self._layout is not None
        order = Order(self._serial, self._layout, start, stop)
        return _Errand(order, self._idle, self._threads)

    def close(self) -> None:
        for worker in self._workers:
            worker.closing = True
        self._threads.shutdown()
        for worker in self._workers:
            worker.close()
        self._loss.close()
        self._query.close()


def _written(file: SharedFile, calls: Calls) -> Layout:
    try:
        return file.put(calls)
    except OSError:
        raise  # the machine's fault, not the loss's
    except Exception as error:
        raise cannot_be_sent(error) from error


class _Errand(Ticket):
    """A task, and the process that is at it."""

    def __init__(
        self, order: Order, idle: queue.SimpleQueue[WorkerProcess], threads: ThreadPoolExecutor
    ) -> None:
        self._order = order
        self._idle = idle
        self._lock = threading.Lock()
        self._worker: WorkerProcess | None = None
        super().__init__(threads.submit(self._run))
        self.began = None

    def _run(self) -> Any:
        worker = self._idle.get()
        with self._lock:
            self._worker = worker
        try:
            worker.wait_until_ready()
            self.began = time.monotonic()
            return worker.asked(self._order)
        finally:
            with self._lock:
                self._worker = None
            self._idle.put(worker)

    def give_up(self) -> None:
        super().give_up()
        with self._lock:
            if self._worker is not None:
                self._worker.kill()
