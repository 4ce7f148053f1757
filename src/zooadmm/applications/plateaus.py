"""Metrics that are piecewise constant: the width of their plateaus, and how far apart to evaluate.

AUC and NDCG change only where two blended values change places. Differences over less than a
plateau are zero; over many plateaus they are slopes of a smoothed metric. Nothing in the theory of
the method covers this: the metric is neither convex nor continuous.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from zooadmm.applications.formulation import Array, Formulation

LENGTHS = 10.0 ** np.arange(-7.0, 0.5, 0.5)
"""The lengths that are tried, in units of the largest weight."""

HALVINGS = 4
"""How many lengths are tried: a bisection of LENGTHS."""

DIRECTIONS = 16
"""The directions along which they are tried, at most."""

SHARE = 4
"""The trials take at most 1 / SHARE of the evaluations."""

SMOOTH = 1e-6
"""A metric that changes within this length, in the same units, counts as one without plateaus."""

PLATEAUS = 100.0
"""How many plateaus a difference reaches over, so that one more or less is 1% of it."""


class Measured(NamedTuple):
    """smoothing: beta, or None where there are no plateaus, as then the method finds the length.
    evaluations: how many values of the loss were taken.
    """

    smoothing: float | None
    evaluations: int


def measure(problem: Formulation, max_evaluations: int, rng: Any) -> Measured:
    """beta for differences over many plateaus, at most as long as the largest weight.

    beta z has the length beta sqrt(m). All points lie in the domain of the problem.
    """
    x0 = problem.x0
    unit = max(float(np.abs(x0).max()), 1e-3)
    count = _affordable(max_evaluations)
    if count < 1:
        return Measured(None, 0)
    directions = np.random.default_rng(rng).standard_normal((count, len(x0)))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    here, changed = problem.loss(x0), len(LENGTHS) - 1
    low, high = 0, len(LENGTHS) - 1
    for _ in range(HALVINGS):
        middle = (low + high) // 2
        points = _inside(problem.domain, x0 + unit * LENGTHS[middle] * directions)
        if 2 * np.count_nonzero(problem.loss.values(points) != here) >= count:
            high = changed = middle
        else:
            low = min(middle + 1, high)
    plateau = LENGTHS[changed]
    beta = None if plateau <= SMOOTH else min(PLATEAUS * plateau, 1.0) * unit / np.sqrt(len(x0))
    return Measured(beta, 1 + HALVINGS * count)


def _affordable(max_evaluations: Any) -> int:
    """How many directions a part of the budget allows; 0 for one that `minimize` will refuse."""
    if not isinstance(max_evaluations, (int, float, np.integer)) or not max_evaluations > 0:
        return 0
    return int(min(DIRECTIONS, (max_evaluations // SHARE - 1) // HALVINGS))


def _inside(domain: Any, points: Array) -> Array:
    """The nearest points of the domain."""
    return points if domain is None else np.array([domain.project(point) for point in points])
