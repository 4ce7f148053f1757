"""A convex set as a regularizer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arrays import Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates
from zooadmm.problem.regularizers.elastic_net import ElasticNet
from zooadmm.problem.regularizers.l1 import L1
from zooadmm.problem.regularizers.squared_l2 import SquaredL2
from zooadmm.problem.regularizers.zero import Zero
from zooadmm.problem.sets.box import Box, Nonnegative
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

    def form(self, d: int) -> Form | None:
        return self.convex_set.form(d)

    def fits(self, d: int) -> None:
        self.convex_set.fits(d)


Separable = Zero | L1 | SquaredL2 | ElasticNet
"""The regularizers that are a sum of functions of one coordinate each."""


@dataclass(frozen=True)
class Within:
    """phi(y) = regularizer(y) if y is in the box, inf if not, for a separable regularizer.

    Every coordinate is a convex problem of its own, so its best point in an interval is its best
    point anywhere, clipped to the interval: the prox is the regularizer's, then the projection.
    This is not true for other regularizers or other sets, which are refused.

    >>> import numpy as np
    >>> phi = Within(L1(strength=1.0), Nonnegative())
    >>> phi.prox(np.array([3.0, 0.5, -3.0]), tau=1.0)
    array([2., 0., 0.])
    >>> phi(np.array([1.0, -1.0]))
    inf
    """

    regularizer: Separable
    box: Box | Nonnegative

    def __post_init__(self) -> None:
        if not isinstance(self.regularizer, Separable):
            raise TypeError(
                f"regularizer must act on each coordinate by itself (Zero, L1, SquaredL2 or "
                f"ElasticNet), not {type(self.regularizer).__name__}; "
                f"use ProximalSum for other sums."
            )
        if not isinstance(self.box, Box | Nonnegative):
            raise TypeError(
                f"box must be a Box or Nonnegative, not {type(self.box).__name__}; "
                f"use ProximalSum for other sets."
            )

    def __call__(self, y: Vector) -> float:
        return self.regularizer(y) + Indicator(self.box)(y)

    def prox(self, v: Vector, tau: float) -> Vector:
        return self.box.project(self.regularizer.prox(v, tau))

    def form(self, d: int) -> Form | None:
        return self.regularizer.form(d).plus(of_coordinates(coordinates(d, *self.box.bounds())))

    def restricted(self, indices: NDArray[np.intp]) -> Within:
        return Within(self.regularizer.restricted(indices), self.box.restricted(indices))

    def fits(self, d: int) -> None:
        self.regularizer.fits(d)
        self.box.fits(d)
