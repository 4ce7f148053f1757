"""What ADMM with variance-reduced gradient estimates shares.

    y_{t+1} = argmin_y phi(y) - <lambda_t, A x_t + B y - c> + (rho/2) |A x_t + B y - c|^2
    x_{t+1} = argmin_{x in X} <v_t, x> - <lambda_t, A x + B y_{t+1} - c>
              + (rho/2) |A x + B y_{t+1} - c|^2 + |x - x_t|^2_G / (2 eta)
    lambda_{t+1} = lambda_t - rho (A x_{t+1} + B y_{t+1} - c)

with G = (rho eta lambda_max(A'A) + 1) I - rho eta A'A. Every `period` iterations v_t is the
estimate g(x_t) from all n observations. In between it corrects an older one by the change of the
estimate on `batch` observations, from a reference point r_t to x_t:

    v_t = g_batch(x_t) - g_batch(r_t) + v(r_t)

Which r_t is what tells `svrg` from `spider`. The estimates g take central differences along each
variable, 2 m evaluations an observation and point.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from zooadmm.methods.method import Method, Output, Pair, State, Step
from zooadmm.methods.schedule import Schedule, usable
from zooadmm.oracle.gradients import Smoothed
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, JoinedQuery, Query
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.problem import Problem
from zooadmm.structure.metrics import XStep
from zooadmm.structure.y_steps import YStep


class Reference(NamedTuple):
    """The point from which a gradient estimate is corrected."""

    x: Vector
    """r_t"""
    gradient: Vector
    """v(r_t)"""


@dataclass(frozen=True)
class VarianceReduced(Method):
    """ADMM on a finite sample, with gradient estimates that are corrected, not replaced.

    Condition: eta > 0, rho > 0. With eta and 1/rho of the order of 1/L, for gradients of Lipschitz
    constant L, the mean squared norm of the stationarity falls as 1/T, convex or not.
    """

    problem: Problem
    source: Smoothed
    """g: central differences along each variable"""
    step_size: Schedule
    """eta_t"""
    smoothing: Schedule
    """beta_t; differences are sqrt(m) beta_t long"""
    penalty: float
    """rho"""
    batch: int
    period: int
    sample: int
    """n"""
    x_step: XStep
    y_step: YStep
    key: Key
    learned_type = Reference

    @abstractmethod
    def reference(self, state: State, v: Vector) -> Reference:
        """r_{t+1} and v(r_{t+1}), once v_t is known."""

    def init(self, x: Vector, y: Vector, dual: Vector) -> State:
        learned = Reference(x, np.zeros_like(x))
        return State(1, x, y, dual, np.zeros(len(x)), np.zeros(len(y)), (), learned)

    def is_whole(self, t: int) -> bool:
        """Whether iteration t estimates its gradient from all observations."""
        return (t - 1) % self.period == 0

    def drawn(self, state: State, batch: Batch | None) -> int:
        return state.t

    def draw(self, state: State, observations: Observations) -> Batch:
        if self.is_whole(state.t):
            return observations.report(state.t, self.sample, self.key, ())[0]
        return observations.draw(state.t, self.batch, self.key, ())

    def cost(self, state: State) -> int:
        if self.is_whole(state.t):
            return self.source.evaluations(self.sample)
        return 2 * self.source.evaluations(self.batch)

    def query(self, state: State, batch: Batch | None) -> Query:
        beta = usable("smoothing", self.smoothing, state.t)
        points = [state.x] if self.is_whole(state.t) else [state.x, state.learned.x]
        parts = [
            self.source.query(state.t, x, beta, self.key, batch, self.problem.domain)
            for x in points
        ]
        return JoinedQuery(state.t, tuple(parts))

    def step(
        self, state: State, query: Query, answer: Answer, counted: Counted | None = None
    ) -> tuple[State, Step]:
        assert isinstance(query, JoinedQuery)
        t, x, dual, rho, K = state.t, state.x, state.dual, self.penalty, self.problem.constraint
        eta = usable("step_size", self.step_size, t)
        answers = query.split(answer)
        masks: Sequence[Counted | None] = [None, None] if counted is None else query.split(counted)
        v, *older = map(self.source.gradient, query.parts, answers, masks)
        if older:
            v = v - older[0] + state.learned.gradient
        y = self.y_step(x, dual / rho, state.y)
        d = K.adjoint(dual - rho * K.residual(x, y)) - v
        x_next = self.x_step(x, d, eta, self._weight(eta))
        dual_next = dual - rho * K.residual(x_next, y)
        after = state.next(x_next, y, dual_next, self.reference(state, v))
        loss = self.source.loss(query.parts[0], answers[0], masks[0])
        residual, update = norm(K.residual(x, state.y)), norm(x_next - x)
        loss = math.nan if loss is None else loss
        return after, Step(loss, norm(v), residual, update, eta, query.radius, rho)

    def _weight(self, eta: float) -> float:
        """The factor of I in G: the least with G >= I."""
        return self.penalty * eta * self.problem.constraint.lambda_max + 1.0

    def recommended(self, state: State, output: Output) -> Pair:
        """The newest iterates: means say nothing about a loss that is not convex."""
        return state.x, state.y

    def rounding(self, query: Query, answer: Answer) -> float:
        assert isinstance(query, JoinedQuery)
        return self.source.rounding(query.parts[0], query.split(answer)[0])

    def stationarity(self, before: State, step: Step, after: State) -> Vector:
        """-G (x_{t+1} - x_t) / eta = v_t - A' lambda_{t+1} + n, n normal to X at x_{t+1}."""
        K, moved = self.problem.constraint, after.x - before.x
        weighted = self.x_step.metric(moved, step.step_size, self._weight(step.step_size))
        change = K.residual(after.x, after.y) - K.residual(before.x, after.y)
        return self.penalty * K.adjoint(change) - weighted

    def remark(self, state: State) -> str:
        return ""


class StochasticVarianceReduced(VarianceReduced):
    """The reference is the first point of the period, whose gradient took all observations.

    v_t = g_batch(x_t) - g_batch(r) + g(r),  r = x_t at t = 1, 1 + period, 1 + 2 period, ...
    """

    def reference(self, state: State, v: Vector) -> Reference:
        if self.is_whole(state.t):
            return Reference(state.x, v)
        kept: Reference = state.learned
        return kept


class PathIntegrated(VarianceReduced):
    """The reference is the point before: estimates are summed along the path of the iterates.

    v_t = g_batch(x_t) - g_batch(x_{t-1}) + v_{t-1},  and g(x_t) at the start of a period
    """

    def reference(self, state: State, v: Vector) -> Reference:
        return Reference(state.x, v)
