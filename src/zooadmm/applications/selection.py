"""From weights to a choice of sensors, and what a choice is worth.

A choice S of k of the m sensors has the information M_t = sum_{i in S} a_{t,i} a_{t,i}'. Its merits
are the mean over t of log det M_t, and of tr M_t^-1, the mean squared error of least squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zooadmm.analysis.style import GRAY, RUST
from zooadmm.applications.formulation import Array

__all__ = ["largest", "log_determinant", "mean_squared_error", "swapped"]

Mask = NDArray[np.bool_]

GAIN = 1e-9
"""A swap must raise the log-determinant by more than this, which rounding does not."""


def largest(weights: Array, count: int) -> Mask:
    """The sensors of largest weight; of equal ones, the first.

    >>> largest(np.array([0.2, 0.9, 0.5]), 2)
    array([False,  True,  True])
    """
    chosen = np.zeros(len(weights), dtype=np.bool_)
    chosen[np.argsort(-weights, kind="stable")[:count]] = True
    return chosen


def swapped(chosen: Mask, vectors: Array) -> Mask:
    """The choice after the best swap of a chosen sensor for another, again and again, until none
    raises the log-determinant (the local search of Joshi and Boyd, 2009).

    With G_t = a_t M_t^-1 a_t', taking i out and j in multiplies det M_t by
    (1 - G_ii)(1 + G_jj) + G_ij^2, so all swaps are seen at the cost of one G. A choice whose
    information is singular is left as it is.
    """
    chosen = chosen.copy()
    while not chosen.all() and np.isfinite(log_determinant(chosen, vectors)):
        members, others = np.flatnonzero(chosen), np.flatnonzero(~chosen)
        gains = _gains(vectors, members, others)
        out, into = np.unravel_index(int(np.argmax(gains)), gains.shape)
        if gains[out, into] <= GAIN:
            break
        chosen[members[out]], chosen[others[into]] = False, True
    return chosen


def _gains(vectors: Array, members: NDArray[np.intp], others: NDArray[np.intp]) -> Array:
    """What each swap adds to the mean log-determinant, (members, others)."""
    total = np.zeros((len(members), len(others)))
    for a in vectors:
        inside, outside = a[members], a[others]
        solved = np.linalg.solve(inside.T @ inside, inside.T)  # M^-1 a_i in the columns
        kept = 1.0 - np.einsum("in,ni->i", inside, solved)
        cross = (outside @ solved).T
        added = 1.0 + np.einsum("jn,nj->j", outside, np.linalg.solve(inside.T @ inside, outside.T))
        ratio = np.outer(kept, added) + np.square(cross)
        total += np.log(np.maximum(ratio, np.finfo(np.float64).tiny))
    return total / len(vectors)


def log_determinant(chosen: Mask, vectors: Array) -> float:
    """The mean of log det M_t; -inf where the choice does not determine the field."""
    inside = vectors[:, chosen]
    signs, logs = np.linalg.slogdet(inside.transpose(0, 2, 1) @ inside)
    singular = (signs <= 0).any() or inside.shape[1] < inside.shape[2]
    return -np.inf if singular else float(logs.mean())


def mean_squared_error(chosen: Mask, vectors: Array) -> float:
    """The mean of tr M_t^-1; inf where the choice does not determine the field."""
    if not np.isfinite(log_determinant(chosen, vectors)):
        return np.inf
    inside = vectors[:, chosen]
    inverses = np.linalg.inv(inside.transpose(0, 2, 1) @ inside)
    return float(np.trace(inverses, axis1=1, axis2=2).mean())


def draw_choice(weights: Array, chosen: Mask, positions: Any, axis: Any, names: Any) -> Any:
    """Dots as large as weights, circles around the chosen; the axis that was drawn on."""
    places = np.asarray(positions, dtype=np.float64)
    if places.shape != (len(weights), 2):
        raise ValueError(
            f"positions has shape {places.shape}, but must be ({len(weights)}, 2), a pair for each "
            "sensor."
        )
    if axis is None:
        from matplotlib import pyplot

        axis = pyplot.subplots(layout="constrained")[1]
    axis.scatter(*places.T, s=12 + 80 * weights, color=GRAY, label="sensors, as large as weights")
    axis.scatter(*places[chosen].T, s=170, facecolors="none", edgecolors=RUST, lw=2, label="chosen")
    for i in np.flatnonzero(chosen) if names is not None else ():
        axis.annotate(str(names[i]).strip(), places[i], fontsize=7, xytext=(8, 6), color=RUST,
                      textcoords="offset points")  # fmt: skip
    axis.legend(loc="upper left", bbox_to_anchor=(0, -0.12), ncols=2, frameon=False)
    return axis
