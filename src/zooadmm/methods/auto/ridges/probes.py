"""Points at which ridges f(x; w) = l(a'x) are evaluated, and what the values say of l and a.

    test     x, x + h u and x - h u, x + h v and x - h v
    level    x + h s, where s is orthogonal to a: a ridge does not change there, for any h
    wide     x, b + d e_j for every variable, b = x + h v and x - h v
    narrow   x, b + d s_k for a few directions s_k, b = x + h v and x - h v
    again    x, x + h v and x - h v

The slopes of a wide measurement are the direction a of the observation, up to a factor, which is
left in a: l is a function of these slopes times x. They are taken beside x, at b, since at x itself
an observation may have no slope and yet be curved, as one that is fitted exactly. v is a random
direction, the same for all observations. With q = a'v the values on both sides of x along v have l'
and l'' at x in them,

    l' = (f(x + h v) - f(x - h v)) / (2 h q),   l'' = (f(x + h v) + f(x - h v) - 2 f(x)) / (h q)^2

so that an observation whose direction is known takes three values in place of m + 1. Whether it is
a ridge is seen along two directions before anything else is measured: with slopes p and curvatures
c along u and v, c_u / p_u^2 = c_v / p_v^2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import SEEN, TINY_PART, ULPS
from zooadmm.methods.auto.ridges import plan
from zooadmm.methods.auto.ridges.state import Along
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Matrix, Vector


def across_points(x: Vector, across: Matrix, h: float) -> Matrix:
    """x, and both sides of it along each row of `across`."""
    points = np.repeat(x[None], 1 + 2 * len(across), axis=0)
    points[1::2] += h * across
    points[2::2] -= h * across
    return points


def sloped_points(x: Vector, moves: Matrix, d: float, v: Vector, h: float) -> Matrix:
    """x, b + d s for the rows s of `moves`, b = x + h v and x - h v."""
    points = np.repeat((x + h * v)[None], len(moves) + plan.LINE, axis=0)
    points[0] = x
    points[1:-2] += d * moves
    points[-1] = x - h * v
    return points


def slopes(answer: Answer, d: float, v: Vector, h: float) -> Matrix:
    """The slopes at b, a row for each observation; v: in units of its moves.

    A forward difference is a_j + d l'' a_j^2 / 2 with l' = 1 at b, and l'' is known from v. Each
    correction makes its error smaller by the part of l'' d in l'.
    """
    differences: Matrix = (answer[1:-2] - answer[-2]).T / d
    _, second = across(answer, h)
    a = differences
    for _ in range(2):
        q = np.square(a @ v)
        curvature = second / np.where(q > 0.0, q, np.inf)
        a = differences - 0.5 * d * curvature[:, None] * np.square(a)
    return a


def across(answer: Answer, h: float) -> tuple[Vector, Vector]:
    """(df/dv, d2f/dv2) at x of each observation, by x and the last pair of points."""
    at, plus, minus = answer[0], answer[-2], answer[-1]
    return (plus - minus) / (2 * h), (plus + minus - 2 * at) / h**2


def along(answer: Answer, q: Vector, h: float) -> Along:
    """l, l' and l'' at x of each observation, with q = a'v for the last pair of points.

    What has no slope along v has no direction either, and counts with its value alone; it is not
    sound if its values differ nevertheless.
    """
    first, second = across(answer, h)
    seen = q != 0.0
    divisor = np.where(seen, q, 1.0)
    slope = np.where(seen, first / divisor, 0.0)
    curvature = np.where(seen, second / np.square(divisor), 0.0)
    sound = np.isfinite(answer).all(axis=0) & np.isfinite(slope) & np.isfinite(curvature)
    sound &= seen | ((first == 0.0) & (second == 0.0))
    return Along(answer[0], slope, curvature, sound)


def moved(seen: Along, q: Vector) -> Along:
    """The same ridges at another point, a'x further by q, where they are parabolas."""
    if not q.any():
        return seen
    value = seen.value + q * (seen.slope + 0.5 * q * seen.curvature)
    return seen._replace(value=value, slope=seen.slope + q * seen.curvature)


def agreeing(answer: Answer, slopes: Matrix, v: Vector, h: float) -> NDArray[np.bool_]:
    """The observations whose slopes at b add up to their slope along v there."""
    first, second = across(answer, h)
    q, there = slopes @ v, first + h * second
    lengths = np.linalg.norm(slopes, axis=1) * float(np.linalg.norm(v))
    off = TINY_PART * (np.abs(q) + np.abs(there)) + TINY_PART * TINY_PART * lengths
    agree: NDArray[np.bool_] = np.abs(q - there) <= off
    return agree


def kept(answer: Answer, directions: Matrix, along: Along, v: Vector, h: float) -> bool:
    """Whether every observation has the slope at x along another v that its ridge says."""
    slope, _ = across(answer, h)
    lengths = np.linalg.norm(directions, axis=1)
    reach = np.abs(along.slope) + h * np.abs(along.curvature) * lengths
    off = np.abs(slope - along.slope * (directions @ v))
    rounding = np.spacing(np.abs(answer).max(axis=0)) / h
    return bool((off <= TINY_PART * lengths * reach + 2.0 * ULPS * rounding).all())


def straight(answer: Answer) -> NDArray[np.bool_]:
    """Which observations do not change their slope along u and v by more than rounding shows."""
    second = np.abs(answer[1::2] + answer[2::2] - 2.0 * answer[0])
    return np.asarray((second <= SEEN * np.spacing(np.abs(answer).max(axis=0))).all(axis=0))


def level(answer: Answer, across: Matrix, h: float) -> Matrix:
    """Directions of length 1 along which each ridge does not change, one a column."""
    p_u, p_v = (answer[1::2] - answer[2::2]) / (2 * h)
    ways = np.outer(across[0], p_v) - np.outer(across[1], p_u)
    with np.errstate(invalid="ignore"):
        return np.asarray(ways / np.linalg.norm(ways, axis=0))


def unlike(answer: Answer, h: float) -> float:
    """How unlike the curvatures of ridges are along two directions: 0 for ridges, 1 at most.

    The sum over observations of |c_u p_v^2 - c_v p_u^2| beside that of the terms; two thirds for
    losses that are as curved along any direction. Observations that are not finite do not count;
    1 where nothing is curved.
    """
    answer = answer[:, np.isfinite(answer).all(axis=0)]
    p_u, c_u = across(answer[: plan.LINE], h)
    p_v, c_v = across(answer, h)
    one, other = c_u * np.square(p_v), c_v * np.square(p_u)
    total = float(np.sum(np.abs(one) + np.abs(other)))
    return float(np.sum(np.abs(one - other))) / total if total > 0.0 else 1.0
