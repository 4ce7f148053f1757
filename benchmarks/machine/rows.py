"""The figures as rows of `results/machine.csv`, and as tables to read."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

PATH = Path(__file__).parent.parent / "results" / "machine.csv"


@dataclass(frozen=True)
class Row:
    """One figure; a parameter is 0 where the figure is not about one value of it."""

    measure: str
    value: float
    unit: str
    m: int = 0
    q1: int = 0
    q2: int = 0
    T: int = 0
    distribution: str = ""


def write(rows: Iterable[Row], path: Path = PATH) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Row))
        writer.writerows(
            (f"{cell:.4g}" if isinstance(cell, float) else cell for cell in astuple(row))
            for row in rows
        )


def table(title: str, head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A Markdown table under a heading."""
    lines = [f"\n## {title}\n", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in body)])
