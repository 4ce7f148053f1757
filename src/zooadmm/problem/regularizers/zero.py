"""No regularization."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from zooadmm.problem.arrays import Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates


@dataclass(frozen=True)
class Zero:
    """phi(y) = 0: the prox is the identity.

    >>> Zero().prox(np.array([1.0, -2.0]), tau=3.0)
    array([ 1., -2.])
    """

    def __call__(self, y: Vector) -> float:
        return 0.0

    def prox(self, v: Vector, tau: float) -> Vector:
        return np.array(v)

    def form(self, d: int) -> Form:
        return of_coordinates(coordinates(d))

    def hessian(self, d: int) -> scipy.sparse.csc_array:
        return scipy.sparse.csc_array((d, d))

    def restricted(self, indices: NDArray[np.intp]) -> Zero:
        return self

    def fits(self, d: int) -> None:
        """Any length will do."""
