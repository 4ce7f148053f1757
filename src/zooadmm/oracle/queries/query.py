"""What a query is: points on observations, seen as tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.oracle.observations import Batch
from zooadmm.problem.arrays import Matrix, Vector

Answer = NDArray[np.float64]
"""What came back: an array of the query's shape."""

Counted = NDArray[np.bool_]
"""The cells of an answer that count, of its shape; it travels beside an answer with holes."""


class Table(NamedTuple):
    """Points that are all to be evaluated on the same observations."""

    points: Matrix
    observations: Batch | None
    """None for a loss without observations."""
    cells: slice
    """Where the values belong in the flattened answer, row by row."""


class Evaluation(NamedTuple):
    """One f(x; w) to evaluate."""

    cell: int
    point: Vector
    observation: Any


class Query(ABC):
    """What is asked of the loss at one moment of a run.

    id: names the query in `tell`.
    observations: what the points are evaluated on, or None.
    shape: the shape of the answer.

    Queries are frozen; what follows from their fields is set by `vars(self).update`.
    """

    id: int
    observations: Batch | None
    shape: tuple[int, ...]
    evaluations: int
    """How many f(x; w) to evaluate."""
    gradients = 0
    """How many gradients to evaluate."""
    numbers = 1
    """How many numbers the answer to a cell has, the value of f first."""
    radius: float
    """beta_t, where differences are taken; else nan."""
    forgiving = False
    """Whether values that are not finite are an answer, not an error."""
    calling = "With observations the loss is called as loss(x, w), for one of them at a time."
    """How a loss with observations is called, for one that takes other arguments."""

    @property
    def cells(self) -> int:
        """How many answers complete the query; an answer may come in cell by cell."""
        return self.evaluations

    def check(self, values: Answer, first: int = 0) -> None:  # noqa: B027 - most take any number
        """Raise ValueError for values that are no answer, from cell `first` on."""

    def tables(self) -> Iterator[Table]:
        """The cells of the query as tables, in the order of the answer."""
        return self.tables_within(0, self.evaluations)

    def seams(self) -> list[int]:
        """The cell at which each table begins, and the end of the last."""
        stops = [table.cells.stop for table in self.tables()]
        return [0, *stops]

    @abstractmethod
    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        """The tables that have some of the cells from start to stop, for a worker."""

    @property
    def points(self) -> Matrix:
        """The points, one a row, in the order of the answer (made again at every access)."""
        return np.concatenate([table.points for table in self.tables()])

    def points_at(self, cells: list[int]) -> list[Vector]:
        """The point of each of these cells."""
        found = []
        for cell in cells:
            table = next(self.tables_within(cell, cell + 1))
            width = (table.cells.stop - table.cells.start) // len(table.points)
            found.append(table.points[(cell - table.cells.start) // width].copy())
        return found

    def __len__(self) -> int:
        return self.evaluations

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Evaluation]:
        """The evaluations one by one; `cell` is their place in the flattened answer."""
        return self.evaluations_within(0, self.evaluations)

    def evaluations_within(self, start: int, stop: int) -> Iterator[Evaluation]:
        """Those whose cells are from start to stop."""
        for table in self.tables_within(start, stop):
            cell = table.cells.start
            seen = (None,) if table.observations is None else table.observations
            for point in table.points:
                for observation in seen:  # whoever is given a point may overwrite it
                    if start <= cell < stop:
                        mine = point if len(seen) == 1 else point.copy()
                        yield Evaluation(cell, mine, observation)
                        del mine
                    cell += 1
            del table, point  # the next ones take their place in memory

    def __repr__(self) -> str:
        seen = "" if self.observations is None else f" on {len(self.observations)} observations"
        return f"{type(self).__name__}(id={self.id}, {self.evaluations} evaluations{seen})"


class SeparateQuery(Query):
    """A query whose cells are tables of their own, made as a worker needs them."""

    def seams(self) -> list[int]:
        return list(range(self.evaluations + 1))
