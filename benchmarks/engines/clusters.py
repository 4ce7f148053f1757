"""Every engine, with what it needs running; clusters of two on this machine."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import zooadmm as zoo
from zooadmm.evaluation import Engine

Make = Callable[[int], Engine]
"""The engine with so many workers."""


@contextmanager
def ray_cluster() -> Iterator[None]:
    import ray

    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=10**9,
        logging_level=logging.ERROR,
        log_to_driver=False,
    )
    yield
    ray.shutdown()


@contextmanager
def engines(name: str) -> Iterator[tuple[Make, float]]:
    """A way to make the engine, and the seconds that its cluster took to start."""
    began = time.perf_counter()
    if name == "Ray":
        with ray_cluster():
            yield zoo.evaluation.Ray, time.perf_counter() - began
    elif name == "Dask":
        import distributed

        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            yield lambda workers: zoo.evaluation.Dask(client, workers), time.perf_counter() - began
    else:
        yield {"threads": zoo.evaluation.Threads, "processes": zoo.Processes}[name], 0.0


NAMES = ("threads", "processes", "Ray", "Dask")

BARE = {
    "threads": (0.10, 0.14),
    "processes": (0.98, 1.75),
    "Ray": (7.3, 10.1),
    "Dask": (28.8, 71.9),
}
"""Milliseconds for 30 trivial calls on two workers, a chunk each, x put once, by the bare library
(for processes concurrent.futures with shared memory), at m = 10^3 and 10^6; nothing else is made or
done with x. Measured once, by hand, on a machine of the same kind."""
