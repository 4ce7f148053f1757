"""What every gradient source can do: ask, and make a gradient out of the answer."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Literal, Self, get_args

from zooadmm.oracle.directions import Distribution, Sphere
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arguments import one_of, whole
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet, ProbeSafe, WholeSpace

Probes = Literal["anywhere", "inside"]
"""Where a loss may be evaluated."""

Difference = Literal["forward", "central"]
"""Between which values slopes are taken."""

CHOICES = {"probes": get_args(Probes), "difference": get_args(Difference)}
"""What fields with these names may be."""


def with_room(domain: ProbeSafe, x: Vector, radius: float, reach: float) -> tuple[Vector, float]:
    """The point of the domain nearest to x_t with room for its probes, and their radius.

    reach: the largest entry of a probe's way, for radius 1. A radius for which there is no such
    point is lowered first.
    """
    radius = min(radius, 0.5 * domain.inradius(len(x)) / reach)
    if radius <= 0.0:
        raise ValueError(f'probes="inside" needs room, and {domain!r} is a single point.')
    return domain.shrunk(radius * reach).project(x), radius


class GradientSource(ABC):
    """Turns x_t into a query, and the answer into g_t."""

    num_observations: int
    """q2, how many observations an iteration sees."""

    stays_inside = False
    """Whether the loss must not be evaluated outside the domain."""

    def fitted(
        self, domain: ConvexSet, m: int, observations: Observations | None, along: bool
    ) -> Self:
        """The source that a run on this problem uses; refuses one that it cannot work on.

        along: whether its directions may be those of the domain, where that has fewer than all,
            as a budget.
        """
        return self

    @abstractmethod
    def evaluations(self, observations: int) -> int:
        """How many f(x; w) an iteration takes on this many observations."""

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


@dataclass(frozen=True)
class DirectionSource(GradientSource):
    """A source that probes along random directions.

    distribution, probes: as for `Smoothed`.
    """

    distribution: Distribution = field(default_factory=Sphere, kw_only=True)
    probes: Probes | None = field(default="anywhere", kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.distribution, Distribution):
            raise TypeError(
                "distribution must be Sphere(), Gaussian(), Rademacher(), Coordinate() or "
                f"Orthogonal(), not {self.distribution!r}."
            )
        for name, value in vars(self).items():
            if name.startswith("num_"):
                object.__setattr__(self, name, whole(name, value, 1))
            elif name in CHOICES and not (name == "probes" and value is None):
                one_of(name, value, CHOICES[name])
        if self.probes == "inside" and math.isinf(self.distribution.reach(1)):
            raise ValueError(
                'probes="inside" needs directions of bounded length, and '
                f"{self.distribution} has none; take Sphere() or Rademacher()."
            )

    @property
    def stays_inside(self) -> bool:  # type: ignore[override]
        """Whether the loss must not be evaluated outside the domain."""
        return self.probes == "inside"

    def fitted(
        self, domain: ConvexSet, m: int, observations: Observations | None, along: bool
    ) -> Self:
        """Inside a set that has room for probes, unless directions may be of any length."""
        if self.probes == "inside" and not isinstance(domain, (ProbeSafe, WholeSpace)):
            raise ValueError(
                f'probes="inside" works for the sets of zooadmm; {domain!r} does not say how far '
                'its boundary is. Use one of those or probes="anywhere".'
            )
        if self.probes is not None:
            return self
        room = False
        if not domain.is_everything and isinstance(domain, ProbeSafe):
            room = domain.inradius(m) > 0.0 and not math.isinf(self.distribution.reach(1))
            room = room and (along or domain.stretch == 1.0)
        return replace(self, probes="inside" if room else "anywhere")
