"""True gradients: with them the algorithm is O-ADMM (Suzuki 2013), the first-order baseline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zooadmm.oracle.gradients.source import GradientSource
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, GradientQuery, Query
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arguments import whole
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet


@dataclass(frozen=True)
class Exact(GradientSource):
    """g_t = (1/q2) sum_i grad f(x_t; w_{t,i}), from a loss that has `gradient(x, w)`.

    num_observations: q2, at least 1.
    """

    num_observations: int = 1

    def __post_init__(self) -> None:
        count = whole("num_observations", self.num_observations, 1)
        object.__setattr__(self, "num_observations", count)

    def evaluations(self, observations: int) -> int:
        return 0

    def query(
        self,
        t: int,
        x: Vector,
        radius: float,
        key: Key,
        batch: Batch | None,
        domain: ConvexSet,
        forgiving: bool = False,
    ) -> GradientQuery:
        return GradientQuery(t, x, batch)

    def gradient(self, query: Query, answer: Answer, counted: Counted | None = None) -> Vector:
        mean = answer if answer.ndim == 1 else answer.sum(axis=0) / len(answer)
        assert isinstance(query, GradientQuery)
        return np.asarray(mean, dtype=query.x.dtype)  # g_t of (2)

    def loss(self, query: Query, answer: Answer, counted: Counted | None = None) -> float | None:
        return None

    def rounding(self, query: Query, answer: Answer) -> float:
        return 0.0
