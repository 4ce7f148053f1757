"""The points of the first probe: both sides of x_1 along one direction, inside X.

Rungs that lead out of X are left out, as if the loss were undefined there. Where X leaves no room
on both sides, as at a bound, two points on the inner side take their place: g(d) = f(x + d u), and
as a parabola has it

    g(-d) = g(2 d) - 3 g(d) + 3 g(0).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import (
    FIRST_LENGTH,
    HALF_DIGITS,
    LEFT,
    ROUNDED,
    SMALL_PART,
    ULPS,
)
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.sets import ConvexSet, ProbeSafe


class Ladder(NamedTuple):
    """Steps along a direction, and which rungs they belong to."""

    direction: Vector
    steps: Vector
    """Steps to the first point of each rung that is kept, then those to the second"""
    kept: NDArray[np.bool_]
    """The rungs that are kept"""
    one_sided: bool

    def sides(self, center: float, values: Answer) -> Answer:
        """The values on both sides of x_1 at every rung; NaN where there is none."""
        made = np.full((2, len(self.kept)), np.nan)
        first, second = values.reshape(2, -1)
        if self.one_sided:
            with np.errstate(all="ignore"):  # values may be inf
                near, far = first - center, second - center
                second = center + (far - near) - 2.0 * near
        made[:, self.kept] = first, second
        return made


def ladder(x: Vector, direction: Vector, lengths: Vector, domain: ConvexSet | None) -> Ladder:
    """Both sides of x along a direction, as far as the domain goes.

    domain: X; None where points may lie anywhere.
    """
    everywhere = Ladder(direction, np.concatenate([lengths, -lengths]), lengths > 0.0, False)
    if domain is None or domain.is_everything:
        return everywhere
    if isinstance(domain, ProbeSafe) and domain.bounds() is None:
        direction = _along(domain, direction)
    both = _inside(domain, x, direction, lengths) & _inside(domain, x, direction, -lengths)
    two_sided = Ladder(direction, np.concatenate([lengths[both], -lengths[both]]), both, False)
    unit = float(lengths[1])  # the second rung: the size of x_1
    if both[lengths <= (1.0 + ROUNDED) * FIRST_LENGTH * unit].all():
        return two_sided
    ways = [np.asarray(domain.project(x + s * unit * direction)) - x for s in (1.0, -1.0)]
    way = max(ways, key=norm)
    if not norm(way) > 0.0:
        return two_sided
    inner = (way / norm(way)).astype(x.dtype)
    far = _inside(domain, x, inner, lengths) & _inside(domain, x, inner, 2.0 * lengths)
    if far.sum() <= both.sum():
        return two_sided
    return Ladder(inner, np.concatenate([lengths[far], 2.0 * lengths[far]]), far, True)


def _along(domain: ProbeSafe, direction: Vector) -> Vector:
    """The direction within the linear hull of the set, of length 1 if it has one.

    Signs that are all alike are orthogonal to a fixed sum; every other one is reversed then.
    """
    along = domain.tangent(direction[None])[0]
    if norm(along) <= SMALL_PART * norm(direction):
        reversed_ = np.where(np.arange(len(direction)) % 2 == 0, direction, -direction)
        along = domain.tangent(reversed_[None])[0]
    length = norm(along)
    return (along / length).astype(direction.dtype) if length > 0.0 else direction


def _inside(domain: ConvexSet, x: Vector, direction: Vector, steps: Vector) -> NDArray[np.bool_]:
    """Which of the points x + s d lie in X, as the query will compute them."""
    points = [(x + float(s) * direction).astype(x.dtype, copy=False) for s in steps]
    bounds = domain.bounds()
    if bounds is not None:
        lower, upper = bounds
        return np.array([bool(((lower <= p) & (p <= upper)).all()) for p in points])
    eps = float(np.finfo(x.dtype).eps)
    allowed = HALF_DIGITS * np.abs(steps) + 2.0 * ULPS * eps * max(1.0, norm(x))
    return np.array([domain.distance(p) for p in points]) <= np.minimum(
        allowed, LEFT * np.abs(steps)
    )
