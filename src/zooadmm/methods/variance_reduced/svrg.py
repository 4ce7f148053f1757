"""ZO-SVRG-ADMM (Huang, Gao, Chen and Huang, IJCAI 2019, Algorithm 1)."""

from __future__ import annotations

from zooadmm.methods.method import State
from zooadmm.methods.variance_reduced.algorithm import Reference, VarianceReduced
from zooadmm.problem.arrays import Vector


class StochasticVarianceReduced(VarianceReduced):
    """The reference is the first point of the period, whose gradient took all observations.

    v_t = g_batch(x_t) - g_batch(r) + g(r),  r = x_t at t = 1, 1 + period, 1 + 2 period, ...
    """

    def reference(self, state: State, v: Vector) -> Reference:
        if self.is_whole(state.t):
            return Reference(state.x, v)
        kept: Reference = state.learned
        return kept
