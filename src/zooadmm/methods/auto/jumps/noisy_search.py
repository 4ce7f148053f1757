"""The search by order behind noise: see `adaptation`, and `noisy.comparison` for the answer.

Of noisy values the least is not the best. The mean of the better half averages over the noise of a
round; its points double where the level of the rounds no longer falls, so that the order of
values says more. The answer is the mean of these means, once repeated values do not show it to be
worse than the best pair.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import FEW, LATEST, SURE
from zooadmm.methods.auto.jumps.adaptation import Adaptation, number
from zooadmm.methods.auto.jumps.rounds import Rounds
from zooadmm.methods.auto.jumps.state import OrderState
from zooadmm.methods.auto.known import Refusal
from zooadmm.methods.auto.model import Normals, line
from zooadmm.methods.auto.noisy import FilterState
from zooadmm.methods.auto.noisy.comparison import combined, most_repeats, num_errors, pooled
from zooadmm.methods.auto.noisy.state import Best
from zooadmm.methods.auto.strategy import Handover, Progress, Update, missed, unimproved_remark
from zooadmm.methods.method import Pair
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.problem.arrays import Vector
from zooadmm.structure.splitting import Solved


class NoisySearch(Rounds[OrderState]):
    """Rounds of points, and comparisons of their mean with the best pair."""

    name = "order"
    states = (OrderState,)

    def init(self, at: Progress, handover: Handover) -> tuple[Progress, OrderState] | Refusal:
        """From the best pair of a filter that no curvature fits."""
        known = handover.prior
        if not isinstance(known, FilterState) or known.rounded:
            return Refusal("")
        m, best, normals = len(at.x), known.best, self.given.normals(at.t)
        step = self._first_step(best.at, normals)
        if not step > 0.0:
            return Refusal("no room around x")
        first = Adaptation.of(m, number(m)).first(best.at.x, step)
        empty = np.zeros((0, m))
        state = OrderState(
            stage="round",
            ask=empty,
            repeats=1,
            draws=empty,
            cloud=first,
            first_step=step,
            points=number(m),
            levels=np.zeros(0),
            mean=best.at.x,
            averaged=0,
            spent=known.spent,
            next_check=math.ceil((1.0 + LATEST) * known.spent),
            spread=known.spread,
            best=best,
            start=known.start,
            steps=known.steps,
        )
        return at, self._asking(state, normals)

    def _asking(self, state: OrderState, normals: Normals) -> OrderState:
        """The points of the next round."""
        best, first = state.best.at, state.first_step
        cloud, draws, ask = self._round(state.cloud, best, first, normals(state.points))
        return state._replace(stage="round", ask=ask, repeats=1, draws=draws, cloud=cloud)

    def query(self, state: OrderState, at: Progress, batch: Batch | None) -> Query:
        return PointsQuery(at.t, state.ask, batch, state.repeats)

    def update(
        self, state: OrderState, at: Progress, query: Query, answer: Answer, counted: Counted | None
    ) -> Update:
        self._minimizer.renew()  # a resumed run begins with a new one
        known = state._replace(spent=state.spent + answer.size)
        after = self._after(known, answer, self.given.normals(at.t))
        newest = line.at(self._minimizer, after.best.at, after.cloud.mean)
        x, y, dual = (part.copy() for part in self._minimizer.pair(newest))
        size = state.cloud.step if after.steps > state.steps else math.nan
        step = self.record(at, x, float(np.mean(answer)), step_size=size)
        return Update(missed(at, answer)._replace(x=x, y=y, dual=dual), after, step)

    def _after(self, state: OrderState, answer: Answer, normals: Normals) -> OrderState:
        if state.stage == "check":
            return self._asking(self._compared(state, answer), normals)
        losses = np.asarray(answer).reshape(-1)
        pairs = [line.at(self._minimizer, state.best.at, x) for x in state.ask]
        phi = np.array(self._minimizer.phis(pairs))
        values = np.where(np.isfinite(losses), losses + phi, math.inf)
        moved = self._paced(self._moved(state, values))
        if moved.spent >= moved.next_check:
            return self._checking(moved)
        return self._asking(moved, normals)

    def _paced(self, state: OrderState) -> OrderState:
        """With twice the points where the level of the last rounds does not fall beyond noise."""
        if len(state.levels) < 2 * FEW:
            return state
        early, late = np.split(state.levels, 2)
        error = math.sqrt((early.var() + late.var()) / (FEW - 1))
        if late.mean() < early.mean() - SURE * error:
            return state._replace(levels=late)
        return state._replace(levels=late[:0], points=2 * state.points)

    def _moved(self, state: OrderState, values: Vector) -> OrderState:
        """The cloud after the values of a round."""
        adaptation = Adaptation.of(len(state.mean), len(values))
        mean = adaptation.mean(state.cloud, state.draws, values)
        to = self._minimizer.allowed(state.best.at, mean[None])[0]
        cloud = adaptation.updated(state.cloud, state.draws, values, to)
        finite, averaged = values[np.isfinite(values)], state.averaged + 1
        level = float(finite.mean()) if len(finite) > 0 else math.inf
        return state._replace(
            cloud=cloud,
            levels=np.append(state.levels, level),
            mean=state.mean + (to - state.mean) / averaged,
            averaged=averaged,
        )

    def _candidate(self, state: OrderState) -> Solved:
        near = state.best.at
        return line.at(self._minimizer, near, self._minimizer.allowed(near, state.mean[None])[0])

    def _is_start(self, state: OrderState) -> bool:
        """Whether x0 is the best pair known."""
        return np.array_equal(state.best.at.x, state.start)

    def _checking(self, state: OrderState) -> OrderState:
        """The mean and the best pair, as often as a comparison may cost."""
        repeats = max(2, most_repeats(state.spent, self._is_start(state)))
        ask = np.stack([self._candidate(state).x, state.best.at.x])
        return state._replace(stage="check", ask=ask, repeats=repeats)

    def _compared(self, state: OrderState, answer: Answer) -> OrderState:
        """The mean unless it is seen to be worse than the best pair; x0 is left if it is better."""
        candidate, leaving, phi = self._candidate(state), self._is_start(state), self._minimizer.phi
        spread, means, errors = pooled(state.spread, answer)
        after = Best(candidate, means[0] + phi(candidate), errors[0])
        again = Best(state.best.at, means[1] + phi(state.best.at), errors[1])
        best = combined(state.best, again) if leaving else again
        worse, doubt = after.value - best.value, math.hypot(after.error, best.error)
        taken = worse < (-num_errors(spread) if leaving else 1.0) * doubt
        return state._replace(
            best=after if taken else best,
            steps=state.steps + taken,
            spread=spread,
            next_check=math.ceil((1.0 + LATEST) * state.spent),
            averaged=0,
        )

    def estimate(self, state: OrderState, at: Progress) -> Pair:
        x, y, _ = self._minimizer.pair(state.best.at)
        return x, y

    def has_moved(self, state: OrderState, at: Progress) -> bool:
        return True

    def remark(self, state: OrderState, at: Progress) -> str:
        best = state.best
        said = (
            f"Learned: noise {state.spread.sigma:.2g} in a value, and no quadratic model fits the "
            "loss behind it: it has jumps or kinks. A search by the order of values took over "
            f"(CMA-ES), with {state.points} points a round now. "
            f"The objective at x is {best.value:.6g} with a standard error of {best.error:.1g}."
        )
        return said + (unimproved_remark() if np.array_equal(best.at.x, at.known.start) else "")
