"""Rows of methods with a step and a radius that are chosen in hindsight, and their table."""

from __future__ import annotations

import csv
import gzip
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple


class TunedRow(NamedTuple):
    """One run. Its step and radius are 0 where the method has none.

    spent: evaluations, or rounds. value: what the method reached, less is better.
    """

    problem: str
    m: int
    spent: int
    method: str
    step: float
    radius: float
    seed: int
    value: float


def stored(path: Path) -> list[TunedRow]:
    """The rows of a compressed file; none where there is no file."""
    if not path.exists():
        return []
    with gzip.open(path, "rt", newline="") as file:
        return [
            TunedRow(name, int(m), int(n), method, float(step), float(radius), int(seed), float(v))
            for name, m, n, method, step, radius, seed, v in csv.reader(file)
        ]


def append(row: TunedRow, path: Path) -> None:
    with gzip.open(path, "at", newline="") as file:
        csv.writer(file).writerow(row)


def best(rows: Iterable[TunedRow]) -> float:
    """The median over seeds, with the settings for which it is least."""
    values: dict[tuple[float, float], list[float]] = {}
    for row in rows:
        values.setdefault((row.step, row.radius), []).append(row.value)
    return min(map(statistics.median, values.values()))


def table(rows: list[TunedRow], problem: str, spent: str, methods: Sequence[str]) -> str:
    """A line for each problem and what was spent, a column for each method."""
    head = f"| {problem} | m | {spent} | {' | '.join(methods)} |"
    lines = [head, f"|---|--:|--:|{len(methods) * '--:|'}"]
    for name, m, n in dict.fromkeys(row[:3] for row in rows):
        mine = [row for row in rows if row[:3] == (name, m, n)]
        cells = [best(row for row in mine if row.method == method) for method in methods]
        lines.append(f"| {name} | {m} | {n:,} | {' | '.join(f'{cell:.2g}' for cell in cells)} |")
    return "\n".join(lines)
