"""Sets that can keep a gradient's probes inside."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from zooadmm.problem.arrays import Matrix
from zooadmm.problem.sets.convex_set import ConvexSet


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
