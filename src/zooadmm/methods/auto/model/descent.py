"""Interface of a descent by a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Query
from zooadmm.problem.arrays import Matrix, Vector

Normals = Callable[..., Matrix]
"""normals(k): k rows of standard normal numbers, as many as there are variables, the same on
every call; normals(k, n): of n numbers."""

Known = TypeVar("Known")
State = TypeVar("State", contravariant=True)


class Steps(Protocol[State]):
    """What every descent without noise reads off its state."""

    def query(self, known: State, /, id: int, batch: Batch | None) -> Query:
        """The points whose values come next."""

    def pair(self, known: State, /) -> tuple[Vector, Vector, Vector]:
        """(x, y, dual)"""

    def gradient(self, known: State, /) -> Vector:
        """What is known of the gradient; empty at first."""

    def curved(self, known: State, /, s: Vector) -> Vector:
        """H s, the change of the gradient over a step s."""


class ModelDescent(ABC, Generic[Known]):
    """A descent: all that it knows is its state `Known`, which `update` replaces."""

    @abstractmethod
    def feasible(self, x: Vector, y: Vector) -> tuple[Vector, Vector]:
        """The pair to begin with: this one where F is finite at it, else one near it."""

    @abstractmethod
    def init(
        self,
        x: Vector,
        y: Vector,
        dual: Vector,
        loss: float,
        size: float,
        eps: float,
        normals: Normals,
    ) -> Known:
        """Before anything but f(x) is known.

        size: |f(x)|, or how far f was seen to change near x where that is more.
        eps: how far values are off by rounding.
        """

    @abstractmethod
    def query(self, known: Known, id: int, batch: Batch | None) -> Query:
        """The points to evaluate next."""

    @abstractmethod
    def update(self, known: Known, values: Vector, normals: Normals) -> Known:
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
