"""Moments of the gradient estimates made at x_1: their mean, their noise and its dimension."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.steps.state import Gathered
from zooadmm.problem.arrays import Vector


def add(gathered: Gathered, g: Vector) -> Gathered:
    """One more estimate."""
    number, half = gathered.number, gathered.number % 2
    sums, squares = list(gathered.sums), list(gathered.squares)
    sums[half] = sums[half] + g
    squares[half] = squares[half] + np.square(g, dtype=np.float64)
    before, difference = gathered.latest
    total, product, pairs = gathered.products
    if half == 1:
        e = g - before
        if number >= 3:
            product, pairs = product + float(np.vdot(e, difference)) ** 2, pairs + 1
        total, difference = total + float(np.vdot(e, e)), e
    return gathered._replace(
        number=number + 1,
        sums=(sums[0], sums[1]),
        squares=(squares[0], squares[1]),
        latest=(g, difference),
        products=(total, product, pairs),
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


def dimension(gathered: Gathered) -> float:
    """(tr C)^2 / tr C^2 for the covariance C of an estimate; nan where there is no noise.

    With e the difference of two estimates, E |e|^2 = 2 tr C and E <e, e'>^2 = 4 tr C^2.
    """
    total, product, pairs = gathered.products
    if pairs == 0 or product == 0.0:
        return math.nan
    trace = total / (gathered.number // 2) / 2
    return trace**2 / (product / pairs / 4)


def forgotten(gathered: Gathered) -> Gathered:
    """How many there were; the vectors have done their work."""
    nothing = np.zeros(0), np.zeros(0)
    return gathered._replace(sums=nothing, squares=nothing, latest=nothing)
