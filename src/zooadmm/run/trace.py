"""The record of a run: rows of numbers, thinned evenly so that they never outgrow their limit."""

from __future__ import annotations

import copy
from array import array
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

COLUMNS = (
    "iteration",
    "evaluations",
    "loss",
    "regularizer",
    "residual",
    "update",
    "gradient_norm",
    "step_size",
    "smoothing",
    "penalty",
    "dropped",
)
"""Row t is about (x_t, y_t): the evaluations made up to and with iteration t, the mean of f(x_t; w)
over its observations (nan where no value was asked), phi(y_t), |A x_t + B y_t - c|,
|x_{t+1} - x_t|, |g_t|, eta_t, beta_t and rho (nan where it was not needed); and how many of the
evaluations made so far failed and were dropped."""

TOGETHER = 64
"""How many rows wait until they are noted together."""


class Record:
    """Rows of numbers under named columns, the first of which is the iteration.

    max_rows: when more rows than this come, every second one is dropped and from then on every
        second iteration recorded, and so on; None keeps all, 0 none.

    >>> record = Record(("iteration", "loss"), max_rows=4)
    >>> for t in range(1, 10):
    ...     if record.wants(t):
    ...         record.append((t, 0.0))
    >>> record["iteration"]
    array([1., 5., 9.])
    """

    def __init__(self, columns: tuple[str, ...], max_rows: int | None) -> None:
        whole = isinstance(max_rows, int) and not isinstance(max_rows, bool)
        if max_rows is not None and not (whole and max_rows >= 0):
            raise ValueError(f"max_trace_rows = {max_rows!r} must be a whole number, or None.")
        self.columns = columns
        self.max_rows = max_rows
        self.stride = 1
        self._numbers = array("d")
        self._recent: list[tuple[float, ...]] = []
        """rows not yet in the arrays: batched, since appending singly is slow"""

    def wants(self, t: int) -> bool:
        """Whether iteration t has a row."""
        return self.max_rows != 0 and (t - 1) % self.stride == 0

    def append(self, row: tuple[float, ...]) -> None:
        """Add the row of an iteration that `wants` a row."""
        self._recent.append(row)
        if len(self._recent) == TOGETHER:
            self._note()
        if self.max_rows is not None and len(self) > self.max_rows:
            self._numbers = array("d", self.rows()[::2].tobytes())
            self.stride *= 2

    def _note(self) -> None:
        self._numbers.extend(chain.from_iterable(self._recent))
        self._recent.clear()

    def rows(self) -> NDArray[np.float64]:
        """A copy of all rows, one column for each of `columns`."""
        self._note()
        return np.array(self._numbers, dtype=np.float64).reshape(-1, len(self.columns))

    def copy(self) -> Self:
        """The rows as they are now."""
        self._note()
        copied = copy.copy(self)
        copied._numbers, copied._recent = self._numbers[:], []
        return copied

    def restore(self, rows: NDArray[np.float64], stride: int) -> None:
        """Become the record that was saved."""
        self._numbers = array("d", np.ascontiguousarray(rows, dtype=np.float64).tobytes())
        self._recent.clear()
        self.stride = stride

    def __len__(self) -> int:
        return len(self._numbers) // len(self.columns) + len(self._recent)

    def __getitem__(self, column: str) -> NDArray[np.float64]:
        if column not in self.columns:
            raise KeyError(f"there is no column {column!r}; there are {', '.join(self.columns)}")
        return self.rows()[:, self.columns.index(column)]

    def __repr__(self) -> str:
        name = type(self).__name__
        if len(self) == 0:
            return f"{name}(empty)"
        self._note()
        last = int(self._numbers[-len(self.columns)])
        return f"{name}({len(self)} rows, iterations 1 to {last}: {', '.join(self.columns)})"

    def to_dataframe(self) -> Any:
        """The rows as a pandas DataFrame (needs `zooadmm[dataframe]`)."""
        import pandas as pd

        frame = pd.DataFrame(self.rows(), columns=list(self.columns))
        counts = [name for name in ("iteration", "evaluations", "dropped") if name in self.columns]
        return frame.astype(dict.fromkeys(counts, int))


class Trace(Record):
    """The record of a run under `COLUMNS`.

    `trace["loss"]` is a column; `trace.to_dataframe()` all of them; `zooadmm.analysis.plot.trace`
    draws them.
    """

    def __init__(self, max_rows: int | None = 10_000) -> None:
        super().__init__(COLUMNS, max_rows)
