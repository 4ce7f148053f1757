"""The rows a_i of a matrix, dense or sparse, and their products with points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from zooadmm.losses.data import (
    REAL_KINDS,
    Doubles,
    blocks,
    given_array,
    not_real,
    refuse_empty,
    refuse_nonfinite,
)

Rows = NDArray[np.int64] | slice

MANY_VARIABLES = 10_000
"""Points of more entries are not copied for the sake of a block of sparse rows."""


class Features:
    """A matrix (n, m) in the precision it came in; its products with doubles are double.

    An array of float32 or float64 and a CSR matrix of float64 are not copied: leave them alone
    while the loss is in use.
    """

    def __init__(self, name: str, matrix: Any) -> None:
        self.is_sparse: bool = sparse.issparse(matrix)
        self._matrix: Any = _sparse(name, matrix) if self.is_sparse else _dense(name, matrix)
        self.shape: tuple[int, int] = self._matrix.shape
        refuse_empty(name, self.shape)

    def blocks(self, num_points: int) -> Iterator[slice]:
        """All rows, as many at a time as make temporary arrays of a good size.

        A block of sparse rows costs a pass over all points, so these come in larger blocks.
        """
        n, m = self.shape
        return blocks(n, num_points // 16 if self.is_sparse else max(num_points, m))

    def table_blocks(self, count: int, num_points: int) -> Iterator[slice]:
        """`count` rows chosen anywhere, likewise; they are copied, so what they hold counts too."""
        n, m = self.shape
        held = self._matrix.nnz // n if self.is_sparse else m
        return blocks(count, max(num_points, held))

    def rows(self, rows: Rows) -> Any:
        """These rows, in the precision they came in; all of them are the matrix itself."""
        n = self.shape[0]
        whole = isinstance(rows, slice) and rows.indices(n) == (0, n, 1)
        return self._matrix if whole else self._matrix[rows]

    def products(self, points: Doubles, rows: Rows) -> Doubles:
        """a_i'x for each point and each of the rows, (p, q)."""
        chosen = self.rows(rows)
        if self.is_sparse and self.shape[1] > MANY_VARIABLES:  # scipy would copy all of points.T
            by_point = np.empty((len(points), chosen.shape[0]))
            for row, x in zip(by_point, points, strict=True):
                row[:] = chosen @ x
            return by_point
        table: Doubles = (chosen @ points.T).T
        return table

    def combination(self, weights: Doubles, rows: Rows) -> Doubles:
        """The sum of weights_i a_i over the rows, (m,)."""
        total: Doubles = self.rows(rows).T @ weights
        return total


def _sparse(name: str, matrix: Any) -> Any:
    if matrix.dtype.kind not in REAL_KINDS:
        raise not_real(name)
    _refuse_other_shapes(name, matrix.shape)
    rows: Any = sparse.csr_array(matrix, dtype=np.float64)
    refuse_nonfinite(name, rows.data)
    return rows


def _dense(name: str, matrix: Any) -> Any:
    given = given_array(name, matrix)
    _refuse_other_shapes(name, given.shape)
    rows = given if given.dtype == np.float32 else given.astype(np.float64, copy=False)
    for block in blocks(*rows.shape):
        refuse_nonfinite(name, rows[block])
    return rows


def _refuse_other_shapes(name: str, shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise ValueError(f"{name} has shape {shape}, but must be (n, m), an a_i in each row.")
