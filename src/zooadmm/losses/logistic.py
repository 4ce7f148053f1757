"""Logistic regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from zooadmm.losses.average import Average, Indices, all_of
from zooadmm.losses.data import Doubles, one_for_each
from zooadmm.losses.features import Features, Rows


class Logistic(Average):
    """f(x; i) = log(1 + exp(-b_i a_i'x)), for labels b_i in {-1, 1}.

    features: the rows a_i, an array or a sparse matrix (n, m). Floats are kept and not copied:
    leave them alone.
    labels: b, length n.

    >>> loss = Logistic([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    >>> loss
    Logistic(2 observations, 2 variables)
    >>> round(loss([0.0, 0.0]), 6), loss([0.0, 5000.0], 1)
    (0.693147, 5000.0)
    """

    def __init__(self, features: Any, labels: ArrayLike) -> None:
        self._features = Features("features", features)
        n, self.num_variables = self._features.shape
        self._labels = one_for_each("labels", labels, "features", n)
        if not np.isin(self._labels, (-1.0, 1.0)).all():
            raise ValueError(f"labels must be -1 or 1, {_remedy(np.unique(self._labels))}.")
        self.observations = all_of(n)

    def _means(self, points: Doubles) -> Doubles:
        total = np.zeros(len(points))
        for rows in self._features.blocks(len(points)):
            total += np.logaddexp(0.0, -self._margins(points, rows)).sum(axis=1)
        return total / len(self.observations)

    def _table(self, points: Doubles, observations: Indices) -> Doubles:
        table = np.empty((len(points), len(observations)))
        for columns in self._features.table_blocks(len(observations), len(points)):
            table[:, columns] = np.logaddexp(0.0, -self._margins(points, observations[columns]))
        return table

    def _mean_gradient(self, x: Doubles) -> Doubles:
        total = np.zeros(self.num_variables)
        for rows in self._features.blocks(1):
            total += self._gradient_sum(x, rows)
        return total / len(self.observations)

    def _gradient_at(self, x: Doubles, w: np.int64) -> Doubles:
        return self._gradient_sum(x, np.array([w]))

    def _margins(self, points: Doubles, rows: Rows) -> Doubles:
        """b_i a_i'x: positive where the sign is predicted."""
        return self._features.products(points, rows) * self._labels[rows]

    def _gradient_sum(self, x: Doubles, rows: Rows) -> Doubles:
        slopes = -self._labels[rows] * expit(-self._margins(x[None], rows)[0])
        return self._features.combination(slopes, rows)


def _remedy(kinds: Doubles) -> str:
    if np.isin(kinds, (0.0, 1.0)).all():
        return "not 0 or 1; convert them by np.where(labels == 1, 1, -1)"
    return f"but there are {len(kinds)} kinds, {kinds[:3]} among them"
