"""Queries made of others: cells with items of their own, and queries that are answered together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from zooadmm.oracle.observations import Window
from zooadmm.oracle.queries.query import Query, SeparateQuery, Table

Kind = TypeVar("Kind", bound=np.generic)


@dataclass(frozen=True, eq=False, repr=False)
class JoinedQuery(Query):
    """The cells of its parts one after the other; the answer is flat."""

    id: int
    parts: tuple[Query, ...]
    starts: tuple[int, ...] = field(init=False)
    """The cell at which each part begins, and the end of the last"""

    def __post_init__(self) -> None:
        sizes = [part.evaluations for part in self.parts]
        vars(self).update(evaluations=sum(sizes), shape=(sum(sizes),))
        vars(self).update(observations=self.parts[0].observations, radius=self.parts[0].radius)
        vars(self).update(starts=(0, *accumulate(sizes)))

    def split(self, cells: NDArray[Kind]) -> list[NDArray[Kind]]:
        """What belongs to each part, in its shape: of an answer, or of a mask."""
        cuts = zip(self.parts, self.starts, self.starts[1:], strict=False)
        return [cells[start:stop].reshape(part.shape) for part, start, stop in cuts]

    def seams(self) -> list[int]:
        inner = zip(self.parts, self.starts, strict=False)
        return [0, *(start + seam for part, start in inner for seam in part.seams()[1:])]

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        for part, before in zip(self.parts, self.starts, strict=False):
            first, last = max(0, start - before), min(part.evaluations, stop - before)
            if first < last:
                for points, observations, cells in part.tables_within(first, last):
                    moved = slice(before + cells.start, before + cells.stop)
                    yield Table(points, observations, moved)


@dataclass(frozen=True, eq=False, repr=False)
class OnceQuery(SeparateQuery):
    """The cells of a query without observations, cell i on item i.

    Its answer is one to `asked`: a value is f(x; w), which is one of a noisy F(x).

    >>> import numpy as np
    >>> from zooadmm.oracle.queries import PointsQuery
    >>> query = OnceQuery(PointsQuery(1, np.zeros((2, 1)), None), ("Ann", "Bob"))
    >>> [(cell, item) for cell, point, item in query]
    [(0, 'Ann'), (1, 'Bob')]
    """

    asked: Query
    """The query of the method"""
    observations: Window
    """An item a cell"""

    def __post_init__(self) -> None:
        asked = self.asked
        if len(self.observations) != asked.evaluations:
            raise ValueError(f"query {asked.id} does not have an item a cell")
        vars(self).update(id=asked.id, shape=asked.shape, evaluations=asked.evaluations)
        vars(self).update(radius=asked.radius, forgiving=asked.forgiving)

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        for cell, point, _ in self.asked.evaluations_within(start, stop):
            yield Table(point[None, :], self.observations[cell : cell + 1], slice(cell, cell + 1))
