"""What it takes to reach a target: evaluations, or time when the loss is slow."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

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


def never(row: Row) -> float:
    return math.inf


def at_least(cost: Callable[[Row], float]) -> Callable[[Row], float]:
    """What a run that was out of time had cost by then, which is less than it needs."""
    return lambda row: cost(row) if row.status == "capped" else math.inf


def reached(
    board: Board,
    target: float,
    cost: Callable[[Row], float],
    otherwise: Callable[[Row], float] = never,
) -> dict[tuple[str, str], float]:
    """By (problem, method): the cost at the first checkpoint with gap <= target.

    The median over seeds; for a run without such a checkpoint, what `otherwise` says of its end.
    """
    runs: dict[tuple[str, str, int], list[Row]] = defaultdict(list)
    for row in sorted(board.chosen, key=lambda row: row.evaluations):
        runs[row.problem, row.method, row.seed].append(row)
    gathered: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (problem, method, _), rows in runs.items():
        first = next((cost(row) for row in rows if row.gap <= target), otherwise(rows[-1]))
        gathered[problem, method].append(first)
    return {cell: statistics.median(values) for cell, values in gathered.items()}


@dataclass(frozen=True)
class Wait:
    """A time that lies between two bounds; most is inf where it may be never."""

    least: float
    most: float

    @property
    def known(self) -> bool:
        """Whether it is neither never nor cut off by the cap."""
        return self.least == self.most < math.inf

    def __str__(self) -> str:
        if self.least == self.most:
            return duration(self.most)
        return f"> {duration(self.least)} c"


NOT_RUN = Wait(math.inf, math.inf)


def waits(board: Board, target: float, delay: float) -> dict[tuple[str, str], Wait]:
    """By (problem, method): the time to a target, where runs out of time are bounds from below."""
    cost = seconds_after(delay)
    most = reached(board, target, cost)
    least = reached(board, target, cost, at_least(cost))
    return {cell: Wait(least[cell], most[cell]) for cell in most}


def time_table(board: Board, regime: str, target: float) -> str:
    """For each delay: the fastest peer, and ours as printed / tuned."""
    heads = ["problem"]
    for name in DELAYS.values():
        heads += [f"{name}: fastest peer", "ours"]
    by_delay = [waits(board, target, delay) for delay in DELAYS]
    lines = []
    for problem in board.problems(regime):
        cells = [part for found in by_delay for part in _fastest(board, problem, found)]
        lines.append([problem, *cells])
    return table(heads, lines)


def _fastest(board: Board, problem: str, found: dict[tuple[str, str], Wait]) -> tuple[str, str]:
    """The fastest peer with its time, and our times; what is surely the fastest in bold."""
    peers = {name: found[problem, name] for name in board.peers(problem)}
    peer = min(peers, key=lambda name: (peers[name].most, peers[name].least), default="")
    ours = [found.get((problem, name), NOT_RUN) for name in OURS]
    everyone = [*peers.values(), *ours]
    shown = " / ".join(_shown(wait, everyone) for wait in ours)
    if not peer or math.isinf(peers[peer].least):
        return NEVER, shown
    return f"`{peer}` {_shown(peers[peer], everyone)}", shown


def _shown(wait: Wait, everyone: list[Wait]) -> str:
    """In bold where nobody can have been faster, runs that were cut off included."""
    surely = wait.known and all(
        wait.most <= other.most if other.known else wait.most < other.least for other in everyone
    )
    return bold(str(wait)) if surely else str(wait)


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
