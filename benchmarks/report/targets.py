"""What it takes to reach a target: evaluations, or time when the loss is slow."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable

from benchmarks.report.board import Board
from benchmarks.report.text import NEVER, bold, table
from benchmarks.results import Row
from benchmarks.standings import OURS

DELAYS = {0.0: "no delay", 1e-3: "1 ms", 0.1: "100 ms"}
"""Seconds that every evaluation is supposed to take on top of its own."""


def evaluations_of(row: Row) -> float:
    return float(row.evaluations)


def seconds_after(delay: float) -> Callable[[Row], float]:
    """The time by a row, had every evaluation taken so much longer, one after the other."""
    return lambda row: row.seconds + delay * row.used


def reached(
    board: Board, target: float, cost: Callable[[Row], float]
) -> dict[tuple[str, str], float]:
    """By (problem, method): the cost at the first checkpoint with gap <= target.

    The median over seeds; inf for never.
    """
    runs: dict[tuple[str, str, int], float] = {}
    for row in sorted(board.chosen, key=lambda row: row.evaluations):
        key = row.problem, row.method, row.seed
        if row.evaluations and not math.isfinite(runs.setdefault(key, math.inf)):
            runs[key] = cost(row) if row.gap <= target else math.inf
    gathered: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (problem, method, _), value in runs.items():
        gathered[problem, method].append(value)
    return {cell: statistics.median(values) for cell, values in gathered.items()}


def time_table(board: Board, regime: str, target: float) -> str:
    """For each delay: the fastest peer, and ours as printed / tuned."""
    heads = ["problem"]
    for name in DELAYS.values():
        heads += [f"{name}: fastest peer", "ours"]
    by_delay = [reached(board, target, seconds_after(delay)) for delay in DELAYS]
    lines = []
    for problem in board.problems(regime):
        cells = [part for times in by_delay for part in _fastest(board, problem, times)]
        lines.append([problem, *cells])
    return table(heads, lines)


def _fastest(board: Board, problem: str, times: dict[tuple[str, str], float]) -> tuple[str, str]:
    """The fastest peer with its time, and our times; the fastest of all in bold."""
    peers = {name: times[problem, name] for name in board.peers(problem)}
    peer = min(peers, key=lambda name: peers[name], default="")
    ours = [times.get((problem, name), math.inf) for name in OURS]
    least = min([peers.get(peer, math.inf), *ours])
    shown = [_duration(value, least) for value in ours]
    if not peer or math.isinf(peers[peer]):
        return NEVER, " / ".join(shown)
    return f"`{peer}` {_duration(peers[peer], least)}", " / ".join(shown)


def _duration(seconds: float, least: float) -> str:
    return bold(duration(seconds)) if seconds == least < math.inf else duration(seconds)


def duration(seconds: float) -> str:
    """Two digits in a unit that suits.

    >>> [duration(value) for value in (0.0042, 3.14, 250.0, 9000.0)]
    ['4.2 ms', '3.1 s', '4.2 min', '2.5 h']
    """
    if math.isinf(seconds):
        return NEVER
    for unit, size, most in (("ms", 1e-3, 1.0), ("s", 1.0, 120.0), ("min", 60.0, 7200.0)):
        if seconds < most:
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    return f"{float(f'{seconds / 3600:.2g}'):g} h"
