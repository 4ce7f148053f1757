"""How far raw answers are from the feasible set."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict

from benchmarks.report.board import REGIMES, Board
from benchmarks.report.text import blank, digits, side_by_side, stacked, table

ROUNDING = 1e-9
"""Distances up to this are printed as 0."""


def violation_tables(board: Board) -> str:
    """Methods down, constrained problems across: medians over seeds at the last checkpoint."""
    ends: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in board.chosen:
        if row.evaluations == board.last(row.problem):
            ends[row.problem, row.method].append(row.violation)
    distance = {cell: statistics.median(found) for cell, found in ends.items()}
    problems = [
        problem
        for problem in board.problems(*REGIMES)
        if any(there == problem and found > 0 for (there, _), found in distance.items())
    ]
    return "\n\n".join(_table(board, part, distance) for part in side_by_side(problems))


def _table(board: Board, problems: list[str], distance: dict[tuple[str, str], float]) -> str:
    def shown(problem: str, method: str) -> str:
        if (problem, method) in distance:
            found = distance[problem, method]
            return "0" if found <= ROUNDING else digits(found) if found < math.inf else "x"
        return blank(board, problem, method)

    lines = [
        [f"`{method}`", *(shown(problem, method) for problem in problems)]
        for method in board.methods
    ]
    return table(["distance", *map(stacked, problems)], lines)
