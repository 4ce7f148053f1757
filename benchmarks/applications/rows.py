"""The rows: one figure of one case with one seed each."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

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
    path = folder / FILE
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [
            Row(
                line["line"],
                line["case"],
                int(line["seed"]),
                int(line["evaluations"]),
                line["figure"],
                float(line["value"]),
                float(line["seconds"]),
            )
            for line in csv.DictReader(file)
        ]


def write(rows: Iterable[Row], folder: Path) -> None:
    """All rows, in place of what was there."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{FILE}.draft"
    with draft.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Row))
        for row in rows:
            writer.writerow(
                f"{cell:.6g}" if isinstance(cell, float) else cell for cell in astuple(row)
            )
    draft.replace(folder / FILE)
