"""The squared Euclidean norm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from zooadmm.problem.arrays import Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates
from zooadmm.problem.sets.parameters import nonnegative, positive


@dataclass(frozen=True)
class SquaredL2:
    """phi(y) = (strength / 2) |y|^2, with strength >= 0.

    The prox is v / (1 + tau * strength).

    >>> SquaredL2(strength=3.0).prox(np.array([4.0, -8.0]), tau=1.0)
    array([ 1., -2.])
    """

    strength: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", nonnegative("strength", self.strength))

    def __call__(self, y: Vector) -> float:
        return 0.5 * self.strength * float(np.square(y).sum(dtype=np.float64))

    def prox(self, v: Vector, tau: float) -> Vector:
        return v / (1.0 + positive("tau", tau) * self.strength)

    def form(self, d: int) -> Form:
        return of_coordinates(coordinates(d, curvature=self.strength))

    def hessian(self, d: int) -> scipy.sparse.csc_array:
        return self.strength * scipy.sparse.eye_array(d, format="csc")

    def restricted(self, indices: NDArray[np.intp]) -> SquaredL2:
        return self

    def fits(self, d: int) -> None:
        """Any length will do."""
