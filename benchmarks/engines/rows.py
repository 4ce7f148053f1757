"""The figures as rows of `results/engines.csv`."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

PATH = Path(__file__).parent.parent / "results" / "engines.csv"


@dataclass(frozen=True)
class Row:
    """One figure."""

    measure: str
    engine: str
    value: float
    unit: str
    m: int
    workers: int


def write(rows: Iterable[Row], path: Path = PATH) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Row))
        writer.writerows(
            [f"{cell:.4g}" if isinstance(cell, float) else cell for cell in astuple(row)]
            for row in rows
        )
