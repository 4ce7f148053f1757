"""The rows: what one method reached on one image."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "results" / "attacks"
FILE = "rows.csv"

MARKS = (500, 2_000, 6_000)
"""Queries after which a distortion is noted; the last is the budget."""


@dataclass(frozen=True)
class Row:
    """Distortions of the nearest adversarial image after numbers of queries, inf for none.

    image: its number among those that the network gets right. queries: used. seconds: of a
    processor.
    """

    network: str
    norm: str
    method: str
    image: int
    seed: int
    at_500: float
    at_2000: float
    at_6000: float
    queries: int
    seconds: float

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.network, self.norm, self.method, self.image

    @property
    def distortions(self) -> tuple[float, float, float]:
        return self.at_500, self.at_2000, self.at_6000


def read(folder: Path) -> list[Row]:
    """The rows there are."""
    path = folder / FILE
    if not path.exists():
        return []
    kinds = {field.name: _KINDS[str(field.type)] for field in fields(Row)}
    with path.open(newline="") as file:
        return [
            Row(**{name: kinds[name](cell) for name, cell in line.items()})
            for line in csv.DictReader(file)
        ]


_KINDS = {"str": str, "int": int, "float": float}


def append(row: Row, folder: Path) -> None:
    """Add one row, so that a run that is stopped loses one image at most."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(field.name for field in fields(Row))
        writer.writerow(_cells(row))


def write(rows: Iterable[Row], folder: Path) -> None:
    """All rows, in place of what was there."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{FILE}.draft"
    with draft.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Row))
        writer.writerows(_cells(row) for row in rows)
    draft.replace(folder / FILE)


def _cells(row: Row) -> list[object]:
    return [f"{cell:.6g}" if isinstance(cell, float) else cell for cell in astuple(row)]
