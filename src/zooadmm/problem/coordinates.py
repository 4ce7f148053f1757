"""A separable convex function: bounds, one kink and a curvature for every coordinate.

    phi(u) = sum_i  k_i u_i^2 / 2 + below_i min(u_i - kink_i, 0) + above_i max(u_i - kink_i, 0)
    over  lower <= u <= upper,   below <= above

Weighted L1 is below = -w, above = w, kink = 0. A box has below = above = 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Face = NDArray[np.int8]

FREE, LOWER, UPPER, KINK = 0, 1, 2, 3
"""Codes of a face: where each coordinate stands."""


class Coordinates(NamedTuple):
    """The arrays of phi, all of one length.

    >>> box = coordinates(3, lower=0.0, upper=1.0)
    >>> box.clip(np.array([-1.0, 0.5, 2.0])).tolist()
    [0.0, 0.5, 1.0]
    """

    lower: Floats
    """Lower bounds, -inf where there is none."""
    upper: Floats
    """Upper bounds, inf where there is none."""
    kink: Floats
    """Where the slope jumps; finite."""
    below: Floats
    """Slope of phi below the kink, without the curvature's part."""
    above: Floats
    """Slope of phi above the kink; at least `below`."""
    curvature: Floats
    """k, at least 0."""

    @property
    def kinked(self) -> NDArray[np.bool_]:
        """Which coordinates have a kink."""
        return self.above > self.below

    def clip(self, u: Floats) -> Floats:
        """The nearest point within the bounds."""
        return np.minimum(np.maximum(u, self.lower), self.upper)

    def right(self, u: Floats) -> Floats:
        """Slope of the piecewise linear part to the right of u."""
        return np.where(u >= self.kink, self.above, self.below)

    def left(self, u: Floats) -> Floats:
        """Slope of the piecewise linear part to the left of u."""
        return np.where(u > self.kink, self.above, self.below)

    def value(self, u: Floats) -> float:
        """phi(u), inf outside the bounds."""
        if (u < self.lower).any() or (u > self.upper).any():
            return float("inf")
        gap = u - self.kink
        pieces = self.below * np.minimum(gap, 0.0) + self.above * np.maximum(gap, 0.0)
        return float(np.sum(pieces) + 0.5 * np.sum(self.curvature * u * u))

    def plus(self, other: Coordinates) -> Coordinates | None:
        """The sum of two such functions up to a constant; None where a coordinate has two kinks.

        >>> box, l1 = coordinates(2, lower=-1.0), coordinates(2, below=-0.5, above=0.5)
        >>> both = box.plus(l1)
        >>> both.lower.tolist(), both.above.tolist()
        ([-1.0, -1.0], [0.5, 0.5])
        """
        if (self.kinked & other.kinked & (self.kink != other.kink)).any():
            return None
        return Coordinates(
            np.maximum(self.lower, other.lower),
            np.minimum(self.upper, other.upper),
            np.where(self.kinked, self.kink, other.kink),
            self.below + other.below,
            self.above + other.above,
            self.curvature + other.curvature,
        )

    def beside(self, other: Coordinates) -> Coordinates:
        """The sum of this function of the first coordinates and another of the others.

        >>> coordinates(1, lower=0.0).beside(coordinates(2)).lower.tolist()
        [0.0, -inf, -inf]
        """
        return Coordinates(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))

    def shifted(self, x: Floats) -> Coordinates:
        """The same function of u = z - x, without the slope k x that the curvature leaves.

        >>> l1 = coordinates(2, below=-1.0, above=1.0)
        >>> l1.shifted(np.array([3.0, 0.0])).kink.tolist()
        [-3.0, 0.0]
        """
        return self._replace(lower=self.lower - x, upper=self.upper - x, kink=self.kink - x)

    def scaled(self, d: Floats) -> Coordinates:
        """The same function of v = u / d, d positive powers of two."""
        return Coordinates(
            self.lower / d,
            self.upper / d,
            self.kink / d,
            self.below * d,
            self.above * d,
            self.curvature * d * d,
        )

    def restricted(self, indices: NDArray[Any]) -> Coordinates:
        """The function of a part of the coordinates."""
        return Coordinates(*(part[indices] for part in self))

    def placed(self, u: Floats, face: Face) -> Floats:
        """u with every coordinate of a face exactly at its bound or kink."""
        u = np.where(face == KINK, self.kink, u)
        u = np.where(face == LOWER, self.lower, np.where(face == UPPER, self.upper, u))
        return self.clip(u)

    def face(self, u: Floats) -> Face:
        """Where each coordinate of u stands: FREE, LOWER, UPPER or KINK."""
        at = np.where(self.kinked & (u == self.kink), KINK, FREE)
        at = np.where(u >= self.upper, UPPER, at)
        return np.where(u <= self.lower, LOWER, at).astype(np.int8)

    def distances(self, u: Floats, slope: Floats) -> Floats:
        """Signed distance of 0 to slope + the subdifferential of phi at u, for each coordinate.

        Zero in every entry if and only if u minimizes a function with this slope plus phi; the
        slope includes k u. Negative where u_i should rise, positive where it should fall.
        """
        up = np.where(u < self.upper, slope + self.right(u), 0.0)
        down = np.where(u > self.lower, slope + self.left(u), 0.0)
        return np.minimum(up, 0.0) + np.maximum(down, 0.0)


def coordinates(
    m: int,
    lower: Floats | float = -np.inf,
    upper: Floats | float = np.inf,
    kink: Floats | float = 0.0,
    below: Floats | float = 0.0,
    above: Floats | float = 0.0,
    curvature: Floats | float = 0.0,
) -> Coordinates:
    """The function of m coordinates; a number stands for m equal ones.

    >>> coordinates(2, below=-0.5, above=0.5).value(np.array([2.0, -4.0]))
    3.0
    """
    parts = (lower, upper, kink, below, above, curvature)
    return Coordinates(*(np.array(np.broadcast_to(part, m), dtype=np.float64) for part in parts))
