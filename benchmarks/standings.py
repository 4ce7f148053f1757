"""Who did how well: the runs of a cell as one figure, and methods in order."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass

from benchmarks.results import Row

OURS = ("zoo-auto", "zoo-paper", "zoo-paper-tuned")
CEILING = ("o-admm-tuned",)
"""Not a rival: it is given true gradients."""
STATUSES = ("ran", "ended", "capped", "diverged", "failed")
"""How a run can stand at a checkpoint, from fine to bad."""


@dataclass(frozen=True)
class Figure:
    """A method on a problem after so many evaluations: the median over seeds, and its spread."""

    gap: float
    lowest: float
    highest: float
    constant: float
    status: str

    @property
    def in_time(self) -> bool:
        """Whether every seed got there, or had stopped by itself."""
        return self.status in ("ran", "ended")


def kind(status: str) -> str:
    """A status without its reason."""
    return status.partition(":")[0]


def chosen_runs(rows: list[Row]) -> list[Row]:
    """The rows of the constant that a cell gave to all its seeds, without those of the search."""
    return [row for row in rows if row.stage == "full" and row.evaluations > 0]


def figures(rows: list[Row]) -> dict[tuple[str, str, int], Figure]:
    """By (problem, method, evaluations)."""
    gathered: dict[tuple[str, str, int], list[Row]] = defaultdict(list)
    for row in chosen_runs(rows):
        gathered[row.problem, row.method, row.evaluations].append(row)
    return {key: _figure(same) for key, same in gathered.items()}


def _figure(rows: list[Row]) -> Figure:
    gaps = sorted(row.gap for row in rows)
    worst = max((kind(row.status) for row in rows), key=STATUSES.index)
    return Figure(statistics.median(gaps), gaps[0], gaps[-1], rows[0].constant, worst)


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
