"""A query that waits for its answer, the cells that workers have, and what has come in so far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zooadmm.oracle.queries import Answer, Evaluation, OnceQuery, Query
from zooadmm.problem.arguments import is_whole
from zooadmm.problem.arrays import Vector
from zooadmm.run.dropping import is_enough

CellId = tuple[int, int]
"""(the id of a query, the place of a cell in its flattened answer)"""


class Cell(NamedTuple):
    """One f(x; w), or one gradient of it with `Exact()`, for one worker to evaluate."""

    id: CellId
    """Names the cell in `tell`: (the query's id, the cell's place in the flattened answer)"""
    point: Vector
    """x, a copy of its own"""
    observation: Any
    """w; None for a loss without observations"""


class Handout:
    """How many workers have each cell of a query."""

    def __init__(self, query: Query, copies: NDArray[np.int64] | None = None) -> None:
        if copies is not None:
            fits = copies.shape == (query.cells,) and copies.dtype == np.int64
            if not fits or (copies < 0).any():
                raise ValueError(f"copies does not fit query {query.id}")
        self._query = query
        self.copies = copies
        """The number of workers a cell; None before the first."""

    def give(self, n: int, copies: int, told: NDArray[np.bool_] | None) -> list[Cell]:
        """At most n cells that are not told, first those that the fewest workers have.

        copies: how many workers may have the same cell.
        """
        query = self._query
        out = np.zeros(query.cells, dtype=np.int64) if self.copies is None else self.copies.copy()
        awaited = np.arange(query.cells) if told is None else np.flatnonzero(~told)
        given: list[int] = []
        for level in range(int(out[awaited].min(initial=copies)), copies):
            if len(given) == n:
                break
            cells = awaited[out[awaited] == level][: n - len(given)]
            out[cells] += 1
            given += cells.tolist()
        made = {made.cell: made for made in _evaluations(query, sorted(set(given)))}
        self.copies = out if given else self.copies
        return [Cell((query.id, j), made[j].point.copy(), made[j].observation) for j in given]

    def take_back(self, cell: int) -> None:
        """One worker less has a cell."""
        if self.copies is not None and self.copies[cell] > 0:
            self.copies = self.copies.copy()
            self.copies[cell] -= 1


def _evaluations(query: Query, cells: list[int]) -> Iterable[Evaluation]:
    """The evaluations of some cells in increasing order; neighbors are made together."""
    if not cells:
        return
    parts = np.split(cells, np.flatnonzero(np.diff(cells) > 1) + 1)
    for part in parts:
        yield from query.evaluations_within(int(part[0]), int(part[-1]) + 1)


def cell_id(id: Any) -> CellId:
    """The id of a cell, if it is one; a list of its two numbers will do, as JSON makes it."""
    if isinstance(id, Cell):
        raise ValueError(f"give the id of the cell, {id.id}, as in tell(cell.id, value).")
    if not isinstance(id, (tuple, list)) or len(id) != 2 or not all(map(is_whole, id)):
        raise ValueError(f"{id!r} is no id of a cell; that is (query.id, cell), as in cell.id.")
    return int(id[0]), int(id[1])


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
        self.asked = query.asked if isinstance(query, OnceQuery) else query
        """The query as its method made it, without items that are shown once."""
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
        if not is_enough(self.asked, counts, patience):
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
        if not query.forgiving and not np.isfinite(given).all():
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
                f"query {query.id} needs values of shape {query.shape}, and these have shape "
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
            if not is_whole(cell) or not 0 <= cell < query.cells:
                raise ValueError(self.no_cell(cell))
            if value is np.ma.masked:
                if told[cell] and not dropped[cell]:
                    raise ValueError(self._contradiction(int(cell)))
                dropped[cell] = told[cell] = True
                continue
            given = _numbers(value).reshape(-1)
            if given.shape != rows[cell].shape:
                raise ValueError(
                    f"cell {cell} of query {query.id} needs {rows.shape[1]} number(s), not "
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
