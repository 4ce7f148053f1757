"""Ridges with kinks as the maximum of their tangents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import HALF_DIGITS, TINY_PART, ULPS
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Matrix, Vector

if TYPE_CHECKING:
    from zooadmm.methods.auto.ridges.state import Along


class Tangents(NamedTuple):
    """Lines height + slope z in z = a_i'x, a column for each observation i; -inf for none.

    Each point has two rows, for both sides of it; the newest is first.
    """

    heights: Matrix
    slopes: Matrix

    def at(self, z: Vector) -> Matrix:
        """The heights of all lines at z, a column an observation."""
        return np.asarray(self.heights + self.slopes * z)

    def highest(self, z: Vector) -> tuple[Vector, Vector]:
        """The highest line of each observation, and its slope.

        >>> both = Tangents(np.zeros((2, 2)), np.array([[1.0, 1.0], [-1.0, -1.0]]))
        >>> both.highest(np.array([2.0, -3.0]))
        (array([2., 3.]), array([ 1., -1.]))
        """
        lines, columns = self.at(z), np.arange(len(z))
        k = np.argmax(lines, axis=0)
        return lines[k, columns], self.slopes[k, columns]

    def plus(self, z: Vector, along: Along, h: Vector) -> Tangents:
        """With those to both sides of another point, where it was measured at z - h and z + h.

        A slope that rounding hides is left out where another line is known. Lines above the value
        there go: a kink lay between the points that they were measured at.
        """
        first = len(self.heights) == 0
        error = ULPS * np.spacing(np.abs(along.value)) / np.where(h != 0.0, np.abs(h), np.inf)
        seen = along.sound & (first | (error <= HALF_DIGITS * np.abs(along.slope)))
        slopes = np.where(seen, along.slope + np.outer([-0.5, 0.5], h * along.curvature), 0.0)
        heights = np.where(seen, along.value - slopes * z, -np.inf)
        if not first:
            most = along.value + HALF_DIGITS * (np.abs(along.value) + np.abs(along.slope * z))
            kept = np.where(along.sound & (self.at(z) > most), -np.inf, self.heights)
            heights, slopes = np.vstack([heights, kept]), np.vstack([slopes, self.slopes])
        bare = ~np.isfinite(heights).any(axis=0)
        heights[0, bare] = np.where(np.isfinite(along.value), along.value, 0.0)[bare]
        slopes[0, bare] = 0.0
        return Tangents(heights, slopes)

    def beside(self, others: Tangents) -> Tangents:
        """The tangents of these and of other observations, which have fewer points."""
        if len(self.heights) == 0:
            return others
        more = ((0, len(self.heights) - len(others.heights)), (0, 0))
        heights = np.pad(others.heights, more, constant_values=-np.inf)
        slopes = np.pad(others.slopes, more)
        return Tangents(np.hstack([self.heights, heights]), np.hstack([self.slopes, slopes]))

    def part(self, which: NDArray[np.bool_]) -> Tangents:
        """The tangents of some observations."""
        return Tangents(self.heights[:, which], self.slopes[:, which])

    def agree(self, z: Vector, h: Vector, answer: Answer, most: Vector) -> bool:
        """Whether values at z, z + h and z - h are those of the highest lines.

        most: the largest |h| along any direction of this length, the scale of what may differ.
        """
        ends = zip((0, 1, -1), answer, strict=True)
        off = np.max([np.abs(self.highest(z + k * h)[0] - row) for k, row in ends], axis=0)
        rounding = ULPS * np.spacing(np.abs(answer).max(axis=0))
        return bool((off <= TINY_PART * most * np.abs(self.slopes).max(axis=0) + rounding).all())


NO_TANGENTS = Tangents(np.zeros((0, 0)), np.zeros((0, 0)))
