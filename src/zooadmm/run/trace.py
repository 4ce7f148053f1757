"""An iteration as callbacks and observers see it, and the record of all of them."""

from __future__ import annotations

import copy
import math
from array import array
from collections.abc import Callable
from itertools import chain
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.method import Method, State, Step
from zooadmm.oracle.observations import Observations
from zooadmm.oracle.queries import Answer, Query
from zooadmm.problem.arrays import Vector, norm

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
        if max_rows is not None and not (type(max_rows) is int and max_rows >= 0):
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
        self._thin()

    def _thin(self) -> None:
        while self.max_rows and len(self) > self.max_rows:
            self.stride *= 2
            rows = self.rows()
            self._numbers = array("d", rows[(rows[:, 0] - 1) % self.stride == 0].tobytes())

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
        """Become the record that was saved, thinned where it has more rows than are kept."""
        kept = rows[:0] if self.max_rows == 0 else rows
        self._numbers = array("d", np.ascontiguousarray(kept, dtype=np.float64).tobytes())
        self._recent.clear()
        self.stride = stride
        self._thin()

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
        first, last = int(self._numbers[0]), int(self._numbers[-len(self.columns)])
        return f"{name}({len(self)} rows, iterations {first} to {last}: {', '.join(self.columns)})"

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


class Info:
    """Iteration t: its iterates, and how large the quantities of its step were.

    t, x, y, dual: the iteration and x_t, y_t, lambda_t.
    after: the state after the step.
    evaluations: f(x; w) made up to and with this iteration.
    dropped: how many of them failed and were dropped.
    loss: the mean of f(x_t; w) over the iteration's observations, nan where no value was asked.
    gradient_norm, residual, update: |g_t|, |A x_t + B y_t - c| and |x_{t+1} - x_t|.
    step_size, smoothing, penalty: eta_t, beta_t and rho, nan where none was needed.
    """

    def __init__(
        self,
        method: Method,
        before: State,
        step: Step,
        after: State,
        evaluations: int,
        dropped: int,
    ) -> None:
        self._method, self._before, self._step, self.after = method, before, step, after
        self.t, self.evaluations, self.dropped = before.t, evaluations, dropped
        self.loss, self.gradient_norm = step.loss, step.gradient_norm
        self.residual, self.update = step.residual, step.update
        self.step_size, self.smoothing, self.penalty = step.step_size, step.smoothing, step.penalty

    @property
    def x(self) -> Vector:
        """x_t"""
        return self._before.x

    @property
    def y(self) -> Vector:
        """y_t"""
        return self._before.y

    @property
    def dual(self) -> Vector:
        """lambda_t"""
        return self._before.dual

    @property
    def regularizer(self) -> float:
        """phi(y_t)"""
        return float(self._method.problem.regularizer(self.y))

    @property
    def objective(self) -> float:
        """f(x_t; w_t) + phi(y_t)"""
        return self.loss + self.regularizer

    @property
    def dual_residual(self) -> float:
        """How far the x-step is from stationary, |g_t - A' lambda_{t+1} + n|, n normal to X."""
        return norm(self._method.stationarity(self._before, self._step, self.after))

    @property
    def accuracy(self) -> float:
        """What a tolerance is compared with: the largest of three relative sizes.

        The residual and the update relative to max(1, |x_t|), the dual residual to max(1, |g_t|).
        Where an iteration measured the gradient of a model without a step, s and H s of the step
        that it suggests take the place of the last two.
        """
        size = max(1.0, norm(self.x))
        slope = self.gradient_norm if math.isfinite(self.gradient_norm) else 0.0
        update, missing = self.update, self.dual_residual
        prospect = self._method.prospect(self.after) if missing == math.inf else None
        if prospect is not None:
            update, missing = norm(prospect[0]), norm(prospect[1])
        return max(self.residual / size, update / size, missing / max(1.0, slope))

    def row(self) -> tuple[float, ...]:
        """The row of this iteration in the trace."""
        return (
            self.t,
            self.evaluations,
            self.loss,
            self._method.problem.regularizer(self.y),
            self.residual,
            self.update,
            self.gradient_norm,
            self.step_size,
            self.smoothing,
            self.penalty,
            self.dropped,
        )

    def __repr__(self) -> str:
        return (
            f"Info(t={self.t}, evaluations={self.evaluations}, loss={self.loss:.6g}, "
            f"residual={self.residual:.3g})"
        )


class Observer(Protocol):
    """Follows a run from its first iteration; a checkpoint keeps what it notes."""

    evaluations: int
    """f(x; w) evaluated only for the observer."""

    def begin(self, method: Method, observations: Observations | None) -> None:
        """Prepare to follow a run of this method."""

    def follow(self, evaluate: Callable[[Query], Answer], query: Query, info: Info) -> None:
        """Take in iteration t; `evaluate` answers further queries."""

    def notes(self) -> dict[str, NDArray[np.float64]]:
        """The arrays that a checkpoint keeps."""

    def resume(self, notes: dict[str, NDArray[np.float64]], t: int) -> None:
        """Continue from the notes kept after t iterations."""

    def copy(self) -> Self:
        """The observer as it is now."""
