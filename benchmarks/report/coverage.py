"""What is not there: cells without rows, seeds that are missing, rows of other sources."""

from __future__ import annotations

from collections import Counter, defaultdict

from benchmarks.methods import METHODS
from benchmarks.problems import SUITE
from benchmarks.report.board import ORDER, Board, in_order
from benchmarks.report.text import listed

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


def other_cells(board: Board) -> list[Cell]:
    """The cells with rows by other sources than most cells.

    A grid, having less time, has a digest of its own: digests that made a cell together belong
    together.
    """
    made_by: dict[Cell, set[str]] = defaultdict(set)
    for row in board.rows:
        if row.source:
            made_by[row.problem, row.method].add(row.source)
    cells = Counter(source for sources in made_by.values() for source in sorted(sources))
    usual = {
        source
        for most, _ in cells.most_common(1)
        for sources in made_by.values()
        if most in sources
        for source in sources
    }
    return [cell for cell, sources in made_by.items() if not sources <= usual]


def coverage(board: Board, seeds: int) -> str:
    """All three in words, a problem a line where something is to be said."""
    absent, others = missing_cells(board), other_cells(board)
    lacking = missing_seeds(board, seeds)
    if not absent and not lacking and not others:
        return "Every method has rows for every problem and all its seeds, by the same sources."
    parts = [
        _by_problem("Without rows", dict.fromkeys(absent, "")),
        _by_problem("Seeds missing", {cell: f" ({number})" for cell, number in lacking.items()}),
        _by_problem(
            "Made with other sources or another effort than most cells", dict.fromkeys(others, "")
        ),
    ]
    return "\n\n".join(part for part in parts if part)


def _by_problem(title: str, remarks: dict[Cell, str]) -> str:
    """A list of problems, each with its methods and what is remarked of them."""
    lines = []
    for problem in in_order({problem for problem, _ in remarks}, SUITE):
        methods = in_order({method for there, method in remarks if there == problem}, ORDER)
        named = listed(f"`{method}`{remarks[problem, method]}" for method in methods)
        whole = len(methods) == len(METHODS) and not any(remarks.values())
        lines.append(f"- {problem}: {'every method' if whole else named}.")
    return "\n".join([f"{title}:", "", *lines]) if lines else ""
