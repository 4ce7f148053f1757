"""The forms a loss can have.

Any callable f(x), or f(x, w) where there are observations, is a loss. An object may also have

- `values(points)` or `values(points, observations)`: many points at once, one a row; the result has
  a row a point and, with observations, a column an observation;
- `gradient(x)` or `gradient(x, w)`: only O-ADMM asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.named_variables import Parameters

LARGEST = 1e150
"""Values of a loss at most: the squares of its slopes are numbers then."""


@dataclass(frozen=True)
class Loss:
    """A loss put together from functions; give the ones you have.

    value: f(x) or f(x, w), a number.
    values: f at the rows of a matrix, see above; where given it is used in place of `value`.
    gradient: the gradient of f in x, for `Exact()`.

    >>> import numpy as np
    >>> squares = Loss(values=lambda points: np.square(points).sum(axis=1))
    """

    value: Callable[..., Any] | None = None
    values: Callable[..., Any] | None = None
    gradient: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if self.value is None and self.values is None and self.gradient is None:
            raise ValueError("Loss() needs at least one of value, values and gradient.")

    def __call__(self, *arguments: Any) -> Any:
        if self.value is None:
            raise TypeError("this Loss has no `value` function.")
        return self.value(*arguments)


class NamedLoss:
    """f(x) = loss({name: value}), or loss({name: value}, w)."""

    def __init__(self, loss: Any, parameters: Parameters) -> None:
        self.loss, self.parameters = loss, parameters

    def __call__(self, x: Vector, *observation: Any) -> Any:
        return self.loss(self.parameters.at(x), *observation)


class NamedComparison(NamedLoss):
    """Which of {name: value} and another one is better."""

    def __call__(self, x: Vector, *other: Any) -> Any:
        return self.loss(self.parameters.at(x), *map(self.parameters.at, other))


class NamedValues(NamedLoss):
    """The same for a loss with `values`: it gets a matrix, a column for each name, in order."""

    def values(self, points: Matrix, *observations: Any) -> Any:
        """f at many points."""
        return self.loss.values(self.parameters.table(points), *observations)


def named_loss(loss: Any, parameters: Parameters) -> Any:
    """The loss of the run's x, in the form that the user's has."""
    batched = callable(getattr(loss, "values", None))
    if not batched and not callable(loss):
        raise TypeError("with Parameters the loss must be callable as f(values) or f(values, w).")
    if isinstance(loss, Loss) and loss.value is None and not batched:
        raise TypeError("with Parameters the loss needs values; gradients by name are not known.")
    return NamedValues(loss, parameters) if batched else NamedLoss(loss, parameters)
