"""A sampled loss without noise whose observations are ridges: see `zooadmm.methods.auto.ridges`."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from zooadmm.methods.auto.constants import DEFAULT_LENGTH, FEWEST_VALUES, MOST_MODELED
from zooadmm.methods.auto.known import Refusal
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.ridges import RidgeDescent, RidgeState, affordable
from zooadmm.methods.auto.steps import units
from zooadmm.methods.auto.strategy import Handover, Progress, Strategy, Update, missed
from zooadmm.methods.method import FirstOrder
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.problem.sets import ProbeSafe


class Ridges(Strategy[RidgeState]):
    """Values of some observations, and the answer that the ridges so far suggest."""

    name = "ridges"
    states = (RidgeState,)

    @cached_property
    def _descent(self) -> RidgeDescent:
        given = self.given
        metric = given.has("metric") and units.applicable(given.problem)
        inside = given.limits if isinstance(given.limits, ProbeSafe) else None
        return RidgeDescent(given.problem, given.samples, metric, inside)

    def init(self, at: Progress, handover: Handover) -> tuple[Progress, RidgeState] | Refusal:
        refusal = self._refused(at)
        if refusal is not None:
            return refusal
        known = at.known
        spent = (1 + known.drawn) * radius.PROBE  # a probe for each so far
        length = self._length(at)
        state = self._descent.init(at.x, at.y, at.dual, length, known.budget, spent, at.t + 1)
        x, y, dual = self._descent.pair(state)
        return at._replace(x=x, y=y, dual=dual), state

    def _length(self, at: Progress) -> float:
        """Length of differences: by the probe, or the default where the domain is too narrow."""
        length, x = at.known.radius.length, at.known.anchor
        fits = self._descent.measure.has_room(x, length)
        return length if fits else min(length, DEFAULT_LENGTH * radius.size(x))

    def _refused(self, at: Progress) -> Refusal | None:
        given, known, m = self.given, at.known, self.given.problem.m
        if not given.sampled:
            return Refusal("")
        if not given.has("ridges"):
            return Refusal("left out")
        if known.failed(self.name):
            return next(f for f in known.failures if f.strategy == self.name)
        if not given.in_turn:
            return Refusal("random draws" if given.samples > 0 else "a stream")
        if m > MOST_MODELED:
            return Refusal(f"more than {MOST_MODELED} variables")
        if known.radius.noise != 0.0:
            return Refusal("values are noisy")
        if not self._descent.measure.has_room(known.anchor, self._length(at)):
            return Refusal("the domain leaves no room for differences")
        if given.demands_steps:
            return Refusal(given.demands_steps)
        fewest = min(FEWEST_VALUES, given.samples)
        if known.budget > 0 and affordable(known.budget, m, given.samples) < fewest:
            return Refusal("the budget is too small", until=known.budget)
        return None

    def observations(self, state: RidgeState, at: Progress, source: Observations) -> Batch:
        return source.next(*self._descent.measure.portion(state), self.given.key)

    def drawn(self, state: RidgeState, at: Progress, batch: Batch) -> int:
        return max(at.known.drawn, self._descent.measure.portion(state)[0] + len(batch))

    def cost(self, state: RidgeState, at: Progress) -> int:
        return self._descent.measure.portion(state)[1] * self._descent.measure.num_points(state)

    def query(self, state: RidgeState, at: Progress, batch: Batch | None) -> Query:
        return self._descent.measure.query(state, at.t, batch, self.given.normals(state.since))

    def update(
        self, state: RidgeState, at: Progress, query: Query, answer: Answer, counted: Counted | None
    ) -> Update:
        given = self.given
        after = self._descent.update(state, answer, at.t, given.normals(state.since))
        x, y, dual = (part.copy() for part in self._descent.pair(after))
        here = isinstance(query, PointsQuery) and np.array_equal(query.candidates[0], at.x)
        loss = float(answer[0].mean()) if here and np.isfinite(answer[0]).all() else math.nan
        smoothing = state.length / math.sqrt(given.problem.m)
        step = self.record(at, x, loss, smoothing=smoothing, penalty=after.rho)
        at = missed(at, answer)._replace(x=x, y=y, dual=dual)
        if after.stage != "lost":
            return Update(at, after, step)
        tested = state.stage in ("test", "level")
        reason = "observations depend on several combinations" if tested else "given up"
        moved = not np.array_equal(x, at.known.anchor)  # else noise and lengths are known here
        at = at._replace(known=at.known._replace(best=(x, y)))
        return Update(at, Handover(reason, probe_again=moved), step)

    def first_order(self, state: RidgeState, at: Progress) -> FirstOrder | None:
        return self._descent.first_order(state)

    def has_moved(self, state: RidgeState, at: Progress) -> bool:
        return state.answered > 0

    def settled(self, state: RidgeState) -> bool:
        return state.stage == "settled"

    def remark(self, state: RidgeState, at: Progress) -> str:
        found = (
            "Learned: no noise in values, and each observation sees the variables through one "
            "combination of them"
        )
        N = len(state.directions)
        if N == 0:
            return f"{found}. The run ended before the first slopes were measured."
        if state.stage == "settled":
            kind = "Newton" if state.span == 0.0 else "bundle"
            steps = f"a {kind} step" if state.refits == 1 else f"{state.refits} {kind} steps"
            return f"{found}: the slopes of all {N} observations, and {steps}."
        said = f"{found}: the slopes of {N} observations"
        if state.num_narrow > 0 and state.answered == N:
            said += f", and {state.num_narrow} others along the few directions that matter most"
        return f"{said}."
