"""The same problems in other units."""

from __future__ import annotations

from benchmarks.report.board import Board
from benchmarks.report.text import cell, table
from benchmarks.scaling import SCALES


def unit_table(board: Board) -> str:
    """Gaps at the last checkpoint in the problem's own unit and in the others."""
    lines = []
    for problem in board.rescaled:
        names = [problem, *(f"{problem}@{scale}" for scale in SCALES)]
        there = {row.method for row in board.rows if row.problem in names[1:]}
        for method in [name for name in board.methods if name in there]:
            gaps = [cell(board, name, method, board.last(name)) for name in names]
            lines.append([problem, f"`{method}`", *gaps])
    return table(["problem", "method", "own unit", *SCALES], lines)
