"""What the algorithm asks of a regularizer."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from zooadmm.problem.arrays import Vector


@runtime_checkable
class Regularizer(Protocol):
    """A closed convex function phi with its proximal operator: PyProximal's interface."""

    def __call__(self, y: Vector) -> float:
        """phi(y); an indicator is 0.0 inside and inf outside."""

    def prox(self, v: Vector, tau: float) -> Vector:
        """The y that minimizes phi(y) + |y - v|^2 / (2 tau), for tau > 0: a new array."""


@runtime_checkable
class SizedRegularizer(Regularizer, Protocol):
    """A regularizer that also knows which vectors it goes with, as all of ours do.

    Its ``prox`` keeps v's dtype and leaves v alone; its value is a float, never True or False.
    """

    def fits(self, d: int) -> None:
        """Raise ValueError unless phi is defined for vectors of length d."""
