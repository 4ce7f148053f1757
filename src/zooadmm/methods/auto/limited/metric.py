"""The BFGS metric of the last few steps, in O(m) memory.

    H = U (I + V (diag(l) - I) V') U,   U = diag(sqrt(sigma c)),   V'V = I

is BFGS from the diagonal sigma c over the pairs (s_j, d_j) of steps and changes of the gradient, by
the compact form of Byrd, Nocedal and Schnabel (1994, Theorem 2.3), whose matrix of rank 2k is
diagonalized: so products, inverse and spectrum cost O(mk).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zooadmm.methods.auto.constants import FLATTEST
from zooadmm.problem.arrays import Matrix, Vector


class LimitedMetric(NamedTuple):
    """H = U (I + V (diag(l) - I) V') U."""

    units: Vector
    """The diagonal of U"""
    V: Matrix
    values: Vector
    """l; all other eigenvalues of H in these units are 1"""

    @property
    def largest(self) -> float:
        """The largest eigenvalue of U^-1 H U^-1."""
        return max(1.0, float(self.values.max(initial=1.0)))

    @property
    def least(self) -> float:
        """The least eigenvalue of U^-1 H U^-1."""
        return min(1.0, float(self.values.min(initial=1.0)))

    def matrix(self) -> Matrix:
        """H itself"""
        H: Matrix = (self.V * (self.values - 1.0)) @ self.V.T
        H[np.diag_indices(len(H))] += 1.0
        return self.units[:, None] * H * self.units

    def times(self, s: Vector) -> Vector:
        """H s"""
        u = self.units * s
        return self.units * (u + self.V @ ((self.values - 1.0) * (u @ self.V)))

    def solve(self, g: Vector) -> Vector:
        """H^-1 g"""
        u = g / self.units
        return (u + self.V @ ((1.0 / self.values - 1.0) * (u @ self.V))) / self.units

    def square(self, s: Vector) -> float:
        """|s|_H^2"""
        return max(float(s @ self.times(s)), 0.0)


def limited_metric(curvatures: Vector, S: Matrix, Y: Matrix) -> LimitedMetric:
    """From the curvatures c > 0 along the variables and pairs with <s_j, d_j> > 0, oldest first.

    S: the steps, a row each; Y: the changes of the gradient over them.

    >>> H = limited_metric(np.array([1.0, 4.0]), np.array([[1.0, 1.0]]), np.array([[2.0, 3.0]]))
    >>> H.times(np.array([1.0, 1.0])).round(12).tolist()
    [2.0, 3.0]
    >>> H.solve(np.array([2.0, 3.0])).round(12).tolist()
    [1.0, 1.0]
    """
    k, m = S.shape
    if k == 0:
        return LimitedMetric(np.sqrt(curvatures), np.zeros((m, 0)), np.zeros(0))
    last, change = S[-1], Y[-1]
    sigma = float(np.sum(change * change / curvatures)) / float(last @ change)
    units = np.sqrt(sigma * curvatures)
    S, Y = S * units, Y / units
    lengths = np.linalg.norm(S, axis=1)[:, None]  # pairs of any length count alike
    S, Y = S / lengths, Y / lengths
    inner = S @ Y.T
    lower = np.tril(inner, -1)
    middle = np.block([[S @ S.T, lower], [lower.T, -np.diag(np.diagonal(inner))]])
    Q, R = np.linalg.qr(np.vstack([S, Y]).T)
    small = R @ np.linalg.lstsq(middle, R.T, rcond=None)[0]
    parts, turn = np.linalg.eigh(0.5 * (small + small.T))
    return LimitedMetric(units, Q @ turn, np.maximum(1.0 - parts, FLATTEST))
