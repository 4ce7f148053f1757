"""Directions that reach as far along each variable as it takes to see something there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from zooadmm.oracle.directions import Address, Coordinate, Distribution
from zooadmm.problem.arrays import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Stretched(Distribution):
    """z = sqrt(m) D e_i with D = diag(stretch), i drawn without replacement, so E[zz'] = D^2.

    An estimate along them is D^2 times one of the gradient. The sign of an entry of D says to which
    side points are taken.
    """

    stretch: Vector

    def s(self, m: int) -> float:
        return Coordinate().s(m) * float(np.abs(self.stretch).max()) ** 4

    def M(self, m: int) -> float:
        return Coordinate().M(m) * float(np.abs(self.stretch).max()) ** 3

    def reach(self, m: int) -> float:
        return Coordinate().reach(m) * float(np.abs(self.stretch).max())

    def reaches(self, m: int) -> Vector:
        return np.asarray(math.sqrt(m) * np.abs(self.stretch))

    def spread(self, m: int, count: int) -> float:
        return Coordinate().spread(m, count) * float(np.abs(self.stretch).max()) ** 4

    def rows(self, address: Address, start: int, stop: int, m: int, dtype: DTypeLike) -> Matrix:
        rows = np.abs(Coordinate().rows(address, start, stop, m, dtype))
        rows *= self.stretch.astype(dtype, copy=False)
        return rows

    def unstretched(self, estimate: Vector) -> Vector:
        """The gradient estimate itself."""
        return np.asarray(estimate / np.square(self.stretch), dtype=estimate.dtype)
