"""The ways to average q terms into one gradient estimate."""

from __future__ import annotations

import zooadmm as zoo
from zooadmm_reproduction.exhibits import COLORS, FIRST_ORDER, OTHER_COLORS, ZOO

HYBRID_DIRECTIONS = 5
"""q1 of the hybrid, which averages over q/5 observations as well."""

COLOR = {
    "directions": COLORS[FIRST_ORDER],
    "observations": COLORS[ZOO],
    "hybrid": OTHER_COLORS[0],
    "paired": OTHER_COLORS[4],
    "orthogonal": OTHER_COLORS[1],
}


def source(strategy: str, q: int) -> zoo.paper.Smoothed | zoo.paper.Paired:
    """(14), (15), (16), independent pairs, or (14) with orthogonal directions.

    >>> source("hybrid", 50).num_observations
    10
    """
    if strategy == "directions":
        return zoo.paper.Smoothed(q)
    if strategy == "observations":
        return zoo.paper.Smoothed(1, q)
    if strategy == "hybrid":
        directions = min(q, HYBRID_DIRECTIONS)
        return zoo.paper.Smoothed(directions, q // directions)
    if strategy == "paired":
        return zoo.paper.Paired(q)
    if strategy == "orthogonal":
        return zoo.paper.Smoothed(q, distribution=zoo.paper.Orthogonal())
    raise ValueError(f"there is no strategy {strategy!r}; there are {', '.join(COLOR)}.")
