"""A bowl with two curved constraints, for runs in other processes too."""

from __future__ import annotations

import numpy as np

from zooadmm.problem.arrays import Vector

CENTER = np.array([2.0, 1.0, -1.0])


def two_limits(x: Vector) -> tuple[float, float, float]:
    """(f, c_1, c_2): the optimum is where both constraints are active."""
    return float(np.square(x - CENTER).sum()), float(x[0] ** 2 - x[1]), float(x @ x - 2.0)
