"""Ray: the engine for a cluster."""

from __future__ import annotations

import ipaddress
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from zooadmm.evaluation.calls import Calls
from zooadmm.evaluation.cluster import evaluated, installed, loaded, packed
from zooadmm.evaluation.dispatch import Crew, Ticket
from zooadmm.evaluation.engine import Engine, number_of_workers, seconds
from zooadmm.evaluation.faults import WorkerDied
from zooadmm.oracle.queries import Query

LOCAL = "local"
"""The address that asks Ray to start a cluster on this machine, as an argument or RAY_ADDRESS."""


@dataclass(frozen=True)
class Ray(Engine):
    """Evaluate on a Ray cluster (needs `zooadmm[ray]`).

    Where `ray.init` has been called that cluster is used; else one that `ray.init()` finds (at
    RAY_ADDRESS, or from `ray start`); else, and where RAY_ADDRESS is "local", one is started on
    this machine, which only this machine can reach, and ended with the run. zooadmm must be
    installed on it.

    workers: how many tasks are out at a time; by default as many as the cluster has room for.
    cpus, gpus: what an evaluation needs.
    timeout: the seconds that an evaluation may take once a worker has begun it; one that takes
        longer is made elsewhere too, and the first answer counts. Where Ray begins none for an
        hour while none is at work (no machine has these cpus, the loss hangs as it is loaded),
        that is an error. Without a timeout there is no limit.
    """

    workers: int | None = None
    cpus: float = 1.0
    gpus: float = 0.0
    timeout: float | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            object.__setattr__(self, "workers", number_of_workers(self.workers))
        for name in ("cpus", "gpus"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} = {getattr(self, name)!r} must be at least 0.")
        object.__setattr__(self, "timeout", seconds(self.timeout))

    def crew(self, calls: Calls) -> Crew:
        return _RayCrew(installed("ray", "ray"), calls, self)


class _RayCrew(Crew):
    worthwhile = 1.0

    def __init__(self, ray: Any, calls: Calls, engine: Ray) -> None:
        self._ray = ray
        self._token, loss = packed(calls)
        self._started = not ray.is_initialized()
        if self._started:
            _init(ray)
        has = ray.cluster_resources()
        fits = [has.get("CPU", 1.0) / engine.cpus] if engine.cpus > 0 else []
        fits += [has.get("GPU", 1.0) / engine.gpus] if engine.gpus > 0 else []
        room = max(1, int(min(fits, default=has.get("CPU", 1.0))))
        self.size = engine.workers or room
        self.room = min(room, self.size)
        self._loss = ray.put(loss)
        # whether and how often a task is made again is decided where its evaluations are known
        remote = ray.remote(num_cpus=engine.cpus, num_gpus=engine.gpus, max_retries=0)
        self._task = remote(_on_ray)
        self._ticket: type[_RayTicket] = _RayTicket
        if engine.timeout is not None:
            self._task = remote(_begun_on_ray).options(num_returns="streaming")
            self._ticket = _TimedTicket
        self._query: Any = None

    def publish(self, query: Query) -> None:
        self._query = self._ray.put(query)

    def submit(self, start: int, stop: int) -> Ticket:
        reference = self._task.remote(self._token, [self._loss], self._query, start, stop)
        return self._ticket(self._ray, reference)

    def close(self) -> None:
        self._loss = self._query = None
        if self._started:
            self._ray.shutdown()


def _init(ray: Any) -> None:
    """Connect to the cluster that is there, or start one that listens on loopback only."""
    from ray._private import services

    named = os.environ.get("RAY_ADDRESS")
    if named != LOCAL and (named or services.find_bootstrap_address(None)):
        ray.init(include_dashboard=False)
        return
    with _on_loopback():
        ray.init(address=LOCAL, include_dashboard=False)
    address = ray.util.get_node_ip_address()
    if not ipaddress.ip_address(address).is_loopback:
        ray.shutdown()
        raise RuntimeError(
            f"Ray {ray.__version__} listens on {address}, beyond this machine, and was shut down; "
            "call ray.init() yourself to use a cluster that others can reach."
        )


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Ray's servers listen where its node is, and on all interfaces where that is not loopback.

    Ray turns a loopback address into the machine's, except where it supports no clusters (macOS,
    Windows), so this says that it supports none here.
    """
    from ray._private import ray_constants

    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


class _RayTicket(Ticket):
    """A task, and Ray's reference to it."""

    def __init__(self, ray: Any, reference: Any) -> None:
        super().__init__(self._future(ray, reference))
        self._ray = ray
        self._reference = reference

    def _future(self, ray: Any, reference: Any) -> Future[Any]:
        future: Future[Any] = reference.future()
        return future

    def result(self) -> Any:
        errors = self._ray.exceptions
        try:
            return super().result()
        except errors.RayTaskError:
            raise
        except errors.RayError as died:
            raise WorkerDied(type(died).__name__) from died

    def give_up(self) -> None:
        self._ray.cancel(self._reference, force=True)


class _TimedTicket(_RayTicket):
    """Its time begins with the work: a worker that has to start first may take longer than that."""

    def __init__(self, ray: Any, reference: Any) -> None:
        super().__init__(ray, reference)
        self.began = None
        threading.Thread(target=self._follow, daemon=True).start()

    def _future(self, ray: Any, reference: Any) -> Future[Any]:
        return Future()

    def _follow(self) -> None:
        try:
            self._ray.get(next(self._reference))
            self.began = time.monotonic()
            self.future.set_result(self._ray.get(next(self._reference)))
        except Exception as error:
            self.future.set_exception(error)


def _on_ray(token: str, loss: list[Any], query: Query, start: int, stop: int) -> Any:
    return evaluated(_loaded(token, loss), query, start, stop)


def _begun_on_ray(
    token: str, loss: list[Any], query: Query, start: int, stop: int
) -> Iterator[Any]:
    """None when the evaluation begins, then what comes of it."""
    calls = _loaded(token, loss)
    yield None
    yield evaluated(calls, query, start, stop)


def _loaded(token: str, loss: list[Any]) -> Any:
    """loss: in a list, so that Ray does not fetch it where it is not needed."""
    import ray

    return loaded(token, lambda: ray.get(loss[0]))
