"""Bounded coordinates that share a fixed total."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates, with_row
from zooadmm.problem.sets.bounds import (
    Bound,
    as_bounds,
    bounds_fit,
    clip_to,
    free_coordinates,
    half_width,
    moved_inward,
)
from zooadmm.problem.sets.budget import centered
from zooadmm.problem.sets.convex_set import ConvexSet
from zooadmm.problem.sets.parameters import abridged, finite, in_dtype_of


@dataclass(frozen=True, eq=False, repr=False)
class BoxBudget(ConvexSet):
    """{x : lower <= x <= upper, 1'x = budget}.

    Each bound is a number or a vector, -inf and inf allowed; lower <= upper everywhere, and
    sum(lower) <= budget <= sum(upper), which ``fits`` verifies once the length is known.

    The projection is clip(v - nu, lower, upper) for the one number nu that makes the total right.
    The total falls with nu, linearly between the breakpoints v - upper and v - lower. Binary search
    finds the two breakpoints around nu, hence which coordinates sit on a bound; nu follows.

    >>> choose_two = BoxBudget(0.0, 1.0, budget=2.0)
    >>> choose_two.project(np.array([3.0, 0.7, 0.5, -1.0]))
    array([1. , 0.6, 0.4, 0. ])
    """

    lower: Bound
    upper: Bound
    budget: float

    def __post_init__(self) -> None:
        lower, upper = as_bounds(self.lower, self.upper)
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        object.__setattr__(self, "budget", finite("budget", self.budget))

    def __repr__(self) -> str:
        lower, upper = abridged(self.lower), abridged(self.upper)
        return f"BoxBudget(lower={lower}, upper={upper}, budget={self.budget})"

    def project(self, v: Vector) -> Vector:
        wide = np.asarray(v, dtype=np.float64)
        left, right = self._breakpoints_around_nu(wide)
        at_upper = wide - self.upper >= right
        at_lower = wide - self.lower <= left
        moving = np.flatnonzero(~(at_upper | at_lower))
        x = np.where(at_upper, self.upper, np.where(at_lower, self.lower, wide))
        if moving.size == 0:
            self.fits(v.size)
        else:
            x[moving] -= (x.sum() - self.budget) / moving.size
            x[moving] -= (x.sum() - self.budget) / moving.size  # what rounding left of |v|
        return in_dtype_of(v, clip_to(x, self.lower, self.upper))

    def form(self, m: int) -> Form:
        box = of_coordinates(coordinates(m, self.lower, self.upper))
        return with_row(box, np.ones(m), self.budget)

    def fits(self, m: int) -> None:
        bounds_fit(self.lower, self.upper, m)
        least, most = self._totals(m)
        slack = 1e-12 * max(1.0, abs(self.budget))
        if self.budget < least - slack:
            raise ValueError(
                f"budget is {self.budget:g}, but the lower bounds of {m} coordinates already add "
                f"up to {least:g}; raise the budget or lower the bounds."
            )
        if self.budget > most + slack:
            raise ValueError(
                f"budget is {self.budget:g}, but the upper bounds of {m} coordinates only add "
                f"up to {most:g}; lower the budget or raise the bounds."
            )

    stretch = 2.0

    def inradius(self, m: int) -> float:
        num_free = int(np.count_nonzero(np.broadcast_to(self._free, m)))
        if num_free == 0:
            return math.inf
        least, most = self._totals(m)
        room = min(self.budget - least, most - self.budget) / num_free
        return max(0.0, min(room, half_width(self.lower, self.upper)))

    def shrunk(self, radius: float) -> BoxBudget:
        return BoxBudget(*moved_inward(self.lower, self.upper, radius), self.budget)

    def tangent(self, rows: Matrix) -> Matrix:
        if np.all(self._free):
            return centered(rows)
        moving = np.ascontiguousarray(rows) * self._free
        num_free = max(1, int(np.count_nonzero(self._free)))
        means = moving.sum(axis=1, keepdims=True, dtype=np.float64) / num_free
        return (moving - in_dtype_of(rows, means)) * self._free

    def clip(self, points: Matrix) -> Matrix:
        return clip_to(points, self.lower, self.upper)

    def _breakpoints_around_nu(self, v: Vector) -> tuple[float, float]:
        breakpoints = np.concatenate((v - self.upper, v - self.lower))
        breakpoints = np.sort(breakpoints[np.isfinite(breakpoints)])
        below, above = 0, breakpoints.size
        while below < above:
            middle = (below + above) // 2
            if _total(clip_to(v - breakpoints[middle], self.lower, self.upper)) > self.budget:
                below = middle + 1
            else:
                above = middle
        left = breakpoints[below - 1] if below > 0 else -math.inf
        right = breakpoints[below] if below < breakpoints.size else math.inf
        return float(left), float(right)

    def _totals(self, m: int) -> tuple[float, float]:
        return _total(np.broadcast_to(self.lower, m)), _total(np.broadcast_to(self.upper, m))

    @cached_property
    def _free(self) -> bool | NDArray[np.bool_]:
        return free_coordinates(self.lower, self.upper)


def _total(v: Vector) -> float:
    """The sum of the entries, infinite where it overflows."""
    with np.errstate(over="ignore"):
        return float(v.sum())
