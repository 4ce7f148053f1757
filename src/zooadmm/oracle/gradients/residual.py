"""Residual feedback: one value a round, compared with the value of the round before."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from zooadmm.oracle.directions import Address
from zooadmm.oracle.gradients.source import DirectionSource, with_room
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, ProbeQuery, Query
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet, ProbeSafe


class Residue(NamedTuple):
    """What a round leaves for the next one."""

    value: float
    """f_t(x_t + beta_t z_t)"""


@dataclass(frozen=True)
class Residual(DirectionSource):
    """g_t = [f_t(x_t + beta_t z_t) - f_{t-1}(x_{t-1} + beta_{t-1} z_{t-1})] / beta_t z_t.

    Zhang, Zhou, Ji and Zavlanos (2020), for a loss that is gone after one evaluation. The value
    before does not depend on z_t and E z = 0, so E g_t is that of the two-point estimate (5) with
    the same observations. Its second moment is larger: for f linear and x_t at rest 2 m |grad f|^2,
    and a noise of variance V in the values adds 2 m V / beta_t^2. The first round only measures.

    Condition: beta_t must be large beside the steps, beta_t >= 3 eta_t L1 sqrt m for a loss of
    slope L1, or the estimates grow. The paper's 1/(m^1.5 t) is far below: give `smoothing`.

    distribution: the mu that directions are drawn from.
    probes: as for `Smoothed`.

    >>> import zooadmm as zoo
    >>> result = zoo.minimize(
    ...     lambda x: np.square(x - 0.5).sum(), np.zeros(2), settings="paper", gradient=Residual(),
    ...     step_size=0.01, smoothing=0.1, penalty=1.0, max_iterations=2000, rng=0,
    ... )
    >>> result.nfev, bool(np.abs(result.x - 0.5).max() < 0.1)
    (2000, True)
    """

    num_observations = 1

    def evaluations(self, observations: int) -> int:
        return 1

    def query(
        self,
        t: int,
        x: Vector,
        radius: float,
        key: Key,
        batch: Batch | None,
        domain: ConvexSet,
        forgiving: bool = False,
    ) -> ProbeQuery:
        rows = self.distribution.rows(Address(key, t, 1), 0, 1, len(x), x.dtype)
        if not (self.stays_inside and isinstance(domain, ProbeSafe)):
            return ProbeQuery(t, x, radius, rows[0], batch, forgiving)
        reach = min(domain.stretch * self.distribution.reach(len(x)), math.sqrt(len(x)))
        x, radius = with_room(domain, x, radius, reach)
        direction = domain.tangent(rows)[0]
        return ProbeQuery(t, x, radius, direction, batch, forgiving, inside=domain)

    def gradient(self, query: Query, answer: Answer, counted: Counted | None = None) -> Vector:
        assert isinstance(query, ProbeQuery)
        if math.isnan(query.before):
            return np.zeros_like(query.x)
        slope = (float(answer.reshape(-1)[0]) - query.before) / query.radius
        return np.asarray(slope * query.direction, dtype=query.x.dtype)

    def loss(self, query: Query, answer: Answer, counted: Counted | None = None) -> float | None:
        return float(answer.reshape(-1)[0])

    def rounding(self, query: Query, answer: Answer) -> float:
        assert isinstance(query, ProbeQuery)
        if math.isnan(query.before):
            return 0.0
        eps, value = float(np.finfo(query.x.dtype).eps), float(answer.reshape(-1)[0])
        largest, change = max(abs(value), abs(query.before)), abs(value - query.before)
        of_values = eps * largest / change if change > 0 else math.inf if largest > 0 else 0.0
        return max(of_values, eps * float(np.abs(query.x).max()) / query.radius)
