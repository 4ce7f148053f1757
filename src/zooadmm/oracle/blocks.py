"""Blocks: the directions that several iterations have in common, drawn in one go.

To set a generator to an address costs as much as thousands of random numbers, so a group of
iterations with few numbers each shares one. A block is made of one generator's numbers in their
order, kept in portions.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from zooadmm.oracle.randomness import Key, Purpose, generator_at
from zooadmm.problem.arrays import Matrix, Vector

PORTION = 16_000
"""A portion has about this many numbers at most: memory of this size the C library keeps at hand,
while larger pieces (from 128 KiB) it may request from the system again, page by page."""


class Block:
    """The directions of a group of iterations, in portions of one or more iterations.

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
        """Directions start..stop-1 of the group, all of one iteration, one a row."""
        portion, first = divmod(start, self._size)
        return self._portions[portion][first : first + stop - start]


SIGNS: dict[np.dtype[Any], Matrix] = {
    np.dtype(dtype): (1 - 2 * ((np.arange(256)[:, None] >> np.arange(8)) & 1)).astype(dtype)
    for dtype in (np.float32, np.float64)
}
"""The eight signs that each of the 256 bytes stands for."""


class RandomSigns:
    """Rows of m random signs, one bit of a generator for each, in their order.

    count: how many rows there will be.

    >>> def signs():
    ...     return RandomSigns(np.random.Generator(np.random.Philox(0)), 6, m=3, dtype=float)
    >>> one, other = signs(), signs()
    >>> np.array_equal(np.vstack([one.next(4), one.next(2)]), other.next(6))
    True
    """

    def __init__(
        self, generator: np.random.Generator, count: int, m: int, dtype: DTypeLike
    ) -> None:
        self._octets = octets(generator, count * m)
        self._m = m
        self._signs = SIGNS[np.dtype(dtype)]
        self._taken = 0

    def next(self, count: int) -> Matrix:
        """The next rows."""
        first, last = self._taken, self._taken + count * self._m
        signs = self._signs.take(self._octets[first // 8 : -(-last // 8)], axis=0).reshape(-1)
        self._taken = last
        return signs[first % 8 : first % 8 + last - first].reshape(count, self._m)


def octets(generator: np.random.Generator, count: int) -> NDArray[np.uint8]:
    """At least this many random bits, eight to a byte, the same on every machine."""
    raw = generator.bit_generator.random_raw(-(-count // 64))
    if sys.byteorder == "big":
        raw = raw.byteswap()
    found: NDArray[np.uint8] = raw.view(np.uint8)
    return found[: -(-count // 8)]


def row_of_signs(generator: np.random.Generator, m: int, dtype: DTypeLike) -> Vector:
    """One random bit for each of m signs."""
    row: Vector = RandomSigns(generator, 1, m, dtype).next(1)[0]
    return row


class _Latest(threading.local):
    """The block made last, by what it was made from; any block can be made again."""

    made_from: tuple[object, ...] = ()
    block: Block | None = None


_latest = _Latest()


def shared_block(make: Callable[..., Block], key: Key, group: int, *sizes: object) -> Block:
    """make(generator, *sizes) with the generator of a group of iterations."""
    needed = (make, key, group, *sizes)
    latest = _latest
    if latest.block is not None and latest.made_from == needed:
        return latest.block
    latest.block = None  # so that the next block takes its place in memory, and in the cache
    block = make(generator_at(key, Purpose.DIRECTIONS, group), *sizes)
    latest.made_from, latest.block = needed, block
    return block
