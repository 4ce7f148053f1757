"""Queries: which points, on which observations, an iteration wants to know about.

A query is a set of cells (point, observation). It carries x_t, the radius and the address of the
directions, not the directions, and makes its points on demand. Evaluators see it as a sequence of
tables, every point of a table on every observation of it; a table's size depends on m alone, so a
loss that works on many points at once always meets the same batches. The answer to a query is one
array of `query.shape`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.oracle.directions import Address, Distribution, block_rows
from zooadmm.oracle.observations import Batch
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ProbeSafe

Answer = NDArray[np.float64]
"""What came back: an array of the query's shape."""

KEPT_ELEMENTS = 2**20
"""Directions of up to this many numbers are made once an iteration; larger ones are made twice,
for the points and for the gradient, so that memory stays O(m)."""


class Table(NamedTuple):
    """Points that are all to be evaluated on the same observations."""

    points: Matrix
    observations: Batch | None
    """None for a loss without observations."""
    cells: slice
    """Where the values belong in the flattened answer, row by row."""


class Evaluation(NamedTuple):
    """One f(x; w) that is wanted."""

    cell: int
    point: Vector
    observation: Any


class Query(ABC):
    """What is asked of the loss at one moment of a run.

    id: names the query in `tell`.
    observations: what the points are evaluated on, or None.
    shape: the shape of the answer.
    """

    id: int
    observations: Batch | None
    shape: tuple[int, ...]
    evaluations: int
    """How many f(x; w) are asked for."""
    gradients = 0
    """How many gradients are asked for."""
    radius = math.nan
    """beta_t, where differences are taken."""
    forgiving = False
    """Whether values that are not finite are an answer, not an error."""
    there: NDArray[np.bool_] | None = None
    """The cells that count, of the answer's shape; None where all do, as none was dropped."""

    @property
    def cells(self) -> int:
        """How many answers complete the query; an answer may come in cell by cell."""
        return self.evaluations

    @abstractmethod
    def tables(self) -> Iterator[Table]:
        """The cells of the query as tables, in the order of the answer."""

    def seams(self) -> list[int]:
        """The cell at which each table begins, and the end of the last."""
        stops = [table.cells.stop for table in self.tables()]
        return [0, *stops]

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        """The tables that have some of the cells from start to stop, for who answers a part."""
        for table in self.tables():
            if table.cells.start < stop and table.cells.stop > start:
                yield table

    @property
    def points(self) -> Matrix:
        """The points, one a row, in the order of the answer (made anew at every access)."""
        return np.concatenate([table.points for table in self.tables()])

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


@dataclass(eq=False, repr=False)
class PointQuery(Query):
    """The loss at one point, on each observation: for reports, not for steps."""

    id: int
    x: Vector
    observations: Batch | None

    def __post_init__(self) -> None:
        self.shape = (1,) if self.observations is None else (1, len(self.observations))
        self.evaluations = self.shape[-1]

    def tables(self) -> Iterator[Table]:
        yield Table(self.x[None, :].copy(), self.observations, slice(0, self.evaluations))


@dataclass(eq=False, repr=False)
class PointsQuery(Query):
    """The loss at some points, all on the same observations, or `repeats` times without any.

    The answer has a row a point.
    """

    id: int
    candidates: Matrix
    """The points, one a row"""
    observations: Batch | None
    repeats: int = 1

    def __post_init__(self) -> None:
        width = self.repeats if self.observations is None else len(self.observations)
        self.shape = len(self.candidates), width
        self.evaluations = math.prod(self.shape)

    forgiving = True

    def seams(self) -> list[int]:
        return list(range(0, self.evaluations + 1, self.shape[1]))

    def tables(self) -> Iterator[Table]:
        return self.tables_within(0, self.evaluations)

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        width = self.shape[1]
        copies = 1 if self.observations is not None else width
        for j in range(start // width, -(-stop // width)):
            rows = np.repeat(self.candidates[j : j + 1], copies, axis=0)
            yield Table(rows, self.observations, slice(j * width, (j + 1) * width))


@dataclass(eq=False, repr=False)
class LineQuery(Query):
    """The loss at x + s d for some steps s, on one observation or none.

    The answer has a number a step.
    """

    id: int
    x: Vector
    direction: Vector
    steps: Vector
    observations: Batch | None

    def __post_init__(self) -> None:
        self.shape = (len(self.steps),)
        self.evaluations = len(self.steps)

    forgiving = True

    def seams(self) -> list[int]:
        return list(range(self.evaluations + 1))

    def tables(self) -> Iterator[Table]:
        return self.tables_within(0, self.evaluations)

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        for j in range(start, stop):
            step = float(self.steps[j])
            point = (self.x + step * self.direction).astype(self.x.dtype, copy=False)
            yield Table(point[None, :], self.observations, slice(j, j + 1))


@dataclass(eq=False, repr=False)
class GradientQuery(Query):
    """The gradient of f(.; w_i) at x_t for each observation: what O-ADMM asks.

    The answer has a row an observation, or is a single vector for a loss without observations.
    """

    id: int
    x: Vector
    observations: Batch | None

    def __post_init__(self) -> None:
        m = len(self.x)
        self.gradients = 1 if self.observations is None else len(self.observations)
        self.shape = (m,) if self.observations is None else (self.gradients, m)

    evaluations = 0

    @property
    def cells(self) -> int:
        return self.gradients

    @property
    def points(self) -> Matrix:
        return self.x[None, :]

    def tables(self) -> Iterator[Table]:
        return iter(())

    def __repr__(self) -> str:
        return f"GradientQuery(id={self.id}, {self.cells} gradients)"


class DifferenceQuery(Query):
    """Points x + beta z_j (and x, or x - beta z_j) from which slopes along the z_j are formed."""

    x: Vector
    """Where the slopes are taken."""

    def __init__(
        self,
        id: int,
        x: Vector,
        radius: float,
        distribution: Distribution,
        address: Address,
        observations: Batch | None,
        inside: ProbeSafe | None,
    ) -> None:
        """inside: the set that no point may leave, or None."""
        self.id = id
        self.x = x
        self.radius = radius
        self.distribution = distribution
        self.address = address
        self.observations = observations
        self.inside = inside
        self.m = len(x)
        self.total = address.total
        self.width = 1 if observations is None else len(observations)
        self.shape = self._shape()
        self.evaluations = math.prod(self.shape)
        self._block = block_rows(self.m)
        small = self.total * self.m <= KEPT_ELEMENTS
        self.kept = self._make(0, self.total) if small else None
        """All directions, where they are few enough to be made once."""
        self.left_out = 0
        """How many differences do not count, since a side of theirs was dropped."""

    @abstractmethod
    def _shape(self) -> tuple[int, ...]:
        """The shape of the answer."""

    def __getstate__(self) -> dict[str, Any]:
        """What travels: x, the radius and the address, never the directions."""
        return {**self.__dict__, "kept": None}

    def spans(self) -> Iterator[tuple[int, int]]:
        """(start, stop): which directions belong to each block, in their order."""
        for start in range(0, self.total, self._block):
            yield start, min(start + self._block, self.total)

    def tables(self) -> Iterator[Table]:
        return self.tables_within(0, self.evaluations)

    def directions(self, start: int, stop: int) -> Matrix:
        """z_j for start <= j < stop, one a row."""
        return self._make(start, stop) if self.kept is None else self.kept[start:stop]

    def _make(self, start: int, stop: int) -> Matrix:
        rows = self.distribution.rows(self.address, start, stop, self.m, self.x.dtype)
        return rows if self.inside is None else self.inside.tangent(rows)

    @property
    def one_by_one(self) -> bool:
        """Whether directions are so long that each is made, used and forgotten by itself."""
        return self.kept is None and self._block == 1

    def add(self, j: int, factor: float, v: Vector, out: Vector) -> None:
        """out = v + factor z_j; out may be v."""
        if self.inside is None:
            self.distribution.add(self.address, j, factor, v, out)
        else:
            np.add(v, self._make(j, j + 1)[0] * factor, out=out)

    def projected(self, v: Vector) -> Vector:
        """(1/q) sum_j <v, z_j> z_j, what directions show of a vector."""
        total = np.zeros_like(v)
        for start, stop in self.spans():
            directions = self.directions(start, stop)
            seen = np.einsum("jm,m->j", directions, v)
            total += np.einsum("j,jm->m", seen, directions)
        total /= self.total
        return total

    def _checked(self, points: Matrix) -> Matrix:
        return points if self.inside is None else self.inside.clip(points)


class ForwardQuery(DifferenceQuery):
    """x_t and x_t + beta_t z_{t,j}, each on every observation: the crossed table of (16).

    The answer has 1 + q1 rows, the first for x_t, and q2 columns (none without observations).
    """

    def _shape(self) -> tuple[int, ...]:
        return (1 + self.total,) if self.observations is None else (1 + self.total, self.width)

    def seams(self) -> list[int]:
        return [0, *((1 + stop) * self.width for _, stop in self.spans())]

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        first, last = start // self.width - 1, -(-stop // self.width) - 1  # of the directions
        block = self._block
        return map(self._table, range(max(0, first) // block * block, max(1, last), block))

    def _table(self, start: int) -> Table:
        """x_t + beta_t z_{t,j} for a block of j, with x_t before the first of all."""
        stop = min(start + self._block, self.total)
        before = 1 if start == 0 else 0
        points = np.empty((before + stop - start, self.m), dtype=self.x.dtype)
        if self.one_by_one:
            points[:before] = self.x
            self.add(start, self.radius, self.x, points[before])
        else:
            points[:before] = 0.0
            np.multiply(self.directions(start, stop), self.radius, out=points[before:])
            points += self.x
        cells = slice((1 + start - before) * self.width, (1 + stop) * self.width)
        return Table(self._checked(points), self.observations, cells)


class CentralQuery(DifferenceQuery):
    """x_t + beta_t z_{t,j} and x_t - beta_t z_{t,j}, each on every observation.

    The answer has 2 q1 rows, plus and minus in turn, and q2 columns (none without observations).
    """

    def _shape(self) -> tuple[int, ...]:
        return (2 * self.total,) if self.observations is None else (2 * self.total, self.width)

    def seams(self) -> list[int]:
        return [0, *(2 * stop * self.width for _, stop in self.spans())]

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        each = 2 * self.width
        for first, last in self.spans():
            if first * each < stop and last * each > start:
                points = _plus_and_minus(self.x, self.radius, self.directions(first, last))
                cells = slice(first * each, last * each)
                yield Table(self._checked(points), self.observations, cells)


class PairedQuery(DifferenceQuery):
    """Each direction with an observation of its own: f(x_t; w_i) and f(x_t + beta_t z_i; w_i).

    The answer has q rows of two.
    """

    def _shape(self) -> tuple[int, ...]:
        return self.total, 2

    def seams(self) -> list[int]:
        return list(range(0, 2 * self.total + 1, 2))

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        assert self.observations is not None
        wanted = range(start // 2, -(-stop // 2))
        for first, last in self.spans():
            mine = range(max(first, wanted.start), min(last, wanted.stop))
            directions = self.directions(mine.start, mine.stop) if mine else ()
            for i, direction in zip(mine, directions, strict=True):
                points = self._checked(self._pair(direction))
                yield Table(points, self.observations[i : i + 1], slice(2 * i, 2 * i + 2))

    def _pair(self, direction: Vector) -> Matrix:
        return np.stack([self.x, self.x + self.radius * direction])


class CentralPairedQuery(PairedQuery):
    """Paired, with x_t - beta_t z_i in place of x_t."""

    def _pair(self, direction: Vector) -> Matrix:
        return _plus_and_minus(self.x, self.radius, direction[None, :])[::-1]


def _plus_and_minus(x: Vector, radius: float, directions: Matrix) -> Matrix:
    """x + radius z and x - radius z for each z, in turn."""
    points = np.empty((2 * len(directions), len(x)), dtype=x.dtype)
    plus, minus = points[0::2], points[1::2]
    np.multiply(directions, radius, out=plus)
    np.subtract(x, plus, out=minus)
    plus += x
    return points
