"""Every evaluated point and its value, in a file: `minimize(..., history="evaluations")`."""

from __future__ import annotations

import csv
import gzip
import io
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from zooadmm.evaluation import Evaluator
from zooadmm.oracle.queries import Answer, Query
from zooadmm.problem.named_variables import Parameters

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


MOST_WAITING = 20_000
"""Numbers that wait in memory until they are written together."""

LONGEST_WAIT = 5.0
"""Seconds that they wait at most while queries are answered."""


class History(AbstractContextManager["History"]):
    """A table of evaluations: query, observation, value, and a column for each variable.

    path: a file that ends in .csv or .csv.gz, or a folder that ends in .parquet; a name without an
        ending gets .csv.gz.
    names: Parameters, whose values are written, an index of names, or None for x0, x1, ...
    m: the number of variables.
    continued: whether rows are added to a file that is there; else it is refused.
    constraints: how many there are that are evaluated; each has a column c1, c2, ... at the end.

    The rows of a query are noted when all of it is answered. A process that is killed loses at most
    the last seconds of them, and the file stays readable. A run that is continued from a
    checkpoint evaluates the query that was under way again.
    """

    def __init__(
        self, path: str | Path, names: Any, m: int, continued: bool, constraints: int = 0
    ) -> None:
        self._parameters = names if isinstance(names, Parameters) else None
        given = self._parameters.names if self._parameters is not None else names
        columns = [f"x{j}" for j in range(m)] if given is None else [str(n) for n in given]
        columns += [f"c{i}" for i in range(1, constraints + 1)]
        self._file = history_file(path, columns)
        if self._file.has_rows and not continued:
            raise ValueError(
                f"history: {self._file.path} is there already; remove it, or rename it."
            )
        self._waiting: list[Row] = []
        self._due = 0.0

    def __enter__(self) -> History:
        self._file.open()
        self._due = time.monotonic() + LONGEST_WAIT
        return self

    def __exit__(self, *exception: object) -> None:
        self._write()

    def note(self, query: Query, answer: Answer) -> None:
        """Take the rows of a query; a value that was dropped is left empty."""
        if query.gradients > 0:
            return
        rows = np.ma.asarray(answer).reshape(query.cells, -1)
        values = rows[:, 0]
        for cell, point, observation in query:
            value = None if values[cell] is np.ma.masked else float(values[cell])
            shown = point if self._parameters is None else self._parameters.at(point).values()
            seen = None if query.observations is None else str(observation)
            self._waiting.append(
                Row(
                    query.id,
                    seen,
                    value,
                    [float(v) for v in (*shown, *np.ma.filled(rows[cell, 1:], np.nan))],
                )
            )
        numbers = len(self._waiting) * len(self._file.columns)
        if numbers >= MOST_WAITING or time.monotonic() >= self._due:
            self._write()

    def _write(self) -> None:
        if self._waiting:
            self._file.add(self._waiting)
        self._waiting = []
        self._due = time.monotonic() + LONGEST_WAIT


class Noted(Evaluator):
    """An evaluator whose answers are written down."""

    def __init__(self, evaluator: Evaluator, history: History) -> None:
        self._evaluator, self._history, self.calls = evaluator, history, evaluator.calls

    @property
    def dropped(self) -> str:  # type: ignore[override]
        """What the first dropped evaluation failed with."""
        return self._evaluator.dropped

    def __call__(self, query: Query) -> Answer:
        answer = self._evaluator(query)
        self._history.note(query, answer)
        return answer

    def close(self) -> None:
        """Let go of all workers."""
        self._evaluator.close()
