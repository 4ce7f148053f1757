"""A worker process as its driver sees it: started, asked, and started again when it dies.

It is an interpreter of its own, not a fork: nothing of the driver's threads and locks comes along,
and the driver's script is not run again, so it needs no `if __name__ == "__main__"`. Libraries of
linear algebra get one thread, before they are loaded: workers do not compete for cores, and
sums do not depend on how many there are.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from multiprocessing import Pipe
from typing import Any

from zooadmm.evaluation.faults import WorkerDied
from zooadmm.evaluation.shared_file import Layout
from zooadmm.evaluation.worker import READY, Descriptors, Order

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    ),
    "1",
)

PROGRAM = (
    "import sys; sys.path[:] = {path!r}; from zooadmm.evaluation import worker; "
    "worker.main(worker.Descriptors{descriptors!r}, worker.Layout{loss!r})"
)

FAREWELL = 2.0
"""The seconds that a worker has to end by itself."""


class WorkerProcess:
    """One process, and the next if that dies."""

    def __init__(self, loss: tuple[int, Layout], query: int) -> None:
        """loss: the file it is in, and where; query: the file that queries are in."""
        self._loss = loss
        self._query = query
        self.closing = False
        """whether no other is to be started"""
        self._start()

    def _start(self) -> None:
        self._ready = self._unwanted = False
        self._connection, theirs = Pipe()
        alive, self._alive = os.pipe()
        descriptors = Descriptors(theirs.fileno(), alive, self._loss[0], self._query)
        program = PROGRAM.format(
            path=sys.path, descriptors=tuple(descriptors), loss=tuple(self._loss[1])
        )
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", program],
                pass_fds=descriptors,
                env={**os.environ, **ONE_THREAD},
                stdin=subprocess.DEVNULL,
            )
        except BaseException:
            self._connection.close()
            os.close(self._alive)
            raise
        finally:
            theirs.close()
            os.close(alive)

    def wait_until_ready(self) -> None:
        """Until it has the loss; its own error where it cannot load that."""
        if self._process.poll() is not None:  # it died while it had nothing to do
            self._died()
            if self._unwanted:
                self._start()
        if self._ready:
            return
        said = self._received()
        if said != READY:
            error = pickle.loads(said).error()
            error.add_note(
                "while a worker process loaded the loss: it must be able to import what the loss "
                "is made of."
            )
            raise error
        self._ready = True

    def asked(self, order: Order) -> Any:
        """What a ready worker makes of an order; `WorkerDied` where it dies, and a new one."""
        try:
            self._connection.send_bytes(pickle.dumps(order))
        except OSError:
            raise self._died() from None
        return pickle.loads(self._received())

    def _received(self) -> bytes:
        try:
            return self._connection.recv_bytes()
        except (EOFError, OSError):
            raise self._died() from None

    def _died(self) -> WorkerDied:
        """What it died of; a new one is started at once, to be there when it is needed."""
        code = self._end()
        if not (self.closing or self._unwanted):
            self._start()
        if code < 0:
            return WorkerDied(f"killed by {signal.Signals(-code).name}")
        return WorkerDied(f"exit code {code}")

    def _end(self) -> int:
        self._connection.close()
        try:
            code = self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if self._alive >= 0:
            os.close(self._alive)
        self._alive = -1
        return code

    def kill(self) -> None:
        """End it now, whatever it is doing; the next is started when it is needed."""
        self._unwanted = True
        self._process.kill()

    def close(self) -> None:
        """Let it end, and start no other."""
        self.closing = True
        self._end()
