"""bbob-constrained, functions 1 to 42: all that have one basin, in 5, 10 and 20 variables.

Odd instances were used to choose constants, even ones judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.coco import constrained
from benchmarks.coco.problems import CONSTRAINED, Place, task
from benchmarks.evaluated.solvers import SOLVERS
from benchmarks.yardstick.runs import Run
from benchmarks.yardstick.session import Cell, solve
from benchmarks.yardstick.solver import Solver
from benchmarks.yardstick.sources import digest, made_with

FOLDER, SHARED = Path(__file__).parent, Path(constrained.__file__)
SECONDS, LARGE_SECONDS = 60.0, 30.0
"""Own processor time of a solver in a run; the second in 20 variables."""
PER_VARIABLE = 1000
"""Evaluations."""
FAMILIES = ("sphere", "ellipsoid", "linear", "ellipsoid, rotated", "discus", "cigar", "powers")
"""Six functions each, with more and more constraints."""


def places(dimensions: Sequence[int], instances: Sequence[int]) -> list[Place]:
    """In the order in which they are run."""
    return [
        Place(CONSTRAINED, f, d, i)
        for d in dimensions
        for i in instances
        for f in range(1, 6 * len(FAMILIES) + 1)
    ]


def seconds(dimension: int) -> float:
    """Own processor time of a solver in a run."""
    return LARGE_SECONDS if dimension >= 20 else SECONDS


def cells(where: Iterable[Place], solvers: Iterable[str]) -> list[Cell]:
    """One a place and solver."""
    found = list(where)
    return [_cell(place, SOLVERS[name]) for place in found for name in solvers]


def _cell(place: Place, solver: Solver) -> Cell:
    limit = seconds(place.dimension)
    about = Run(
        problem=place.name,
        feature=place.suite,
        group=FAMILIES[(place.function - 1) // 6],
        n=place.dimension,
        solver=solver.name,
        seed=0,
        budget=PER_VARIABLE * place.dimension,
        source=made_with(solver.package, FOLDER, digest([SHARED], f"{limit}")),
    )

    def make(run: Run) -> Run:
        opened = place.open()
        problem = task(place, opened)
        made = solve(run, problem, solver, limit)
        start = problem.value(problem.x0)
        opened.close()
        return replace(made, start=start)

    return Cell(about, make)
