"""No regularization."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zooadmm.problem.arrays import Vector


@dataclass(frozen=True)
class Zero:
    """phi(y) = 0: the prox is the identity.

    >>> Zero().prox(np.array([1.0, -2.0]), tau=3.0)
    array([ 1., -2.])
    """

    def __call__(self, y: Vector) -> float:
        return 0.0

    def prox(self, v: Vector, tau: float) -> Vector:
        return np.array(v)

    def fits(self, d: int) -> None:
        """Any length will do."""
