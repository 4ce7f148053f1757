"""A query each of whose cells has an item of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from zooadmm.oracle.observations import Window
from zooadmm.oracle.queries.query import Answer, Query, SeparateQuery, Table


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
    """What the method wants to know"""
    observations: Window
    """An item a cell"""

    def __post_init__(self) -> None:
        asked = self.asked
        if len(self.observations) != asked.evaluations:
            raise ValueError(f"query {asked.id} does not have an item a cell")
        vars(self).update(id=asked.id, shape=asked.shape, evaluations=asked.evaluations)
        vars(self).update(radius=asked.radius, forgiving=asked.forgiving)

    def losses(self, answer: Answer) -> Answer:
        return self.asked.losses(answer)

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        for cell, point, _ in self.asked.evaluations_within(start, stop):
            yield Table(point[None, :], self.observations[cell : cell + 1], slice(cell, cell + 1))
