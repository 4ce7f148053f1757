"""Directions that reach as far along each variable as it takes to see something there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from zooadmm.oracle.directions import Address, Coordinate
from zooadmm.problem.arrays import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Stretched(Coordinate):
    """z = sqrt(m) D e_i with D = diag(stretch), i drawn without replacement, so E[zz'] = D^2.

    An estimate along them is D^2 times one of the gradient. The sign of an entry of D says to which
    side points are taken. No |D_ii| is above 1, so what `Coordinate` says of s, M and reach holds.
    """

    stretch: Vector

    def reaches(self, m: int) -> Vector:
        return np.asarray(math.sqrt(m) * np.abs(self.stretch))

    def rows(self, address: Address, start: int, stop: int, m: int, dtype: DTypeLike) -> Matrix:
        rows = np.abs(super().rows(address, start, stop, m, dtype))
        rows *= self.stretch.astype(dtype, copy=False)
        return rows

    def unstretched(self, estimate: Vector) -> Vector:
        """The gradient estimate itself."""
        return np.asarray(estimate / np.square(self.stretch), dtype=estimate.dtype)
