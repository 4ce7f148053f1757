"""Every evaluated point and its value, in a file: `minimize(..., history="evaluations")`."""

from __future__ import annotations

import csv
import gzip
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np

from zooadmm.evaluation import Evaluator
from zooadmm.oracle.queries import Answer, Query
from zooadmm.problem.named_variables import Parameters

SUFFIX = ".csv.gz"


class History(AbstractContextManager["History"]):
    """A table of evaluations: query, observation, value, and a column for each variable.

    path: a file that ends in .csv or .csv.gz; a name without an ending gets .csv.gz.
    names: Parameters, whose values are written, an index of names, or None for x0, x1, ...
    m: the number of variables.
    continued: whether rows are added to a file that is there; else it is refused.

    The rows of a query are written when all of it is answered. A run that is continued from a
    checkpoint evaluates the query that was under way again.
    """

    def __init__(self, path: str | Path, names: Any, m: int, continued: bool) -> None:
        self.path = Path(path)
        if self.path.suffix == "":
            self.path = self.path.with_name(self.path.name + SUFFIX)
        if not self.path.name.endswith((".csv", SUFFIX)):
            raise ValueError(f"history = {str(path)!r} must end in .csv or .csv.gz.")
        there = self.path.exists() and self.path.stat().st_size > 0
        if there and not continued:
            raise ValueError(f"history: {self.path} is there already; remove it, or rename it.")
        self._parameters = names if isinstance(names, Parameters) else None
        given = self._parameters.names if self._parameters is not None else names
        self._columns = [f"x{j}" for j in range(m)] if given is None else [str(n) for n in given]
        self._new = not there
        self._file: IO[str] | None = None

    def __enter__(self) -> History:
        opened: Any = gzip.open if self.path.suffix == ".gz" else open
        self._file = opened(self.path, "at", newline="", encoding="utf-8")
        self._rows = csv.writer(self._file)
        if self._new:
            self._rows.writerow(["query", "observation", "value", *self._columns])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def note(self, query: Query, answer: Answer) -> None:
        """Write the rows of a query; a value that was dropped is left empty."""
        if query.gradients > 0:
            return
        values = np.ma.asarray(answer).reshape(-1)
        for cell, point, observation in query:
            value = "" if values[cell] is np.ma.masked else repr(float(values[cell]))
            shown = point if self._parameters is None else self._parameters.at(point).values()
            seen = "" if query.observations is None else str(observation)
            self._rows.writerow([query.id, seen, value, *(repr(float(v)) for v in shown)])


class Noted(Evaluator):
    """An evaluator whose answers are written down."""

    def __init__(self, evaluator: Evaluator, history: History) -> None:
        self._evaluator, self._history = evaluator, history

    @property
    def has_values(self) -> bool:
        return self._evaluator.has_values

    @property
    def has_gradient(self) -> bool:
        return self._evaluator.has_gradient

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
