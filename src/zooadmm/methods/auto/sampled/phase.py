"""A sampled loss without noise: see `zooadmm.methods.auto.sampled`."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.learned import Learned, learned_of
from zooadmm.methods.auto.phase import Phase
from zooadmm.methods.auto.sampled import SampledState
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.method import State, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.problem.arrays import norm


def init(setup: Setup, state: State) -> State:
    """Before the first value."""
    learned = learned_of(state)
    sampling = setup.fresh.init(state.x, state.y, state.dual, learned.radius.rounding)
    x, y, dual = setup.fresh.pair(sampling)
    learned = learned._replace(phase="sampled", sampling=sampling, anchor=state.x)
    return state._replace(x=x, y=y, dual=dual, learned=learned)


def sampled_of(learned: Learned) -> SampledState:
    """The state of the descent in this phase."""
    assert learned.sampling is not None
    return learned.sampling


class SampledPhase(Phase):
    """Values of some observations, and the step that they decide on."""

    def observations(self, setup: Setup, learned: Learned) -> int:
        return setup.fresh.portion(sampled_of(learned))

    def cost(self, setup: Setup, learned: Learned) -> int:
        sampling = sampled_of(learned)
        return setup.fresh.portion(sampling) * setup.fresh.num_points(sampling)

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        return setup.fresh.query(sampled_of(learned_of(state)), state.t, batch)

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        learned = learned_of(state)
        before = sampled_of(learned)
        after = setup.fresh.update(before, answer)
        x, y, dual = setup.fresh.pair(after)
        missed = not np.isfinite(answer).all()
        learned = learned._replace(sampling=after, mishaps=learned.mishaps + missed)
        if after.stage == "whole":
            learned = learned._replace(phase="model")
        elif after.stage == "lost":
            means = learned.means._replace(x=x, kept=(x, y))
            learned = learned._replace(
                phase="probe", sampling=None, model_ruled_out=True, anchor=x, means=means
            )
        here = before.stage != "start" and np.isfinite(answer[0]).all()
        step = Step(
            loss=float(answer[0].mean()) if here else math.nan,
            gradient_norm=norm(before.belief.v) if before.seen > 0 else math.nan,
            residual=norm(setup.problem.constraint.residual(state.x, state.y)),
            update=norm(x - state.x),
            step_size=math.nan,
            smoothing=math.nan,
            penalty=after.rho or math.nan,
        )
        return state._replace(x=x.copy(), y=y.copy(), dual=dual.copy(), learned=learned), step
