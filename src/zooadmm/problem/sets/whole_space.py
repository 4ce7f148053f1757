"""No restriction at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets.bounds import Bound
from zooadmm.problem.sets.box import Coordinatewise


@dataclass(frozen=True)
class WholeSpace(Coordinatewise):
    """Every vector: the projection is the identity.

    >>> WholeSpace().project(np.array([1.0, -2.0]))
    array([ 1., -2.])
    """

    is_everything = True

    def project(self, v: Vector) -> Vector:
        return np.array(v)

    def bounds(self) -> tuple[Bound, Bound]:
        return -math.inf, math.inf

    def shrunk(self, radius: float) -> WholeSpace:
        return self

    def clip(self, points: Matrix) -> Matrix:
        return points
