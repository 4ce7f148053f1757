"""Where probes of x_t stay in the domain: the nearest point with room for them."""

from __future__ import annotations

import math
from typing import Literal, get_args

from zooadmm.oracle.directions import Distribution
from zooadmm.problem.arguments import one_of
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet, ProbeSafe

Probes = Literal["anywhere", "inside"]
"""Where a loss may be evaluated."""


def check_probes(probes: Probes | None, distribution: Distribution) -> None:
    """Refuse anything but a name of a place, or None, and directions that no room is enough for."""
    if probes is not None:
        one_of("probes", probes, get_args(Probes))
    if probes == "inside" and math.isinf(distribution.reach(1)):
        raise ValueError(
            f'probes="inside" needs directions of bounded length, and {distribution} has none; '
            "take Sphere() or Rademacher()."
        )


def default_probes(distribution: Distribution, domain: ConvexSet, m: int, along: bool) -> Probes:
    """Inside a set that has room for probes, unless directions may be of any length.

    along: whether the directions may be those of the set, where it has fewer than all, as a budget.
    """
    if domain.is_everything or not isinstance(domain, ProbeSafe):
        return "anywhere"
    room = domain.inradius(m) > 0.0 and not math.isinf(distribution.reach(1))
    return "inside" if room and (along or domain.stretch == 1.0) else "anywhere"


def with_room(domain: ProbeSafe, x: Vector, radius: float, reach: float) -> tuple[Vector, float]:
    """The point of the domain nearest to x_t with room for its probes, and their radius.

    reach: the largest entry of a probe's way, for radius 1. A radius for which there is no such
    point is lowered first.
    """
    radius = min(radius, 0.5 * domain.inradius(len(x)) / reach)
    if radius <= 0.0:
        raise ValueError(f'probes="inside" needs room, and {domain!r} is a single point.')
    return domain.shrunk(radius * reach).project(x), radius
