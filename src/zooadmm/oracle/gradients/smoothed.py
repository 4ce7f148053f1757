"""The estimate averaged over directions and observations: equations (5), (14), (15) and (16)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zooadmm.oracle.gradients.differences import DifferenceSource, mean_of
from zooadmm.oracle.gradients.source import at_least_one
from zooadmm.oracle.queries import (
    Answer,
    CentralQuery,
    Counted,
    DifferenceQuery,
    ForwardQuery,
    Query,
)


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

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one("num_directions", self.num_directions)
        at_least_one("num_observations", self.num_observations)

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
