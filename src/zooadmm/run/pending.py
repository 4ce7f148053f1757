"""A query that waits for its answer, and what has come in so far."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zooadmm.oracle.queries import Answer, Query, as_asked
from zooadmm.problem.arrays import squared_norm
from zooadmm.run.dropping import is_enough
from zooadmm.run.handout import Handout


class NotFinite(ValueError):  # noqa: N818 - says what the value is
    """A value that is NaN or infinite."""

    def __init__(self, cell: int, value: Any) -> None:
        super().__init__(cell, value)
        self.cell = cell
        self.value = value


class Pending:
    """Collects the cells of a query's answer, in whatever order and however often they come."""

    def __init__(
        self,
        query: Query,
        answer: Answer | None = None,
        told: NDArray[np.bool_] | None = None,
        dropped: NDArray[np.bool_] | None = None,
        copies: NDArray[np.int64] | None = None,
    ) -> None:
        self.query = query
        if (answer is None) != (told is None):
            raise ValueError(f"a part of the answer to query {query.id} is missing")
        for name, cells in ("told", told), ("dropped", dropped):
            if cells is not None and (cells.shape != (query.cells,) or cells.dtype != np.bool_):
                raise ValueError(f"{name} does not fit query {query.id}")
        if answer is not None and (answer.shape != query.shape or answer.dtype != np.float64):
            raise ValueError(f"answer does not fit query {query.id}")
        self.answer = answer
        """The cells told so far, 0 elsewhere; None before the first."""
        self.told = told
        """Which cells those are."""
        self.dropped = dropped
        """Which of them were told to have no value; None where none was."""
        self.handout = Handout(query, copies)

    def leave_out_late(self, patience: float) -> NDArray[np.int64] | None:
        """Drop the cells that are not told, if enough are; which they are, or None.

        patience: the part of the cells that a step waits for.
        """
        told = self.told
        if told is None or told.all():
            return None
        counts = told if self.dropped is None else told & ~self.dropped
        if not is_enough(as_asked(self.query), counts, patience):
            return None
        late = ~told
        self.dropped = late if self.dropped is None else self.dropped | late
        return np.flatnonzero(late)

    def tell(self, values: ArrayLike | Mapping[int, Any]) -> Answer | None:
        """Take in all values or some; the whole answer once it is whole. Errors change nothing."""
        if isinstance(values, np.ma.MaskedArray):
            values = self._by_cell(values)
        if isinstance(values, np.ndarray) or not isinstance(values, Mapping):
            return self._all(values)
        self._some(values)
        assert self.told is not None
        return self.answer if self.told.all() else None

    def _all(self, values: ArrayLike) -> Answer:
        query = self.query
        given = _numbers(values)
        if given.shape != query.shape:
            self._check_shape(given.shape)
            given = given.reshape(query.shape)
        query.check(given)
        # the norm is quick, silent, and finite only if all numbers are
        finite = query.forgiving or math.isfinite(squared_norm(given.reshape(-1)))
        if not finite and not np.isfinite(given).all():
            rows = given.reshape(query.cells, -1)
            cell = int(np.argmin(np.isfinite(rows).all(axis=1)))
            raise NotFinite(cell, rows[cell])
        if self.told is not None and self.answer is not None:
            rows, noted = given.reshape(query.cells, -1), self.answer.reshape(query.cells, -1)
            differs = _differ(rows, noted).any(axis=1)
            if self.dropped is not None:
                differs |= self.dropped
            contradicted = np.flatnonzero(self.told & differs)
            if len(contradicted) > 0:
                raise ValueError(self._contradiction(int(contradicted[0])))
        return given

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        query = self.query
        if shape not in (query.shape, (math.prod(query.shape),)):
            raise ValueError(
                f"query {query.id} wants values of shape {query.shape}, and these have shape "
                f"{shape}; some of the cells are told as {{cell: value}}."
            )

    def _by_cell(self, values: Any) -> dict[int, Any]:
        """Masked cells have no value."""
        self._check_shape(values.shape)
        rows = values.reshape(self.query.cells, -1)
        masked = np.atleast_1d(np.ma.getmaskarray(rows).any(axis=1))
        pairs = zip(masked, np.ma.getdata(rows), strict=True)
        return {cell: np.ma.masked if off else row for cell, (off, row) in enumerate(pairs)}

    def _some(self, values: Mapping[int, Any]) -> None:
        query = self.query
        answer = np.zeros(query.shape) if self.answer is None else self.answer.copy()
        told = np.zeros(query.cells, dtype=bool) if self.told is None else self.told.copy()
        dropped = np.zeros(query.cells, dtype=bool) if self.dropped is None else self.dropped.copy()
        rows = answer.reshape(query.cells, -1)
        for cell, value in values.items():
            whole = isinstance(cell, (int, np.integer)) and not isinstance(cell, bool)
            if not whole or not 0 <= cell < query.cells:
                raise ValueError(self.no_cell(cell))
            if value is np.ma.masked:
                if told[cell] and not dropped[cell]:
                    raise ValueError(self._contradiction(int(cell)))
                dropped[cell] = told[cell] = True
                continue
            given = _numbers(value).reshape(-1)
            if given.shape != rows[cell].shape:
                raise ValueError(
                    f"cell {cell} of query {query.id} wants {rows.shape[1]} number(s), not "
                    f"{given.size}."
                )
            query.check(given, int(cell))
            if not query.forgiving and not np.isfinite(given).all():
                raise NotFinite(int(cell), given)
            if told[cell] and (dropped[cell] or _differ(given, rows[cell]).any()):
                raise ValueError(self._contradiction(int(cell)))
            rows[cell], told[cell] = given, True
        self.answer, self.told = answer, told
        self.dropped = dropped if dropped.any() else None

    def no_cell(self, cell: object) -> str:
        """A sentence about a cell that the query does not have."""
        query = self.query
        return f"query {query.id} has no cell {cell!r}; its cells are 0 to {query.cells - 1}."

    def _contradiction(self, cell: int) -> str:
        return (
            f"cell {cell} of query {self.query.id} was told before with another value, and the "
            "first stands."
        )


def _differ(one: Answer, other: Answer) -> NDArray[np.bool_]:
    """Where two answers differ; nan told again is the same nan."""
    apart: NDArray[np.bool_] = (one != other) & ~(np.isnan(one) & np.isnan(other))
    return apart


_FLOAT64 = np.dtype(np.float64)


def _numbers(values: Any) -> Answer:
    try:
        given = np.asarray(values)
    except ValueError as ragged:
        raise ValueError(f"values must be real numbers: {ragged}") from ragged
    if given.dtype == _FLOAT64:
        return given
    if given.dtype.kind not in "fiub":
        raise TypeError(f"values must be real numbers, not {given.dtype}.")
    return given.astype(np.float64, copy=False)
