"""Names for the arrays that travel through the library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import ddot, sdot

Vector = NDArray[np.floating[Any]]
"""A one-dimensional array of float32 or float64."""

Matrix = NDArray[np.floating[Any]]
"""A two-dimensional array of float32 or float64."""


_FLOAT32 = np.dtype(np.float32)


def squared_norm(v: Vector) -> float:
    """<v, v>: NaN or inf if v holds one, and inf if it overflows, in silence unlike numpy's dot.

    BLAS called directly takes a third of the time on short vectors, of which a run has many.
    """
    product: float = (sdot if v.dtype == _FLOAT32 else ddot)(v, v)
    return product


def norm(v: Vector) -> float:
    """The Euclidean norm."""
    return math.sqrt((sdot if v.dtype == _FLOAT32 else ddot)(v, v))


def metric_norm(s: Vector, H: Matrix) -> float:
    """|s|_H; 0 where rounding makes its square negative."""
    return math.sqrt(max(float(s @ H @ s), 0.0))


def metric_norms(rows: Matrix, H: Matrix) -> Vector:
    """|s|_H of each row s."""
    return np.asarray(np.sqrt(np.einsum("jm,jm->j", rows @ H, rows)))
