"""What every convex set can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arrays import Matrix, Vector
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


class Solid(ConvexSet):
    """A set that all directions lie along: part of `ProbeSafe`, for its subclasses."""

    stretch = 1.0

    def tangent(self, rows: Matrix) -> Matrix:
        """The rows themselves."""
        return rows

    def clip(self, points: Matrix) -> Matrix:
        """The point of the set nearest to each row."""
        return np.array([self.project(point) for point in np.ascontiguousarray(points)])


@runtime_checkable
class ProbeSafe(Protocol):
    """A set that has room for probes: bounds, balls, planes and what they share.

    A loss may be undefined outside its domain. If x lies in ``shrunk(r)``, then x + d lies in the
    set for every direction d of the set's linear hull with |d|_inf <= r, and ``tangent`` turns any
    direction into one of those. Coordinates with lower == upper are fixed: they neither move nor
    limit r.

    >>> import numpy as np
    >>> from zooadmm.problem.sets import Simplex
    >>> simplex = Simplex()
    >>> isinstance(simplex, ProbeSafe)
    True
    >>> x = simplex.shrunk(0.1).project(np.array([1.0, 0.0, 0.0, 0.0]))
    >>> d = simplex.tangent(np.array([[1.0, -1.0, 0.0, 0.0]]))
    >>> simplex.clip(x + 0.1 * d)
    array([[0.8, 0. , 0.1, 0.1]])
    """

    @property
    def stretch(self) -> float:
        """How much larger than max|z_i| an entry of the tangent part of z can be."""

    def inradius(self, m: int) -> float:
        """A radius r, perhaps inf, such that ``shrunk(s)`` is nonempty for every s < r."""

    def shrunk(self, radius: float) -> ConvexSet:
        """The points that stay in the set when moved along the set by |d|_inf <= radius."""

    def tangent(self, rows: Matrix) -> Matrix:
        """Each row, projected orthogonally on the linear hull of the set."""

    def clip(self, points: Matrix) -> Matrix:
        """Each row, clipped to the bounds: removes what rounding put outside."""
