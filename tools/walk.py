"""Walk one call: which functions it enters, and how often it changes files.

    python tools/walk.py [paper | model | ridges | steps]

Counted are the functions of the library that run before the first query is evaluated, and the
changes from one file to another in an iteration, the median of those in the middle of the run.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import zooadmm as zoo

LIBRARY = str(Path(zoo.__file__).parent)
CENTERS = np.random.default_rng(0).standard_normal((200, 5))


def whole(x: Any) -> float:
    """A loss without noise."""
    return float(np.sum((x - CENTERS[0]) ** 4 + x**2))


def noisy(x: Any) -> float:
    """A loss with noise."""
    return whole(x) + float(np.random.default_rng(int(1e6 * abs(x[0]))).standard_normal())


def sampled(x: Any, row: int) -> float:
    """A loss of observations."""
    return float((CENTERS[row] @ x - 1.0) ** 2)


RUNS: dict[str, Callable[[], zoo.Result]] = {
    "paper": lambda: zoo.minimize(
        whole, np.zeros(5), settings="paper", max_iterations=30, rng=0, progress=False
    ),
    "model": lambda: zoo.minimize(
        whole, np.zeros(5), regularizer=zoo.L1(0.1), max_evaluations=300, rng=0, progress=False
    ),
    "ridges": lambda: zoo.minimize(
        sampled,
        np.zeros(5),
        observations=np.arange(200),
        max_evaluations=3_000,
        rng=0,
        progress=False,
    ),
    "steps": lambda: zoo.minimize(noisy, np.zeros(5), max_evaluations=3_000, rng=0, progress=False),
}


class Walk:
    """Counts calls and changes of files, iteration by iteration."""

    def __init__(self) -> None:
        self.entered: set[tuple[str, str]] = set()
        self.changes: list[int] = [0]
        self._file = ""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """What `sys.setprofile` calls."""
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(LIBRARY):
            return
        if len(self.changes) == 1:
            self.entered.add((name, frame.f_code.co_qualname))
        if name != self._file:
            self._file = name
            self.changes[-1] += 1
        if frame.f_code.co_qualname == "Optimizer.ask":
            self.changes.append(0)


def walked(name: str) -> Walk:
    """Walk a run."""
    RUNS[name]()  # once before, so that nothing is imported or compiled on the way
    walk = Walk()
    sys.setprofile(walk)
    try:
        RUNS[name]()
    finally:
        sys.setprofile(None)
    return walk


def main(name: str) -> int:
    """Print the counts of a run."""
    walk = walked(name)
    middle = walk.changes[len(walk.changes) // 4 : -2] or [0]
    print(
        f"{name}: {len(walk.entered)} functions before the first query, "
        f"{statistics.median(middle):g} changes of file in an iteration"
    )
    return 0


if __name__ == "__main__":
    for run in sys.argv[1:] or RUNS:
        main(run)
