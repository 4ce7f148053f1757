"""What every convex set can do."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arrays import Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates
from zooadmm.problem.sets.bounds import Bound


class ConvexSet(ABC):
    """A closed convex set, known through its Euclidean projection.

    A set of one's own is a class with ``project``; ``fits`` is worth adding when the set has
    parameters of a fixed length or can be empty in some dimensions.

    >>> class UnitInterval(ConvexSet):
    ...     def project(self, v):
    ...         return np.clip(v, 0.0, 1.0)
    >>> UnitInterval().distance(np.array([4.0, 0.5, -4.0]))
    5.0
    """

    @abstractmethod
    def project(self, v: Vector) -> Vector:
        """The point of the set nearest to v: a new array of v's dtype."""

    def distance(self, v: Vector) -> float:
        """The Euclidean distance |v - project(v)|."""
        return float(np.linalg.norm(v - self.project(v)))

    is_everything = False
    """Whether the set restricts nothing."""

    def bounds(self) -> tuple[Bound, Bound] | None:
        """(lower, upper) where the set has bounds and nothing else; else None."""
        return None

    def form(self, m: int) -> Form | None:
        """The indicator of the set as functions of coordinates and rows; else None."""
        bounds = self.bounds()
        return None if bounds is None else of_coordinates(coordinates(m, *bounds))

    def restricted(self, indices: NDArray[np.intp]) -> ConvexSet | None:
        """The set of these coordinates where the others do not matter to them; else None."""
        return None

    def fits(self, m: int) -> None:
        """Raise ValueError unless the set is a nonempty set of vectors of length m."""
        return None
