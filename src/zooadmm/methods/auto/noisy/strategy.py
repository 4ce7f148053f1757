"""The filter for noisy values: see `zooadmm.methods.auto.noisy`."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from zooadmm.methods.auto.constants import ROUNDED
from zooadmm.methods.auto.known import Refusal
from zooadmm.methods.auto.model import Model
from zooadmm.methods.auto.noisy.start import start_value
from zooadmm.methods.auto.noisy.state import FilterState, Spread
from zooadmm.methods.auto.noisy.value_filter import ValueFilter
from zooadmm.methods.auto.strategy import (
    Handover,
    Progress,
    Strategy,
    Update,
    astray_remark,
    count_steps,
    missed,
    unimproved_remark,
)
from zooadmm.methods.method import FirstOrder, Pair, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.problem.arrays import Vector, norm
from zooadmm.structure.minimizer import Minimizer


class Filter(Strategy[FilterState]):
    """Values for slopes at x, or for a comparison with the best pair."""

    name = "filter"
    states = (FilterState,)

    @cached_property
    def _minimizer(self) -> Minimizer:
        return Minimizer(self.given.problem)

    @cached_property
    def _filter(self) -> ValueFilter:
        return ValueFilter(self.given.problem, self._minimizer)

    def init(self, at: Progress, handover: Handover) -> tuple[Progress, FilterState] | Refusal:
        """From where a model ended; x0 stays the answer unless the model has a better one."""
        if not isinstance(handover.prior, Model):
            return Refusal("")
        freedom = min(at.known.radius.freedom, 1.0 / ROUNDED)  # inf: the user gave sigma
        return at, self._filter.init(
            handover.prior,
            *start_value(self._minimizer, at),
            Spread(freedom * at.known.radius.noise**2, freedom),
            at.known.spent,
        )

    def cost(self, state: FilterState, at: Progress) -> int:
        return len(state.ask) * state.repeats

    def query(self, state: FilterState, at: Progress, batch: Batch | None) -> Query:
        return self._filter.query(state, at.t)

    def update(
        self,
        state: FilterState,
        at: Progress,
        query: Query,
        answer: Answer,
        counted: Counted | None,
    ) -> Update:
        after = self._filter.update(state, answer, self.given.normals(at.t))
        x, y, dual = (part.copy() for part in self._filter.pair(after))
        eta, slope = 1.0 if after.steps > state.steps else math.nan, norm(state.belief.v)
        step = self.record(at, x, float(np.mean(answer)), gradient_norm=slope, step_size=eta)
        return Update(missed(at, answer)._replace(x=x, y=y, dual=dual), after, step)

    def estimate(self, state: FilterState, at: Progress) -> Pair:
        return self._filter.answer(state)

    def stationarity(self, state: FilterState, at: Progress, step: Step, way: Vector) -> Vector:
        return np.asarray(state.H @ way)

    def first_order(self, state: FilterState, at: Progress) -> FirstOrder | None:
        scale = max(abs(state.best.value), at.known.radius.change)
        return self._filter.first_order(state, scale)

    def has_moved(self, state: FilterState, at: Progress) -> bool:
        return True

    def remark(self, state: FilterState, at: Progress) -> str:
        best, anchor = state.best, at.known.anchor
        said = (
            f"Learned: noise {state.spread.sigma:.2g} in a value; {count_steps(state.steps)} by a "
            f"quadratic model of the loss and slopes averaged over {state.slopes} pairs of values. "
            f"The objective at x is {best.value:.6g} with a standard error of {best.error:.1g}."
        )
        said += astray_remark(best.at.x, anchor)
        return said + (unimproved_remark() if np.array_equal(best.at.x, anchor) else "")
