"""Losses of the structured suite that the library does not have, with values of many points.

Each is f(x) = mean of f(x; i) over observations i; gradients are for the referee only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.problem import Array

Outer = Callable[[Array, Array], Array]
"""outer(predictor, target), elementwise."""


@dataclass(frozen=True, eq=False)
class Ridge:
    """f(x; i) = outer(a_i'x, b_i), slope its derivative in a_i'x."""

    features: Array
    targets: Array
    outer: Outer
    slope: Outer

    @property
    def observations(self) -> NDArray[np.intp]:
        return np.arange(len(self.targets))

    def values(self, points: Array, observations: Any = None) -> Array:
        rows = slice(None) if observations is None else np.asarray(observations)
        with np.errstate(all="ignore"):
            table = self.outer(points @ self.features[rows].T, self.targets[rows])
        return np.asarray(table.mean(axis=1) if observations is None else table)

    def gradient(self, x: Array, w: Any = None) -> Array:
        rows = slice(None) if w is None else np.atleast_1d(w)
        A = self.features[rows]
        with np.errstate(all="ignore"):
            return np.asarray(self.slope(A @ x, self.targets[rows]) @ A / len(A))


def poisson(features: Array, counts: Array) -> Ridge:
    """exp(p) - b p: the negative log likelihood of counts."""
    return Ridge(features, counts, lambda p, b: np.exp(p) - b * p, lambda p, b: np.exp(p) - b)


def quantile(features: Array, targets: Array, level: float) -> Ridge:
    """The pinball loss of b - p: level (b - p) above, (level - 1) (b - p) below."""

    def outer(p: Array, b: Array) -> Array:
        rest = b - p
        return np.maximum(level * rest, (level - 1.0) * rest)

    return Ridge(features, targets, outer, lambda p, b: np.where(b > p, -level, 1.0 - level))


@dataclass(frozen=True, eq=False)
class Black:
    """A loss that is only known as a whole: value(x) for one point."""

    value: Callable[[Array], float]

    @property
    def observations(self) -> NDArray[np.intp]:
        return np.arange(0)

    def values(self, points: Array, observations: Any = None) -> Array:
        return np.array([self.value(x) for x in points])

    def gradient(self, x: Array, w: Any = None) -> Array:
        return np.zeros_like(x)  # nobody has it; the referee takes the best answer of all


def cvar(returns: Array, level: float) -> Black:
    """The mean of the worst 1 - level losses -r_i'x: piecewise linear and convex."""
    count = max(1, round((1.0 - level) * len(returns)))

    def value(x: Array) -> float:
        losses = -(returns @ x)
        return float(np.partition(losses, -count)[-count:].mean())

    return Black(value)


def one_minus_auc(scores: Array, labels: Array) -> Black:
    """One minus the area under the ROC curve of the blend scores @ x: piecewise constant."""
    positive, negative = scores[labels > 0], scores[labels <= 0]

    def value(x: Array) -> float:
        up, down = positive @ x, np.sort(negative @ x)
        below = np.searchsorted(down, up, side="left") + np.searchsorted(down, up, side="right")
        return 1.0 - float(below.mean()) / (2 * len(down))

    return Black(value)


def one_minus_ndcg(scores: Array, relevance: Array) -> Black:
    """One minus the mean NDCG over queries; scores (queries, documents, models)."""
    discounts = 1.0 / np.log2(np.arange(relevance.shape[1]) + 2.0)
    ideal = -np.sort(-relevance, axis=1) @ discounts

    def value(x: Array) -> float:
        order = np.argsort(-(scores @ x), axis=1, kind="stable")
        gained = np.take_along_axis(relevance, order, axis=1) @ discounts
        return 1.0 - float(np.mean(gained / ideal))

    return Black(value)
