"""Steps by gradient estimates, for any loss: noisy, drifting, with kinks or jumps.

    length          noise: how far apart must points be?                          probe/radius
    gather, search  the scale of the problem and of its variables, at x_1         search, scale
    descend         x_{t+1} = step of structure from x_t along -g_t               descent, distance
    check           is the answer better than the best known?                     descent, means

g_t is estimated on one fresh observation along as many directions as there are variables: for a
given number of evaluations no other split has less variance.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from zooadmm.methods.auto.constants import MOST_MODELED
from zooadmm.methods.auto.known import Refusal
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.steps import descent, estimates, means, search, units
from zooadmm.methods.auto.steps.state import Gathered, Stage, StepsState
from zooadmm.methods.auto.steps.tools import StepTools
from zooadmm.methods.auto.strategy import (
    Handover,
    Progress,
    Strategy,
    Update,
    missed,
    unimproved_remark,
)
from zooadmm.methods.method import Pair, Step
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.sets import ProbeSafe


class StepsStrategy(Strategy[StepsState]):
    """The descent by steps; it refuses nothing."""

    name = "steps"
    states = (StepsState,)

    @cached_property
    def tools(self) -> StepTools:
        return StepTools(self.given)

    def init(self, at: Progress, handover: Handover) -> tuple[Progress, StepsState] | Refusal:
        given, tools, known, m = self.given, self.tools, at.known, len(at.x)
        q1 = tools.num_directions(known.budget)
        zero = np.zeros(m)
        state = StepsState(
            stage=self._after_length(),
            num_directions=q1,
            length=known.radius.length,
            gathered=Gathered(0, 0, (zero, zero), (zero, zero)),
            weights=units.NONE,
            means=means.init(at.x, zero, math.inf, trusted=True),
        )
        target = tools.first_estimates(state, known)
        state = state._replace(gathered=state.gathered._replace(target=target))
        at = self._from_here(at)
        by_user = given.smoothing is not None and not given.auto.noise
        if not (by_user or math.isfinite(state.length)):
            return at, state._replace(stage="length")
        return at, state

    def _from_here(self, at: Progress) -> Progress:
        """The progress, with the present pair as the best one known."""
        return at._replace(known=at.known._replace(best=self.tools.completed(at.x, at.y)))

    def _after_length(self) -> Stage:
        return "gather" if self.given.step_size is None else "descend"

    # queries

    def _width(self, state: StepsState, at: Progress) -> int:
        """Observations of the next query."""
        if state.stage == "search":
            return self.tools.width(state, at.known, state.gathered.number)
        if state.stage == "check":
            return descent.check_width(self.tools, state, at)
        return self.tools.source_of(state, at.known).num_observations

    def observations(self, state: StepsState, at: Progress, source: Observations) -> Batch:
        key = self.given.key
        if state.stage == "length":  # on one observation, so that noise is all that differs
            return at.window[:1] or source.next(0, 1, key)
        return source.next(at.known.drawn, self._width(state, at), key)

    def drawn(self, state: StepsState, at: Progress, batch: Batch) -> int:
        ahead = state.stage == "check" and self.given.in_turn  # they come nevertheless
        return at.known.drawn + (0 if ahead or state.stage == "length" else len(batch))

    def cost(self, state: StepsState, at: Progress) -> int:
        if state.stage == "length":
            return 2 * radius.PAIRS
        if state.stage == "search":
            return (1 + len(self.tools.factors)) * self._width(state, at)
        if state.stage == "check":
            return 2 * self._width(state, at)
        source = self.tools.source_of(state, at.known)
        return source.evaluations(source.num_observations)

    def query(self, state: StepsState, at: Progress, batch: Batch | None) -> Query:
        given, tools = self.given, self.tools
        if state.stage == "length":
            inside = given.limits if isinstance(given.limits, ProbeSafe) else None
            return radius.pairs(at.t, at.x, at.known.radius, given.key, batch, inside)
        if state.stage in ("search", "check"):
            at_points = search.points if state.stage == "search" else descent.check_points
            return PointsQuery(at.t, at_points(tools, state, at), batch, self._width(state, at))
        if given.smoothing is None:  # x_1 may have been nearer to zero
            state = state._replace(length=max(state.length, radius.shortest(at.x)))
        beta = given.beta(state.length, at.t)
        beta, source = -beta if state.flipped else beta, tools.source_at(state, at)
        domain = given.problem.domain
        return source.query(at.t, at.x, beta, given.key, batch, domain, forgiving=True)

    # updates

    def update(
        self, state: StepsState, at: Progress, query: Query, answer: Answer, counted: Counted | None
    ) -> Update:
        if state.stage == "length":
            return self._measured(state, at, answer)
        if state.stage == "search":
            after, to = search.searched(self.tools, state, at, answer)
            idle = self.idle_step(at, float(answer[0].mean()), state.length)
            if to is None:
                return Update(at, after, idle)
            moved = self._from_here(at._replace(x=to.x, y=to.y, dual=to.dual))
            return Update(moved, after, idle._replace(update=norm(to.x - at.x)))
        if state.stage == "check":
            after, (x, y), best = descent.checked(self.tools, state, at, answer)
            idle = self.idle_step(at, math.nan, state.length)
            known = at.known._replace(best=best)
            return Update(at._replace(x=x, y=y, known=known), after, idle)
        if not np.isfinite(answer).all():
            return self._mishap(state, at, query, answer)
        return self._estimated(state, at, query, answer, counted)

    def _measured(self, state: StepsState, at: Progress, answer: Answer) -> Update:
        """The length from which curvature rises above the noise."""
        known, given = at.known.radius, self.given
        if not np.isfinite(answer).all():
            known = known._replace(length=known.trial / 2)  # not so far
        else:
            most = radius.farthest(at.x, given.problem.domain)
            known = radius.read_pairs(known, at.x, answer, float(most.min()))
            if not math.isfinite(known.length):
                known = radius.fitted(known, at.x, given.limits)
        idle = self.idle_step(at, math.nan)
        at = at._replace(known=at.known._replace(radius=known))
        if given.smoothing is not None or math.isfinite(known.length):
            state = state._replace(stage=self._after_length(), length=known.length)
        return Update(at, state, idle)

    def _mishap(self, state: StepsState, at: Progress, query: Query, answer: Answer) -> Update:
        after, x, y = estimates.mishap(self.tools, state, at, query, answer)
        loss = math.nan if after.at_edge else float(answer.reshape(-1)[0])
        idle = self.idle_step(at, loss, state.length)
        if not after.at_edge:
            idle = idle._replace(update=norm(x - at.x))
        return Update(missed(at, answer)._replace(x=x, y=y), after, idle)

    def _estimated(
        self, state: StepsState, at: Progress, query: Query, answer: Answer, counted: Counted | None
    ) -> Update:
        """After a gradient estimate: one more at x_1, or a step."""
        tools = self.tools
        loss = tools.source_of(state, at.known).loss(query, answer, counted)
        loss = math.nan if loss is None else loss
        state, at = self._noted(state, at, loss)
        g = tools.estimated(state, at.known, query, answer, counted)
        if state.stage == "gather":
            after = search.gathered(tools, estimates.recovered(state), at, g)
            idle = self.idle_step(at, loss, state.length)
            return Update(at, after, idle._replace(gradient_norm=norm(g)))
        after, to, eta = descent.stepped(tools, state, at, g)
        step = self.record(
            at,
            to.x,
            loss,
            gradient_norm=norm(g),
            step_size=eta,
            smoothing=abs(query.radius),
            penalty=to.penalty,
        )
        return Update(at._replace(x=to.x, y=to.y, dual=to.dual), after, step)

    def _noted(self, state: StepsState, at: Progress, loss: float) -> tuple[StepsState, Progress]:
        """x as the best pair known, where its value is the least and A x + B y = c holds."""
        value = loss + self.tools.phi((at.x, at.y))
        satisfied = not self.given.problem.constraint.residual(at.x, at.y).any()
        if not (self.tools.is_compared(at.known) and satisfied and value < state.lowest):
            return state, at
        best = at.known._replace(best=self.tools.completed(at.x, at.y))
        return state._replace(lowest=value), at._replace(known=best)

    # what it says

    def estimate(self, state: StepsState, at: Progress) -> Pair:
        """The best pair by values of a loss without noise, once these are known; else the mean."""
        doubted = not state.means.trusted and self.given.checks
        if state.at_edge or doubted or math.isfinite(state.lowest):
            return at.known.best
        return descent.answer_now(self.tools, state, at)

    def stationarity(self, state: StepsState, at: Progress, step: Step, way: Vector) -> Vector:
        """W (x_t - x_{t+1}) / eta_t, the mapped gradient."""
        return np.asarray(state.weights * way / step.step_size)

    def has_moved(self, state: StepsState, at: Progress) -> bool:
        return state.means.number > 0 or at.known.failed("model", "sampled")

    def settled(self, state: StepsState) -> bool:
        return state.at_edge

    def remark(self, state: StepsState, at: Progress) -> str:
        said = f"Learned: {', '.join(self._figures(state, at))}."
        if state.means.number == 0:
            return f"{said} The run ended before the descent began."
        if at.known.failed("model", "sampled") and at.known.radius.noise == 0.0:
            m = self.given.problem.m
            many = f", or more than {MOST_MODELED} variables matter" if m > MOST_MODELED else ""
            said += (
                " The loss gives the same value every time, but no quadratic model fits it: it has "
                f"kinks or jumps, or is not finite where its optimum lies{many}; steps as for "
                "a noisy loss took over."
            )
        if state.at_edge:
            said += (
                " x lies at the edge of where the loss is finite, and all steps lead beyond it: "
                "give that edge as domain, or mistrust x."
            )
        unimproved = np.array_equal(at.known.best[0], at.known.anchor)
        return said + (unimproved_remark() if not state.means.trusted and unimproved else "")

    def _figures(self, state: StepsState, at: Progress) -> list[str]:
        figures = [radius.described(at.known.radius)]
        if math.isfinite(state.length):
            figures.append(f"points {state.length:.2g} apart")
        if state.stage in ("descend", "check") and math.isfinite(self.tools.eta(state)):
            figures.append(f"step {self.tools.eta(state):.2g}")
        if state.penalty > 0.0:
            figures.append(f"penalty {state.penalty:.2g}")
        if len(state.weights) > 1:
            spread = math.sqrt(float(state.weights.max() / state.weights.min()))
            figures.append(f"variables of scales {spread:.2g} apart")
        return figures
