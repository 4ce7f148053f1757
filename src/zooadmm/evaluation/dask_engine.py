"""Dask.distributed: the engine for sites with Slurm, PBS and the like."""

from __future__ import annotations

import os
import time
from collections import Counter
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from zooadmm.evaluation.calls import Calls
from zooadmm.evaluation.crew import Crew, Ticket
from zooadmm.evaluation.engine import Engine, number_of_workers, seconds
from zooadmm.evaluation.faults import WorkerDied
from zooadmm.evaluation.on_a_cluster import evaluated, installed, packed
from zooadmm.queries import Query

LOCAL = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.deploy.lost-worker-timeout": "1 day",
}
"""For a cluster of our own: a task that ends its worker is not tried on the others before we hear
of it, and a worker is not given up for having died twice within a while."""


@dataclass(frozen=True)
class Dask(Engine):
    """Evaluate on a cluster of Dask.distributed (needs `zooadmm[dask]`).

    cluster: a `distributed.Client`, a cluster (dask-jobqueue's for Slurm or PBS, for instance), or
        the address of a scheduler. By default a cluster of processes on this machine; a script that
        starts one needs `if __name__ == "__main__":`.
    workers: how many tasks are out at a time; by default as many as the cluster has threads.
    timeout: the seconds that an evaluation may take from when it is handed out; one that takes
        longer is made elsewhere too, and the first answer counts.
    """

    cluster: Any = None
    workers: int | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            object.__setattr__(self, "workers", number_of_workers(self.workers))
        object.__setattr__(self, "timeout", seconds(self.timeout))

    def crew(self, calls: Calls) -> Crew:
        return _DaskCrew(installed("dask", "dask"), installed("distributed", "dask"), calls, self)


class _DaskCrew(Crew):
    worthwhile = 1.0

    def __init__(self, dask: Any, distributed: Any, calls: Calls, engine: Dask) -> None:
        self._dask = dask
        self._distributed = distributed
        self._timeout = engine.timeout
        self._own = ExitStack()
        """what we have started"""
        self._client = self._connected(engine)
        self.size = engine.workers or max(1, sum(self._client.nthreads().values()))
        self._token, loss = packed(calls)
        self._loss = self._put(loss)
        self._query: Any = None
        self._threads: dict[str, int] = {}
        """how many each worker has, by its address"""
        self._out: list[tuple[str | None, Ticket]] = []
        """where tasks were sent that are not done"""

    def _connected(self, engine: Dask) -> Any:
        given = engine.cluster
        if isinstance(given, self._distributed.Client):
            return given
        if given is None:
            self._own.enter_context(self._dask.config.set(LOCAL))
            local = self._distributed.LocalCluster(
                n_workers=engine.workers, threads_per_worker=1, dashboard_address=":0"
            )
            given = self._own.enter_context(local)
        return self._own.enter_context(self._distributed.Client(given, set_as_default=False))

    def _put(self, value: Any) -> Any:
        """Known to the cluster, as a task: that is done again where its worker dies, while a value
        that was scattered would be lost.
        """
        with self._dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
            return self._client.submit(_itself, value, pure=False)

    def publish(self, query: Query) -> None:
        self._query = self._put(query)
        self._threads = self._client.nthreads()

    def submit(self, start: int, stop: int) -> Ticket:
        address = self._least_busy()
        task = self._client.submit(
            _on_dask,
            self._token,
            self._loss,
            self._query,
            start,
            stop,
            pure=False,
            workers=address,
            allow_other_workers=address is not None,
        )
        ticket = _DaskTicket(self._distributed, self._client, task, self._timeout)
        self._out.append((address, ticket))
        return ticket

    def _least_busy(self) -> str | None:
        """The worker to prefer.

        The scheduler would rather have short tasks wait than send the loss to a new worker, and it
        does not know of workers that hang.
        """
        self._out = [(at, ticket) for at, ticket in self._out if not ticket.future.done()]
        busy = Counter(at for at, _ in self._out)
        room = self._threads
        return min(room, key=lambda at: (busy[at] + 1) / room[at], default=None)

    def close(self) -> None:
        self._loss = self._query = None
        self._own.close()


class _DaskTicket(Ticket):
    def __init__(self, distributed: Any, client: Any, task: Any, timeout: float | None) -> None:
        super().__init__(Future())
        self._distributed = distributed
        self._client = client
        self._task = task
        self._timeout = timeout
        task.add_done_callback(lambda done: self.future.set_result(None))

    def result(self) -> Any:
        status = self._task.status
        if status in ("cancelled", "lost"):
            raise WorkerDied(f"{status} with its worker")
        try:
            return self._task.result()
        except self._distributed.KilledWorker as died:
            times = 1 + getattr(died, "allowed_failures", 0)  # Dask itself has tried again
            raise WorkerDied(type(died).__name__, times) from died

    def give_up(self) -> None:
        """A thread that hangs cannot be stopped, so its worker is; its nanny starts another."""
        handed_out, patience, hangs = self.began, self._timeout, []
        if handed_out and patience and time.monotonic() > handed_out + patience:
            busy = self._client.processing()
            hangs = [worker for worker, keys in busy.items() if self._task.key in keys]
        self._task.cancel(force=True)
        if hangs:
            self._client.run(_exit, workers=hangs, wait=False, on_error="ignore")


async def _exit() -> None:
    os._exit(1)


def _itself(value: Any) -> Any:
    return value


def _on_dask(token: str, loss: bytes, query: Query, start: int, stop: int) -> Any:
    return evaluated(token, lambda: loss, query, start, stop)
