"""The rows: one figure of one case with one seed each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import row_files

FOLDER = Path(__file__).parents[1] / "results" / "applications"
FILE = "rows.csv"
FIRST_SEED = 101
"""Seeds from here on, as in the studies; the method was made with others."""


@dataclass(frozen=True)
class Row:
    """A figure. seconds: processor time of all that gave it, judges included."""

    line: str
    case: str
    seed: int
    evaluations: int
    figure: str
    value: float
    seconds: float

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.line, self.case, self.seed, self.evaluations


def read(folder: Path) -> list[Row]:
    """The rows there are."""
    return row_files.read(folder / FILE, Row)


def write(rows: Iterable[Row], folder: Path) -> None:
    """All rows, in place of what was there."""
    row_files.write(folder / FILE, Row, rows)
