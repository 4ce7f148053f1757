"""The elastic net: the l1 norm and the squared l2 norm together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arrays import Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates
from zooadmm.problem.regularizers.l1 import soft_threshold
from zooadmm.problem.sets.parameters import nonnegative, positive


@dataclass(frozen=True)
class ElasticNet:
    """phi(y) = l1_strength |y|_1 + (l2_strength / 2) |y|^2, both strengths >= 0.

    The prox is that of the l1 norm, divided by 1 + tau * l2_strength.

    >>> ElasticNet(l1_strength=1.0, l2_strength=1.0).prox(np.array([5.0, -0.5]), tau=1.0)
    array([2., 0.])
    """

    l1_strength: float
    l2_strength: float

    def __post_init__(self) -> None:
        for name in ("l1_strength", "l2_strength"):
            object.__setattr__(self, name, nonnegative(name, getattr(self, name)))

    def __call__(self, y: Vector) -> float:
        linear = self.l1_strength * float(np.abs(y).sum(dtype=np.float64))
        return linear + 0.5 * self.l2_strength * float(np.square(y).sum(dtype=np.float64))

    def prox(self, v: Vector, tau: float) -> Vector:
        tau = positive("tau", tau)
        return soft_threshold(v, tau * self.l1_strength) / (1.0 + tau * self.l2_strength)

    def form(self, d: int) -> Form:
        slope = self.l1_strength
        return of_coordinates(coordinates(d, below=-slope, above=slope, curvature=self.l2_strength))

    def restricted(self, indices: NDArray[np.intp]) -> ElasticNet:
        return self

    def fits(self, d: int) -> None:
        """Any length will do."""
