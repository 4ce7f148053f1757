"""What a run can go by, once its loss is known to have no noise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from zooadmm.arrays import Matrix, Vector
from zooadmm.observations import Batch
from zooadmm.queries import Query

Normals = Callable[..., Matrix]
"""normals(k): k rows of standard normal numbers, as many as there are variables, the same whenever
they are asked for; normals(k, n): of n numbers."""

MOST_MODELED = 1500
"""The largest m for which a model of the loss, two m x m matrices, is made of all variables."""

MUCH_LESS = 0.01
"""A loss that has fallen to this part of its first size is looked at anew before the run settles:
what was rounding beside the first values may be much beside the last."""

Known = TypeVar("Known")


class Descending(ABC, Generic[Known]):
    """A descent: what it knows is all in its `Known`, and changes as values are told."""

    def feasible(self, x: Vector, y: Vector) -> tuple[Vector, Vector]:
        """The pair to begin with: this one, where no other constraint than x in X can be missed."""
        return x, y

    @abstractmethod
    def begun(
        self, x: Vector, y: Vector, dual: Vector, loss: float, eps: float, normals: Normals
    ) -> Known:
        """Before anything but f(x) is known; eps: how far values are off by rounding."""

    @abstractmethod
    def query(self, known: Known, id: int, batch: Batch | None) -> Query:
        """The points whose values are wanted next."""

    @abstractmethod
    def told(self, known: Known, values: Vector, normals: Normals) -> Known:
        """What follows from the values at these points."""

    @abstractmethod
    def pair(self, known: Known) -> tuple[Vector, Vector, Vector]:
        """(x, y, dual)"""

    @abstractmethod
    def gradient(self, known: Known) -> Vector:
        """What is known of the gradient; nothing at first."""

    @abstractmethod
    def curved(self, known: Known, s: Vector) -> Vector:
        """H s, the change of the gradient over a step s."""
