"""Algorithm 1 of the paper: ZOO-ADMM, and O-ADMM when the gradients are true ones.

    x_{t+1} = argmin_{x in X} <g_t, x> - <lambda_t, A x + B y_t - c>
              + (rho/2) |A x + B y_t - c|^2 + |x - x_t|^2_{G_t} / (2 eta_t)                   (6)
    y_{t+1} = argmin_y phi(y) - <lambda_t, A x_{t+1} + B y - c>
              + (rho/2) |A x_{t+1} + B y - c|^2                                               (3)
    lambda_{t+1} = lambda_t - rho (A x_{t+1} + B y_{t+1} - c)                                 (4)

where G_t = alpha I - rho eta_t A'A turns (6) into the projection (7). Equation numbers are those
of the paper; (6) is solved in `metrics`, (3) in `y_steps`. The algorithm never sees the loss:
`query` says what to evaluate, `step` consumes the answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from zooadmm.methods.method import Method, Output, Pair, State, Step
from zooadmm.methods.schedule import Schedule, usable
from zooadmm.oracle.gradients import FAR, GradientSource, Nearer, Residue
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, ProbeQuery, Query
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.problem import Problem
from zooadmm.structure.metrics import XStep
from zooadmm.structure.y_steps import YStep


@dataclass(frozen=True)
class Algorithm(Method):
    """The parameters of Algorithm 1.

    Condition: eta_t > 0 non-increasing, beta_t > 0, rho > 0 and
    alpha_t >= rho eta_t lambda_max(A'A) + 1, so that G_t >= I.
    """

    problem: Problem
    source: GradientSource
    step_size: Schedule
    """eta_t"""
    smoothing: Schedule
    """beta_t"""
    penalty: float
    """rho"""
    proximal_weight: Schedule
    """alpha_t"""
    x_step: XStep
    """how (6) is solved, for the metric G_t"""
    y_step: YStep
    """how (3) is solved"""
    key: Key
    """where the random directions come from"""
    learned_type = Nearer | Residue | None
    shrinks: bool = False
    """whether a probe that is not finite is taken nearer, instead of being an error"""

    def init(self, x: Vector, y: Vector, dual: Vector) -> State:
        """Line 1: the state before the first iteration."""
        return State(
            t=1, x=x, y=y, dual=dual, x_sum=np.zeros(len(x)), y_sum=np.zeros(len(y)), window=()
        )

    def drawn(self, state: State, batch: Batch | None) -> int:
        return state.t - (1 if batch is None else 0)

    def draw(self, state: State, observations: Observations) -> Batch:
        return observations.draw(state.t, self.source.num_observations, self.key, state.window)

    def cost(self, state: State) -> int:
        return self.source.evaluations(min(state.t, self.source.num_observations))

    def query(self, state: State, batch: Batch | None) -> Query:
        """What line 3 needs to know at x_t, on this iteration's observations."""
        beta = _nearer(state).factor * usable("smoothing", self.smoothing, state.t)
        domain = self.problem.domain
        query = self.source.query(state.t, state.x, beta, self.key, batch, domain, self.shrinks)
        if isinstance(query, ProbeQuery) and isinstance(state.learned, Residue):
            return query.after(state.learned.value)
        return query

    def step(
        self, state: State, query: Query, answer: Answer, counted: Counted | None = None
    ) -> tuple[State, Step]:
        """Lines 3 to 6 for iteration t, and the sums that the averages of line 13 are made of."""
        t, x, y, dual = state.t, state.x, state.y, state.dual
        # float: a numpy scalar would turn float32 iterates into float64
        rho, alpha = self.penalty, float(self.proximal_weight(t))
        eta, K = usable("step_size", self.step_size, t), self.problem.constraint
        if not alpha >= (rho * eta * K.lambda_max + 1) * (1 - 1e-12):
            raise ValueError(
                f"proximal_weight is {alpha:g} at t = {t}, below penalty * step_size * "
                "lambda_max(A'A) + 1; G_t >= I fails. Let step_size not increase, or raise it."
            )

        if (self.shrinks or counted is not None) and not np.isfinite(answer).all():
            return self._stay(state, query, answer, counted)
        g = self.source.gradient(query, answer, counted)  # (5), (14)-(16)
        loss = self.source.loss(query, answer, counted)
        r = K.residual(x, y)
        d = K.adjoint(dual - rho * r) - g
        x_next = self.x_step(x, d, eta, alpha)  # (6); by default Proj_X(x + (eta/alpha) d), (7)
        gradient_norm, residual, update = norm(g), norm(r), norm(x_next - x)
        del g, r, d  # an iteration holds no more than six vectors beside its state
        y_next = self.y_step(x_next, dual / rho, y)  # (3); a prox where B'B = tau I
        dual_next = dual - rho * K.residual(x_next, y_next)  # (4)

        learned: Nearer | Residue | None = None
        if isinstance(query, ProbeQuery):
            learned = Residue(float(answer.reshape(-1)[0]))
        elif state.learned is not None:
            learned = _nearer(state).recovered()
        loss = math.nan if loss is None else loss
        after = state.next(x_next, y_next, dual_next, learned)  # with the sums of line 13
        return after, Step(loss, gradient_norm, residual, update, eta, query.radius, rho)

    def _stay(
        self, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        """An iteration without an estimate: probes were not finite, or all that counts was dropped.

        x_t stays, and the next probes are nearer where these were too far. A loss that is not
        finite at x_t itself is an error.
        """
        learned = state.learned
        if self.shrinks and (counted is None or counted.any()):
            learned = _nearer(state).after(query, answer, state.x)
        with np.errstate(invalid="ignore"):
            loss = None if counted is not None else self.source.loss(query, answer)
        residual = norm(self.problem.constraint.residual(state.x, state.y))
        after = state.next(state.x, state.y, state.dual, learned)
        nan = math.nan
        loss = nan if loss is None else loss
        return after, Step(loss, nan, residual, 0.0, nan, query.radius, self.penalty)

    def recommended(self, state: State, output: Output) -> Pair:
        """The means of line 13, or the newest iterates."""
        if output == "average":
            return self.problem.without_rounding(state.x_mean), state.y_mean
        return state.x, state.y

    def rounding(self, query: Query, answer: Answer) -> float:
        return self.source.rounding(query, answer)

    def notice(self, before: State, after: State) -> str:
        if after.learned is None:
            return ""
        return _nearer(after).notice(_nearer(before), before.t)

    def remark(self, state: State) -> str:
        return _nearer(state).remark()

    def stationarity(self, before: State, step: Step, after: State) -> Vector:
        """g_t - A' lambda_{t+1} + n with n normal to X at x_{t+1}: zero at a solution.

        The x-step leaves n = -M_t (x_{t+1} - x_t) - g_t + A'(lambda_t - rho r_t), with
        M_t = G_t/eta_t + rho A'A.
        """
        if math.isnan(step.step_size):  # no step was taken
            return np.full(1, math.inf)
        rho, K, alpha = self.penalty, self.problem.constraint, float(self.proximal_weight(before.t))
        moved = self.x_step.metric(after.x - before.x, step.step_size, alpha)
        r, r_next = K.residual(before.x, before.y), K.residual(after.x, after.y)
        return rho * K.adjoint(r_next - r) - moved


def _nearer(state: State) -> Nearer:
    return state.learned if isinstance(state.learned, Nearer) else FAR
