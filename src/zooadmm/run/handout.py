"""Cells of a query that are handed out to workers, one by one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.oracle.queries import Evaluation, Query
from zooadmm.problem.arrays import Vector

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
    if not isinstance(id, (tuple, list)) or len(id) != 2 or not all(map(_is_whole, id)):
        raise ValueError(f"{id!r} is no id of a cell; that is (query.id, cell), as in cell.id.")
    return int(id[0]), int(id[1])


def whole(name: str, value: Any, least: int) -> int:
    """A whole number, at least that large."""
    if not _is_whole(value) or value < least:
        raise ValueError(f"{name} = {value!r} must be a whole number, at least {least}.")
    return int(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
