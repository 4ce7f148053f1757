"""Independent pairs of a direction and an observation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zooadmm.oracle.gradients.differences import DifferenceSource, mean_of
from zooadmm.oracle.gradients.source import at_least_one
from zooadmm.oracle.observations import Observations, Samples
from zooadmm.oracle.queries import (
    Answer,
    CentralPairedQuery,
    Counted,
    DifferenceQuery,
    PairedQuery,
    Query,
)
from zooadmm.problem.sets import ConvexSet


@dataclass(frozen=True)
class Paired(DifferenceSource):
    """g_t = 1/q sum_i [f(x_t + beta_t z_i; w_i) - f(x_t; w_i)] / beta_t z_i, pairs independent.

    2q evaluations. With pairs the second moment does fall as Corollary 3 says; with the crossed
    table of (16) it does not. Needs observations that can be drawn q at a time (`Samples`).

    num_pairs: q, at least 1.
    distribution, difference, probes: as for `Smoothed`.
    """

    num_pairs: int = 30

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one("num_pairs", self.num_pairs)

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

    def fits(self, domain: ConvexSet, observations: Observations | None) -> None:
        if not isinstance(observations, Samples):
            raise ValueError(
                "Paired() needs an observation of its own for every direction: give observations "
                "as an array, a sequence or Samples, or use Smoothed()."
            )
        super().fits(domain, observations)

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
