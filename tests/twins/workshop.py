"""Losses that other processes can import, some of them troublesome, and runs of them.

A troublesome loss keeps its notes in files of a directory, since its next call may be made by
another process.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import zooadmm as zoo
from twins.bowl import CENTERS, M, bowl
from zooadmm.evaluation import InProcess
from zooadmm.oracle.queries import Answer, Query

LONG = 3600.0
MIXED = zoo.paper.Smoothed(5, 3)


def bowls(points: np.ndarray, observations: Any = (0,)) -> np.ndarray:
    """Many points at once, by a product of matrices, which rounds differently in other company."""
    rows = CENTERS[np.asarray(observations)]
    return np.square(points).sum(axis=1)[:, None] - 2 * points @ rows.T + np.square(rows).sum(1)


def slope(x: np.ndarray, w: int = 0) -> np.ndarray:
    return 2 * (x - CENTERS[w])


def optimizer(label: str, iterations: int | None = None) -> zoo.Optimizer:
    """A run of every kind of query."""
    x0, many = np.zeros(M), np.arange(len(CENTERS))
    runs: dict[str, Callable[[], dict[str, Any]]] = {
        "forward": lambda: {"settings": "paper", "observations": many},
        "hybrid": lambda: {"settings": "paper", "observations": many, "gradient": MIXED},
        "central": lambda: {
            "settings": "paper",
            "gradient": zoo.paper.Smoothed(
                7, 2, difference="central", distribution=zoo.paper.Rademacher()
            ),
            "observations": many,
        },
        "paired": lambda: {
            "gradient": zoo.paper.Paired(6),
            "observations": many,
            "settings": "paper",
        },
        "inside": lambda: {
            "settings": "paper",
            "gradient": zoo.paper.Smoothed(7, probes="inside"),
            "domain": zoo.Box(-1.0, 1.0),
            "observations": many,
        },
        "float32": lambda: {"settings": "paper", "observations": many, "x": np.float32},
        "auto": lambda: {"observations": many},
        "svrg": lambda: {"settings": "svrg", "step_size": 0.1, "observations": many},
        "stream": lambda: {"observations": zoo.Stream([*range(9)] * 200)},
        "gradients": lambda: {"settings": zoo.Paper(zoo.paper.Exact(3)), "observations": many},
    }
    given = runs[label]()
    x0 = x0.astype(given.pop("x", np.float64))
    return zoo.Optimizer(
        x0, regularizer=zoo.L1(0.1), rng=4, max_iterations=iterations or 12, **given
    )


def digest(x: np.ndarray) -> str:
    return hashlib.sha256(x.tobytes()).hexdigest()


def driven(run: zoo.Optimizer, evaluate: Callable[[Query], Answer]) -> str:
    """The SHA-256 of all that a run leads to."""
    while (query := run.ask()) is not None:
        run.tell(query.id, evaluate(query))
    state = run.state
    return digest(np.concatenate([state.x, state.y, state.dual, run.result().x]))


# Trouble


def noted(directory: Path, name: str) -> bool:
    """Whether this was noted before; now it is."""
    try:
        (directory / name).touch(exist_ok=False)
    except FileExistsError:
        return True
    return False


@dataclass(frozen=True)
class Slow:
    """A loss that takes its time and lets be known which processes are at it."""

    directory: Path
    seconds: float = 0.002

    def __call__(self, x: np.ndarray, w: int = 0) -> float:
        (self.directory / str(os.getpid())).touch()
        time.sleep(self.seconds)
        return bowl(x, w)


@dataclass(frozen=True)
class Deadly:
    """A loss that kills the process it is evaluated in, at one point."""

    point: np.ndarray

    def __call__(self, x: np.ndarray, w: int = 0) -> float:
        if np.array_equal(x, self.point):
            os.kill(os.getpid(), signal.SIGKILL)
        return bowl(x, w)


@dataclass(frozen=True)
class Hanging:
    """A loss that hangs the first so many times that it is asked for a point."""

    directory: Path
    point: np.ndarray
    times: int

    def __call__(self, x: np.ndarray, w: int = 0) -> float:
        if np.array_equal(x, self.point):
            for k in range(self.times):
                if not noted(self.directory, f"hung {k}"):
                    time.sleep(LONG)
        return bowl(x, w)


@dataclass
class Late:
    """A loss that takes a while to load."""

    seconds: float

    def __call__(self, x: np.ndarray, w: int = 0) -> float:
        return bowl(x, w)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state
        time.sleep(self.seconds)


@dataclass(frozen=True)
class Refusing:
    """A loss that raises at one point, the first so many times."""

    directory: Path
    point: np.ndarray
    times: int

    def __call__(self, x: np.ndarray, w: int = 0) -> float:
        if np.array_equal(x, self.point):
            for k in range(self.times):
                if not noted(self.directory, f"raised {k}"):
                    x[:] = np.nan  # which the next to be asked must not see
                    raise ZeroDivisionError("no answer to this")
        return bowl(x, w)


def point_of(label: str, id: int, cell: int) -> np.ndarray:
    """The point of an evaluation of a run."""
    run, evaluate = optimizer(label), InProcess(bowl)
    while (query := run.ask()) is not None:
        if query.id == id:
            return next(e.point for e in query if e.cell == cell)
        run.tell(query.id, evaluate(query))
    raise ValueError(id)


def alive(pid: int) -> bool:
    """Whether there is such a process, and it is not only waiting to be buried."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


class Killer(threading.Thread):
    """Kills processes that a `Slow` loss has made known, one after another, at random moments."""

    def __init__(self, directory: Path, kills: int) -> None:
        super().__init__(daemon=True)
        self._directory = directory
        self._wanted = kills
        self._rng = random.Random(0)
        self._over = threading.Event()
        self.killed: list[int] = []

    @property
    def done(self) -> bool:
        return len(self.killed) >= self._wanted

    def _at_work(self) -> list[int]:
        known = [int(path.name) for path in self._directory.iterdir() if path.name.isdigit()]
        return [pid for pid in known if pid not in self.killed and alive(pid)]

    def run(self) -> None:
        while not self.done and not self._over.is_set():
            time.sleep(self._rng.uniform(0.02, 0.2))
            at_work = self._at_work()  # a new one is known when it has begun
            if len(at_work) > 0 and os.getpid() not in at_work:
                victim = self._rng.choice(at_work)
                os.kill(victim, signal.SIGKILL)
                self.killed.append(victim)
                patience = time.monotonic() + 10.0
                while not set(self._at_work()) - set(at_work) and time.monotonic() < patience:
                    if self._over.wait(0.005):
                        return

    def stop(self) -> None:
        self._over.set()
        self.join()


@contextmanager
def killing(directory: Path, kills: int) -> Iterator[Killer]:
    killer = Killer(directory, kills)
    killer.start()
    try:
        yield killer
    finally:
        killer.stop()


def assert_kills_leave_no_trace(
    evaluate: Callable[[Query], Answer],
    directory: Path,
    kills: int,
) -> None:
    """A run during which workers are killed leads to what it leads to in peace.

    Under torture it also says what a kill costs.
    """
    run, rounds, began = optimizer("forward", 10**6), 0, time.perf_counter()
    with killing(directory, kills) as killer:
        while not (killer.done and rounds >= 10):
            query = run.ask()
            assert query is not None
            run.tell(query.id, evaluate(query))
            rounds += 1
    took = time.perf_counter() - began
    assert len(killer.killed) == kills
    state = run.state
    disturbed = digest(np.concatenate([state.x, state.y, state.dual, run.result().x]))
    assert disturbed == driven(optimizer("forward", rounds), InProcess(bowl))
    if TORTURE:
        began = time.perf_counter()
        assert driven(optimizer("forward", rounds), evaluate) == disturbed
        lost = (took - (time.perf_counter() - began)) / kills
        told(f"{kills} kills, the same bits, {max(lost, 0.0):.2f} s lost for each")
        assert lost <= 5.0


TORTURE = bool(os.environ.get("TORTURE"))
"""Whether the full counts are wanted (`make torture`)."""


def told(line: str) -> None:
    """Write a line of the report of a torture."""
    with open(os.environ["TORTURE"], "a") as report:
        report.write(f"    {line}\n")
