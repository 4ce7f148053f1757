"""The rows a_i of a matrix, dense or sparse, and their products with points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from zooadmm.losses.data import Doubles, blocks, real_array, refuse_empty, refuse_nonfinite

Rows = NDArray[np.int64] | slice


class Features:
    """A matrix (n, m) in the precision it came in; its products with doubles are double.

    An array of floats is not copied: leave it alone while the loss is in use.
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

    def rows(self, rows: Rows) -> Any:
        """These rows, in the precision they came in."""
        return self._matrix[rows]

    def products(self, points: Doubles, rows: Rows) -> Doubles:
        """a_i'x for each point and each of the rows, (p, q)."""
        chosen = self.rows(rows)
        if self.is_sparse:  # point by point, for scipy would copy all of points.T
            return np.stack([chosen @ x for x in points])
        table: Doubles = (chosen @ points.T).T
        return table

    def combination(self, weights: Doubles, rows: Rows) -> Doubles:
        """The sum of weights_i a_i over the rows, (m,)."""
        total: Doubles = self.rows(rows).T @ weights
        return total


def _sparse(name: str, matrix: Any) -> Any:
    rows: Any = sparse.csr_array(matrix, dtype=np.float64)
    refuse_nonfinite(name, rows.data)
    return rows


def _dense(name: str, matrix: Any) -> Any:
    single = isinstance(matrix, np.ndarray) and matrix.dtype == np.float32
    rows: Any = matrix if single else real_array(name, matrix)
    if rows.ndim != 2:
        raise ValueError(f"{name} has shape {rows.shape}, but must be (n, m), an a_i in each row.")
    for block in blocks(*rows.shape):
        refuse_nonfinite(name, rows[block])
    return rows
