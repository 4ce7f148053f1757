"""The filter for noisy values: see `zooadmm.methods.auto.noisy`."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from zooadmm.methods.auto import outliers
from zooadmm.methods.auto.constants import FACTOR, ROUNDED
from zooadmm.methods.auto.few import for_model
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
        prior, known = handover.prior, at.known.radius
        if not isinstance(prior, Model):
            return Refusal("")
        rounded = known.noise == 0.0
        sigma = prior.eps if rounded else known.noise
        spread = Spread.of(sigma, known.freedom)
        start = start_value(self._minimizer, at)
        return at, self._filter.init(prior, *start, spread, at.known.spent, rounded)

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
        stepped = after.steps > state.steps and not state.rounded  # ties of rounding are no rest
        eta, slope = 1.0 if stepped else math.nan, norm(state.belief.v)
        step = self.record(at, x, float(np.mean(answer)), gradient_norm=slope, step_size=eta)
        now = missed(at, answer)._replace(x=x, y=y, dual=dual)
        if state.stage == "check" and not state.rounded and outliers.are_seen(answer):
            return Update(
                outliers.restarted(self.given.problem, now), Handover(probe_again=True), step
            )
        if self._is_noise(state, answer):
            sigma = after.spread.sigma
            radius = now.known.radius._replace(noise=sigma, freedom=1.0)
            now = now._replace(known=now.known._replace(radius=radius))
            after = after._replace(rounded=False, spread=Spread.of(sigma, 1.0))
            return Update(now, after, step)
        if self._is_another(after, at):
            x, y = (part.copy() for part in self._filter.answer(after))
            now = now._replace(x=x, y=y, known=now.known._replace(best=(x, y)))
            return Update(now, Handover(probe_again=True), step)
        if self._filter.is_lost(after):
            return Update(now, Handover("no curvature fits", prior=after), step)
        return Update(now, after, step)

    def _is_another(self, state: FilterState, at: Progress) -> bool:
        """Whether the noise is another one than that which slopes and metric were measured with.

        And the budget allows to measure them again.
        """
        known, needed = at.known, for_model(len(state.start))
        if state.spread.is_given or 0 < known.budget < known.spent + 2 * needed:
            return False
        ratio = state.spread.sigma / at.known.radius.noise
        return not 1.0 / FACTOR**2 <= ratio <= FACTOR

    def _is_noise(self, state: FilterState, answer: Answer) -> bool:
        """Whether a value that was taken for rounded is another one when it is asked again."""
        if not (state.rounded and state.stage == "check" and len(answer) > 1):
            return False
        best = state.best
        again = float(answer[1, 0]) + self._minimizer.phi(best.at)
        return abs(again - best.value) > ROUNDED * abs(best.value)

    def estimate(self, state: FilterState, at: Progress) -> Pair:
        return self._filter.answer(state)

    def stationarity(self, state: FilterState, at: Progress, step: Step, way: Vector) -> Vector:
        return np.asarray(state.damping * (state.H @ way))

    def first_order(self, state: FilterState, at: Progress) -> FirstOrder | None:
        start, value = start_value(self._minimizer, at)
        fell = value + self._minimizer.phi(start) - state.best.value
        scale = max(abs(state.best.value), fell if math.isfinite(fell) else 0.0)
        return self._filter.first_order(state, scale)

    def has_moved(self, state: FilterState, at: Progress) -> bool:
        return True

    def remark(self, state: FilterState, at: Progress) -> str:
        best = state.best
        error = "rounding" if state.rounded else "noise"
        said = (
            f"Learned: {error} {state.spread.sigma:.2g} in a value; {count_steps(state.steps)} by "
            f"a quadratic model of the loss and slopes averaged over {state.slopes} pairs of "
            f"values. The objective at x is {best.value:.6g} with a standard error of "
            f"{best.error:.1g}."
        )
        return said + (unimproved_remark() if np.array_equal(best.at.x, at.known.start) else "")
