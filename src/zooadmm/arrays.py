"""Names for the arrays that travel through the library."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.floating[Any]]
"""A one-dimensional array of float32 or float64."""

Matrix = NDArray[np.floating[Any]]
"""A two-dimensional array of float32 or float64."""
