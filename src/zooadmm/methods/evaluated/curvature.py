"""The curvature of the Lagrangian function, learned from changes of slopes."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.problem.arrays import Matrix, Vector

DAMPED = 0.2
"""Curvature along a step at least, as a part of that of H (Powell 1978)."""


def updated(H: Matrix, s: Vector, y: Vector) -> Matrix:
    """Damped BFGS: H with the curvature y along s.

    >>> updated(np.eye(2), np.array([1.0, 0.0]), np.array([3.0, 0.0])).tolist()
    [[3.0, 0.0], [0.0, 1.0]]
    """
    Hs = H @ s
    sHs, sy = float(s @ Hs), float(s @ y)
    if not (sHs > 0.0 and math.isfinite(sy)):
        return H
    if sy < DAMPED * sHs:
        theta = (1.0 - DAMPED) * sHs / (sHs - sy)
        y = theta * y + (1.0 - theta) * Hs
        sy = float(s @ y)
    new = H - np.outer(Hs, Hs) / sHs + np.outer(y, y) / sy
    usable = np.isfinite(new).all() and (np.diagonal(new) > 0.0).all()  # rounding may leave none
    return np.asarray(0.5 * (new + new.T)) if usable else H
