"""A query for one value, at one point beside x_t."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries.query import Query, Table, note
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ProbeSafe


@dataclass(frozen=True, eq=False, repr=False)
class ProbeQuery(Query):
    """The loss at x_t + beta_t z_t, on one observation or none. The answer has one number."""

    id: int
    x: Vector
    radius: float
    direction: Vector
    """z_t"""
    observations: Batch | None
    forgiving: bool = False
    before: float = math.nan
    """the value of the probe before, nan for the first"""
    inside: ProbeSafe | None = None
    """The set that the point may not leave, or None."""

    def __post_init__(self) -> None:
        note(self, shape=(1,) if self.observations is None else (1, 1), evaluations=1)

    def after(self, value: float) -> ProbeQuery:
        """The same, after a probe of that value."""
        return replace(self, before=value)

    def tables(self) -> Iterator[Table]:
        point = (self.x + self.radius * self.direction).astype(self.x.dtype, copy=False)[None, :]
        point = point if self.inside is None else self.inside.clip(point)
        yield Table(point, self.observations, slice(0, 1))
