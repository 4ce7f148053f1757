"""A loss without noise: descent by a quadratic model of it, see `zooadmm.methods.auto.model`."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.kinks import Kinked
from zooadmm.methods.auto.learned import Learned, Radius, learned_by
from zooadmm.methods.auto.model import Model, Normals
from zooadmm.methods.auto.phase import Phase
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.auto.working_set import Working
from zooadmm.methods.method import State, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.oracle.randomness import Purpose, generator_at
from zooadmm.problem.arrays import Matrix, Vector, norm

COARSE = 1e-6
"""Rounding, as a part of the loss, from which values have steps and plateaus."""

FLAT = 0.5
"""The part of the variables along which nothing changes, from which x is on a plateau."""


def begun(setup: Setup, state: State, loss: float) -> State:
    """The model at x_t, where the loss is `loss`.

    What is yet unknown is asked for first: the mean over all samples, and the loss at another x
    where A x + B y = c has no y of Y for this one.
    """
    learned = learned_by(state)
    if learned.model is not None:
        return _at(setup, state, loss)
    x, y = setup.quasi_newton.feasible(state.x, state.y)
    if setup.sampled or x is not state.x:
        return state._replace(x=x, y=y, learned=learned._replace(phase="model"))
    return _at(setup, state, loss)


def _at(setup: Setup, state: State, loss: float) -> State:
    learned = learned_by(state)
    known, normals = learned.radius, normals_at(setup, state.t)
    eps = max(known.rounding, radius.ULPS * float(np.spacing(abs(loss))))
    size = max(abs(loss), known.change) or 1.0
    model = setup.quasi_newton.begun(state.x, state.y, state.dual, loss, size, eps, normals)
    if learned.model is not None:
        model = model._replace(steps=learned.model.steps)
    return state._replace(learned=learned._replace(phase="model", model=model))


def normals_at(setup: Setup, t: int) -> Normals:
    """The random numbers of iteration t."""

    def normals(count: int, length: int = setup.problem.m) -> Matrix:
        generator = generator_at(setup.key, Purpose.DIRECTIONS, t)
        return generator.standard_normal((count, length))

    return normals


def _told(
    setup: Setup, before: Model | Working | Kinked, values: Vector, normals: Normals
) -> Model | Working | Kinked:
    """What follows from the values: the model hands over at a kink, and gets back where none is."""
    if isinstance(before, Kinked):
        after = setup.kinks.told(before, values)
        if after.stage != "smooth":
            return after
        newton = setup.quasi_newton
        pair = setup.kinks.pair(after)
        model = newton.begun(*pair, after.loss, abs(after.loss), after.eps, normals)
        assert isinstance(model, Model)
        return model._replace(steps=after.steps, first_loss=after.first_loss)
    told: Model | Working = setup.quasi_newton.told(before, values, normals)
    return setup.kinks.begun(told) if isinstance(told, Model) and told.stage == "kinked" else told


def _blind(setup: Setup, known: Radius, model: Model | Working | Kinked) -> bool:
    """Whether a model is settled only because values are too coarse for it, or mostly the same."""
    if model.stage != "settled" or not isinstance(model, Model):
        return False
    size = max(abs(model.first_loss), known.change) or 1.0
    still = (model.start.slopes == 0.0) & (model.start.curvatures == 0.0)
    unsure = known.change > 0.0 or setup.stays_inside  # the loss may well change further away
    flat = model.steps == 0 and unsure and bool(still.mean() >= FLAT)
    return flat or known.rounding > COARSE * size


class Modeled(Phase):
    """Values that the model wants, on all samples where there are any; a step they may lead to."""

    def observations(self, setup: Setup, learned: Learned) -> int:
        return max(1, setup.samples)

    def cost(self, setup: Setup, learned: Learned) -> int:
        if learned.model is None:
            return self.observations(setup, learned)
        asked = setup.descent(learned.model).query(learned.model, 0, None)
        return asked.evaluations * self.observations(setup, learned)

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        model = learned_by(state).model
        if model is None:
            return PointsQuery(state.t, state.x[None], batch)
        return setup.descent(model).query(model, state.t, batch)

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        learned, values = learned_by(state), answer.mean(axis=1)
        before = learned.model
        if before is None:
            still = setup.still(state, float(values[0]))
            if not math.isfinite(values[0]):
                back = learned._replace(phase="probe", unfit=True, mishaps=learned.mishaps + 1)
                x, y, dual = setup.problem.start(learned.anchor, None, None)
                return state._replace(x=x, y=y, dual=dual, learned=back), still
            return _at(setup, state, float(values[0])), still
        after = _told(setup, before, values, normals_at(setup, state.t))
        x, y, dual = setup.descent(after).pair(after)
        missed = int(np.count_nonzero(~np.isfinite(answer)))
        learned = learned._replace(model=after, mishaps=learned.mishaps + (missed > 0))
        if after.stage == "lost" or _blind(setup, learned.radius, after):
            means = learned.means._replace(x=x, kept=(x, y))
            learned = learned._replace(phase="probe", model=None, unfit=True, anchor=x, means=means)
        moved = after.steps > before.steps
        gradient = setup.descent(before).gradient(before)
        step = Step(
            loss=before.loss,
            gradient_norm=norm(gradient) if len(gradient) > 0 else math.nan,
            residual=norm(setup.problem.constraint.residual(state.x, state.y)),
            update=norm(x - state.x),
            step_size=1.0 if moved else math.nan,
            smoothing=math.nan,
            penalty=after.rho or math.nan,
        )
        return state._replace(x=x.copy(), y=y.copy(), dual=dual.copy(), learned=learned), step
