"""A sampled loss without noise: see `zooadmm.methods.auto.sampled`."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from zooadmm.methods.auto.constants import COARSE, FEW, MOST_MODELED
from zooadmm.methods.auto.known import Refusal
from zooadmm.methods.auto.sampled import SampledDescent, SampledState
from zooadmm.methods.auto.strategy import Handover, Progress, Strategy, Update, count_steps, missed
from zooadmm.methods.method import FirstOrder
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.problem.arrays import norm


class Sampled(Strategy[SampledState]):
    """Values of some observations, and the step that they decide on."""

    name = "sampled"
    states = (SampledState,)

    @cached_property
    def _descent(self) -> SampledDescent:
        return SampledDescent(self.given.problem, self.given.samples, self.given.limits)

    def init(self, at: Progress, handover: Handover) -> tuple[Progress, SampledState] | Refusal:
        refusal = Refusal("") if handover.prior is not None else self._refused(at)
        if refusal is not None:
            return refusal
        state = self._descent.init(at.x, at.y, at.dual, at.known.radius.rounding)
        x, y, dual = self._descent.pair(state)
        return at._replace(x=x, y=y, dual=dual), state

    def _refused(self, at: Progress) -> Refusal | None:
        given, known, m = self.given, at.known, self.given.problem.m
        if not given.sampled or known.failed("model", "sampled"):
            return Refusal("")
        if not (given.has("sampled") and given.has("model")):
            return Refusal("left out")
        if given.samples < FEW:
            return Refusal(f"fewer than {FEW} observations" if given.samples > 0 else "a stream")
        if m > MOST_MODELED:
            return Refusal(f"more than {MOST_MODELED} variables")
        if known.radius.noise != 0.0:
            return Refusal("values are noisy")
        if given.has("radius") and known.radius.rounding > COARSE * known.radius.change:
            return Refusal("values are coarse")
        if given.demands_steps:
            return Refusal(given.demands_steps)
        if 0 < known.budget < FEW * (2 * m + 1):
            return Refusal("the budget is too small", until=known.budget)
        gradient = given.samples * (m + 1)
        if known.spent < gradient and given.limits is not None and given.limits.bounds() is None:
            return Refusal(f"steps come first, for {gradient} evaluations", until=gradient)
        return None

    def observations(self, state: SampledState, at: Progress, source: Observations) -> Batch:
        return self._descent.draw(state, source, self.given.key)

    def drawn(self, state: SampledState, at: Progress, batch: Batch) -> int:
        return max(at.known.drawn, state.seen)

    def cost(self, state: SampledState, at: Progress) -> int:
        return self._descent.portion(state) * self._descent.num_points(state)

    def query(self, state: SampledState, at: Progress, batch: Batch | None) -> Query:
        return self._descent.query(state, at.t, batch)

    def update(
        self,
        state: SampledState,
        at: Progress,
        query: Query,
        answer: Answer,
        counted: Counted | None,
    ) -> Update:
        after = self._descent.update(state, answer)
        x, y, dual = (part.copy() for part in self._descent.pair(after))
        here = state.stage != "start" and np.isfinite(answer[0]).all()
        loss = float(answer[0].mean()) if here else math.nan
        slope = norm(state.belief.v) if state.seen > 0 else math.nan
        step = self.record(at, x, loss, gradient_norm=slope, penalty=after.rho)
        at = missed(at, answer)._replace(x=x, y=y, dual=dual)
        if after.stage == "whole":
            return Update(at, Handover(prior=after), step)
        if after.stage == "lost":
            at = at._replace(known=at.known._replace(best=(x, y)))
            return Update(at, Handover("its slopes mislead", probe_again=True), step)
        return Update(at, after, step)

    def first_order(self, state: SampledState, at: Progress) -> FirstOrder | None:
        return self._descent.first_order(state)

    def has_moved(self, state: SampledState, at: Progress) -> bool:
        return state.steps > 0

    def remark(self, state: SampledState, at: Progress) -> str:
        return described(state)


def described(state: SampledState) -> str:
    """The remark about a descent by fresh observations."""
    said = f"Learned: no noise in values; {count_steps(state.steps)} by the slopes of "
    said += f"{state.seen} observations, each accepted by paired values."
    if state.steps > 0:
        return said
    return f"{said} No step was better than x0 by two standard errors so far."
