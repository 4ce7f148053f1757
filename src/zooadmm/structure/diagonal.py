"""Minimizers in a diagonal metric: a number or a vector M. Closed form, coordinate by coordinate.

    prox(v)       = argmin_z  sum_i M_i (z_i - v_i)^2 / 2 + phi(z)
    prox_row(v)   = the same with  row_lower <= <a, z> <= row_upper   (a budget, a simplex)

With the price mu of the row, z(mu) = prox(v - mu a / M) and <a, z(mu)> falls with mu, linearly
between breakpoints: a binary search over these finds the interval, where mu solves one equation.
"""

from __future__ import annotations

import numpy as np

from zooadmm.problem.coordinates import FREE, Coordinates, Floats
from zooadmm.structure.solution import Solution, Status

CORRECTIONS = 3
"""Repetitions of the last linear solve, against rounding of <a, z>."""

ACCURATE = 1e-12
"""Violation of the row up to which it counts as satisfied, relative to its terms."""


def prox(v: Floats, M: Floats | float, phi: Coordinates) -> Floats:
    """argmin_z sum_i M_i (z_i - v_i)^2 / 2 + phi(z), M positive.

    >>> from zooadmm.problem.coordinates import coordinates
    >>> l1 = coordinates(3, below=-1.0, above=1.0)
    >>> prox(np.array([3.0, 0.5, -2.0]), 2.0, l1).tolist()
    [2.5, 0.0, -1.5]
    """
    c = M + phi.curvature
    center = (M / c) * v
    above, below = center - phi.above / c, center - phi.below / c
    z = np.where(above > phi.kink, above, np.where(below < phi.kink, below, phi.kink))
    return phi.clip(z)


def prox_row(
    v: Floats, M: Floats | float, phi: Coordinates, a: Floats, row_lower: float, row_upper: float
) -> Solution:
    """prox over row_lower <= <a, z> <= row_upper; INFEASIBLE where no z is.

    >>> from zooadmm.problem.coordinates import coordinates
    >>> simplex = coordinates(3, lower=0.0)
    >>> prox_row(np.array([0.5, 0.9, -1.0]), 1.0, simplex, np.ones(3), 1.0, 1.0).u.round(3).tolist()
    [0.3, 0.7, 0.0]
    """
    z = prox(v, M, phi)
    total = float(a @ z)
    if row_lower <= total <= row_upper:
        return _solution(z, 0.0, 0.0, phi, Status.SOLVED)
    target = row_upper if total > row_upper else row_lower
    least, most = _range(a, phi)
    slack = ACCURATE * max(1.0, abs(target))
    if target < least - slack or target > most + slack or row_lower > row_upper:
        z = np.where(a * (target - total) > 0, phi.upper, np.where(a == 0, z, phi.lower))
        z = np.where(np.isfinite(z), z, phi.clip(np.zeros_like(z)))
        return _solution(z, 0.0, np.inf, phi, Status.INFEASIBLE)
    price = _price(v, M, phi, a, target)
    z, price = _corrected(v, M, phi, a, target, price)
    size = max(abs(target), float(np.abs(a) @ np.abs(z)), np.finfo(float).tiny)
    residual = abs(float(a @ z) - target) / size
    status = Status.SOLVED if residual <= ACCURATE else Status.INEXACT
    return _solution(z, price, residual, phi, status)


def _solution(
    z: Floats, price: float, residual: float, phi: Coordinates, status: Status
) -> Solution:
    return Solution(z, phi.face(z), np.array([price]), residual, status, 0)


def _range(a: Floats, phi: Coordinates) -> tuple[float, float]:
    """Smallest and largest <a, z> within the bounds."""
    ends = a * np.where(a == 0, 0.0, (phi.lower, phi.upper))  # 0 times inf is no number
    return float(ends.min(axis=0).sum()), float(ends.max(axis=0).sum())


def _at(
    v: Floats, M: Floats | float, phi: Coordinates, a: Floats, price: float
) -> tuple[Floats, Floats]:
    """z(price) and its rate -dz/dprice a coordinate."""
    z = prox(v - price * (a / M), M, phi)
    return z, np.where(phi.face(z) == FREE, a / (M + phi.curvature), 0.0)


def _breakpoints(v: Floats, M: Floats | float, phi: Coordinates, a: Floats) -> Floats:
    """Prices at which a coordinate reaches or leaves a bound or its kink, sorted."""
    c = M + phi.curvature
    marks = [
        c * phi.lower + phi.right(phi.lower),
        c * phi.upper + phi.left(phi.upper),
        c * phi.kink + phi.below,
        c * phi.kink + phi.above,
    ]
    active = a != 0
    prices = np.concatenate([((M * v - mark)[active]) / a[active] for mark in marks])
    found: Floats = np.unique(prices[np.isfinite(prices)])
    return found


def _price(v: Floats, M: Floats | float, phi: Coordinates, a: Floats, target: float) -> float:
    """The price at which <a, z> is the target."""
    points = _breakpoints(v, M, phi, a)
    low, high = -1, len(points)
    while high - low > 1:  # <a, z> is above the target at points[low], not at points[high]
        middle = (low + high) // 2
        if float(a @ _at(v, M, phi, a, float(points[middle]))[0]) > target:
            low = middle
        else:
            high = middle
    if len(points) == 0:
        return 0.0
    if low < 0:
        return float(points[0]) - 1.0 - abs(float(points[0]))
    if high == len(points):
        return float(points[-1]) + 1.0 + abs(float(points[-1]))
    return 0.5 * float(points[low]) + 0.5 * float(points[high])


def _corrected(
    v: Floats, M: Floats | float, phi: Coordinates, a: Floats, target: float, price: float
) -> tuple[Floats, float]:
    """The exact price within an interval, and z with what rounding leaves shared out."""
    for _ in range(CORRECTIONS):
        z, rate = _at(v, M, phi, a, price)
        slope = float(a @ rate)
        if slope <= 0.0:
            return z, price
        price += (float(a @ z) - target) / slope
    for _ in range(CORRECTIONS):
        z = phi.clip(z + rate * ((target - float(a @ z)) / slope))
    return z, price
