"""Plain sentences about each regime, made from the rows."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.report.board import Board
from benchmarks.report.ranks import field_size, median_rank, median_ratio, ranks, wins
from benchmarks.report.text import count, digits, listed
from benchmarks.standings import OURS

WHAT = {
    "full": "a loss that gives the same value every time",
    "stochastic": "a loss sampled from data",
    "noisy": "a noisy black box",
}
NAMED_AT_MOST = 6
"""More problems than this are counted, not named."""
When = Callable[[str], int]


def sentences(board: Board, regime: str) -> list[str]:
    """Who wins how often, where we stand, and whether this library is the right tool."""
    return [
        *(winners(board, regime, when) for when in (board.early, board.last)),
        *(our_place(board, regime, method) for method in OURS if _ran(board, regime, method)),
        advice(board, regime),
    ]


def _ran(board: Board, regime: str, method: str) -> bool:
    return any(method in board.contestants(problem) for problem in board.problems(regime))


def winners(board: Board, regime: str, when: When) -> str:
    """Who is best on how many problems."""
    problems = board.problems(regime)
    best = [(wins(board, problems, name, when)[0], name) for name in board.methods]
    ordered = sorted((pair for pair in best if pair[0]), key=lambda pair: -pair[0])
    tally = listed(f"`{name}` on {number}" for number, name in ordered)
    at = count(max(when(problem) for problem in problems))
    tied = sum(number for number, _ in best) > len(problems)
    return (
        f"Best after {at} evaluations, of {len(problems)} problems: {tally or 'nobody'}"
        f"{' (ties count for each)' if tied else ''}."
    )


def our_place(board: Board, regime: str, method: str) -> str:
    """Our ranks and ratios at the end, and where we are far behind."""
    found = ranks(board, regime, method, board.last)
    only = [rank for _, rank in found]
    middle = digits(median_rank(board, regime, method, board.last))
    ratio = digits(median_ratio(board, regime, method, board.last))
    first = [problem for problem, rank in found if rank == 1]
    worse = [p for p, _ in found if board.gap(p, method, board.last(p)) >= 1]
    text = (
        f"`{method}` ends with median rank {middle} of {field_size(board, regime)} (best "
        f"{min(only)}, worst {max(only)}) and {ratio} times the gap of the best peer in the median"
    )
    text += f"; no peer beats it on {listed(first)}" if first else "; a peer beats it on every one"
    return text + (f"; it makes no progress on {listed(worse)}." if worse else ".")


def unbeaten(board: Board, regime: str, method: str) -> list[str]:
    """The problems where one of ours made progress and ends with a gap as low as any peer's."""
    return [
        problem
        for problem, rank in ranks(board, regime, method, board.last)
        if rank == 1 and board.gap(problem, method, board.last(problem)) < 1
    ]


def safest(board: Board, regime: str, when: When) -> tuple[str, int]:
    """The peer that is within a factor 2 of the best most often, and how often."""
    problems = board.problems(regime)
    peers = [name for name in board.methods if any(name in board.peers(p) for p in problems)]
    near = {name: wins(board, problems, name, when) for name in peers}
    name = max(near, key=lambda peer: (near[peer][2], near[peer][0]), default="")
    return name, near[name][2] if name else 0


def advice(board: Board, regime: str) -> str:
    """Where to use this library, and what to take elsewhere."""
    name, often = safest(board, regime, board.last)
    total = len(board.problems(regime))
    peer = f"`{name}`, within a factor 2 of the best on {often} of {total}"
    printed, tuned = (unbeaten(board, regime, method) for method in OURS)
    good = [problem for problem in board.problems(regime) if problem in printed + tuned]
    if not good:
        return (
            f"For {WHAT[regime]} some peer beat gradient-free ADMM on every problem: take {peer}."
        )
    where = listed(good) if len(good) <= NAMED_AT_MOST else f"{len(good)} of {total} problems"
    return (
        f"For {WHAT[regime]} gradient-free ADMM was the right tool on {where} "
        f"({_how(printed, good)}); elsewhere take {peer}."
    )


def _how(printed: list[str], good: list[str]) -> str:
    """Whether that was so without a choice of the step size."""
    if len(printed) == len(good):
        return "with its defaults"
    if printed:
        return f"with its defaults on {listed(printed)}, else with the step size tuned"
    return "with the step size tuned, not with its defaults"
