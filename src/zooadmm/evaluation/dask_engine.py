"""Dask.distributed: the engine for sites with Slurm, PBS and the like."""

from __future__ import annotations

import os
import time
from collections import Counter
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

import cloudpickle

from zooadmm.evaluation.calls import Calls
from zooadmm.evaluation.cluster import evaluated, installed, loaded, packed
from zooadmm.evaluation.dispatch import Crew, Ticket
from zooadmm.evaluation.engine import Engine, number_of_workers, seconds
from zooadmm.evaluation.faults import WorkerDied
from zooadmm.oracle.queries import Query

SMALL = 65_536
"""The bytes up to which a query goes along with every task that is about it."""

LOOPBACK = "127.0.0.1"
"""Where the servers of our own cluster listen: nobody on the network reaches them."""

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
        the address of a scheduler. By default a cluster of processes on this machine, which only
        this machine can reach; a script that starts one needs `if __name__ == "__main__":`.
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
        self.distributed = distributed
        self.timeout = engine.timeout
        self._token, loss = packed(calls)
        self._own = ExitStack()
        """what we have started"""
        self.client = self._connected(engine)
        self.size = engine.workers or max(1, sum(self.client.nthreads().values()))
        self._loss = self._submitted(_itself, loss)  # a task is done again if its worker dies
        self._published: Query | None = None
        self._query: Any = None
        """the pending query, or where it was scattered"""
        self._threads: dict[str, int] = {}
        """how many each worker has, by its address"""
        self._out: list[tuple[str | None, Ticket]] = []
        """where tasks were sent that are not done"""

    def _connected(self, engine: Dask) -> Any:
        given = engine.cluster
        if isinstance(given, self.distributed.Client):
            return given
        if given is None:
            self._own.enter_context(self._dask.config.set(LOCAL))
            local = self.distributed.LocalCluster(
                n_workers=engine.workers,
                threads_per_worker=1,
                host=LOOPBACK,
                dashboard_address=f"{LOOPBACK}:0",
            )
            given = self._own.enter_context(local)
        return self._own.enter_context(self.distributed.Client(given, set_as_default=False))

    def _submitted(self, *call: Any, address: str | None = None) -> Any:
        with self._dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
            other = address is not None
            return self.client.submit(*call, pure=False, workers=address, allow_other_workers=other)

    def publish(self, query: Query) -> None:
        """A large query is scattered, once; a small one goes along with its tasks."""
        self._published = self._query = query
        self._threads = self.client.nthreads()
        if len(cloudpickle.dumps(query)) > SMALL:
            with suppress(Exception):  # a worker may die on the way; then it goes along
                self._query = self.client.scatter(query, broadcast=True, hash=False)

    def submit(self, start: int, stop: int) -> Ticket:
        address = self._least_busy()
        call = _on_dask, self._token, self._loss, self._query, start, stop
        task = self._submitted(*call, address=address)
        ticket = _DaskTicket(self, task)
        self._out.append((address, ticket))
        return ticket

    def forget_scattered(self) -> None:
        """With the workers that had it; from now on the query goes along with its tasks."""
        self._query = self._published

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
        self._loss = self._query = self._published = None
        self._own.close()


class _DaskTicket(Ticket):
    def __init__(self, crew: _DaskCrew, task: Any) -> None:
        super().__init__(Future())
        self._crew = crew
        self._task = task
        task.add_done_callback(lambda done: self.future.set_result(None))

    def result(self) -> Any:
        status = self._task.status
        if status in ("cancelled", "lost"):
            self._crew.forget_scattered()
            raise WorkerDied(f"{status} with its worker")
        try:
            return self._task.result()
        except self._crew.distributed.KilledWorker as died:
            times = 1 + getattr(died, "allowed_failures", 0)  # Dask itself has tried again
            raise WorkerDied(type(died).__name__, times) from died

    def give_up(self) -> None:
        """A thread that hangs cannot be stopped, so its worker is; its nanny starts another."""
        client, patience, handed_out = self._crew.client, self._crew.timeout, self.began
        hangs = []
        if handed_out and patience and time.monotonic() > handed_out + patience:
            hangs = [w for w, keys in client.processing().items() if self._task.key in keys]
        self._task.cancel(force=True)
        if hangs:
            client.run(_exit, workers=hangs, wait=False, on_error="ignore")


async def _exit() -> None:
    os._exit(1)


def _itself(value: Any) -> Any:
    return value


def _on_dask(token: str, loss: bytes, query: Query, start: int, stop: int) -> Any:
    return evaluated(loaded(token, lambda: loss), query, start, stop)
