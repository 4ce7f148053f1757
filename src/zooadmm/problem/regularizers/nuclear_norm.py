"""The sum of singular values, which lowers the rank of a matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets.nuclear_ball import reassembled
from zooadmm.problem.sets.parameters import matrix_fits, matrix_shape, nonnegative, positive


@dataclass(frozen=True)
class NuclearNorm:
    """phi(y) = strength * (sum of the singular values of y, read as a matrix of this shape).

    The vector holds the matrix row by row; strength >= 0. The prox moves each singular value
    towards zero by tau * strength, and no further.

    >>> NuclearNorm(strength=1.0, shape=(2, 2)).prox(np.array([3.0, 0.0, 0.0, 0.5]), tau=1.0)
    array([2., 0., 0., 0.])
    """

    strength: float
    shape: tuple[int, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", nonnegative("strength", self.strength))
        object.__setattr__(self, "shape", matrix_shape(self.shape))

    def __call__(self, y: Vector) -> float:
        values = np.linalg.svd(y.reshape(self.shape), compute_uv=False)
        return self.strength * float(values.sum())

    def prox(self, v: Vector, tau: float) -> Vector:
        shift = self.strength * positive("tau", tau)
        left, values, right = np.linalg.svd(v.reshape(self.shape), full_matrices=False)
        return reassembled(left, values - shift, right)

    def fits(self, d: int) -> None:
        matrix_fits(self.shape, d)
