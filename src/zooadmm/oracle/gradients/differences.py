"""Estimates from slopes along random directions: equations (5), (14), (15) and (16)."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from zooadmm.oracle.directions import Address, Uneven
from zooadmm.oracle.gradients.source import Difference, DirectionSource, with_room
from zooadmm.oracle.observations import Batch, Observations, Samples
from zooadmm.oracle.queries import (
    Answer,
    CentralPairedQuery,
    CentralQuery,
    Counted,
    DifferenceQuery,
    ForwardQuery,
    PairedQuery,
    Query,
)
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.sets import ConvexSet, ProbeSafe
from zooadmm.problem.sets.bounds import Bound


@dataclass(frozen=True)
class DifferenceSource(DirectionSource):
    """(1/q) sum_j slope_j z_j with slopes of f along random directions z_j.

    difference: "forward" takes slopes between x_t and x_t + beta_t z, "central" between
        x_t - beta_t z and x_t + beta_t z.
    """

    difference: Difference = field(default="forward", kw_only=True)

    @cached_property
    @abstractmethod
    def count(self) -> int:
        """The number of directions of an iteration."""

    @cached_property
    @abstractmethod
    def kind(self) -> type[DifferenceQuery]:
        """The queries that this source makes."""

    @abstractmethod
    def differences(self, answer: Answer) -> Answer:
        """The difference of values along each direction, before any average."""

    @abstractmethod
    def terms(self, counted: Counted) -> int:
        """How many differences have both of their sides among the cells that count."""

    def query(
        self,
        t: int,
        x: Vector,
        radius: float,
        key: Key,
        batch: Batch | None,
        domain: ConvexSet,
        forgiving: bool = False,
    ) -> DifferenceQuery:
        inside = None
        if self.probes == "inside" and isinstance(domain, ProbeSafe):
            x, radius = self._room(domain, x, radius)
            inside = domain
        address = Address(key, t, self.count)
        return self.kind(t, x, radius, self.distribution, address, batch, inside, forgiving)

    def _room(self, domain: ProbeSafe, x: Vector, radius: float) -> tuple[Vector, float]:
        """The nearest point with room, and the radius.

        The tangent part of z has entries of at most `stretch` max|z_i| and of at most
        |z| = sqrt m.
        """
        m, bounds = len(x), domain.bounds() if isinstance(domain, ConvexSet) else None
        if bounds is not None and isinstance(self.distribution, Uneven):
            return _uneven_room(bounds, x, radius, self.distribution.reaches(m))
        reach = min(domain.stretch * self.distribution.reach(m), math.sqrt(m))
        return with_room(domain, x, radius, reach)

    def gradient(self, query: Query, answer: Answer, counted: Counted | None = None) -> Vector:
        assert isinstance(query, DifferenceQuery)
        differences = self.differences(answer)
        distance = query.radius if self.difference == "forward" else 2 * query.radius
        slopes = differences if differences.ndim == 1 else differences.sum(axis=1)
        terms = differences.size if counted is None else self.terms(counted)
        slopes = slopes / (distance * terms)  # (5), (14)-(16): over q1 q2 terms
        if query.x.dtype != slopes.dtype:
            slopes = slopes.astype(query.x.dtype)
        if query.kept is not None:
            whole: Vector = np.einsum("j,jm->m", slopes, query.kept)
            return whole
        total = np.zeros_like(query.x)
        if query.one_by_one:
            for j, slope in enumerate(slopes.tolist()):
                query.add(j, slope, total, total)
        else:
            for start, stop in query.spans():  # the order of j, whoever evaluated
                directions = query.directions(start, stop)
                total += np.einsum("j,jm->m", slopes[start:stop], directions)
        return total

    def rounding(self, query: Query, answer: Answer) -> float:
        assert isinstance(query, DifferenceQuery)
        eps = float(np.finfo(query.x.dtype).eps)
        largest = float(np.abs(answer).max())
        differences = self.differences(answer)
        typical = norm(differences.reshape(-1)) / math.sqrt(differences.size)
        of_values = eps * largest / typical if typical > 0 else math.inf if largest > 0 else 0.0
        of_points = eps * float(max(query.x.max(), -query.x.min())) / query.radius
        return max(of_values, of_points)


def _uneven_room(
    bounds: tuple[Bound, Bound], x: Vector, radius: float, reaches: Vector
) -> tuple[Vector, float]:
    """The same for directions that reach further along some variables than along others."""
    lower, upper = (np.broadcast_to(bound, x.shape) for bound in bounds)
    free = lower < upper
    room = np.where(free, 0.5 * (upper - lower), np.inf) / np.maximum(reaches, 1e-300)
    radius = min(radius, 0.5 * float(room.min()))
    moved = np.where(free, radius * reaches, 0.0)
    return np.minimum(np.maximum(x, lower + moved), upper - moved).astype(x.dtype), radius


def mean_of(values: Answer, counted: Counted | None) -> float:
    """The mean of the values that count."""
    summed = values if counted is None else values[counted]
    return float(summed.sum()) / summed.size


@dataclass(frozen=True)
class Smoothed(DifferenceSource):
    """g_t = 1/(q1 q2) sum_j sum_i [f(x_t + beta_t z_j; w_i) - f(x_t; w_i)] / beta_t z_j.

    The hybrid strategy (16). num_directions = num_observations = 1 is the two-point estimate (5),
    num_observations = 1 averages over directions (14), num_directions = 1 over observations (15).
    It takes (1 + q1) q2 evaluations; `difference="central"` uses x_t - beta_t z_j in place of x_t
    and takes 2 q1 q2.

    num_directions: q1, at least 1.
    num_observations: q2, at least 1; it has no effect on a loss without observations.
    distribution: the mu that directions are drawn from.
    probes: "inside" keeps every evaluated point in the domain X. Near its boundary slopes are then
        taken at the nearest point with room for them, and a beta_t for which X has no room is
        lowered; keep smoothing small beside the distances that matter. Rademacher() needs the
        least room. "anywhere" is the estimate of the paper, which its theory is about. None is
        "inside", unless mu has no bounded length or X, with settings="paper", a budget, which its
        directions leave.

    >>> Smoothed(10).distribution
    Sphere()
    """

    num_directions: int = 30
    num_observations: int = 1

    @cached_property
    def count(self) -> int:
        return self.num_directions

    @cached_property
    def kind(self) -> type[DifferenceQuery]:
        return ForwardQuery if self.difference == "forward" else CentralQuery

    def evaluations(self, observations: int) -> int:
        points = 1 + self.count if self.difference == "forward" else 2 * self.count
        return points * observations

    def differences(self, answer: Answer) -> Answer:
        if self.difference == "forward":
            first: Answer = answer[0]
            return answer[1:] - first
        return answer[0::2] - answer[1::2]

    def terms(self, counted: Counted) -> int:
        if self.difference == "forward":
            return int(np.count_nonzero(counted[1:]))
        return int(np.count_nonzero(counted)) // 2

    def loss(self, query: Query, answer: Answer, counted: Counted | None = None) -> float | None:
        if answer.ndim == 1 and self.difference == "forward":
            return float(answer[0])
        if self.difference == "forward":
            return mean_of(answer[0], None if counted is None else counted[0])
        return mean_of(answer, counted)


@dataclass(frozen=True)
class Paired(DifferenceSource):
    """g_t = 1/q sum_i [f(x_t + beta_t z_i; w_i) - f(x_t; w_i)] / beta_t z_i, pairs independent.

    2q evaluations. With pairs the second moment does fall as Corollary 3 says; with the crossed
    table of (16) it does not. Needs observations that can be drawn q at a time (`Samples`).

    num_pairs: q, at least 1.
    distribution, difference, probes: as for `Smoothed`.
    """

    num_pairs: int = 30

    @property
    def num_observations(self) -> int:  # type: ignore[override]
        """q, one for each pair."""
        return self.num_pairs

    @cached_property
    def count(self) -> int:
        return self.num_pairs

    @cached_property
    def kind(self) -> type[DifferenceQuery]:
        return PairedQuery if self.difference == "forward" else CentralPairedQuery

    def fitted(
        self, domain: ConvexSet, m: int, observations: Observations | None, along: bool
    ) -> Self:
        if not isinstance(observations, Samples):
            raise ValueError(
                "Paired() needs an observation of its own for every direction: give observations "
                "as an array, a sequence or Samples, or use Smoothed()."
            )
        return super().fitted(domain, m, observations, along)

    def evaluations(self, observations: int) -> int:
        return 2 * self.count

    def differences(self, answer: Answer) -> Answer:
        return answer[:, 1] - answer[:, 0]

    def terms(self, counted: Counted) -> int:
        return int(np.count_nonzero(counted)) // 2

    def loss(self, query: Query, answer: Answer, counted: Counted | None = None) -> float | None:
        if self.difference == "forward":
            return mean_of(answer[:, 0], None if counted is None else counted[:, 0])
        return mean_of(answer, counted)
