"""Boxes: every coordinate between its own bounds."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets.bounds import (
    Bound,
    as_bounds,
    bounds_fit,
    clip_to,
    free_coordinates,
    half_width,
    moved_inward,
)
from zooadmm.problem.sets.convex_set import Solid
from zooadmm.problem.sets.parameters import abridged


class Coordinatewise(Solid):
    """A set of bounds: the projection treats each coordinate by itself."""

    @abstractmethod
    def bounds(self) -> tuple[Bound, Bound]:
        """(lower, upper)"""

    def restricted(self, indices: NDArray[np.intp]) -> Self:
        return self

    def inradius(self, m: int) -> float:
        return half_width(*self.bounds())

    def shrunk(self, radius: float) -> Coordinatewise:
        return Box(*moved_inward(*self.bounds(), radius))

    def clip(self, points: Matrix) -> Matrix:
        return self.project(points)


@dataclass(frozen=True, eq=False, repr=False)
class Box(Coordinatewise):
    """{x : lower <= x <= upper}, coordinate by coordinate.

    Each bound is a number or a vector, -inf and inf allowed; lower <= upper everywhere. A
    coordinate with lower == upper is fixed. `project` rounds bounds to the type of its vector; runs
    from a float32 x0 round them inwards, so that no point crosses them.

    >>> box = Box(0.0, np.array([1.0, 2.0, np.inf]))
    >>> box
    Box(lower=0.0, upper=[1.0, 2.0, inf])
    >>> box.project(np.array([5.0, 5.0, -5.0]))
    array([1., 2., 0.])
    """

    lower: Bound
    upper: Bound

    def __post_init__(self) -> None:
        lower, upper = as_bounds(self.lower, self.upper)
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    def __repr__(self) -> str:
        return f"Box(lower={abridged(self.lower)}, upper={abridged(self.upper)})"

    def project(self, v: Vector) -> Vector:
        return clip_to(v, self.lower, self.upper)

    def fits(self, m: int) -> None:
        bounds_fit(self.lower, self.upper, m)

    def bounds(self) -> tuple[Bound, Bound]:
        return self.lower, self.upper

    def restricted(self, indices: NDArray[np.intp]) -> Self:
        lower, upper = (b if isinstance(b, float) else b[indices] for b in self.bounds())
        return replace(self, lower=lower, upper=upper)

    def inradius(self, m: int) -> float:
        return self._half_width

    def tangent(self, rows: Matrix) -> Matrix:
        return rows if self._nothing_fixed else rows * self._free

    @cached_property
    def _free(self) -> bool | NDArray[np.bool_]:
        return free_coordinates(self.lower, self.upper)

    @cached_property
    def _nothing_fixed(self) -> bool:
        return bool(np.all(self._free))

    @cached_property
    def _half_width(self) -> float:
        return half_width(self.lower, self.upper)


@dataclass(frozen=True)
class Nonnegative(Coordinatewise):
    """{x : x >= 0}.

    >>> Nonnegative().project(np.array([3.0, -1.0]))
    array([3., 0.])
    """

    def project(self, v: Vector) -> Vector:
        return np.maximum(v, 0.0)

    def bounds(self) -> tuple[Bound, Bound]:
        return 0.0, math.inf
