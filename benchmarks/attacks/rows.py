"""The rows: what one method reached on one image."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import row_files

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
    return row_files.read(folder / FILE, Row)


def append(row: Row, folder: Path) -> None:
    """Add one row: a run that is stopped loses one image at most."""
    row_files.append(folder / FILE, row)


def write(rows: Iterable[Row], folder: Path) -> None:
    """All rows, in place of what was there."""
    row_files.write(folder / FILE, Row, rows)
