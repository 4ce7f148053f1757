"""The log-determinant on matrices that come one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from zooadmm.applications.formulation import Array
from zooadmm.losses import LogDeterminant

REMEMBERED = 1000
"""How many of the latest matrices of a stream a choice is judged by."""


class StreamedLogDeterminant:
    """f(x; a) = -log det sum_i x_i a_i a_i' for observations a of shape (m, n)."""

    def __call__(self, x: Array, a: Array) -> float:
        return float(self.values(x[None], [a])[0, 0])

    def values(self, points: Array, observations: Any) -> Array:
        """A row for each point, a column for each observation."""
        loss = LogDeterminant(np.stack(observations))
        return loss.values(points, loss.observations)


class SensorStream:
    """The matrices of an iterable, each checked as it comes; the latest are remembered."""

    def __init__(self, source: Iterable[Any]) -> None:
        self._iterator = iter(source)
        self.latest: deque[Array] = deque(maxlen=REMEMBERED)
        first = next(self._iterator, None)
        if first is None:
            raise ValueError("A is an empty stream; let it show at least one (m, n) matrix.")
        self._first = np.asarray(first, dtype=np.float64)
        self.shape = self._first.shape
        if len(self.shape) != 2:
            raise ValueError(f"a stream of A shows matrices (m, n), not shape {self.shape}.")

    def __iter__(self) -> Iterator[Array]:
        for item in chain([self._first], self._iterator):
            matrix = np.asarray(item, dtype=np.float64)
            if matrix.shape != self.shape or not np.isfinite(matrix).all():
                raise ValueError(
                    f"the stream of A began with shape {self.shape} and went on with "
                    f"{matrix.shape} or with numbers that are not finite."
                )
            self.latest.append(matrix)
            yield matrix
