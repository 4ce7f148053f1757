"""The l1 norm, which sets coordinates to zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arrays import Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates
from zooadmm.problem.sets.parameters import (
    abridged,
    frozen_array,
    in_dtype_of,
    nonnegative,
    positive,
    same_length,
)

BLOCK = 2**14
"""Entries whose magnitudes are summed at once: 128 KiB, where a copy of all would cost memory."""


@dataclass(frozen=True, eq=False, repr=False)
class L1:
    """phi(y) = strength * sum_i weights_i |y_i|, with strength >= 0 and weights >= 0 (default 1).

    The prox moves each coordinate towards zero by tau * strength * weights_i, and no further.

    >>> L1(strength=2.0).prox(np.array([3.0, -0.5, -4.0]), tau=0.5)
    array([ 2.,  0., -3.])
    >>> L1(1.0, weights=np.array([0.0, 1.0]))(np.array([5.0, -2.0]))
    2.0
    """

    strength: float
    weights: Vector | None = None

    def __post_init__(self) -> None:
        if isinstance(self.strength, (list, tuple)) or getattr(self.strength, "ndim", 0) > 0:
            raise TypeError("strength must be a number; for one each give weights=, as L1(1.0, w).")
        object.__setattr__(self, "strength", nonnegative("strength", self.strength))
        if self.weights is not None:
            weights = frozen_array("weights", self.weights, ndim=1)
            if weights.min(initial=0.0) < 0.0:
                raise ValueError("weights must be zero or more; a negative one is not convex.")
            object.__setattr__(self, "weights", weights)

    def __repr__(self) -> str:
        weights = "" if self.weights is None else f", weights={abridged(self.weights)}"
        return f"L1(strength={self.strength}{weights})"

    def __call__(self, y: Vector) -> float:
        weighted, total = y if self.weights is None else y * self.weights, 0.0
        for i in range(0, len(y), BLOCK):
            total += float(np.abs(weighted[i : i + BLOCK]).sum(dtype=np.float64))
        return self.strength * total

    def prox(self, v: Vector, tau: float) -> Vector:
        shift = self.strength * positive("tau", tau)
        if self.weights is None:
            return soft_threshold(v, shift)
        return soft_threshold(v, in_dtype_of(v, shift * self.weights))

    def form(self, d: int) -> Form:
        slopes = self.strength * (1.0 if self.weights is None else self.weights)
        return of_coordinates(coordinates(d, below=-slopes, above=slopes))

    def restricted(self, indices: NDArray[np.intp]) -> L1:
        return self if self.weights is None else L1(self.strength, self.weights[indices])

    def fits(self, d: int) -> None:
        if self.weights is not None:
            same_length("weights", self.weights.size, d)


def soft_threshold(v: Vector, shift: float | Vector) -> Vector:
    """sign(v) * max(|v| - shift, 0), with exact zeros where |v| <= shift."""
    clipped = np.maximum(v, -shift)
    np.minimum(clipped, shift, out=clipped)
    return np.subtract(v, clipped, out=clipped)
