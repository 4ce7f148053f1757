"""The rows of the benchmark, one compressed CSV file a problem in `results/suite/`."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

FOLDER = Path(__file__).parent / "results" / "suite"


@dataclass(frozen=True)
class Row:
    """What a method would have answered after so many evaluations of one run.

    regime: full, stochastic or noisy. m: variables.
    form: how regularizer and constraints reach the method.
    constant: the method's free constant; 1 where it has none. stage: "grid" where it was only
        tried, with part of the time; "full" for the runs that count.
    evaluations: the checkpoint; used: how many the method had made by then.
    gap: (F(x) - F*) / (F(x0) - F*) at the feasible point nearest to its answer.
    violation: the distance from its answer to that point.
    precision, recall: of the nonzeros, for sparse problems.
    seconds: processor time in the method and the loss; loss_seconds: in the loss.
    peak_mib: memory that the run added at its peak.
    status: "ran": it was still at work at this checkpoint. Before it, it was "capped" (out of
        time), had "ended" by itself, had "diverged" in its own judgment, or "failed: ...".
        "unfit: ...", in a row without figures: the method cannot be run.
    source: a digest of the sources and the effort that made the row.
    """

    problem: str
    regime: str
    m: int
    method: str
    form: str
    status: str = ""
    constant: float = math.nan
    stage: str = "full"
    seed: int = 0
    evaluations: int = 0
    used: int = 0
    gap: float = math.nan
    violation: float = math.nan
    precision: float = math.nan
    recall: float = math.nan
    seconds: float = math.nan
    loss_seconds: float = math.nan
    peak_mib: float = math.nan
    source: str = ""


COLUMNS = [field.name for field in fields(Row)]
_KINDS = {"int": int, "float": float, "str": str}


def path_of(problem: str, folder: Path = FOLDER) -> Path:
    return folder / f"{problem}.csv.gz"


def read(folder: Path = FOLDER) -> list[Row]:
    """All rows there are."""
    return [row for path in sorted(folder.glob("*.csv.gz")) for row in _read_file(path)]


def replace_cell(rows: list[Row], folder: Path = FOLDER) -> None:
    """Put the rows of one cell into its problem's file, in place of what it held of that cell."""
    cell = rows[0].problem, rows[0].method
    path = path_of(cell[0], folder)
    kept = [row for row in _read_file(path) if row.method != cell[1]] if path.exists() else []
    folder.mkdir(parents=True, exist_ok=True)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_written(row) for row in sorted(kept + rows, key=_order))
    draft = path.with_suffix(".draft")
    draft.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))  # equal rows, equal bytes
    draft.replace(path)


def finished(rows: Iterable[Row]) -> set[tuple[str, str]]:
    """The cells (problem, method) that have rows."""
    return {(row.problem, row.method) for row in rows}


def _order(row: Row) -> tuple[str, str, float, int, int]:
    constant = 0.0 if math.isnan(row.constant) else row.constant
    return row.method, row.stage, constant, row.seed, row.evaluations


def _written(row: Row) -> list[object]:
    values = (getattr(row, name) for name in COLUMNS)
    return [f"{value:.4g}" if isinstance(value, float) else value for value in values]


def _read_file(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return [
            Row(**{field.name: _KINDS[str(field.type)](line[field.name]) for field in fields(Row)})
            for line in csv.DictReader(file)
        ]
