"""A loss of named parameters as a loss of the points x that a run moves."""

from __future__ import annotations

from typing import Any

from zooadmm.oracle.loss import Loss
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.named_variables import Parameters


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
