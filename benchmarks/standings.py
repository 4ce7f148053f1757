"""Who did how well: the runs of a cell as one figure, and methods in order."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass

from benchmarks.results import Row

OURS = ("zoo-paper", "zoo-paper-tuned")
CEILING = ("o-admm-tuned",)
"""Not a rival: it is given true gradients."""


@dataclass(frozen=True)
class Figure:
    """A method on a problem after so many evaluations: the median over seeds, and its spread."""

    gap: float
    lowest: float
    highest: float
    constant: float
    status: str


def chosen_runs(rows: list[Row]) -> list[Row]:
    """The rows of the constant that a cell gave to all its seeds: the best in hindsight."""
    by_cell: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        by_cell[row.problem, row.method].append(row)
    return [row for cell in by_cell.values() for row in cell if row.constant == _chosen(cell)]


def _chosen(cell: list[Row]) -> float:
    """The constant with the most seeds; of equals, the one that ends lowest."""
    last = max(row.evaluations for row in cell)
    seeds = Counter(row.constant for row in cell if row.evaluations == last)
    ends = [row for row in cell if row.evaluations == last and row.seed == 0]
    return min(ends, key=lambda row: (-seeds[row.constant], row.gap)).constant


def figures(rows: list[Row]) -> dict[tuple[str, str, int], Figure]:
    """By (problem, method, evaluations)."""
    gathered: dict[tuple[str, str, int], list[Row]] = defaultdict(list)
    for row in chosen_runs(rows):
        if row.evaluations > 0:
            gathered[row.problem, row.method, row.evaluations].append(row)
    return {key: _figure(same) for key, same in gathered.items()}


def _figure(rows: list[Row]) -> Figure:
    gaps = sorted(row.gap for row in rows)
    worst = max((row.status for row in rows), key=severity)
    return Figure(statistics.median(gaps), gaps[0], gaps[-1], rows[0].constant, worst)


def severity(status: str) -> int:
    """How bad a status is: ran, ended, capped, failed."""
    return ["ran", "ended", "capped", "failed"].index(status.partition(":")[0])


def strongest_peers(rows: list[Row], problem: str, count: int) -> list[str]:
    """The methods of others with the least median gap at the last checkpoint of a problem."""
    there = figures([row for row in rows if row.problem == problem])
    if not there:
        return []
    last = max(evaluations for _, _, evaluations in there)
    peers = [
        (figure.gap if math.isfinite(figure.gap) else math.inf, method)
        for (_, method, evaluations), figure in there.items()
        if evaluations == last and method not in OURS + CEILING
    ]
    return [method for _, method in sorted(peers)[:count]]
