"""The largest magnitude."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets.parameters import in_dtype_of, nonnegative, positive
from zooadmm.problem.sets.simplex import threshold


@dataclass(frozen=True)
class LInf:
    """phi(y) = strength * max_i |y_i|, with strength >= 0.

    By Moreau's identity the prox is v minus its projection on the l1 ball of radius tau * strength:
    it clips the largest magnitudes to one level, or sets everything to zero.

    >>> LInf(strength=1.0).prox(np.array([5.0, -4.5, 1.0]), tau=1.5)
    array([ 4., -4.,  1.])
    """

    strength: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", nonnegative("strength", self.strength))

    def __call__(self, y: Vector) -> float:
        return self.strength * float(np.abs(y).max(initial=0.0))

    def prox(self, v: Vector, tau: float) -> Vector:
        radius = self.strength * positive("tau", tau)
        if radius == 0.0:
            return np.array(v)
        magnitudes = np.abs(np.asarray(v, dtype=np.float64))
        level = threshold(magnitudes, radius) if magnitudes.sum() > radius else 0.0
        return in_dtype_of(v, np.clip(v, -level, level))

    def fits(self, d: int) -> None:
        """Any length will do."""
