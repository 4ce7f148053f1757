"""Interface of a descent by a model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeVar

from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Query
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.splitting import Solved

Normals = Callable[..., Matrix]
"""normals(k): k rows of standard normal numbers, as many as there are variables, the same on
every call; normals(k, n): of n numbers."""

Read = TypeVar("Read", contravariant=True)


class First(NamedTuple):
    """The start of a descent."""

    at: Solved
    loss: float
    """f(x)"""
    size: float
    """|f(x)|, or how far f was seen to change near x where that is more"""
    eps: float
    """Rounding error of a value at most"""


class Steps(Protocol[Read]):
    """What every descent without noise derives from its state."""

    @abstractmethod
    def query(self, state: Read, /, id: int, batch: Batch | None) -> Query:
        """The points to evaluate next."""

    @abstractmethod
    def pair(self, state: Read, /) -> tuple[Vector, Vector, Vector]:
        """(x, y, dual)"""

    @abstractmethod
    def gradient(self, state: Read, /) -> Vector:
        """The gradient as far as it is known; empty at first."""

    @abstractmethod
    def curved(self, state: Read, /, s: Vector) -> Vector:
        """H s, the change of the gradient over a step s."""
