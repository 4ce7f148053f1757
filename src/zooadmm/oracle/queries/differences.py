"""Queries whose answers are differences along random directions.

A query carries x_t, the radius and the address of the directions, not the directions, and makes
its points on demand.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zooadmm.oracle.directions import Address, Distribution, block_rows
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries.query import Query, Table
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ProbeSafe

KEPT_ELEMENTS = 2**20
"""Directions of up to this many numbers are made once an iteration; larger ones are made twice,
for the points and for the gradient, so that memory stays O(m)."""


@dataclass(frozen=True, eq=False, repr=False)
class DifferenceQuery(Query):
    """Points x + beta z_j (and x, or x - beta z_j) from which slopes along the z_j are formed."""

    m: int = field(init=False)
    total: int = field(init=False)
    """The number of directions."""
    width: int = field(init=False)
    """The number of observations, 1 without any."""
    shape: tuple[int, ...] = field(init=False)
    evaluations: int = field(init=False)
    kept: Matrix | None = field(init=False)
    """All directions, where they are few enough to be made once."""
    _block: int = field(init=False)
    id: int
    x: Vector
    """Where the slopes are taken."""

    radius: float
    distribution: Distribution
    address: Address
    observations: Batch | None
    inside: ProbeSafe | None
    """The set that no point may leave, or None."""
    forgiving: bool = False
    """Whether values that are not finite are an answer, not an error."""

    def __post_init__(self) -> None:
        width = 1 if self.observations is None else len(self.observations)
        m, total = len(self.x), self.address.total
        vars(self).update(m=m, total=total, width=width, _block=block_rows(m))
        shape, small = self._shape(), total * m <= KEPT_ELEMENTS
        kept = self._make(0, total) if small else None
        vars(self).update(shape=shape, evaluations=math.prod(shape), kept=kept)

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
        needed = range(start // 2, -(-stop // 2))
        for first, last in self.spans():
            mine = range(max(first, needed.start), min(last, needed.stop))
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
