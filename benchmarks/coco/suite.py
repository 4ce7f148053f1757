"""The cells of this benchmark; histories are gaps f - f*, targets absolute."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from benchmarks.coco import constrained
from benchmarks.coco.plan import budget, full_places, judged_places, quick_places
from benchmarks.coco.problems import CONSTRAINED, Place, task
from benchmarks.yardstick import peers
from benchmarks.yardstick.runs import Run
from benchmarks.yardstick.session import Cell, solve
from benchmarks.yardstick.solver import Solver
from benchmarks.yardstick.sources import made_with
from benchmarks.yardstick.suite import RESULTS, Suite

FOLDER = Path(__file__).parent
DATA = RESULTS / "coco" / "data"
"""COCO's own record of the full runs, a folder a solver; not for the repository."""
SECONDS, QUICK_PEER_SECONDS = 60.0, 6.0
NAMES = (
    peers.OURS,
    "cma-es",
    "slsqp",
    "lbfgsb",
    "bobyqa",
    "cobyqa",
    "py-bobyqa",
    "nomad",
    "cobyla",
)


def solver_for(place: Place, name: str) -> Solver | None:
    """None where a solver has no form for the suite."""
    return (constrained.SOLVERS if place.suite == CONSTRAINED else peers.SOLVERS).get(name)


def cells(quick: bool, solvers: Iterable[str]) -> list[Cell]:
    return [
        _cell(
            place,
            name,
            solver,
            QUICK_PEER_SECONDS if quick and name != peers.OURS else SECONDS,
            record=not quick,
        )
        for name in solvers
        for place in (quick_places() if quick else full_places(name))
        if (solver := solver_for(place, name)) is not None
    ]


def judged(solvers: Iterable[str]) -> list[Cell]:
    places = judged_places()
    return [
        _cell(place, name, solver, SECONDS, record=False)
        for name in solvers
        for place in places
        if (solver := solver_for(place, name)) is not None
    ]


def _cell(place: Place, name: str, solver: Solver, seconds: float, record: bool) -> Cell:
    about = Run(
        problem=place.name,
        feature=place.suite,
        group=place.group,
        n=place.dimension,
        solver=name,
        seed=0,
        budget=budget(place),
        source=made_with(solver.package, FOLDER, f"{seconds}"),
    )

    def make(run: Run) -> Run:
        opened = place.open(DATA / name if record else None)
        made = solve(run, task(place, opened), solver, seconds)
        opened.close()
        return replace(made, start=1.0)

    return Cell(about, make)


SUITE = Suite(
    name="coco",
    cells=cells,
    solvers=NAMES,
    quick_peers=("slsqp", "lbfgsb", "bobyqa", "cma-es"),
    targets=(1e1, 1e-1, 1e-3, 1e-6),
    quick_seconds=QUICK_PEER_SECONDS,
    full_seconds=SECONDS,
    gaps=True,
    judged=judged,
)
