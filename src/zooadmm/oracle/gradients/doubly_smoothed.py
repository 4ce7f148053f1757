"""Double smoothing: two-point estimates for a loss with kinks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from zooadmm.oracle.gradients.differences import Smoothed
from zooadmm.oracle.gradients.source import GradientSource, Probes, with_room
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, DifferenceQuery, Query
from zooadmm.oracle.randomness import Key, Purpose, generator_at
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet, ProbeSafe


@dataclass(frozen=True)
class DoublySmoothed(GradientSource):
    """The estimate (16) at x_t + beta_t v with radius beta_t/m^2, v uniform in a ball.

        g_t = 1/(q1 q2) sum_j sum_i [f(u + b z_j; w_i) - f(u; w_i)] / b z_j,
        u = x_t + beta_t v,   b = beta_t/m^2,   |v| <= sqrt(m + 2),   |z_j| = sqrt m

    Duchi, Jordan, Wainwright and Wibisono (2015), Section III. The shift by v leads away from the
    kinks of f, at which a plain two-point estimate has |g_t|^2 up to m^2 L1^2. E g_t is the
    gradient of a smooth F_t with f_t <= F_t <= f_t + L1 beta_t (sqrt(m + 2) + m^-1.5), for f convex
    with slopes of at most L1.

    num_directions: q1, at least 1. num_observations: q2, at least 1.
    probes: as for `Smoothed`.

    >>> import zooadmm as zoo
    >>> result = zoo.minimize(
    ...     lambda x: np.abs(x - 0.5).sum(), np.zeros(2), settings="paper", smoothing=0.01,
    ...     gradient=DoublySmoothed(2), penalty=1.0, max_iterations=1000, rng=0,
    ... )
    >>> result.nfev, bool(np.abs(result.x - 0.5).max() < 0.1)
    (3000, True)
    """

    num_directions: int = 1
    num_observations: int = 1
    probes: Probes | None = field(default="anywhere", kw_only=True)

    def __post_init__(self) -> None:
        assert self.plain is not None  # which refuses counts below 1

    @cached_property
    def plain(self) -> Smoothed:
        """The estimate at the shifted point."""
        return Smoothed(self.num_directions, self.num_observations, probes=self.probes)

    @property
    def stays_inside(self) -> bool:  # type: ignore[override]
        """Whether the loss must not be evaluated outside the domain."""
        return self.plain.stays_inside

    def fitted(
        self, domain: ConvexSet, m: int, observations: Observations | None, along: bool
    ) -> Self:
        return replace(self, probes=self.plain.fitted(domain, m, observations, along).probes)

    def evaluations(self, observations: int) -> int:
        return self.plain.evaluations(observations)

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
        m = len(x)
        if self.stays_inside and isinstance(domain, ProbeSafe):
            x, radius = with_room(domain, x, radius, math.sqrt(m + 2) + m**-1.5)
        generator = generator_at(key, Purpose.SHIFT, t)
        normal = generator.standard_normal(m)
        length = math.sqrt(m + 2) * generator.random() ** (1.0 / m)
        shift = radius * length / float(np.linalg.norm(normal)) * normal
        if self.stays_inside and isinstance(domain, ProbeSafe):
            shift = domain.tangent(shift[None])[0]
        shifted = (x + shift).astype(x.dtype, copy=False)
        return self.plain.query(t, shifted, radius / m**2, key, batch, domain, forgiving)

    def gradient(self, query: Query, answer: Answer, counted: Counted | None = None) -> Vector:
        return self.plain.gradient(query, answer, counted)

    def loss(self, query: Query, answer: Answer, counted: Counted | None = None) -> float | None:
        return self.plain.loss(query, answer, counted)

    def rounding(self, query: Query, answer: Answer) -> float:
        return self.plain.rounding(query, answer)
