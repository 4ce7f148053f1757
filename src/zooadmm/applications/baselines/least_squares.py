"""Blending by least squares, with the formula in hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import lsq_linear, nnls

from zooadmm.applications.formulation import Array
from zooadmm.applications.weight_sets import Weights


def least_squares_weights(
    predictions: Any,
    target: Any,
    weights: Weights = "simplex",
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Array:
    """The x of least |predictions x - target|^2 that is "free", "nonnegative", in the "box" of
    `bounds` or on the "simplex".

    On the simplex the residual is C x with C = predictions - target 1', and least squares for
    C u = 0, s 1'u = s over u >= 0 has the value s^2 q / (s^2 + q) at its best length in the
    direction x, where q = |C x|^2: it grows with q, so x = u / 1'u.

    >>> least_squares_weights([[1.0, 0.0], [0.0, 1.0]], [0.75, 0.25])
    array([0.75, 0.25])
    """
    P, b = condensed(np.asarray(predictions, np.float64), np.asarray(target, np.float64))
    if weights == "free":
        free: Array = np.linalg.lstsq(P, b, rcond=None)[0]
        return free
    if weights == "nonnegative":
        return np.asarray(nnls(P, b, maxiter=100 * P.shape[1])[0])
    if weights == "box":
        return np.asarray(lsq_linear(P, b, bounds, method="bvls", tol=1e-14).x)
    if weights != "simplex":
        raise ValueError(f"weights must be one of those of Blender, not {weights!r}.")
    C = P - b[:, None]
    scale = float(np.sqrt(np.square(C).sum(axis=0).mean())) or 1.0
    stacked = np.vstack([C, np.full((1, P.shape[1]), scale)])
    wanted = np.append(np.zeros(len(C)), scale)
    u = nnls(stacked, wanted, maxiter=100 * P.shape[1])[0]
    return np.asarray(u / u.sum())


def condensed(P: Array, b: Array) -> tuple[Array, Array]:
    """Few rows with the same sum of squares at every x: the triangular factor of [P b]."""
    if len(P) <= P.shape[1] + 1:
        return P, b
    R = np.asarray(np.linalg.qr(np.column_stack([P, b]), mode="r"))
    return R[:, :-1], R[:, -1]
