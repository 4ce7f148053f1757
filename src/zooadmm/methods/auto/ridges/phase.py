"""A sampled loss without noise whose observations are ridges: see `zooadmm.methods.auto.ridges`."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.learned import Learned, learned_of
from zooadmm.methods.auto.phase import Phase, normals_at
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.ridges import RidgeState
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.method import State, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.problem.arrays import norm


def init(setup: Setup, state: State) -> State:
    """Before the first measurement."""
    learned = learned_of(state)
    spent = (1 + learned.drawn) * (2 + 2 * len(radius.LADDER))  # a probe for each so far
    ridges = setup.ridges.init(
        state.x, state.y, state.dual, learned.radius.length, learned.budget, spent, state.t + 1
    )
    x, y, dual = setup.ridges.pair(ridges)
    ridged = learned._replace(phase="ridges", ridges=ridges)
    return state._replace(x=x, y=y, dual=dual, learned=ridged)


def ridges_of(learned: Learned) -> RidgeState:
    """The state of the descent by ridges."""
    assert learned.ridges is not None
    return learned.ridges


class RidgePhase(Phase):
    """Values of some observations, and the answer that the ridges so far suggest."""

    def observations(self, setup: Setup, learned: Learned) -> int:
        return setup.ridges.portion(ridges_of(learned))[1]

    def cost(self, setup: Setup, learned: Learned) -> int:
        ridges = ridges_of(learned)
        return setup.ridges.portion(ridges)[1] * setup.ridges.num_points(ridges)

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        ridges = ridges_of(learned_of(state))
        return setup.ridges.query(ridges, state.t, batch, normals_at(setup, ridges.since))

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        learned = learned_of(state)
        before = ridges_of(learned)
        normals = normals_at(setup, before.since)
        after = setup.ridges.update(before, answer, state.t, normals)
        x, y, dual = setup.ridges.pair(after)
        missed = int(np.count_nonzero(~np.isfinite(answer)))
        learned = learned._replace(ridges=after, mishaps=learned.mishaps + (missed > 0))
        if after.stage == "lost":
            means = learned.means._replace(x=x, kept=(x, y))
            learned = learned._replace(
                phase="probe", ridges=None, ridges_ruled_out=True, anchor=x, means=means
            )
        here = isinstance(query, PointsQuery) and np.array_equal(query.candidates[0], state.x)
        step = Step(
            loss=float(answer[0].mean()) if here and np.isfinite(answer[0]).all() else math.nan,
            gradient_norm=math.nan,
            residual=norm(setup.problem.constraint.residual(state.x, state.y)),
            update=norm(x - state.x),
            step_size=math.nan,
            smoothing=before.length / math.sqrt(setup.problem.m),
            penalty=after.rho or math.nan,
        )
        return state._replace(x=x.copy(), y=y.copy(), dual=dual.copy(), learned=learned), step
