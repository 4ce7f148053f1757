"""Names for the arrays that travel through the library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.floating[Any]]
"""A one-dimensional array of float32 or float64."""

Matrix = NDArray[np.floating[Any]]
"""A two-dimensional array of float32 or float64."""


def norm(v: Vector) -> float:
    """The Euclidean norm."""
    return math.sqrt(np.vdot(v, v))  # unlike dot it overflows to inf in silence
