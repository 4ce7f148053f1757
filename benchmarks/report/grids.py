"""The free constants: what was tried, and where on its grid the best one lay."""

from __future__ import annotations

from collections import defaultdict

from benchmarks.report.board import Board
from benchmarks.report.text import table


def grid_table(board: Board) -> str:
    """By method and grid: on how many problems the best constant was the least or the largest."""
    chosen = {(row.problem, row.method): row.constant for row in board.chosen}
    best: dict[tuple[str, tuple[float, ...]], list[float]] = defaultdict(list)
    for cell, constants in _tried(board).items():
        if cell in chosen:
            best[cell[1], tuple(sorted(constants))].append(chosen[cell])
    lines = [
        [
            f"`{method}`",
            ", ".join(f"{constant:g}" for constant in grid),
            str(found.count(grid[0])),
            str(found.count(grid[-1])),
            str(len(found)),
        ]
        for (method, grid), found in sorted(best.items(), key=lambda item: _place(board, item[0]))
    ]
    return table(["method", "constants", "least was best", "largest was best", "of"], lines)


def _place(board: Board, key: tuple[str, tuple[float, ...]]) -> tuple[int, tuple[float, ...]]:
    return board.methods.index(key[0]), key[1]


def _tried(board: Board) -> dict[tuple[str, str], set[float]]:
    """By (problem, method), in the problems' own units: the constants of the grid."""
    tried: dict[tuple[str, str], set[float]] = defaultdict(set)
    for row in board.rows:
        if row.stage == "grid" and row.evaluations and "@" not in row.problem:
            tried[row.problem, row.method].add(row.constant)
    return tried
