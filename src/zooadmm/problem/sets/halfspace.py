"""One linear inequality."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from zooadmm.problem.arrays import Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form
from zooadmm.problem.sets.convex_set import Solid
from zooadmm.problem.sets.parameters import (
    abridged,
    finite,
    frozen_array,
    in_dtype_of,
    nonnegative,
    same_length,
)


@dataclass(frozen=True, eq=False, repr=False)
class Halfspace(Solid):
    """{x : <normal, x> <= offset}, with a normal that is not zero.

    >>> Halfspace(normal=np.array([1.0, 1.0]), offset=2.0).project(np.array([3.0, 1.0]))
    array([2., 0.])
    """

    normal: Vector
    offset: float

    def __post_init__(self) -> None:
        normal = frozen_array("normal", self.normal, ndim=1)
        if not normal.any():
            raise ValueError("normal must not be zero; it tells which way the halfspace ends.")
        object.__setattr__(self, "normal", normal)
        object.__setattr__(self, "offset", finite("offset", self.offset))

    def __repr__(self) -> str:
        return f"Halfspace(normal={abridged(self.normal)}, offset={self.offset})"

    def project(self, v: Vector) -> Vector:
        excess = float(self.normal @ v) - self.offset
        if excess <= 0.0:
            return np.array(v)
        return in_dtype_of(v, v - (excess / float(self.normal @ self.normal)) * self.normal)

    def form(self, m: int) -> Form:
        rows = csr_array(self.normal[None])
        return Form(coordinates(m), rows, coordinates(1, upper=self.offset))

    def inradius(self, m: int) -> float:
        return math.inf

    def shrunk(self, radius: float) -> Halfspace:
        margin = nonnegative("radius", radius) * float(np.abs(self.normal).sum())
        return Halfspace(self.normal, self.offset - margin)

    def fits(self, m: int) -> None:
        same_length("normal", self.normal.size, m)
