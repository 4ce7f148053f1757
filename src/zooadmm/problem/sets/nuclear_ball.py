"""Matrices whose singular values have a bounded sum."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets.balls import Ball
from zooadmm.problem.sets.parameters import matrix_fits, matrix_shape
from zooadmm.problem.sets.simplex import threshold


@dataclass(frozen=True)
class NuclearBall(Ball):
    """{x : the singular values of x, read as a matrix of this shape, add up to at most radius}.

    The vector holds the matrix row by row; radius > 0. The projection moves the singular values
    towards zero by the same amount, and no further.

    >>> ball = NuclearBall(radius=1.0, shape=(2, 2))
    >>> ball.project(np.array([3.0, 0.0, 0.0, 1.0]))
    array([1., 0., 0., 0.])
    """

    shape: tuple[int, int]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "shape", matrix_shape(self.shape))

    def project(self, v: Vector) -> Vector:
        left, values, right = np.linalg.svd(v.reshape(self.shape), full_matrices=False)
        if values.sum() <= self.radius:
            return np.array(v)
        below = values - values.max()  # a radius far below the largest is not lost in it
        return reassembled(left, below - threshold(below, self.radius), right)

    def longest(self, m: int) -> float:
        return math.sqrt(min(self.shape) * m)

    def fits(self, m: int) -> None:
        matrix_fits(self.shape, m)


def reassembled(left: Vector, values: Vector, right: Vector) -> Vector:
    """The matrix with these singular vectors and the positive ones of these values, as a vector."""
    rank = int(np.count_nonzero(values > 0.0))
    return ((left[:, :rank] * values[:rank]) @ right[:rank]).ravel()
