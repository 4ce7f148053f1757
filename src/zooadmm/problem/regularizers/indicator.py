"""A convex set as a regularizer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets.convex_set import ConvexSet
from zooadmm.problem.sets.parameters import in_dtype_of


@dataclass(frozen=True)
class Indicator:
    """phi(y) = 0 if y is in the set, inf if not. The prox is the projection, whatever tau.

    Rounding is forgiven: y counts as inside when its distance to the set is at most
    1e-9 max(1, |y|), or 1e-4 max(1, |y|) in float32.

    >>> from zooadmm.problem.sets import Box
    >>> phi = Indicator(Box(0.0, 1.0))
    >>> phi(np.array([0.5, 1.0])), phi(np.array([0.5, 1.1]))
    (0.0, inf)
    >>> phi.prox(np.array([0.5, 1.1]), tau=1.0)
    array([0.5, 1. ])
    """

    convex_set: ConvexSet

    def __post_init__(self) -> None:
        if not isinstance(self.convex_set, ConvexSet):
            raise TypeError(
                f"convex_set must be one of zooadmm.sets or a ConvexSet of your own, "
                f"not {type(self.convex_set).__name__}."
            )

    def __call__(self, y: Vector) -> float:
        forgiven = 1e-4 if y.dtype == np.float32 else 1e-9
        inside = self.convex_set.distance(y) <= forgiven * max(1.0, float(np.linalg.norm(y)))
        return 0.0 if inside else math.inf

    def prox(self, v: Vector, tau: float) -> Vector:
        # a set that is not ours may return any type, or an array it keeps
        return in_dtype_of(v, np.array(self.convex_set.project(v)))

    def fits(self, d: int) -> None:
        self.convex_set.fits(d)
