"""Files for a table of evaluations: text, compressed text, and Parquet."""

from __future__ import annotations

import csv
import gzip
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ENDINGS = (".csv", ".csv.gz", ".parquet")


class Row(NamedTuple):
    """An evaluation."""

    query: int
    observation: str | None
    """As text; None where the loss has no observations"""
    value: float | None
    """None where the evaluation was dropped"""
    point: list[float]
    """The variables, or the values of `Parameters`"""


class HistoryFile(ABC):
    """Where rows go: piece by piece, each of which is whole on the disk or not there.

    path: the file, or the folder of a Parquet table.
    variables: the names of the variables.
    """

    def __init__(self, path: Path, variables: list[str]) -> None:
        self.path = path
        self.columns = ["query", "observation", "value", *variables]

    @property
    def has_rows(self) -> bool:
        """Whether a table is there already."""
        return self.path.exists() and self.path.stat().st_size > 0

    @abstractmethod
    def open(self) -> None:
        """Make the table, if it is not there."""

    @abstractmethod
    def add(self, rows: list[Row]) -> None:
        """Append some rows."""


class CsvFile(HistoryFile):
    """Text, a line a row; compressed where the name ends in .gz, a member of gzip a piece."""

    def open(self) -> None:
        if not self.has_rows:
            self._append([self.columns])

    def add(self, rows: list[Row]) -> None:
        self._append(
            [
                [row.query, row.observation, _shown(row.value), *map(_shown, row.point)]
                for row in rows
            ]
        )

    def _append(self, lines: Sequence[Sequence[object]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text).writerows(lines)
        piece = text.getvalue().encode()
        with self.path.open("ab") as file:
            file.write(gzip.compress(piece) if self.path.suffix == ".gz" else piece)


class ParquetFolder(HistoryFile):
    """A folder of Parquet files, which pandas, polars and pyarrow read as one table.

    A Parquet file cannot be appended to, and one that is not finished cannot be read; so each
    piece is a file of its own, renamed into place when it is whole.
    """

    def __init__(self, path: Path, variables: list[str]) -> None:
        super().__init__(path, variables)
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise ImportError(
                "history in Parquet needs pyarrow: pip install zooadmm[parquet]."
            ) from None
        if path.is_file():
            raise ValueError(f"history: {path} is a file, and a Parquet history is a folder.")

    @property
    def has_rows(self) -> bool:
        return any(self.path.glob("*.parquet"))

    def open(self) -> None:
        self.path.mkdir(exist_ok=True)
        for part in self.path.glob("*.unfinished"):
            part.unlink()
        self._next = 1 + max((int(p.stem[5:]) for p in self.path.glob("part-*.parquet")), default=0)

    def add(self, rows: list[Row]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns: list[Sequence[object]] = [
            [row.query for row in rows],
            [row.observation for row in rows],
            [row.value for row in rows],
            *([row.point[j] for row in rows] for j in range(len(self.columns) - 3)),
        ]
        types = [pa.int64(), pa.string(), *[pa.float64()] * (len(columns) - 2)]
        arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
        part = self.path / f"part-{self._next:06}.parquet"
        unfinished = part.with_suffix(".unfinished")
        pq.write_table(pa.Table.from_arrays(arrays, names=self.columns), unfinished)
        os.replace(unfinished, part)
        self._next += 1


def history_file(path: str | Path, variables: list[str]) -> HistoryFile:
    """The file for a name; one without an ending gets .csv.gz."""
    where = Path(path)
    if where.suffix == "":
        where = where.with_name(where.name + ".csv.gz")
    if not where.name.endswith(ENDINGS):
        raise ValueError(f"history = {str(path)!r} must end in .csv, .csv.gz or .parquet.")
    return (ParquetFolder if where.suffix == ".parquet" else CsvFile)(where, variables)


def _shown(value: float | None) -> str:
    return "" if value is None else repr(value)
