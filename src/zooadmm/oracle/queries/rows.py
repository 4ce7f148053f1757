"""Queries about a loss that returns a row (f, c_1, ..., c_k)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from zooadmm.oracle.queries.query import Answer, SeparateQuery, Table, note
from zooadmm.problem.arrays import Matrix


@dataclass(frozen=True, eq=False, repr=False)
class RowsQuery(SeparateQuery):
    """The loss and its constraints at some points; the answer has a row (f, c_1, ..., c_k) a point.

    >>> import numpy as np
    >>> RowsQuery(1, np.zeros((3, 2)), 4).shape
    (3, 4)
    """

    id: int
    candidates: Matrix
    """The points, one a row"""
    numbers: int
    """1 + k"""

    forgiving = True
    radius = math.nan
    observations = None

    def __post_init__(self) -> None:
        note(self, shape=(len(self.candidates), self.numbers), evaluations=len(self.candidates))

    def losses(self, answer: Answer) -> Answer:
        return answer.reshape(-1, self.numbers)[:, 0]

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        for j in range(start, stop):
            yield Table(self.candidates[j : j + 1].copy(), None, slice(j, j + 1))
