"""The search across jumps: rounds of points drawn around the best, see `adaptation`."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import HALF_DIGITS, MANY, MOST_MODELED
from zooadmm.methods.auto.jumps.adaptation import Adaptation, number
from zooadmm.methods.auto.jumps.rounds import Rounds
from zooadmm.methods.auto.jumps.state import JumpState
from zooadmm.methods.auto.known import Refusal
from zooadmm.methods.auto.model import Model, Normals, line
from zooadmm.methods.auto.strategy import Handover, Progress, Update, missed
from zooadmm.methods.method import Pair
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.problem.arrays import Vector
from zooadmm.structure.splitting import Solved


class Jumps(Rounds[JumpState]):
    """Rounds of points; the answer is the best of all that were evaluated."""

    name = "jumps"
    states = (JumpState,)

    def init(self, at: Progress, handover: Handover) -> tuple[Progress, JumpState] | Refusal:
        """Where values repeat and no model fits them; from the best point that is known."""
        given, known = self.given, at.known
        exact = known.radius.noise == 0.0 and not given.sampled
        if (
            not (exact and known.failed("model"))
            or given.demands_steps
            or isinstance(handover.prior, Model)
        ):
            return Refusal("")
        if given.problem.m > MOST_MODELED:
            return Refusal(f"more than {MOST_MODELED} variables")
        start, loss = self._minimizer.init(at.x, at.y, at.dual), known.loss
        if known.lowest < loss + self._minimizer.phi(start):
            start, loss = line.at(self._minimizer, start, known.lowest_x), known.lowest_loss
        normals = given.normals(at.t)
        step = self._first_step(start, normals)
        value = loss + self._minimizer.phi(start)
        if not (step > 0.0 and math.isfinite(value)):
            return Refusal("no room around x")
        first = Adaptation.of(len(at.x), number(len(at.x))).first(start.x, step)
        empty = np.zeros((0, len(at.x)))
        state = JumpState(empty, empty, first, start, value, step, 0, 0, 0, 0)
        return at, self._asking(state, number(len(at.x)), normals)

    def _asking(self, state: JumpState, points: int, normals: Normals) -> JumpState:
        """The points of the next round."""
        cloud, draws, ask = self._round(state.cloud, state.best, state.first_step, normals(points))
        return state._replace(ask=ask, draws=draws, cloud=cloud)

    def query(self, state: JumpState, at: Progress, batch: Batch | None) -> Query:
        return PointsQuery(at.t, state.ask, batch)

    def update(
        self, state: JumpState, at: Progress, query: Query, answer: Answer, counted: Counted | None
    ) -> Update:
        self._minimizer.renew()  # a resumed run begins with a new one
        losses = np.asarray(answer).reshape(-1)
        again = len(state.ask) > len(state.draws)  # the first point is the best, again
        pairs = [line.at(self._minimizer, state.best, x) for x in state.ask[again:]]
        pairs = [state.best, *pairs] if again else pairs
        values = losses + np.array(self._minimizer.phis(pairs))
        values = np.where(np.isfinite(values), values, math.inf)
        if again and abs(values[0] - state.value) > HALF_DIGITS * abs(state.value):
            idle = self.idle_step(at, float(losses[0]))
            return Update(at, Handover(probe_again=True), idle)
        pairs, values = pairs[again:], values[again:]
        after = self._after(state, pairs, values, self.given.normals(at.t))
        newest = line.at(self._minimizer, after.best, after.cloud.mean)
        x, y, dual = (part.copy() for part in self._minimizer.pair(newest))
        size = state.cloud.step if after.steps > state.steps else math.nan
        step = self.record(at, x, float(losses.min()), step_size=size)
        return Update(missed(at, losses)._replace(x=x, y=y, dual=dual), after, step)

    def _after(
        self, state: JumpState, pairs: list[Solved], values: Vector, normals: Normals
    ) -> JumpState:
        """The best pair, and the next round.

        A search ends on a plateau, or once it has found nothing better for as long as it took to
        find its best. The next one begins at the best, with twice as many points a round.
        """
        points = len(values)
        state = state._replace(spent=state.spent + points)
        lowest = int(np.argmin(values))
        if values[lowest] < state.value:
            best, value = pairs[lowest], float(values[lowest])
            state = state._replace(best=best, value=value, found=state.spent, steps=state.steps + 1)
        adaptation = Adaptation.of(len(state.best.x), points)
        plateau = np.ptp(values) == 0.0 and state.cloud.step < state.first_step
        if plateau or state.spent - state.found > state.found - state.began + MANY * points:
            cloud = adaptation.first(state.best.x, state.first_step)
            state = state._replace(cloud=cloud, began=state.spent, found=state.spent)
            state = self._asking(state, 2 * points, normals)
            if state.steps == 0:  # the probe has evaluated it again
                return state
            return state._replace(ask=np.vstack([state.best.x, state.ask]))
        mean = adaptation.mean(state.cloud, state.draws, values)
        to = self._minimizer.allowed(state.best, mean[None])[0]
        cloud = adaptation.updated(state.cloud, state.draws, values, to)
        return self._asking(state._replace(cloud=cloud), points, normals)

    def estimate(self, state: JumpState, at: Progress) -> Pair:
        x, y, _ = self._minimizer.pair(state.best)
        return x, y

    def has_moved(self, state: JumpState, at: Progress) -> bool:
        return True

    def remark(self, state: JumpState, at: Progress) -> str:
        length = state.cloud.step * math.sqrt(float(np.trace(state.cloud.C)))
        return (
            "Learned: the loss gives the same value every time, but no quadratic model fits it: it "
            "has jumps or kinks, or is not finite where its optimum lies. A search by the order of "
            f"values took over (CMA-ES), with points {length:.2g} apart now; x is the best of "
            f"{state.spent} points."
        )
