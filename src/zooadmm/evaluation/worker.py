"""What runs in a worker process: it is handed the loss once, then tasks, until its driver is gone.

Started by `worker_process.WorkerProcess`, with descriptors that it inherits.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import threading
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from zooadmm.evaluation.calls import attempted
from zooadmm.evaluation.faults import Failure
from zooadmm.evaluation.shared_file import Layout, Reader
from zooadmm.oracle.queries import GradientQuery

READY = b"ready"


class Order(NamedTuple):
    """A task, as it is sent."""

    serial: int
    """which query it is about"""
    layout: Layout
    """where that query lies"""
    start: int
    stop: int


class Descriptors(NamedTuple):
    """What a worker inherits."""

    connection: int
    """orders and answers"""
    alive: int
    """ends when the driver does"""
    loss: int
    """the file with the loss"""
    query: int
    """the file with the query"""


def main(descriptors: Descriptors, loss: Layout) -> None:
    """Make evaluations until there is nobody to make them for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver
    threading.Thread(target=_end_with, args=(descriptors.alive,), daemon=True).start()
    with Connection(descriptors.connection) as connection:
        try:
            calls = Reader(descriptors.loss, mmap.ACCESS_COPY).get(loss)
        except BaseException as error:
            connection.send_bytes(pickle.dumps(Failure.of(error)))
            return
        connection.send_bytes(READY)
        queries, serial = Reader(descriptors.query, mmap.ACCESS_READ), -1
        query: Any = None
        while True:
            try:
                order = pickle.loads(connection.recv_bytes())
            except EOFError:
                return
            if order.serial != serial:
                query, serial = queries.get(order.layout), order.serial
                if isinstance(query, GradientQuery):  # a loss may remember the x it was given
                    query = replace(query, x=query.x.copy())
            connection.send_bytes(pickle.dumps(attempted(calls, query, order.start, order.stop)))


def _end_with(alive: int) -> None:
    os.read(alive, 1)
    os._exit(1)
