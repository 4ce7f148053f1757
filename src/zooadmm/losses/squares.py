"""Least squares."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zooadmm.losses.average import Average, Indices, all_of
from zooadmm.losses.data import BLOCK_ELEMENTS, Doubles, one_for_each
from zooadmm.losses.features import Features

MOST_CONDENSED = 1000
"""With more variables the triangular factor would cost too much."""


class Squares(Average):
    """f(x; i) = (a_i'x - b_i)^2, so the root of f(x) is the root mean squared error.

    features: the rows a_i, an array or a sparse matrix (n, m). Floats are kept and not copied:
    leave them alone.
    targets: b, length n; likewise.

    With the triangular factor [A b] = Q R the mean over all n is |R [x; -1]|^2 / n, which costs
    O(m^2) and loses far fewer digits than A'A. R is computed at the first full evaluation if A is
    dense, m <= 1000 and n > 2 m, in O(n m^2), the price of m direct ones.

    >>> loss = Squares([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1.0, 2.0, 0.0])
    >>> loss
    Squares(3 observations, 2 variables)
    >>> loss([1.0, 2.0]), loss([1.0, 2.0], 2)
    (3.0, 9.0)
    """

    def __init__(self, features: Any, targets: ArrayLike) -> None:
        self._features = Features("features", features)
        n, self.num_variables = self._features.shape
        self._targets = one_for_each("targets", targets, "features", n)
        self.observations = all_of(n)

    def _means(self, points: Doubles) -> Doubles:
        A, b = self._condensed
        total = np.zeros(len(points))
        for rows in A.blocks(len(points)):
            total += np.square(A.products(points, rows) - b[rows]).sum(axis=1)
        return total / len(self.observations)

    def _table(self, points: Doubles, observations: Indices) -> Doubles:
        table = np.empty((len(points), len(observations)))
        for columns in self._features.table_blocks(len(observations), len(points)):
            rows = observations[columns]
            residuals = self._features.products(points, rows) - self._targets[rows]
            np.square(residuals, out=table[:, columns])
        return table

    def _mean_gradient(self, x: Doubles) -> Doubles:
        A, b = self._condensed
        total = np.zeros(self.num_variables)
        for rows in A.blocks(1):
            residuals = A.products(x[None], rows)[0] - b[rows]
            total += A.combination(residuals, rows)
        return 2.0 * total / len(self.observations)

    def _gradient_at(self, x: Doubles, w: np.int64) -> Doubles:
        only = np.array([w])
        residuals = self._features.products(x[None], only)[0] - self._targets[only]
        return 2.0 * self._features.combination(residuals, only)

    @cached_property
    def _condensed(self) -> tuple[Features, Doubles]:
        """Few rows with the same sum of squares at every x, where that pays."""
        n, m = self._features.shape
        if self._features.is_sparse or m > MOST_CONDENSED or n <= 2 * m:
            return self._features, self._targets
        R = triangular_factor(self._features, self._targets)
        return Features("R", R[:, :-1]), R[:, -1]


def triangular_factor(A: Features, b: Doubles) -> Doubles:
    """R of the QR factorization of [A b], a few rows at a time."""
    n, m = A.shape
    R = np.empty((0, m + 1))
    step = max(4 * (m + 1), BLOCK_ELEMENTS // (m + 1))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        taller = np.empty((len(R) + rows.stop - start, m + 1))
        taller[: len(R)] = R
        taller[len(R) :, :m] = A.rows(rows)
        taller[len(R) :, m] = b[rows]
        R = np.asarray(np.linalg.qr(taller, mode="r"))
    return R
