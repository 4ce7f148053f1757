"""The rounding error of a value, from its size and from the digits of x."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import ULPS
from zooadmm.problem.arrays import Vector


def rounding(size: float, curvatures: Vector, x: Vector) -> float:
    """The error of f(x; w) of this size at least: its last digits, or what those of x change.

    A loss f >= 0 of curvature h has a slope of at most sqrt(2 h f), so the last digits of x change
    it by sqrt(2 f sum_j h_j ulp(x_j)^2): much, where a small f is a difference of large terms.
    """
    digits = float(curvatures @ np.square(np.spacing(np.abs(x))))
    return max(ULPS * float(np.spacing(size)), math.sqrt(2.0 * size * digits))
