"""Moments of the gradient estimates made at x_1: their mean and their noise."""

from __future__ import annotations

import numpy as np

from zooadmm.methods.auto.steps.state import Gathered
from zooadmm.problem.arrays import Vector


def add(gathered: Gathered, g: Vector) -> Gathered:
    """One more estimate."""
    number, half = gathered.number, gathered.number % 2
    sums, squares = list(gathered.sums), list(gathered.squares)
    sums[half] = sums[half] + g
    squares[half] = squares[half] + np.square(g, dtype=np.float64)
    return gathered._replace(
        number=number + 1,
        sums=(sums[0], sums[1]),
        squares=(squares[0], squares[1]),
    )


def mean(gathered: Gathered) -> Vector:
    """The mean estimate."""
    whole: Vector = (gathered.sums[0] + gathered.sums[1]) / gathered.number
    return whole


def noise(gathered: Gathered, weights: Vector) -> float:
    """V = E |g - E g|^2 in the dual of the metric, for one estimate."""
    n = gathered.number
    if n < 2:
        return 0.0
    spread = gathered.squares[0] + gathered.squares[1] - n * np.square(mean(gathered))
    return max(0.0, float((spread / weights).sum())) / (n - 1)


def forgotten(gathered: Gathered) -> Gathered:
    """How many there were; the vectors have done their work."""
    nothing = np.zeros(0), np.zeros(0)
    return gathered._replace(sums=nothing, squares=nothing)
