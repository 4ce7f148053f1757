"""Where this library stands: ranks, ratios, and who is best how often."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable

from benchmarks.report.board import NAMED, Board
from benchmarks.report.gaps import is_best
from benchmarks.report.text import bold, count, table, times
from benchmarks.standings import OURS


def rank_table(board: Board, regime: str) -> str:
    """By problem and checkpoint: our ranks, the best peer, our gaps over its gap, who was late.

    The last column is the last checkpoint that most peers reached in time.
    """
    problems = board.problems(regime)
    named = [n for n in NAMED if any(n in board.checkpoints(problem) for problem in problems)]
    lines = []
    for problem in problems:
        common = board.common(problem)
        stands = [_stand(board, problem, n) for n in named]
        again = _stand(board, problem, common)
        last = f"at {count(common)}:<br>{again}" if again else ""
        lines.append([problem, str(len(board.peers(problem)) + 1), *stands, last])
    return table(["problem", "of", *(count(n) for n in named), "most in time"], lines)


def _stand(board: Board, problem: str, evaluations: int) -> str:
    ours = [name for name in OURS if name in board.contestants(problem)]
    peer = board.best_peer(problem, evaluations)
    if not ours or not peer or evaluations not in board.checkpoints(problem):
        return ""
    ranks = [board.rank(problem, name, evaluations) for name in ours]
    ratios = [times(board.ratio(problem, name, evaluations)) for name in ours]
    shown = " / ".join(bold(str(rank)) if rank == 1 else str(rank) for rank in ranks)
    late = len(board.capped(problem, evaluations))
    return f"{shown}<br>{peer}<br>{' / '.join(ratios)}" + (f"<br>{late} c" if late else "")


def win_table(board: Board, regime: str) -> str:
    """By method: problems where it is best, within 10 % and within a factor 2 of the best."""
    problems = board.problems(regime)
    whens = {"early": board.early, "most in time": board.common, "end": board.last}
    heads = ["method", "ran on"]
    for name in whens:
        heads += [f"{name}: best", "within 10 %", "within 2×"]
    lines = []
    for method in board.methods:
        there = [problem for problem in problems if method in board.contestants(problem)]
        if there:
            found = [str(n) for when in whens.values() for n in wins(board, there, method, when)]
            lines.append([f"`{method}`", str(len(there)), *found])
    return table(heads, lines)


def wins(
    board: Board, problems: list[str], method: str, when: Callable[[str], int]
) -> tuple[int, int, int]:
    """On how many of these problems a method is best, within 10 %, within a factor 2 of the best.

    A problem on which nobody has made progress counts for nobody.
    """
    best = sum(is_best(board, problem, method, when(problem)) for problem in problems)
    near = [nearness(board, problem, method, when(problem)) for problem in problems]
    return best, sum(ratio <= 1.1 for ratio in near), sum(ratio <= 2 for ratio in near)


def nearness(board: Board, problem: str, method: str, evaluations: int) -> float:
    """A method's gap over the best contestant's; inf where nobody has made progress."""
    best = board.best_gap(problem, evaluations)
    return board.gap(problem, method, evaluations) / best if best < 1 else math.inf


def ranks(
    board: Board, regime: str, method: str, when: Callable[[str], int]
) -> list[tuple[str, int]]:
    """(problem, our rank there), for the problems where the method ran and some peer did."""
    return [
        (problem, board.rank(problem, method, when(problem)))
        for problem in board.problems(regime)
        if method in board.contestants(problem) and board.peers(problem)
    ]


def median_rank(board: Board, regime: str, method: str, when: Callable[[str], int]) -> float:
    found = [rank for _, rank in ranks(board, regime, method, when)]
    return statistics.median(found) if found else math.nan


def median_ratio(board: Board, regime: str, method: str, when: Callable[[str], int]) -> float:
    """The median over problems of our gap over the best peer's."""
    there = [problem for problem, _ in ranks(board, regime, method, when)]
    ratios = [board.ratio(problem, method, when(problem)) for problem in there]
    known = [ratio for ratio in ratios if not math.isnan(ratio)]
    return statistics.median(known) if known else math.nan


def field(board: Board, regime: str, method: str) -> str:
    """How many stand in the rankings where a method ran: the peers and itself."""
    there = [problem for problem, _ in ranks(board, regime, method, board.last)]
    return span([1 + len(board.peers(problem)) for problem in there])


def span(numbers: list[int]) -> str:
    """From the least to the most.

    >>> span([4, 5, 5]), span([4, 4])
    ('4 to 5', '4')
    """
    return " to ".join(map(str, sorted({min(numbers), max(numbers)})))


def clear_leads(board: Board, regime: str, method: str) -> list[str]:
    """The problems that a method ends with a gap below every peer's, whatever the seeds.

    Its highest is below their lowest, and some peer was not out of time.
    """
    return [
        problem
        for problem in board.problems(regime)
        if board.leads(problem, method, board.last(problem))
        and len(board.capped(problem, board.last(problem))) < len(board.peers(problem))
    ]
