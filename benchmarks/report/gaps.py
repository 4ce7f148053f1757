"""Gaps of every method on every problem: the median over seeds, and the spread."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.report.board import Board
from benchmarks.report.text import (
    bold,
    cell,
    code,
    count,
    digits,
    gap_text,
    side_by_side,
    stacked,
    table,
)
from benchmarks.standings import OURS


def gap_tables(board: Board, regime: str, when: Callable[[str], int]) -> str:
    """Methods down, problems across; the best without gradients in bold."""
    parts = side_by_side(board.problems(regime))
    return "\n\n".join(_gap_table(board, part, when) for part in parts)


def _gap_table(board: Board, problems: list[str], when: Callable[[str], int]) -> str:
    usual = max(when(problem) for problem in problems)
    heads = [
        stacked(problem) + ("" if when(problem) == usual else f"<br>at {count(when(problem))}")
        for problem in problems
    ]
    lines = [
        [f"`{method}`", *(_marked(board, problem, method, when(problem)) for problem in problems)]
        for method in board.methods
    ]
    return table([f"at {count(usual)}", *heads], lines)


def _marked(board: Board, problem: str, method: str, evaluations: int) -> str:
    text = cell(board, problem, method, evaluations)
    return bold(text) if is_best(board, problem, method, evaluations) else text


def is_best(board: Board, problem: str, method: str, evaluations: int) -> bool:
    """Whether a contestant has the lowest gap, and has made progress."""
    best = board.best_gap(problem, evaluations)
    there = method in board.contestants(problem)
    return there and best < 1 and board.gap(problem, method, evaluations) == best


def spread_table(board: Board, regime: str) -> str:
    """Lowest to highest gap over the seeds, ours and the best peer's."""
    lines = []
    for problem in board.problems(regime):
        last = board.last(problem)
        peer = board.best_peer(problem, last)
        ours = [_spread(board, problem, method, last) for method in OURS]
        lines.append([problem, *ours, code(peer), _spread(board, problem, peer, last)])
    return table(["problem", *(f"`{name}`" for name in OURS), "best peer", "its spread"], lines)


def _spread(board: Board, problem: str, method: str, evaluations: int) -> str:
    figure = board.figures.get((problem, method, evaluations))
    if figure is None:
        return ""
    if figure.lowest == figure.highest:
        return gap_text(figure.gap)
    return f"{digits(max(figure.lowest, 0.0))} … {digits(max(figure.highest, 0.0))}"
