"""What every gradient source can do: ask, and make a gradient out of the answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet


def at_least_one(name: str, value: object) -> None:
    """Refuse anything but a positive whole number."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} = {value!r} must be a whole number, at least 1.")


class GradientSource(ABC):
    """Turns x_t into a query, and the answer into g_t."""

    num_observations: int
    """q2, how many observations an iteration sees."""

    stays_inside = False
    """Whether the loss must not be evaluated outside the domain."""

    def within(self, domain: ConvexSet, m: int, along: bool) -> Self:
        """The source that a run within the domain uses, where that was left open.

        along: whether its directions may be those of the domain.
        """
        return self

    @abstractmethod
    def fits(self, domain: ConvexSet, observations: Observations | None) -> None:
        """Refuse a problem that this source cannot work on."""

    @abstractmethod
    def evaluations(self, observations: int) -> int:
        """How many f(x; w) an iteration takes that sees so many observations."""

    @abstractmethod
    def query(
        self,
        t: int,
        x: Vector,
        radius: float,
        key: Key,
        batch: Batch | None,
        domain: ConvexSet,
        forgiving: bool = False,
    ) -> Query:
        """What to ask at x_t, with smoothing radius beta_t, on this batch of observations.

        forgiving: whether values that are not finite are an answer, not an error.
        """

    @abstractmethod
    def gradient(self, query: Query, answer: Answer, counted: Counted | None = None) -> Vector:
        """g_t, from a complete answer.

        counted: the cells that count, where some were dropped; None where all do.
        """

    @abstractmethod
    def loss(self, query: Query, answer: Answer, counted: Counted | None = None) -> float | None:
        """The mean of f(x_t; w) over the query's observations, as far as the answer tells."""

    @abstractmethod
    def rounding(self, query: Query, answer: Answer) -> float:
        """How large rounding is beside what g_t was made of; 0 where it plays no part."""
