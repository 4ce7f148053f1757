"""A loss without noise: descent by a quadratic model of it, see `zooadmm.methods.auto.model`."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.kinks import KinkState
from zooadmm.methods.auto.learned import Learned, Radius, learned_of
from zooadmm.methods.auto.model import Model, Normals
from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.noisy import phase as filter_phase
from zooadmm.methods.auto.phase import Phase, normals_at
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.sampled.handover import continued
from zooadmm.methods.auto.setup import COARSE, Setup
from zooadmm.methods.auto.working_set import WorkingState
from zooadmm.methods.method import State, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.problem.arrays import Vector, norm

HIDDEN = 3
"""Poor trials in a row of a noisy loss after which single values no longer show a decrease."""

FLAT = 0.5
"""Share of the variables without slope and curvature from which x is on a plateau."""


def init(setup: Setup, state: State, loss: float) -> State:
    """The model at x_t, where the loss is `loss`.

    Where the mean over all samples is unknown, or A x + B y = c has no y of Y for this x, the loss
    at the first feasible x is evaluated before.
    """
    learned = learned_of(state)
    if learned.model is not None:
        return _at(setup, state, loss)
    x, y = setup.quasi_newton.feasible(state.x, state.y)
    if setup.sampled or x is not state.x:
        return state._replace(x=x, y=y, learned=learned._replace(phase="model"))
    return _at(setup, state, loss)


def _at(setup: Setup, state: State, loss: float) -> State:
    learned = learned_of(state)
    known, normals = learned.radius, normals_at(setup, state.t)
    eps = max(known.rounding, known.noise, radius.ULPS * float(np.spacing(abs(loss))))
    size = max(abs(loss), known.change) or 1.0
    model = setup.quasi_newton.init(state.x, state.y, state.dual, loss, size, eps, normals)
    if learned.model is not None:
        model = model._replace(steps=learned.model.steps)
    if learned.sampling is not None:
        model = continued(setup.quasi_newton, model, learned.sampling, normals)
    return state._replace(learned=learned._replace(phase="model", model=model, sampling=None))


def _updated(
    setup: Setup,
    before: Model | WorkingState | KinkState,
    values: Vector,
    noise: float,
    normals: Normals,
) -> Model | WorkingState | KinkState:
    """What follows from the values: the model hands over at a kink, and gets back where none is."""
    if isinstance(before, KinkState):
        after = setup.kinks.update(before, values)
        if after.stage != "smooth":
            return after
        newton = setup.quasi_newton
        pair = setup.kinks.pair(after)
        model = newton.init(*pair, after.loss, abs(after.loss), after.eps, normals)
        assert isinstance(model, Model)
        return model._replace(steps=after.steps, first_loss=after.first_loss)
    model = setup.quasi_newton.update(before, values, normals)
    kinked = isinstance(model, Model) and model.stage == "kinked" and noise == 0.0
    return setup.kinks.init(model) if isinstance(model, Model) and kinked else model


def _blind(setup: Setup, known: Radius, model: Model | WorkingState | KinkState) -> bool:
    """Whether a model is settled only because values are too coarse for it, or mostly the same."""
    if model.stage != "settled" or not isinstance(model, Model):
        return False
    size = max(abs(model.first_loss), known.change) or 1.0
    constant = (model.start.slopes == 0.0) & (model.start.curvatures == 0.0)
    unsure = known.change > 0.0 or setup.limits is not None  # the loss may well change further away
    flat = model.steps == 0 and unsure and bool(constant.mean() >= FLAT)
    return flat or known.rounding > COARSE * size


def _hidden(after: Model) -> bool:
    """Whether noise hides what a model promises: nothing is left to gain, or trials fail."""
    ended = after.stage in ("settled", "lost", "kink", "kinked")
    return ended or after.poor >= HIDDEN


def _handed_over(setup: Setup, state: State, before: Model, after: Model) -> State:
    """To the filter for noisy values, with the last metric and belief at the best x."""
    known = after if len(after.belief.v) > 0 else before
    if len(known.belief.v) == 0:  # the loss is finite hardly anywhere around x0
        learned = learned_of(state)._replace(phase="probe", model=None, model_ruled_out=True)
        return state._replace(learned=learned)
    moved = beliefs.moved(known.belief, known.H, after.at.x - known.at.x, known.tau)[0]
    model = known._replace(at=after.at, loss=after.loss, belief=moved, steps=after.steps)
    return filter_phase.init(setup, state, model)


class ModelPhase(Phase):
    """Evaluate the points of the model, on all samples if any, and take the step they suggest."""

    def observations(self, setup: Setup, learned: Learned) -> int:
        return max(1, setup.samples)

    def cost(self, setup: Setup, learned: Learned) -> int:
        if learned.model is None:
            return self.observations(setup, learned)
        asked = setup.descent(learned.model).query(learned.model, 0, None)
        return asked.evaluations * self.observations(setup, learned)

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        model = learned_of(state).model
        if model is None:
            return PointsQuery(state.t, state.x[None], batch)
        return setup.descent(model).query(model, state.t, batch)

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        learned, values = learned_of(state), answer.mean(axis=1)
        before = learned.model
        if before is None:
            idle = setup.idle_step(state, float(values[0]))
            if not math.isfinite(values[0]):
                back = learned._replace(
                    phase="probe", model_ruled_out=True, mishaps=learned.mishaps + 1
                )
                x, y, dual = setup.problem.start(learned.anchor, None, None)
                return state._replace(x=x, y=y, dual=dual, learned=back), idle
            return _at(setup, state, float(values[0])), idle
        after = _updated(setup, before, values, learned.radius.noise, normals_at(setup, state.t))
        x, y, dual = setup.descent(after).pair(after)
        missed = int(np.count_nonzero(~np.isfinite(answer)))
        learned = learned._replace(model=after, mishaps=learned.mishaps + (missed > 0))
        noisy = learned.radius.noise > 0.0
        if noisy and isinstance(before, Model) and isinstance(after, Model) and _hidden(after):
            handed = _handed_over(
                setup, state._replace(x=x, y=y, dual=dual, learned=learned), before, after
            )
            return handed, setup.idle_step(state, before.loss)
        if after.stage == "lost" or _blind(setup, learned.radius, after):
            means = learned.means._replace(x=x, kept=(x, y))
            learned = learned._replace(
                phase="probe", model=None, model_ruled_out=True, anchor=x, means=means
            )
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
