"""The tables of `results/SUMMARY.md` and of `benchmarks/README.md`, by name.

The pages themselves are written by a person; `places` puts the tables into them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.report.beside_authors import authors_table
from benchmarks.report.board import REGIMES, Board
from benchmarks.report.conditions import effort_of, effort_table, environment_table
from benchmarks.report.costs import cost_table
from benchmarks.report.coverage import missing_table, source_table
from benchmarks.report.forms import form_table
from benchmarks.report.gaps import gap_tables, spread_table
from benchmarks.report.grids import grid_table
from benchmarks.report.overview import regime_table
from benchmarks.report.ranks import rank_table, win_table
from benchmarks.report.support import support_table
from benchmarks.report.targets import time_table
from benchmarks.report.units import unit_table
from benchmarks.report.violations import violation_tables

TARGETS = {"full": (1e-2,), "stochastic": (1e-1, 1e-2), "noisy": (1e-1, 1e-2)}
NO_ROWS = "There are no rows."
Maker = Callable[[Board, str], str]


def tables(board: Board, environment: dict[str, Any], authors: Path) -> dict[str, str]:
    """Every table by its name: those of the whole suite, and those of each kind of loss."""
    of_all = {
        "regimes": regime_table(board),
        "environment": environment_table(environment),
        "effort": effort_table(environment),
        "sources": source_table(board),
        "missing": missing_table(board, effort_of(environment).seeds),
        "grids": grid_table(board),
        "supports": support_table(board),
        "violations": violation_tables(board),
        "costs": cost_table(board),
        "units": unit_table(board),
        "authors": authors_table(authors) if authors.exists() else NO_ROWS,
        "forms": form_table(board),
    }
    return of_all | {
        name: make(board, regime) if board.problems(regime) else NO_ROWS
        for regime in REGIMES
        for name, make in _of_regime(regime).items()
    }


def _of_regime(regime: str) -> dict[str, Maker]:
    """The makers of a regime's tables, by the tables' names."""
    return {
        f"{regime}: gaps at the end": lambda board, kind: gap_tables(board, kind, board.last),
        f"{regime}: gaps early": lambda board, kind: gap_tables(board, kind, board.early),
        f"{regime}: spread": spread_table,
        f"{regime}: ranks": rank_table,
        f"{regime}: best": win_table,
        **{f"{regime}: time to {target:g}": _time_to(target) for target in TARGETS[regime]},
    }


def _time_to(target: float) -> Maker:
    return lambda board, regime: time_table(board, regime, target)
