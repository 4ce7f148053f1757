"""COCO's problems as tasks, with gaps f - f* and COCO's own record of each run.

Suites evaluate in C. f* is the value at the optimum that COCO knows. Behind noise the scored value
is the median of nine fresh values of the same point, which nobody is charged for; COCO's own record
(folder `data/`) has what COCO counts, and `python -m cocopp` reads it.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.yardstick.task import Array, Task

BBOB, LARGE, NOISY, CONSTRAINED = "bbob", "bbob-largescale", "bbob-noisy", "bbob-constrained"
REPEATS = 9


@dataclass(frozen=True, eq=False)
class Opened:
    """A problem with the suite and the observer that must live as long as it is used."""

    suite: Any
    problem: Any
    observer: Any

    def __call__(self, x: Array) -> float:
        return float(self.problem(x))

    def close(self) -> None:
        """COCO's data is complete only then."""
        self.problem.free()


@dataclass(frozen=True)
class Place:
    """One problem of one suite."""

    suite: str
    function: int
    dimension: int
    instance: int

    @property
    def name(self) -> str:
        return f"{self.suite}-f{self.function}-d{self.dimension}-i{self.instance}"

    @property
    def group(self) -> str:
        """COCO's groups of functions; all multimodal ones together, out of the method's scope."""
        if self.suite == CONSTRAINED:
            return "constrained"
        if self.suite == NOISY:
            return "multimodal" if self.function >= 122 else "noisy"
        limits = {5: "separable", 9: "moderate", 14: "ill-conditioned", 24: "multimodal"}
        return next(name for last, name in limits.items() if self.function <= last)

    def open(self, record: Path | None = None) -> Opened:
        """A fresh COCO problem; with `record`, COCO writes its own data into that folder."""
        import cocoex

        chosen = f"dimensions:{self.dimension} function_indices:{self.index}"
        suite = cocoex.Suite(self.suite, f"instances:{self.instance}", chosen)
        problem, observer = suite[0], None
        if record is not None:
            record.mkdir(parents=True, exist_ok=True)
            options = f"outer_folder:{record} result_folder:{self.name}"
            observer = cocoex.Observer(self.suite, f"{options} algorithm_name:{record.name}")
            problem.observe_with(observer)
        return Opened(suite, problem, observer)

    @property
    def index(self) -> int:
        """COCO counts functions of a suite from 1."""
        return self.function - 100 if self.suite == NOISY else self.function


@dataclass(frozen=True, eq=False)
class ConstrainedTask(Task):
    """A task with constraints g(x) <= 0 that are only known by their values."""

    constraint: Callable[[Array], Array] = lambda x: np.zeros(0)

    @property
    def kind(self) -> str:
        return "n"

    def violation(self, x: Array) -> float:
        outside = super().violation(x)
        return outside if np.isinf(outside) else max(outside, float(self.constraint(x).max()))


def optimum(place: Place) -> float:
    """f*: COCO writes its best parameter into a file of the current folder."""
    opened, before = place.open(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            opened.problem._best_parameter("print")
            best = np.loadtxt("._bbob_problem_best_parameter.txt")
        finally:
            os.chdir(before)
    return opened(best)


def task(place: Place, opened: Opened) -> Task:
    """The task in gaps, evaluated on an open problem."""
    least, fresh = optimum(place), place.open()
    box = 5.0 if place.suite != CONSTRAINED else np.inf
    noisy = place.suite == NOISY

    def truth(x: Array) -> float:
        return statistics.median(fresh(x) for _ in range(REPEATS)) - least

    parts: dict[str, Any] = {
        "name": place.name,
        "x0": np.array(opened.problem.initial_solution, dtype=np.float64),
        "lower": np.full(place.dimension, -box),
        "upper": np.full(place.dimension, box),
        "value": lambda x: opened(x) - least,
        "truth": truth if noisy else None,
        "noise": 1.0 if noisy else 0.0,
    }
    if place.suite == CONSTRAINED:
        return ConstrainedTask(
            **parts, constraint=lambda x: np.asarray(fresh.problem.constraint(x))
        )
    return Task(**parts)
