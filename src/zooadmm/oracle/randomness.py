"""Random numbers with an address: any draw can be made again, anywhere, in any order.

A draw is named by (key, purpose, t, block). The counter-based generator Philox is set to that
address before every use, so nothing random is part of the state of a run.
"""

from __future__ import annotations

import threading
from enum import IntEnum
from typing import Any

import numpy as np

Key = tuple[int, int]
"""The 128-bit key of a run, drawn once from the user's `rng`."""

RNGLike = int | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator


class Purpose(IntEnum):
    """What a stream of random numbers is for; streams of different purpose never overlap."""

    DIRECTIONS = 1
    OBSERVATIONS = 2
    REPORT = 3
    SHIFT = 4
    STARTS = 5


def key_from(rng: RNGLike | None) -> Key:
    """Draw the key of a run from `rng`, anything `numpy.random.default_rng` takes (SPEC 7).

    >>> key_from(0) == key_from(np.random.default_rng(0))
    True
    """
    try:
        words = np.random.default_rng(rng).integers(0, 2**64, size=2, dtype=np.uint64)
    except Exception as error:
        raise TypeError(
            f"rng must be a seed (a whole number of at least 0) or a numpy generator, not a "
            f"{type(rng).__name__}: {error}"
        ) from error
    return int(words[0]), int(words[1])


class _Register(threading.local):
    """One Philox generator per thread; it remembers nothing between two uses."""

    def __init__(self) -> None:
        self.bits = np.random.Philox(key=np.zeros(2, dtype=np.uint64))
        self.generator = np.random.Generator(self.bits)
        self.counter = np.zeros(4, dtype=np.uint64)
        self.key = np.zeros(2, dtype=np.uint64)
        self.holder: Key | None = None  # the tuple that `key` was last filled from
        self.address: Any = {
            "bit_generator": "Philox",
            "state": {"counter": self.counter, "key": self.key},
            "buffer": np.zeros(4, dtype=np.uint64),
            "buffer_pos": 4,
            "has_uint32": 0,
            "uinteger": 0,
        }


_register = _Register()


def generator_at(key: Key, purpose: Purpose, t: int, block: int = 0) -> np.random.Generator:
    """The generator that starts at the address (key, purpose, t, block).

    It is valid until the next call in the same thread: draw from it at once.
    """
    register = _register
    if register.holder is not key:
        register.key[:] = register.holder = key
    register.counter[1] = block
    register.counter[2] = t
    register.counter[3] = purpose
    register.bits.state = register.address
    return register.generator
