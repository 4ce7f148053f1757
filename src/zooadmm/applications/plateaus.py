"""Metrics that are piecewise constant: how wide their plateaus are, and how far to look.

AUC and NDCG change only where two blended values change places. Differences over less than a
plateau are zero; over many plateaus they are slopes of a smoothed metric. Nothing in the theory of
the method covers this: the metric is neither convex nor continuous.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zooadmm.applications.formulation import Array

LENGTHS = 10.0 ** np.arange(-7.0, 0.5, 0.5)
"""The lengths that are tried, in units of the largest weight."""

DIRECTIONS = 16
"""The directions along which they are tried."""

SMOOTH = 1e-6
"""A metric that changes within this length, in the same units, has no plateaus to speak of."""

PLATEAUS = 100.0
"""How many plateaus a difference reaches over, so that one more or less is 1% of it."""


def width(loss: Any, x0: Array, rng: Any) -> float:
    """The length at which half of the random directions show another value, in units of 1."""
    generator = np.random.default_rng(rng)
    directions = generator.standard_normal((DIRECTIONS, len(x0)))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    here, unit = loss(x0), max(float(np.abs(x0).max()), 1e-3)
    for length in unit * LENGTHS:
        if 2 * np.count_nonzero(loss.values(x0 + length * directions) != here) >= DIRECTIONS:
            return float(length)
    return float(unit * LENGTHS[-1])


def smoothing_for(loss: Any, x0: Array, rng: Any) -> float | None:
    """beta for differences over many plateaus, at most as long as the largest weight; None where
    there are no plateaus, as then the method finds the length by itself.

    beta z has the length beta sqrt(m).
    """
    unit = max(float(np.abs(x0).max()), 1e-3)
    plateau = width(loss, x0, rng)
    if plateau <= SMOOTH * unit:
        return None
    return float(min(PLATEAUS * plateau, unit) / np.sqrt(len(x0)))
