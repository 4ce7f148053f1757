"""Blocks: the directions that several iterations have in common, drawn in one go.

To set a generator to an address costs as much as thousands of random numbers, so a group of
iterations with few numbers each shares one. A block is made of one generator's numbers in their
order, whatever the form they are kept in: normal numbers in portions, random signs as bits.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from zooadmm.arrays import Matrix, Vector
from zooadmm.randomness import Key, Purpose, generator_at

PORTION = 8_192
"""A portion has about this many numbers: the C library keeps memory of this size at hand, and asks
the system for larger pieces anew, page by page."""


class Block(Protocol):
    """The directions of a group of iterations."""

    def rows(self, start: int, stop: int) -> Matrix:
        """Directions start..stop-1 of the group, all of one iteration, one a row."""


class Portions:
    """Directions drawn at once, kept apart: each portion has those of one or more iterations.

    draw: makes the next rows from a generator, the same however many are made at a time.
    total: the number of directions of an iteration.
    """

    def __init__(self, draw: Callable[[int], Matrix], iterations: int, total: int, m: int) -> None:
        together = max(1, PORTION // (total * m))
        self._size = total * together
        self._portions = [
            draw(total * min(together, iterations - first))
            for first in range(0, iterations, together)
        ]
        for portion in self._portions:
            portion.setflags(write=False)

    def rows(self, start: int, stop: int) -> Matrix:
        portion, first = divmod(start, self._size)
        return self._portions[portion][first : first + stop - start]


SIGNS: dict[np.dtype[Any], Matrix] = {
    np.dtype(dtype): (1 - 2 * ((np.arange(256)[:, None] >> np.arange(8)) & 1)).astype(dtype)
    for dtype in (np.float32, np.float64)
}
"""The eight signs that each of the 256 bytes stands for."""


class RandomSigns:
    """Random signs, kept as bits, eight to a byte, and made into rows of m on demand.

    >>> signs = RandomSigns(np.random.Generator(np.random.Philox(0)), count=6, m=4, dtype=float)
    >>> np.array_equal(signs.rows(0, 6)[3:5], signs.rows(3, 5))
    True
    """

    def __init__(
        self, generator: np.random.Generator, count: int, m: int, dtype: DTypeLike
    ) -> None:
        self._octets = octets(generator, count * m)
        self._m = m
        self._signs = SIGNS[np.dtype(dtype)]

    def rows(self, start: int, stop: int) -> Matrix:
        m, first, last = self._m, start * self._m, stop * self._m
        signs = self._signs.take(self._octets[first // 8 : -(-last // 8)], axis=0).reshape(-1)
        return signs[first % 8 : first % 8 + last - first].reshape(stop - start, m)


def octets(generator: np.random.Generator, count: int) -> NDArray[np.uint8]:
    """At least so many random bits, eight to a byte, the same on every machine."""
    raw = generator.bit_generator.random_raw(-(-count // 64))
    if sys.byteorder == "big":
        raw = raw.byteswap()
    found: NDArray[np.uint8] = raw.view(np.uint8)
    return found[: -(-count // 8)]


def row_of_signs(generator: np.random.Generator, m: int, dtype: DTypeLike) -> Vector:
    """One random bit for each of m signs."""
    row: Vector = RandomSigns(generator, 1, m, dtype).rows(0, 1)[0]
    return row


class _Latest(threading.local):
    """The block made last, by what it was made from; any block can be made again."""

    made_from: tuple[object, ...] = ()
    block: Block | None = None


_latest = _Latest()


def shared_block(make: Callable[..., Block], key: Key, group: int, *sizes: object) -> Block:
    """make(generator, *sizes) with the generator of a group of iterations."""
    wanted = (make, key, group, *sizes)
    latest = _latest
    if latest.block is not None and latest.made_from == wanted:
        return latest.block
    latest.block = None  # so that the next block takes its place in memory, and in the cache
    block = make(generator_at(key, Purpose.DIRECTIONS, group), *sizes)
    latest.made_from, latest.block = wanted, block
    return block
