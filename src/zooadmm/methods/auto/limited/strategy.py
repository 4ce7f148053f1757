"""Descent by a limited-memory model of the loss, for more variables than a matrix is kept for."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from zooadmm.methods.auto.constants import COARSE, HALF_DIGITS, MOST_MODELED
from zooadmm.methods.auto.known import Refusal
from zooadmm.methods.auto.limited.descent import LimitedDescent
from zooadmm.methods.auto.limited.state import LimitedState
from zooadmm.methods.auto.model import rounding
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.strategy import Handover, Progress, Strategy, Update, count_steps, missed
from zooadmm.methods.method import FirstOrder, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.problem.arrays import Vector, norm
from zooadmm.structure.model_step import Solved


class Limited(Strategy[LimitedState]):
    """For exact losses of many variables."""

    name = "limited memory"
    states = (LimitedState,)

    @cached_property
    def descent(self) -> LimitedDescent:
        return LimitedDescent(self.given.problem)

    def init(self, at: Progress, handover: Handover) -> tuple[Progress, LimitedState] | Refusal:
        refused = self._refused(at)
        if refused is not None:
            return refused
        known, loss = at.known.radius, at.known.loss
        eps = max(known.rounding, rounding.of(loss))
        return at, self.descent.init(Solved(at.x, at.y, at.dual, 0.0), loss, eps)

    def _refused(self, at: Progress) -> Refusal | None:
        given, known, m = self.given, at.known, self.given.problem.m
        other = given.sampled or known.radius.noise != 0.0 or m <= MOST_MODELED
        if other or known.failed(self.name) or given.demands_steps:
            return Refusal("")
        if not given.has("model"):
            return Refusal("left out")
        if not (math.isfinite(known.loss) and np.array_equal(at.x, known.anchor)):
            return Refusal("the loss at x is not known")
        if not math.isfinite(given.problem.regularizer(at.y)):
            return Refusal("the regularizer is infinite at x0")
        if not self.descent.step.applies:
            return Refusal("its steps would need a matrix, which is too large")
        needed = 2 * (2 * m) + radius.PROBE  # twice what first slopes and curvatures take
        short = 0 < known.budget < needed
        reason = f"the budget is too small: it needs {needed} evaluations"
        return Refusal(reason, until=known.budget) if short else None

    def query(self, state: LimitedState, at: Progress, batch: Batch | None) -> Query:
        return PointsQuery(at.t, state.ask, batch)

    def update(
        self,
        state: LimitedState,
        at: Progress,
        query: Query,
        answer: Answer,
        counted: Counted | None,
    ) -> Update:
        after = self.descent.update(state, answer.mean(axis=1))
        x, y, dual = after.at.x.copy(), after.at.y.copy(), after.at.dual.copy()
        step = self.record(
            at,
            x,
            state.loss,
            gradient_norm=norm(state.g) if state.stage in ("value", "further") else math.nan,
            step_size=1.0 if after.steps > state.steps else math.nan,
        )
        now = missed(at, answer)._replace(x=x, y=y, dual=dual)
        if after.stage == "lost" or self._is_blind(after, at):
            now = now._replace(known=now.known._replace(best=(x, y)))
            return Update(now, Handover("no model fits", probe_again=True), step)
        return Update(now, after, step)

    def _is_blind(self, state: LimitedState, at: Progress) -> bool:
        """Whether the descent is settled only because values are too coarse."""
        known = at.known.radius
        size = max(abs(state.first_loss), known.change) or 1.0
        return state.stage == "settled" and known.rounding > COARSE * size

    def stationarity(self, state: LimitedState, at: Progress, step: Step, way: Vector) -> Vector:
        """H (x_t - x_{t+1}); nothing is known where the step was cut short."""
        if norm(way) < (1.0 - HALF_DIGITS) * norm(state.to.x - state.at.x):
            return np.full(1, math.inf)
        return self.descent.curved(state, way)

    def first_order(self, state: LimitedState, at: Progress) -> FirstOrder | None:
        return self.descent.first_order(state, at.known.radius.change)

    def has_moved(self, state: LimitedState, at: Progress) -> bool:
        return state.steps > 0 or self.settled(state)

    def settled(self, state: LimitedState) -> bool:
        return state.stage == "settled"

    def remark(self, state: LimitedState, at: Progress) -> str:
        return (
            f"Learned: {radius.described(at.known.radius)}, rounding {state.eps:.1g}; "
            f"{count_steps(state.steps)} by a limited-memory model of the loss, each with a "
            "gradient by differences."
        )
