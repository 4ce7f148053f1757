"""Random directions z ~ mu with E[zz'] = I, the mu of Assumption E.

Each distribution knows the two constants of Assumption E,

    s(m):  E |<a, z> z|^2 <= s(m) |a|^2,        M(mu) = sqrt(E |z|^6),

and makes any rows of the directions z_{t,1}, ..., z_{t,q1} of an iteration from their address.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike, NDArray

from zooadmm.oracle.blocks import SIGNS, Block, RandomSigns, octets, row_of_signs, shared_block
from zooadmm.oracle.randomness import Key, Purpose, generator_at
from zooadmm.problem.arrays import Matrix, Vector

BLOCK_ELEMENTS = 32_768
"""Directions are drawn in blocks of at most about this many numbers, so that addressing a block
costs nothing beside filling it: several iterations share a block if they fit, and otherwise an
iteration has blocks of its own."""

PIECE = 65_536
"""Long vectors of signs are made and used in pieces of this size, which stay in the cache."""


def block_rows(m: int) -> int:
    """How many directions of length m make a block."""
    return max(1, BLOCK_ELEMENTS // m)


class Address(NamedTuple):
    """Where the directions z_{t,1..total} of iteration t are found: a few bytes, whatever m."""

    key: Key
    t: int
    total: int


class Distribution(ABC):
    """A distribution mu of directions, E[zz'] = I."""

    @abstractmethod
    def s(self, m: int) -> float:
        """Of Assumption E, with equality for every vector a."""

    @abstractmethod
    def M(self, m: int) -> float:
        """The square root of E |z|^6, M(mu) of Assumption E."""

    @abstractmethod
    def reach(self, m: int) -> float:
        """The largest |z_i| that can occur."""

    @abstractmethod
    def spread(self, m: int, count: int) -> float:
        """E |(1/q) sum_j <a, z_j> z_j|^2 / |a|^2 for the q = count directions of an iteration.

        The same for every vector a, and s(m) for one direction.
        """

    @abstractmethod
    def rows(self, address: Address, start: int, stop: int, m: int, dtype: DTypeLike) -> Matrix:
        """The directions z_{t,j} for start <= j < stop, one a row."""

    def add(self, address: Address, j: int, factor: float, v: Vector, out: Vector) -> None:
        """out = v + factor z_{t,j}; out may be v."""
        np.add(v, self.rows(address, j, j + 1, len(v), v.dtype)[0] * factor, out=out)


@runtime_checkable
class Uneven(Protocol):
    """Directions that reach further along some variables than along others."""

    def reaches(self, m: int) -> Vector:
        """The largest |z_i| that can occur, for each i."""


class _OfConstantLength(Distribution):
    """|z| = sqrt m always, so s(m) = m and M(mu) = m^1.5 exactly."""

    def s(self, m: int) -> float:
        return float(m)

    def M(self, m: int) -> float:
        return math.pow(m, 1.5)

    def reach(self, m: int) -> float:
        return math.sqrt(m)


class _Independent(Distribution):
    """Independent rows, drawn block by block."""

    def spread(self, m: int, count: int) -> float:
        # q terms E |<a, z> z|^2 = s |a|^2, and q (q - 1) terms <a, E[zz'] E[zz'] a> = |a|^2
        return 1.0 + (self.s(m) - 1.0) / count

    @abstractmethod
    def draw(self, generator: np.random.Generator, count: int, m: int, dtype: DTypeLike) -> Matrix:
        """The next `count` directions from where `generator` stands."""

    def drawing(
        self, generator: np.random.Generator, count: int, m: int, dtype: DTypeLike
    ) -> Callable[[int], Matrix]:
        """A function that draws the next directions, until there are `count`: those of `draw`."""
        return lambda part: self.draw(generator, part, m, dtype)

    def _block(
        self, generator: np.random.Generator, iterations: int, total: int, m: int, dtype: DTypeLike
    ) -> Block:
        draw = self.drawing(generator, iterations * total, m, dtype)
        return Block(draw, iterations, total, m)

    def rows(self, address: Address, start: int, stop: int, m: int, dtype: DTypeLike) -> Matrix:
        key, t, total = address
        iterations = BLOCK_ELEMENTS // (total * m)
        if iterations > 1:
            group, position = divmod(t - 1, iterations)
            block = shared_block(self._block, key, group, iterations, total, m, np.dtype(dtype))
            return block.rows(position * total + start, position * total + stop)
        size = block_rows(m)
        pieces = []
        for block_of_t in range(start // size, -(-stop // size)):
            first = block_of_t * size
            generator = generator_at(address.key, Purpose.DIRECTIONS, address.t, block_of_t)
            drawn = self.draw(generator, min(size, stop - first), m, dtype)
            pieces.append(drawn[max(0, start - first) :])
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


@dataclass(frozen=True)
class Sphere(_OfConstantLength, _Independent):
    """Uniform on the sphere of radius sqrt m, the paper's choice: s(m) = m, M(mu) = m^1.5."""

    def draw(self, generator: np.random.Generator, count: int, m: int, dtype: DTypeLike) -> Matrix:
        normals = _normals(generator, count, m, dtype)
        normals *= (math.sqrt(m) / _lengths(normals)).astype(dtype, copy=False)[:, None]
        return normals


@dataclass(frozen=True)
class Gaussian(_Independent):
    """Standard normal: s(m) = m + 2, M(mu) = sqrt(m (m + 2) (m + 4))."""

    def s(self, m: int) -> float:
        return float(m + 2)

    def M(self, m: int) -> float:
        return math.sqrt(float(m) * (m + 2) * (m + 4))

    def reach(self, m: int) -> float:
        return math.inf

    def draw(self, generator: np.random.Generator, count: int, m: int, dtype: DTypeLike) -> Matrix:
        return _normals(generator, count, m, dtype)


@dataclass(frozen=True)
class Rademacher(_OfConstantLength, _Independent):
    """Random signs: s(m) = m and M(mu) = m^1.5 as on the sphere, at a tenth of its price."""

    def reach(self, m: int) -> float:
        return 1.0

    def draw(self, generator: np.random.Generator, count: int, m: int, dtype: DTypeLike) -> Matrix:
        return RandomSigns(generator, count, m, dtype).next(count)

    def drawing(
        self, generator: np.random.Generator, count: int, m: int, dtype: DTypeLike
    ) -> Callable[[int], Matrix]:
        return RandomSigns(generator, count, m, dtype).next

    def add(self, address: Address, j: int, factor: float, v: Vector, out: Vector) -> None:
        m = len(v)
        if block_rows(m) > 1:
            return super().add(address, j, factor, v, out)
        bits = octets(generator_at(address.key, Purpose.DIRECTIONS, address.t, j), m)
        table = np.multiply(SIGNS[v.dtype], factor)  # exact, as every |z_i| = 1
        piece = np.empty((PIECE // 8, 8), dtype=v.dtype)
        for start in range(0, m, PIECE):
            part = bits[start // 8 : (start + PIECE) // 8]
            signs = table.take(part, axis=0, out=piece[: len(part)], mode="clip").reshape(-1)
            stop = min(start + PIECE, m)
            np.add(v[start:stop], signs[: stop - start], out=out[start:stop])
        return None


class _WithoutReplacement(_OfConstantLength):
    """Rows in cycles of m, mutually orthogonal within a cycle."""

    def spread(self, m: int, count: int) -> float:
        # sum_j z_j z_j' = m (k I + P) after k whole cycles, with P a projection, E P = (r/m) I
        cycles, rest = divmod(count, m)
        return (m * m * cycles**2 + 2 * m * cycles * rest + m * rest) / (count * count)


@dataclass(frozen=True)
class Coordinate(_WithoutReplacement):
    """sqrt(m) e_i with a random sign, i drawn without replacement: s(m) = m, M(mu) = m^1.5.

    With num_directions = m every coordinate is visited once, and the estimate is the gradient by
    finite differences.
    """

    def rows(self, address: Address, start: int, stop: int, m: int, dtype: DTypeLike) -> Matrix:
        chosen = _without_replacement(address, start, stop, m)
        generator = generator_at(address.key, Purpose.DIRECTIONS, address.t, 0)
        signs = row_of_signs(generator, address.total, dtype)[start:stop]
        directions = np.zeros((stop - start, m), dtype)
        directions[np.arange(stop - start), chosen] = math.sqrt(m) * signs
        return directions


@dataclass(frozen=True)
class Orthogonal(_WithoutReplacement):
    """Mutually orthogonal directions of length sqrt m: s(m) = m, M(mu) = m^1.5.

    z = sqrt(m) D h with D random signs, common to an iteration, and h rows of the orthonormal
    cosine transform drawn without replacement. Beyond m directions a new D is drawn.
    """

    def reach(self, m: int) -> float:
        return math.sqrt(2)

    def rows(self, address: Address, start: int, stop: int, m: int, dtype: DTypeLike) -> Matrix:
        chosen = _without_replacement(address, start, stop, m)
        directions = np.empty((stop - start, m), dtype)
        signs, of_cycle = None, -1
        for row, (j, frequency) in enumerate(zip(range(start, stop), chosen, strict=True)):
            if signs is None or j // m != of_cycle:
                of_cycle = j // m
                generator = generator_at(address.key, Purpose.DIRECTIONS, address.t, 2 * of_cycle)
                signs = row_of_signs(generator, m, dtype)
            if frequency == 0:
                directions[row] = signs
            else:
                np.multiply(_cosines(int(frequency), m), signs, out=directions[row])
                directions[row] *= math.sqrt(2)
        return directions


def _cosines(frequency: int, m: int) -> Vector:
    """cos(pi frequency (2i + 1) / (2m)) for 0 <= i < m."""
    phases = np.arange(1, 2 * m, 2)
    phases *= frequency
    phases %= 4 * m  # exact in integers: cos has period 4m
    angles = phases * (math.pi / (2 * m))
    cosines: Vector = np.cos(angles, out=angles)
    return cosines


def _normals(generator: np.random.Generator, count: int, m: int, dtype: DTypeLike) -> Matrix:
    if np.dtype(dtype) == np.float32:
        return generator.standard_normal((count, m), dtype=np.float32)
    return generator.standard_normal((count, m))


SHORT = 8192
"""numpy's einsum works in pieces of this many numbers, which would cut through longer rows."""


def _lengths(rows: Matrix) -> Vector:
    """The norm of each row, the same bits however many rows come with it."""
    if rows.shape[1] <= SHORT:
        squares = np.einsum("jm,jm->j", rows, rows)
    else:
        squares = np.add.reduce(np.square(rows), axis=1)
    lengths: Vector = np.sqrt(squares)
    return lengths


def _without_replacement(address: Address, start: int, stop: int, m: int) -> NDArray[np.int64]:
    """Entries start..stop-1 of a sequence in which each run of m entries has no repetition."""
    pieces = []
    for cycle in range(start // m, -(-stop // m)):
        first = cycle * m
        generator = generator_at(address.key, Purpose.DIRECTIONS, address.t, 2 * cycle + 1)
        drawn = generator.choice(m, size=min(m, address.total - first), replace=False)
        pieces.append(drawn[max(0, start - first) : stop - first])
    return np.concatenate(pieces)
