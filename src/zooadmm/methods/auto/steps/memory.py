"""The remembered gradient, where an estimate looks along q1 < m directions only.

With v near the gradient, u = (1/q1) sum_j (D_j - <v, z_j>) z_j is a small correction, g = v + u is
as unbiased as the estimate without v, and its error is (m/q1) |grad f - v|^2 in place of
(m/q1) |grad f|^2. v follows by v <- v + (q1/m) u, which is exact for q1 = m and no noise.
"""

from __future__ import annotations

from zooadmm.oracle.queries import DifferenceQuery
from zooadmm.problem.arrays import Vector


def corrected(v: Vector, g: Vector, query: DifferenceQuery) -> tuple[Vector, Vector]:
    """(g with the memory's help, the memory after it), from the plain estimate g."""
    u = g - query.projected(v.astype(g.dtype, copy=False))
    return v + u, v + (query.total / len(v)) * u
