"""Which cells and seeds are missing, and which sources made the others."""

from __future__ import annotations

from collections import defaultdict

from benchmarks.methods import METHODS
from benchmarks.problems import SUITE
from benchmarks.report.board import ORDER, Board, in_order
from benchmarks.report.text import table

Cell = tuple[str, str]


def missing_cells(board: Board) -> list[Cell]:
    """Every method on every problem, less those with rows."""
    every = [(problem, method) for problem in SUITE for method in METHODS]
    return [cell for cell in every if cell not in board.started]


def missing_seeds(board: Board, seeds: int) -> dict[Cell, int]:
    """By cell: how many of its seeds have no figures.

    A method without randomness needs only one on a loss without randomness.
    """
    ran: dict[Cell, set[int]] = {cell: set() for cell in board.started - board.unfit}
    for row in board.chosen:
        ran[row.problem, row.method].add(row.seed)
    lacking = {cell: _needed(board, cell, seeds) - len(found) for cell, found in ran.items()}
    return {cell: number for cell, number in lacking.items() if number > 0}


def _needed(board: Board, cell: Cell, seeds: int) -> int:
    problem, method = cell
    once = method in METHODS and not METHODS[method].random
    return 1 if once and board.regime(problem) == "full" else seeds


def missing_table(board: Board, seeds: int) -> str:
    """A line for each cell with missing rows: all of them, or those of some seeds."""
    lacking = dict.fromkeys(missing_cells(board), "all rows")
    lacking |= {cell: f"{n} of {seeds} seeds" for cell, n in missing_seeds(board, seeds).items()}
    lines = [[problem, f"`{method}`", what] for (problem, method), what in lacking.items()]
    return table(["problem", "method", "missing"], lines or [["none", "", ""]])


def source_table(board: Board) -> str:
    """By digest of the benchmark's sources and effort: how many cells it made, of which methods.

    A grid, having less time, has a digest of its own.
    """
    made: dict[tuple[str, str], set[Cell]] = defaultdict(set)
    for row in board.rows:
        if row.source:
            made[row.source, row.stage].add((row.problem, row.method))
    lines = []
    for (source, stage), cells in sorted(made.items(), key=lambda item: -len(item[1])):
        methods = in_order({method for _, method in cells}, ORDER)
        shown = f"`{methods[0]}`" if len(methods) == 1 else str(len(methods))
        lines.append(
            [f"`{source}`", stage, str(len(cells)), shown, str(len({p for p, _ in cells}))]
        )
    return table(["sources", "stage", "cells", "methods", "problems"], lines)
