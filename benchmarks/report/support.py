"""Which nonzeros a method finds, on sparse problems."""

from __future__ import annotations

import math
import statistics

from benchmarks.report.board import REGIMES, Board
from benchmarks.report.text import blank, digits, stacked, table


def support_table(board: Board) -> str:
    """Precision / recall at the last checkpoint, medians over seeds."""
    problems = [name for name in board.problems(*REGIMES) if _is_sparse(board, name)]
    lines = [
        [f"`{method}`", *(_found(board, problem, method) for problem in problems)]
        for method in board.methods
    ]
    return table(["precision / recall", *map(stacked, problems)], lines)


def _is_sparse(board: Board, problem: str) -> bool:
    return any(row.problem == problem and not math.isnan(row.precision) for row in board.rows)


def _found(board: Board, problem: str, method: str) -> str:
    last = board.last(problem)
    ends = [
        row
        for row in board.chosen
        if (row.problem, row.method, row.evaluations) == (problem, method, last)
    ]
    precision = [row.precision for row in ends if not math.isnan(row.precision)]
    recall = [row.recall for row in ends if not math.isnan(row.recall)]
    if not precision:
        return blank(board, problem, method)
    return f"{digits(statistics.median(precision))} / {digits(statistics.median(recall))}"
