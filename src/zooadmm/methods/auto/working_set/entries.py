"""Points that differ from x in some of their entries, made a few at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries.query import Query, Table
from zooadmm.problem.arrays import Matrix, Vector

Indices = NDArray[np.intp]

TABLE_ELEMENTS = 2**18
"""How many numbers a table of points has at most, beyond one point."""


class Entries(NamedTuple):
    """The entries of each point that are not those of x, point after point."""

    starts: Indices
    """Where those of each point begin, and where the last ones end"""
    columns: Indices
    values: Vector

    @property
    def number(self) -> int:
        """How many points there are."""
        return len(self.starts) - 1


NO_ENTRIES = Entries(np.zeros(1, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0))


def rows(points: Matrix, columns: Indices) -> Entries:
    """Points that have the rows of a matrix in these columns.

    >>> rows(np.array([[1.0, 2.0]]), np.array([5, 3])).columns
    array([5, 3])
    """
    number, width = points.shape
    return Entries(np.arange(number + 1) * width, np.tile(columns, number), points.ravel())


@dataclass(frozen=True, eq=False, repr=False)
class EntriesQuery(Query):
    """The loss, which has no observations, at such points; memory stays O(m) and O(entries).

    The answer has a row a point.
    """

    id: int
    x: Vector
    entries: Entries
    observations: Batch | None = None

    def __post_init__(self) -> None:
        vars(self).update(evaluations=self.entries.number, shape=(self.entries.number, 1))

    forgiving = True
    radius = math.nan

    @property
    def _block(self) -> int:
        return max(1, TABLE_ELEMENTS // len(self.x))

    def seams(self) -> list[int]:
        return [*range(0, self.evaluations, self._block), self.evaluations]

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        starts, columns, values = self.entries
        block = self._block
        for first in range(start // block * block, stop, block):
            last = min(first + block, self.evaluations)
            points = np.repeat(self.x[None, :], last - first, axis=0)
            places = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
            here = slice(starts[first], starts[last])
            points[places, columns[here]] = values[here]
            yield Table(points, None, slice(first, last))
            del points  # the next ones take their place in memory
