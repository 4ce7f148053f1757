"""ZO-SPIDER-ADMM (Huang, Gao, Pei and Huang, arXiv:1907.13463, with coordinate estimates)."""

from __future__ import annotations

from zooadmm.methods.method import State
from zooadmm.methods.variance_reduced.algorithm import Reference, VarianceReduced
from zooadmm.problem.arrays import Vector


class PathIntegrated(VarianceReduced):
    """The reference is the point before: estimates are summed along the path of the iterates.

    v_t = g_batch(x_t) - g_batch(x_{t-1}) + v_{t-1},  and g(x_t) at the start of a period
    """

    def reference(self, state: State, v: Vector) -> Reference:
        return Reference(state.x, v)
