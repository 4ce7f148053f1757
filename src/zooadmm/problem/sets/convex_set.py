"""What every convex set can do."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from zooadmm.problem.arrays import Vector


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

    def fits(self, m: int) -> None:
        """Raise ValueError unless the set is a nonempty set of vectors of length m."""
        return None
