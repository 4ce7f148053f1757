"""A loss without noise: descent by a quadratic model of it, see `zooadmm.quasi_newton`."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.algorithm import State, Step
from zooadmm.arrays import Matrix, norm
from zooadmm.auto.knowledge import Learned, learned_by
from zooadmm.auto.phases import Phase
from zooadmm.auto.setup import Setup
from zooadmm.observations import Batch
from zooadmm.quasi_newton import Model
from zooadmm.queries import Answer, PointsQuery, Query
from zooadmm.randomness import Purpose, generator_at

MUCH_LESS = 0.01
"""A loss that has fallen to this part of its first size is looked at anew before the run settles:
what was rounding beside the first values may be much beside the last."""


def begun(setup: Setup, state: State, loss: float) -> State:
    """The model at x_t, where the loss is `loss`."""
    learned = learned_by(state)
    model = setup.quasi_newton.begun(state.x, state.y, state.dual, loss, learned.radius.rounding)
    if learned.model is not None:
        model = model._replace(steps=learned.model.steps)
    return state._replace(learned=learned._replace(phase="model", model=model))


class Modeled(Phase):
    """Values that the model wants; a step where they have led to one."""

    def cost(self, setup: Setup, learned: Learned) -> int:
        return len(_model(learned).ask)

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        return PointsQuery(state.t, _model(learned_by(state)).ask, batch)

    def read(self, setup: Setup, state: State, query: Query, answer: Answer) -> tuple[State, Step]:
        learned = learned_by(state)
        before = _model(learned)

        def normals(count: int) -> Matrix:
            generator = generator_at(setup.key, Purpose.DIRECTIONS, state.t)
            return generator.standard_normal((count, setup.problem.m))

        after = setup.quasi_newton.told(before, answer[:, 0], normals)
        x, y, dual = setup.quasi_newton.minimizer.pair(after.at)
        missed = int(np.count_nonzero(~np.isfinite(answer)))
        learned = learned._replace(model=after, mishaps=learned.mishaps + (missed > 0))
        if after.stage == "lost":
            means = learned.means._replace(x=x, kept=(x, y))
            learned = learned._replace(phase="probe", model=None, unfit=True, anchor=x, means=means)
        elif after.stage == "settled" and abs(after.loss) < MUCH_LESS * after.first_size:
            learned = learned._replace(phase="probe")  # its rounding is no longer known
        moved = after.steps > before.steps
        step = Step(
            loss=before.loss,
            gradient_norm=norm(before.belief.v) if before.stage != "start" else math.nan,
            residual=norm(setup.problem.constraint.residual(state.x, state.y)),
            update=norm(x - state.x),
            step_size=1.0 if moved else math.nan,
            smoothing=math.nan,
            penalty=after.rho or math.nan,
        )
        return state._replace(x=x.copy(), y=y.copy(), dual=dual.copy(), learned=learned), step


def _model(learned: Learned) -> Model:
    assert learned.model is not None
    return learned.model
