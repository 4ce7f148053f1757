"""The descent: x_{t+1} is the step of structure from x_t along -g_t, eta_t = r_t / sqrt(G_t)."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.learned import Learned, learned_of
from zooadmm.methods.auto.phase import Phase
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.auto.steps import distance, estimates, means, memory, scale
from zooadmm.methods.method import Pair, State, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, DifferenceQuery, PointsQuery, Query
from zooadmm.problem.arrays import norm


class Descend(estimates.Estimate):
    """An iteration."""

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        if not np.isfinite(answer).all():
            return estimates.mishap(setup, state, query, answer)
        learned, x = learned_of(state), state.x
        source, horizon = setup.source(learned), setup.auto.horizon
        g, v = setup.estimated(learned, query, answer, counted), learned.memory
        if len(v) > 0 and isinstance(query, DifferenceQuery):
            g, v = memory.corrected(v, g, query)
        eta = setup.eta(learned)
        to = setup.structure(state, x, g, eta)
        averaged = means.averaged(learned.means, x, g, horizon)
        where = to.x if math.isinf(horizon) else averaged.x
        gone = distance.travelled(
            learned.distance,
            eta,
            distance.length(to.x - x, learned.weights),
            distance.length(where - learned.anchor, learned.weights),
        )
        late = averaged.number >= averaged.next_check or gone.r >= averaged.reach
        due = setup.checks and late
        after = estimates.recovered(learned)._replace(
            phase="check" if due else "descend",
            distance=gone,
            memory=v,
            means=averaged,
            penalty=to.penalty,
        )
        loss = source.loss(query, answer, counted)
        step = Step(
            loss=math.nan if loss is None else loss,
            gradient_norm=norm(g),
            residual=norm(setup.problem.constraint.residual(x, state.y)),
            update=norm(to.x - x),
            step_size=eta,
            smoothing=abs(query.radius),
            penalty=to.penalty or math.nan,
        )
        return state._replace(x=to.x, y=to.y, dual=to.dual, learned=after), step


class Check(Phase):
    """The answer against the best pair known and against points further on, on the same values."""

    def observations(self, setup: Setup, learned: Learned) -> int:
        return setup.width(learned, max(1, learned.means.number // means.CHEAPER))

    def cost(self, setup: Setup, learned: Learned) -> int:
        return (2 + len(means.FURTHER)) * self.observations(setup, learned)

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        points = np.stack([x for x, _ in _rivals(setup, state)])
        return PointsQuery(state.t, points, batch, self.observations(setup, learned_of(state)))

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        learned, rivals = learned_of(state), _rivals(setup, state)
        table = answer + np.array([setup.phi(pair) for pair in rivals])[:, None]
        _, worse, doubt = scale.best(table[:2])
        j, further, further_doubt = scale.best(table[1:])
        kept, now = rivals[0], rivals[1]
        idle = setup.idle_step(state, math.nan)
        doubted, surprised = (
            worse > means.IN_DOUBT * doubt,
            learned.distance.r >= learned.means.reach,
        )
        lost = not math.isfinite(worse)
        if not lost and further < -means.BETTER * further_doubt and worse + further < 0.0:
            return _restarted(setup, state, rivals[2 + j], learned.distance.r, trusted=True), idle
        if lost or worse > means.BEYOND_DOUBT * doubt or (doubted and surprised):
            shorter = estimates.BACK * learned.distance.r
            return _restarted(setup, state, kept, shorter, trusted=False), idle
        noted = learned.means._replace(
            kept=now if worse < 0.0 else kept,
            trusted=not doubted,
            next_check=means.next_check(learned.means.number, doubted=doubted),
            reach=means.SURPRISE * learned.distance.r,
        )
        return state._replace(learned=learned._replace(phase="descend", means=noted)), idle


def _rivals(setup: Setup, state: State) -> list[Pair]:
    """The best pair known, the answer, and pairs as much further from x_1 as FURTHER says."""
    learned = learned_of(state)
    now = answer_now(setup, state)
    rivals = [learned.means.kept, now]
    for factor in means.FURTHER:
        x = setup.inside(learned.anchor + factor * (now[0] - learned.anchor))
        to = setup.structure(state, x, np.zeros_like(x), setup.eta(learned))
        rivals.append(setup.completed(to.x, to.y))
    return rivals


def _restarted(setup: Setup, state: State, pair: Pair, r: float, *, trusted: bool) -> State:
    """The descent from another pair, with the distance r or that from x_1 to there."""
    learned = learned_of(state)
    x = setup.inside(pair[0])
    away = distance.length(x - learned.anchor, learned.weights)
    after = learned._replace(
        phase="descend",
        distance=learned.distance._replace(r=max(r, away)),
        means=means.init(x, learned.means.gradient, pair, max(r, away), trusted=trusted),
    )
    return state._replace(x=x, y=pair[1], learned=after)


def answer_now(setup: Setup, state: State) -> Pair:
    """The step of structure from the mean iterate along the mean gradient."""
    learned = learned_of(state)
    if learned.means.number == 0:
        return learned.means.kept
    x = setup.inside(learned.means.x)
    eta = setup.eta(learned)
    if setup.has("answer"):
        tau = means.last_step(learned.scale.tau, eta, learned.means.number)
        to = setup.structure(state, x, learned.means.gradient, tau)
        return setup.completed(to.x, to.y)
    return setup.completed(x, setup.structure(state, x, np.zeros_like(x), eta).y)
