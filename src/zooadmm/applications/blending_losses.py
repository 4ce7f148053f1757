"""How good a blend is: losses of single rows by name, and metrics of all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from scipy.special import xlogy

from zooadmm.applications.formulation import Array
from zooadmm.losses import Squares

Named = Literal["squared", "absolute", "log"]
Metric = Callable[[Array, Array], float]

SMALLEST = 1e-12
"""Probabilities are kept so far away from 0 and 1 in the log loss."""

ROWS = 2**12
"""How many rows are blended at a time, so that temporary arrays stay small."""


def elementwise(name: Named, target: Array, blended: Array) -> Array:
    """The loss of each row; "log" is the cross entropy of probabilities and targets in [0, 1].

    >>> elementwise("absolute", np.array([1.0, 2.0]), np.array([1.5, 0.0]))
    array([0.5, 2. ])
    """
    if name == "squared":
        return np.square(blended - target)
    if name == "absolute":
        return np.abs(blended - target)
    p = np.clip(blended, SMALLEST, 1.0 - SMALLEST)
    surprise: Array = -xlogy(target, p) - xlogy(1.0 - target, 1.0 - p)
    return surprise


class Rowwise:
    """f(x; i) = loss(target_i, predictions_i' x), and f(x) its mean over all rows."""

    def __init__(self, name: Named, predictions: Array, target: Array) -> None:
        self.name: Named = name
        self.predictions, self.target = predictions, target
        self.observations = np.arange(len(target))

    def __call__(self, x: Array, w: Any = None) -> float:
        values = self.values(x[None]) if w is None else self.values(x[None], [w])
        return float(values.reshape(-1)[0])

    def values(self, points: Array, observations: Any = None) -> Array:
        """f at each row of points, or f(x; w) in a column for each observation."""
        if observations is not None:
            rows = np.asarray(observations)
            blended = points @ self.predictions[rows].T
            return elementwise(self.name, self.target[rows], blended)
        total = np.zeros(len(points))
        for start in range(0, len(self.target), ROWS):
            some = slice(start, start + ROWS)
            blended = points @ self.predictions[some].T
            total += elementwise(self.name, self.target[some], blended).sum(axis=1)
        return total / len(self.target)

    def gradient(self, x: Array, w: Any = None) -> Array:
        """The gradient of f or f(.; w), for O-ADMM."""
        rows = self.observations if w is None else np.array([w])
        predictions, target = self.predictions[rows], self.target[rows]
        blended = predictions @ x
        if self.name == "absolute":
            slopes = np.sign(blended - target)
        else:
            p = np.clip(blended, SMALLEST, 1.0 - SMALLEST)
            slopes = (p - target) / (p * (1.0 - p))
        total: Array = slopes @ predictions / len(rows)
        return total


class OfAllRows:
    """f(x) = metric(target, predictions x), which need not be a mean over rows; lower is better."""

    def __init__(self, metric: Metric, predictions: Array, target: Array) -> None:
        self.metric, self.predictions, self.target = metric, predictions, target

    def __call__(self, x: Array) -> float:
        return float(self.metric(self.target, self.predictions @ x))

    def values(self, points: Array) -> Array:
        """f at each row of points."""
        return np.array([self(point) for point in points])


def loss_of(loss: Named | Metric, predictions: Array, target: Array) -> Any:
    """The loss of a blend, with values of many weights at once."""
    if callable(loss):
        return OfAllRows(loss, predictions, target)
    if loss == "squared":
        return Squares(predictions, target)
    refuse_unknown(loss)
    if loss == "log" and not ((target >= 0) & (target <= 1)).all():
        raise ValueError('y must lie between 0 and 1 for loss="log"; code the classes as 0 and 1.')
    return Rowwise(loss, predictions, target)


def refuse_score(loss: Any) -> None:
    """Raise for scikit-learn's scores, where higher is better."""
    name = getattr(loss, "__name__", "")
    if name.endswith("_score"):
        raise ValueError(
            f"loss = {name} is a score, where higher is better, and a loss is minimized: give "
            f"lambda y, blended: -{name}(y, blended)."
        )


def refuse_unknown(loss: Any) -> None:
    """Raise unless this is the name of a loss."""
    if loss not in get_args(Named):
        raise ValueError(
            f'loss must be "squared", "absolute", "log" or a function metric(target, blended) that '
            f"returns a number, not {loss!r}."
        )
