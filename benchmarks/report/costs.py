"""What a method costs beside the loss: time, memory, and who ran out of them."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict

from benchmarks.report.board import REGIMES, Board
from benchmarks.report.text import digits, table
from benchmarks.results import Row
from benchmarks.standings import kind

SMALLEST, LARGEST = 50, 300
"""Variables of the problems whose overhead is compared."""


def cost_table(board: Board) -> str:
    """By method: microseconds, MiB, and how its runs ended."""
    last = {problem: board.last(problem) for problem in board.problems(*REGIMES)}
    ends = [row for row in board.chosen if row.evaluations == last.get(row.problem)]
    middling = [row for row in ends if SMALLEST <= row.m <= LARGEST]
    heads = [
        "method",
        "overhead, µs",
        "peak, MiB",
        "runs",
        "out of time",
        "stopped",
        "diverged",
        "failed",
    ]
    lines = []
    for method in board.methods:
        own = [row for row in ends if row.method == method]
        compared = [row for row in middling if row.method == method]
        how = Counter(kind(row.status) for row in own)
        figures = [digits(overhead(compared)), digits(peak(compared)), str(len(own))]
        ended = [str(how[status]) for status in ("capped", "ended", "diverged", "failed")]
        lines.append([f"`{method}`", *figures, *ended])
    return table(heads, lines)


def overhead(rows: list[Row]) -> float:
    """Microseconds for each evaluation outside the loss: the median over problems."""
    spent = [(row.problem, row.seconds - row.loss_seconds, row.used) for row in rows if row.used]
    return _by_problem([(problem, 1e6 * seconds / used) for problem, seconds, used in spent])


def peak(rows: list[Row]) -> float:
    """MiB that a run added at its peak: the median over problems."""
    return _by_problem([(row.problem, row.peak_mib) for row in rows])


def _by_problem(values: list[tuple[str, float]]) -> float:
    """The median over problems of the medians over seeds, leaving out what was not measured."""
    gathered: dict[str, list[float]] = defaultdict(list)
    for problem, value in values:
        if not math.isnan(value):
            gathered[problem].append(value)
    medians = [statistics.median(same) for same in gathered.values()]
    return statistics.median(medians) if medians else math.nan
