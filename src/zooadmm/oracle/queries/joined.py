"""Several queries that are answered as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from zooadmm.oracle.queries.query import Query, Table

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

    def tables(self) -> Iterator[Table]:
        return self.tables_within(0, self.evaluations)

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
