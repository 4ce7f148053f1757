"""The log-determinant of sensor selection."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from zooadmm.losses.average import Average, Indices, all_of
from zooadmm.losses.data import Doubles, blocks, finite_array, real_array


class LogDeterminant(Average):
    """f(x; t) = -log det sum_i x_i a_{t,i} a_{t,i}', +inf where that is not positive definite.

    vectors: the a_{t,i}, (T, m, n) for observation t and sensor i, or (m, n) for T = 1.

    Up to a constant it is twice the log-volume of the error ellipsoid when sensor i, with unit
    noise, is read with weight x_i; noise of another variance s^2 would add n log s^2,
    which the paper leaves out and so do we. Fewer than n nonzero weights are always +inf; other
    matrices that are singular up to rounding are +inf or merely large. Where f is +inf the gradient
    is nan.

    >>> loss = LogDeterminant(np.eye(2))
    >>> loss
    LogDeterminant(1 observation, 2 variables, matrices of order 2)
    >>> round(loss([1.0, 0.5]), 6), loss([1.0, 0.0])
    (0.693147, inf)
    """

    def __init__(self, vectors: ArrayLike) -> None:
        given = real_array("vectors", vectors)
        given = finite_array("vectors", given[None] if given.ndim == 2 else given, "T", "m", "n")
        _, exponent = np.frexp(np.abs(given).max())
        scaled = np.ldexp(given, -exponent)  # entries of 1 at most, whose products do not overflow
        self._vectors = np.ascontiguousarray(scaled.transpose(2, 0, 1))  # (n, T, m)
        self._order, T, self.num_variables = self._vectors.shape
        self._log_scale = 2 * self._order * int(exponent) * math.log(2.0)
        self.observations = all_of(T)

    def _sizes(self) -> str:
        return f"{super()._sizes()}, matrices of order {self._order}"

    def _means(self, points: Doubles) -> Doubles:
        total = np.zeros(len(points))
        for some, block in self._tiles(len(points), len(self.observations)):
            total[some] += self._values(points[some], self._vectors[:, block]).sum(axis=0)
        return total / len(self.observations)

    def _table(self, points: Doubles, observations: Indices) -> Doubles:
        table = np.empty((len(points), len(observations)))
        for some, block in self._tiles(len(points), len(observations)):
            vectors = self._vectors[:, observations[block]]
            table[some, block] = self._values(points[some], vectors).T
        return table

    def _mean_gradient(self, x: Doubles) -> Doubles:
        total = np.zeros(self.num_variables)
        for _, block in self._tiles(1, len(self.observations)):
            total += self._gradient_sum(x, self._vectors[:, block])
        return total / len(self.observations)

    def _gradient_at(self, x: Doubles, w: np.int64) -> Doubles:
        return self._gradient_sum(x, self._vectors[:, [w]])

    def _tiles(self, num_points: int, count: int) -> Iterator[tuple[slice, slice]]:
        """Some points and some of `count` observations at a time, until all have met."""
        for some in blocks(num_points, self._order**2):
            together = max(some.stop - some.start, self.num_variables)
            for block in blocks(count, self._order**2 * together):
                yield some, block

    def _values(self, points: Doubles, vectors: Doubles) -> Doubles:
        """f(x; t) for some t and all points, (t, p)."""
        values: Doubles = -log_determinants(information(points, vectors)) - self._log_scale
        values[:, np.count_nonzero(points, axis=1) < self._order] = math.inf  # rank below n
        return values

    def _gradient_sum(self, x: Doubles, vectors: Doubles) -> Doubles:
        """-a_i' M^-1 a_i, summed over some t."""
        if np.isinf(self._values(x[None], vectors)).any():
            return np.full(self.num_variables, math.nan)
        matrices = information(x[None], vectors)[..., 0].transpose(2, 0, 1)
        solved = np.linalg.solve(matrices, vectors.transpose(1, 0, 2))
        total: Doubles = np.einsum("nti,tni->i", vectors, solved)
        return -total


def information(points: Doubles, vectors: Doubles) -> Doubles:
    """M = sum_i x_i a_{t,i} a_{t,i}' for each t and each point, (n, n, t, p)."""
    n, T, m = vectors.shape
    outer = vectors[:, None] * vectors
    flat: Doubles = outer.reshape(-1, m) @ points.T
    return flat.reshape(n, n, T, len(points))  # the matrices of (18)


def log_determinants(M: Doubles) -> Doubles:
    """log det of symmetric M[:, :, ...], and -inf unless positive definite; M is used up.

    Elimination without exchanges, the Cholesky factorization with its roots untaken, of all
    matrices at a time. A pivot lost in the rounding of the diagonal entry it came from is zero.
    """
    n = len(M)
    noise = n * np.finfo(np.float64).eps * M[range(n), range(n)]
    total = np.zeros(M.shape[2:])
    for k in range(n):
        pivot = M[k, k]
        regular = pivot > noise[k]
        pivot[~regular] = 1.0
        total += np.where(regular, np.log(pivot), -math.inf)
        row = M[k, k + 1 :]
        M[k + 1 :, k + 1 :] -= (row / pivot)[:, None] * row
    return total
