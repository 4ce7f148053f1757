"""Every evaluated point and its value, in a file: `minimize(..., history="evaluations")`."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from zooadmm.evaluation import Evaluator
from zooadmm.oracle.queries import Answer, Query
from zooadmm.problem.named_variables import Parameters
from zooadmm.run.history_files import Row, history_file

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
        self._evaluator, self._history = evaluator, history
        self.has_values, self.has_gradient = evaluator.has_values, evaluator.has_gradient

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
