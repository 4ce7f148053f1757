"""Plain sentences about each regime, made from the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from benchmarks.report.board import Board
from benchmarks.report.ranks import field, lateness, median_rank, median_ratio, ranks, wins
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
        *(
            our_place(board, regime, method)
            for method in OURS
            if ranks(board, regime, method, board.last)
        ),
        advice(board, regime),
    ]


def after(board: Board, regime: str, when: When) -> str:
    """After how many evaluations, naming the problems that end earlier."""
    problems = board.problems(regime)
    usual = max(when(problem) for problem in problems)
    fewer = [f"{count(when(name))} on {name}" for name in problems if when(name) < usual]
    return f"after {count(usual)} evaluations" + (f" ({listed(fewer)})" if fewer else "")


def winners(board: Board, regime: str, when: When) -> str:
    """Who is best on how many problems, and how many peers were out of time."""
    problems = board.problems(regime)
    best = {name: wins(board, problems, name, when)[0] for name in board.methods}
    ordered = sorted((name for name in best if best[name]), key=lambda name: -best[name])
    tally = listed(f"`{name}` on {best[name]}" for name in ordered)
    tied = " (ties count for each)" if sum(best.values()) > len(problems) else ""
    return (
        f"Best {after(board, regime, when)}, of {len(problems)} problems: {tally or 'nobody'}"
        f"{tied}; {lateness(board, regime, when)}."
    )


def our_place(board: Board, regime: str, method: str) -> str:
    """Our ranks and ratios at the end, where we are far behind, and our rank before the cap."""
    found = ranks(board, regime, method, board.last)
    only = [rank for _, rank in found]
    ratio = digits(median_ratio(board, regime, method, board.last))
    first = [problem for problem, rank in found if rank == 1]
    worse = [p for p, _ in found if board.gap(p, method, board.last(p)) >= 1]
    text = (
        f"`{method}` ends with median rank {_middle(board, regime, method, board.last)} of "
        f"{field(board, regime, method)} (best {min(only)}, worst {max(only)})"
    )
    text += f" and {ratio} times the gap of the best peer in the median" if ratio else ""
    text += f"; no peer beats it on {listed(first)}" if first else "; a peer beats it on every one"
    text += f"; it makes no progress on {listed(worse)}" if worse else ""
    return (
        f"{text}. At the last checkpoint that most peers reached in time its median rank is "
        f"{_middle(board, regime, method, board.common)}."
    )


def _middle(board: Board, regime: str, method: str, when: When) -> str:
    return digits(median_rank(board, regime, method, when))


def clear_wins(board: Board, regime: str, method: str) -> list[str]:
    """The problems that a method ends with a gap below every peer's, whatever the seeds.

    Its highest is below their lowest, and some peer was not out of time.
    """
    return [
        problem
        for problem in board.problems(regime)
        if board.leads(problem, method, board.last(problem))
        and len(board.capped(problem, board.last(problem))) < len(board.peers(problem))
    ]


def narrow_wins(board: Board, regime: str, method: str) -> list[str]:
    """The problems that it ends with the lowest median by itself, within the seeds' spread."""
    return [
        problem
        for problem in board.problems(regime)
        if board.gap(problem, method, board.last(problem)) < min(1.0, _least(board, problem))
        and not board.leads(problem, method, board.last(problem))
    ]


def _least(board: Board, problem: str) -> float:
    """The lowest median of a peer at the end."""
    last = board.last(problem)
    return board.gap(problem, board.best_peer(problem, last), last)


def safest(board: Board, regime: str, when: When) -> tuple[str, int]:
    """The peer that is within a factor 2 of the best most often, and how often."""
    problems = board.problems(regime)
    peers = [name for name in board.methods if any(name in board.peers(p) for p in problems)]
    near = {name: wins(board, problems, name, when) for name in peers}
    name = max(near, key=lambda peer: (near[peer][2], near[peer][0]), default="")
    return name, near[name][2] if name else 0


def advice(board: Board, regime: str) -> str:
    """Where to use this library, and what to take elsewhere."""
    won = {method: clear_wins(board, regime, method) for method in OURS}
    default = won[OURS[0]]
    good = [name for name in board.problems(regime) if any(name in w for w in won.values())]
    near = [name for method in OURS for name in narrow_wins(board, regime, method)]
    close = [name for name in board.problems(regime) if name in near and name not in good]
    if good:
        text = (
            f"For {WHAT[regime]} gradient-free ADMM was the right tool on "
            f"{named(board, regime, good)} ({_how(default, good)})"
        )
    else:
        text = f"For {WHAT[regime]} gradient-free ADMM was clearly ahead of all peers on no problem"
    if close:
        text += f"; it was ahead within the spread of the seeds on {named(board, regime, close)}"
    return f"{text}; {'elsewhere ' if good or close else ''}{_safer(board, regime)}."


def _safer(board: Board, regime: str) -> str:
    """The safest peer, if one is safe anywhere."""
    name, often = safest(board, regime, board.last)
    if not often:
        return "no peer came within a factor 2 of the best anywhere"
    total = len(board.problems(regime))
    return f"take `{name}`, within a factor 2 of the best on {often} of {total}"


def named(board: Board, regime: str, problems: list[str]) -> str:
    """The problems with the number of peers that were out of time there; or how many they are."""
    late = Counter({name: len(board.capped(name, board.last(name))) for name in problems})
    if len(problems) > NAMED_AT_MOST:
        some = sum(number > 0 for number in late.values())
        against = f", on {some} of them against peers out of time" if some else ""
        return f"{len(problems)} of {len(board.problems(regime))} problems{against}"
    return listed(
        f"{name} ({late[name]} of {len(board.peers(name))} peers out of time)"
        if late[name]
        else name
        for name in problems
    )


def _how(default: list[str], good: list[str]) -> str:
    """Whether that was so without a choice of settings or step size."""
    if len(default) == len(good):
        return "with its defaults"
    if default:
        return f"with its defaults on {listed(default)}, else with the paper's settings"
    return "with the paper's settings, not with its defaults"
