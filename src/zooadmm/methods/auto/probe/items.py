"""Noise and lengths where each value is about an item of its own.

Values of different items at x_1 say how much items differ there, which may be much less than
elsewhere: not at all for a linear model that starts at 0. So two equal values do not show that a
loss is exact, and noise is measured away from x_1 too: both sides of x_1 along random directions
u_i, at a distance d, each point on two items, whose difference is noise alone. With

    c = mean_i f(x_1 + d u_i) + f(x_1 - d u_i) - 2 f(x_1)

a second difference of LENGTH sigma, which is what the filter measures slopes with, is at
sqrt(LENGTH sigma / |c|) d: there it is measured again. Where noise is then about that at x_1, the
strategies for noisy losses serve. Else, and where X ends before that distance, steps do, with
points sqrt(SURE sigma / |c|) d apart.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from zooadmm.methods.auto.constants import (
    FEWEST,
    FIRST_LENGTH,
    MANY,
    NARROW,
    SEEN,
    SMALL_PART,
    SURE,
    ULPS,
)
from zooadmm.methods.auto.noisy.directions import LENGTH
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.probe.state import Radius
from zooadmm.oracle.directions import Address, Rademacher
from zooadmm.oracle.queries import Answer, PointsQuery
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet


def number(budget: int) -> int:
    """Values at x_1, as many as points beside it: MANY, or one for MANY of a budget.

    The probe takes five times as many, a sixth of a budget or 20 values.

    >>> number(0), number(100), number(10_000)
    (32, 4, 32)
    """
    return MANY if budget == 0 else max(FEWEST, min(MANY, budget // MANY))


def at_start(x: Vector, values: Answer, domain: ConvexSet) -> Radius:
    """The mean at x_1, the noise there, and how far away it is measured next."""
    center = float(values.mean())
    noise = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    least = ULPS * float(np.spacing(abs(center) or 1.0))
    return Radius(
        noise=max(noise, least),
        center=center,
        trial=min(radius.size(x), float(radius.farthest(x, domain).max())),
        change=float(np.ptp(values)),
        freedom=max(len(values) - 1.0, 1.0),
    )


def query(
    id: int, x: Vector, trial: float, key: Key, budget: int, domain: ConvexSet | None
) -> PointsQuery:
    """Both sides of x_1, twice each; points are moved into the domain where there is one."""
    half = number(budget) // 2
    u = Rademacher().rows(Address(key, id, half), 0, half, len(x), x.dtype)
    moves = trial / math.sqrt(len(x)) * u
    points = np.concatenate([x + moves, x - moves]).astype(x.dtype)
    if domain is not None:
        points = np.array([domain.project(point) for point in points], dtype=x.dtype)
    return PointsQuery(id, points, None, 2)


class Beside(NamedTuple):
    """What values at a distance from x_1 show."""

    distance: float
    noise: float
    """The standard deviation of a value there"""
    freedom: float
    """The degrees of freedom behind it"""
    bend: float
    """|c|, or its standard error where that is more"""
    change: float
    """The largest distance of a value from that at x_1"""
    is_finite: bool
    """Whether the loss is finite at most of the points"""

    def length(self, sigma: float, part: float) -> float:
        """The distance at which a second difference is part sigma."""
        if not self.bend > 0.0:
            return self.distance
        return self.distance * math.sqrt(part * sigma / self.bend)


def read(x: Vector, asked: PointsQuery, answer: Answer, known: Radius) -> Beside:
    """What the values of `query` say, beside those at x_1."""
    twice = np.isfinite(answer).all(axis=1)
    squares = np.square(np.diff(answer[twice], axis=1))
    bends = answer.mean(axis=1).reshape(2, -1).sum(axis=0) - 2.0 * known.center
    finite = bends[np.isfinite(bends)]
    bend = 0.0
    if len(finite) > 1:
        error = float(finite.std(ddof=1)) / math.sqrt(len(finite))
        bend = max(abs(float(finite.mean())), error)
    return Beside(
        distance=math.sqrt(float(np.square(asked.candidates - x).sum(axis=1).mean())),
        noise=math.sqrt(0.5 * float(squares.mean())) if twice.any() else 0.0,
        freedom=float(np.count_nonzero(twice)),
        bend=bend,
        change=float(np.max(np.abs(answer - known.center), initial=0.0, where=np.isfinite(answer))),
        is_finite=2 * len(finite) >= len(bends),
    )


def further(x: Vector, known: Radius, seen: Beside, domain: ConvexSet) -> Radius | None:
    """With the distance at which noise is measured again, ten times the first or a tenth at most.

    None where it is known to be uneven, or X leaves nothing along the directions drawn.
    """
    if not seen.is_finite:
        return known._replace(trial=NARROW * known.trial)
    if SMALL_PART * seen.noise > known.noise or seen.distance == 0.0:
        return None
    target = seen.length(known.noise, LENGTH)
    target = min(max(target, SMALL_PART * seen.distance), seen.distance / SMALL_PART)
    most = math.sqrt(len(x)) * float(radius.farthest(x, domain).max())
    return known._replace(trial=min(target, most), reach=target)


def is_even(known: Radius, seen: Beside) -> bool:
    """Whether noise is no more where slopes would be measured than at x_1, beside luck.

    Of a squared error, whose standard deviation is sqrt 2 times its mean, it is 3.8 times as much
    at a second difference of LENGTH sigma. The logarithm of a standard deviation from n degrees of
    freedom has the standard error sqrt(1 / 2n).
    """
    cut = known.trial < (1.0 - SMALL_PART) * known.reach or seen.distance == 0.0  # by X
    luck = math.sqrt(0.5 / known.freedom + 0.5 / max(seen.freedom, 1.0))
    return seen.is_finite and not cut and seen.noise <= known.noise * math.exp(SURE * luck)


def even(x: Vector, known: Radius, seen: Beside, domain: ConvexSet) -> Radius:
    """For a loss whose noise is about the same everywhere: what a ladder would show."""
    freedom = known.freedom + seen.freedom
    squares = known.freedom * known.noise**2 + seen.freedom * seen.noise**2
    noise = math.sqrt(squares / freedom)
    return known._replace(
        noise=noise,
        length=_apart(x, seen, noise, domain),
        trial=FIRST_LENGTH * radius.size(x),
        change=max(known.change, seen.change),
        reach=seen.length(noise, SEEN),
        freedom=freedom,
    )


def uneven(x: Vector, known: Radius, seen: Beside, domain: ConvexSet) -> Radius:
    """For any other: the length of differences for steps."""
    noise = max(seen.noise, known.noise)
    return known._replace(noise=noise, length=_apart(x, seen, noise, domain), uneven=True)


def _apart(x: Vector, seen: Beside, noise: float, domain: ConvexSet) -> float:
    """The length of differences for steps: no longer than what was measured, and as X allows."""
    most = float(radius.farthest(x, domain).min())
    far = seen.distance if seen.is_finite else NARROW * seen.distance
    return min(seen.length(noise, SURE), far, most) or min(radius.size(x), most)
