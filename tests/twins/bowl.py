"""A loss that any process can load in a moment."""

from __future__ import annotations

import numpy as np

M = 12
CENTERS = np.random.default_rng(3).normal(size=(9, M))


def bowl(x: np.ndarray, w: int = 0) -> float:
    return float(np.square(x - CENTERS[w]).sum() + 0.1 * np.cos(3 * x[0]))
