"""Descent by a quadratic model of the loss: see `zooadmm.methods.auto.model`.

The model is of all variables, or of a working set of them; at a kink the descent across kinks takes
over. Where noise hides what the model promises, the filter for noisy values does.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, cast

import numpy as np

from zooadmm.methods.auto.constants import (
    COARSE,
    FEW,
    FEWEST,
    IN_A_ROW,
    MOST_MODELED,
    SMALL_PART,
    ULPS,
)
from zooadmm.methods.auto.few import SEARCHES, are_few, for_model
from zooadmm.methods.auto.kinks import KinkDescent, KinkState
from zooadmm.methods.auto.known import Known, Refusal
from zooadmm.methods.auto.model import (
    Model,
    ModelDescent,
    Normals,
    QuasiNewton,
    Steps,
    line,
    start,
)
from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.noisy.start import better_than_start, first_lengths
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.sampled.handover import Unstarted, continued
from zooadmm.methods.auto.sampled.strategy import described as described_samples
from zooadmm.methods.auto.strategy import (
    Handover,
    Progress,
    Strategy,
    Update,
    astray,
    astray_remark,
    count_steps,
    missed,
)
from zooadmm.methods.auto.working_set import (
    FIRST_GROUPS,
    WorkingSet,
    WorkingState,
    sparse_coordinates,
)
from zooadmm.methods.method import FirstOrder, Pair, Step
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.problem.arrays import Vector, norm
from zooadmm.structure.minimizer import Minimizer

FOR_STEPS = 500
"""Evaluations a variable from which steps are better at the end of a budget, where noise hides how
the loss changes: they need no curvature. With fewer they do not begin to move."""

Descended = Model | WorkingState | KinkState
ModelState = Unstarted | Descended


class ModelStrategy(Strategy[ModelState]):
    """Evaluate the points of the model, on all samples if any, and take the step they suggest."""

    name = "model"
    states = (Unstarted, Model, WorkingState, KinkState)

    # whether to use it

    def init(self, at: Progress, handover: Handover) -> tuple[Progress, ModelState] | Refusal:
        if handover.prior is not None and not isinstance(handover.prior, Model):
            return at, Unstarted(handover.prior)
        refusal = Refusal("") if handover.prior is not None else self._refused(at)
        if refusal is not None:
            return refusal
        x, y = self._first(at).feasible(at.x, at.y)
        if self.given.sampled or x is not at.x:
            return at._replace(x=x, y=y), Unstarted(None)
        return at, self._started(at, at.known.loss, None)

    def _refused(self, at: Progress) -> Refusal | None:
        """For exact losses, the mean over few samples among them (over many, fresh observations
        come first), and for noisy ones whose changes rise above the noise.
        """
        given, known, m = self.given, at.known, self.given.problem.m
        if known.failed("model", "sampled"):
            return Refusal("")
        if not given.has("model"):
            return Refusal("left out")
        if given.sampled and not 0 < given.samples < FEW:
            return Refusal("" if given.has("sampled") else "observations are many")
        noisy = known.radius.noise > 0.0
        if noisy and (given.sampled or m > MOST_MODELED):
            return Refusal("values are noisy")
        if known.radius.uneven:
            return Refusal("noise depends on x, or hides all of the domain")
        hidden = noisy and SMALL_PART * known.radius.change <= known.radius.noise
        if hidden and known.budget > FOR_STEPS * m:
            return Refusal("noise hides how the loss changes")
        if given.demands_steps:
            return Refusal(given.demands_steps)
        if m > MOST_MODELED and not self._starts_with_few(at):
            return Refusal(f"more than {MOST_MODELED} variables")
        needed = for_model(m) if given.sampled else 2 * m + known.spent + 1
        if self._starts_from_values(at):
            return None
        if self._starts_with_few(at):
            needed = min(needed, SEARCHES)
        short = 0 < at.known.budget < needed
        reason = f"the budget is too small: it needs {needed} evaluations"
        return Refusal(reason, waits=True) if short else None

    def _starts_with_few(self, at: Progress) -> bool:
        """Whether the model is of a working set: of an exact loss, from an x0 of few nonzeros.

        A search is by groups of variables, FIRST_GROUPS at first; with fewer variables than that
        it is no less than a look at each.
        """
        exact = at.known.radius.noise == 0.0 and not self.given.sampled
        few = bool(np.count_nonzero(at.known.anchor) <= MOST_MODELED // 2)
        return exact and few and self._working_set is not None

    def _starts_from_values(self, at: Progress) -> bool:
        """Whether values at some points take the place of two for each variable.

        They do where those would leave less than one evaluation a variable, or have noise, and
        where a probe met a kink: slopes and curvatures of its straight pieces say little.
        """
        known, m = at.known, self.given.problem.m
        short = known.budget - known.spent - 2 * m < m or known.radius.noise > 0.0
        few = short and are_few(self.given, known)
        unplanned = known.budget == 0 or known.radius.kinked
        unplanned = unplanned and not self._starts_with_few(at)
        return len(known.values.values) > 0 and (few or unplanned)

    # the descents behind it

    @cached_property
    def _working_set(self) -> WorkingSet | None:
        """Descent by a model of the variables that matter; None where all do, or they are few."""
        problem = self.given.problem
        parts = sparse_coordinates(problem) if problem.m > FIRST_GROUPS else None
        return None if parts is None else WorkingSet(problem, parts)

    @cached_property
    def newton(self) -> QuasiNewton:
        """Descent by a model of all variables."""
        return QuasiNewton(self.given.problem)

    def _first(self, at: Progress) -> ModelDescent[Any]:
        """The descent that a run starts with."""
        if self._starts_with_few(at) and self._working_set is not None:
            return self._working_set
        return self.newton

    @cached_property
    def _minimizer(self) -> Minimizer:
        return Minimizer(self.given.problem)

    @cached_property
    def _kinks(self) -> KinkDescent:
        return KinkDescent(self._minimizer)

    def _of(self, state: Descended) -> Steps[Any]:
        """The descent that a state belongs to."""
        if isinstance(state, WorkingState):
            assert self._working_set is not None
            return self._working_set
        return self._kinks if isinstance(state, KinkState) else self.newton

    # queries

    def _samples(self) -> int:
        return max(1, self.given.samples)

    def observations(self, state: ModelState, at: Progress, source: Observations) -> Batch:
        return source.report(0, self.given.samples, self.given.key, ())[0]

    def drawn(self, state: ModelState, at: Progress, batch: Batch) -> int:
        return at.known.drawn

    def cost(self, state: ModelState, at: Progress) -> int:
        if isinstance(state, Unstarted):
            return self._samples()
        return self._of(state).query(state, 0, None).evaluations * self._samples()

    def query(self, state: ModelState, at: Progress, batch: Batch | None) -> Query:
        if isinstance(state, Unstarted):
            return PointsQuery(at.t, at.x[None], batch)
        return self._of(state).query(state, at.t, batch)

    # updates

    def update(
        self, state: ModelState, at: Progress, query: Query, answer: Answer, counted: Counted | None
    ) -> Update:
        values = answer.mean(axis=1)
        if isinstance(state, Unstarted):
            return self._valued(state, at, float(values[0]))
        after = self._descended(state, values, at)
        x, y, dual = (part.copy() for part in self._of(after).pair(after))
        gradient = self._of(state).gradient(state)
        step = self.record(
            at,
            x,
            state.loss,
            gradient_norm=norm(gradient) if len(gradient) > 0 else math.nan,
            step_size=1.0 if after.steps > state.steps else math.nan,
            penalty=after.rho,
        )
        now = missed(at, answer)._replace(x=x, y=y, dual=dual)
        if _is_not_convex(after):
            now = now._replace(known=now.known._replace(not_convex=True))
        noisy = at.known.radius.noise > 0.0
        if noisy and isinstance(state, Model) and isinstance(after, Model) and _is_hidden(after):
            return Update(now, _handover(state, after), self.idle_step(at, state.loss))
        if after.stage == "lost" or self._is_blind(after, now):
            now = now._replace(known=now.known._replace(best=(x, y)))
            return Update(now, Handover("no model fits", probe_again=True), step)
        return Update(now, after, step)

    def _valued(self, state: Unstarted, at: Progress, loss: float) -> Update:
        """The loss at x is known, and the model starts."""
        idle = self.idle_step(at, loss)
        if math.isfinite(loss):
            return Update(at, self._started(at, loss, state), idle)
        known = at.known._replace(mishaps=at.known.mishaps + 1)
        x, y, dual = self.given.problem.start(known.anchor, None, None)
        back = at._replace(x=x, y=y, dual=dual, known=known)
        return Update(back, Handover("the loss is not finite", probe_again=True), idle)

    def _started(self, at: Progress, loss: float, waited: Unstarted | None) -> Descended:
        known, normals = at.known.radius, self.given.normals(at.t)
        eps = max(known.rounding, known.noise, ULPS * float(np.spacing(abs(loss))))
        size = max(abs(loss), known.change) or 1.0
        parts = at.x, at.y, at.dual, loss, size, eps, normals
        if self._starts_from_values(at):
            left = at.known.budget - at.known.spent
            most = FEWEST if at.known.budget == 0 else max(1, min(FEWEST, left // 2))
            return self.newton.from_values(self.newton.init(*parts), at.known.values, most, normals)
        if known.noise > 0.0:
            return self.newton.at_lengths(
                self.newton.init(*parts),
                first_lengths(self.given.problem.domain, at.x, known.reach),
            )
        if waited is None or waited.prior is None:
            return cast("Model | WorkingState", self._first(at).init(*parts))
        return continued(self.newton, self.newton.init(*parts), waited.prior, normals)

    def _descended(self, state: Descended, values: Vector, at: Progress) -> Descended:
        """After the values: the model hands over at a kink, and gets back where none is."""
        normals, noise = self.given.normals(at.t), at.known.radius.noise
        if isinstance(state, KinkState):
            across = self._kinks.update(state, values)
            if across.stage != "smooth":
                return across
            return self._of_all(across, across.first_loss, normals)
        if isinstance(state, WorkingState):
            assert self._working_set is not None
            few = self._working_set.update(state, values, normals)
            given_up = few.stage == "lost" and self.given.problem.m <= MOST_MODELED
            return self._of_all(few, at.known.loss, normals) if given_up else few
        if state.most_slopes > 0:
            model = self._with_few(state, values, at)
        else:
            model = self._within_plan(self.newton.update(state, values, normals), state, at)
        kinked = model.stage == "kinked" and noise == 0.0
        return self._kinks.init(self._at_lowest(model, at.known)) if kinked else model

    def _within_plan(self, model: Model, before: Model, at: Progress) -> Model:
        """Without second derivatives that would exceed the budget."""
        spent = at.known.spent + self.cost(before, at)
        if model.stage != "second" or not 0 < at.known.budget < spent + self.cost(model, at):
            return model
        others = model._replace(patience=math.inf)
        resumed = self.newton.resumed(others, self.given.normals(at.t))
        return resumed._replace(patience=model.patience)

    def _at_lowest(self, model: Model, known: Known) -> Model:
        """The model where probes have shown the least value: slopes are measured again anyway."""
        if not known.lowest < model.loss:
            return model
        at = line.at(self._minimizer, model.at, known.lowest_x)
        return model._replace(at=at, loss=known.lowest)

    def _with_few(self, state: Model, values: Vector, at: Progress) -> Model:
        """A model that began from some values: slopes as the budget allows.

        Once they have cost two a variable each variable is measured, if the budget lasts; where a
        probe met a kink, by the descent across kinks.
        """
        two, left = 2 * len(at.x), math.inf
        if at.known.budget > 0:
            left = at.known.budget - at.known.spent - len(values)
            state = state._replace(most_slopes=int(max(1, min(state.most_slopes, left // 2))))
        model = self.newton.update(state, values, self.given.normals(at.t))
        stepped = model.steps > state.steps
        if not (stepped and model.spent >= two and left > two + FEWEST):
            return model
        if at.known.radius.kinked:
            return model._replace(stage="kinked", ask=model.ask[:0])
        return self.newton.measured_anew(model)

    def _of_all(
        self, state: WorkingState | KinkState, first_loss: float, normals: Normals
    ) -> Model:
        """A model of all variables from where another descent ended."""
        pair = self._of(state).pair(state)
        model = self.newton.init(*pair, state.loss, abs(state.loss), state.eps, normals)
        return model._replace(steps=state.steps, first_loss=first_loss)

    def _is_blind(self, state: Descended, at: Progress) -> bool:
        """Whether a model is settled only because values are too coarse, or mostly the same."""
        if state.stage != "settled" or not isinstance(state, Model):
            return False
        known = at.known.radius
        size = max(abs(state.first_loss), known.change) or 1.0
        constant = (state.start.slopes == 0.0) & (state.start.curvatures == 0.0)
        unsure = known.change > 0.0 or self.given.limits is not None  # it may change further away
        flat = state.steps == 0 and unsure and start.mostly(constant, self.given.problem.domain)
        return flat or known.rounding > COARSE * size

    # what it says

    def estimate(self, state: ModelState, at: Progress) -> Pair:
        """The iterate; of a noisy loss x0, unless the model has a better one beyond doubt."""
        if isinstance(state, Unstarted):
            return at.known.best if state.prior is None else (at.x, at.y)
        if isinstance(state, Model) and at.known.radius.noise > 0.0:
            return better_than_start(self._minimizer, state, at)
        return self._kinks.best(state) if isinstance(state, KinkState) else (at.x, at.y)

    def stationarity(self, state: ModelState, at: Progress, step: Step, way: Vector) -> Vector:
        """H (x_t - x_{t+1})"""
        assert not isinstance(state, Unstarted)
        return self._of(state).curved(state, way)

    def prospect(self, state: ModelState) -> tuple[Vector, Vector] | None:
        if not isinstance(state, Model):
            return None
        s = self.newton.suggested(state)
        return None if s is None else (s, self.newton.curved(state, s))

    def first_order(self, state: ModelState, at: Progress) -> FirstOrder | None:
        if isinstance(state, KinkState):  # of a trial below x no more is left to gain
            return self._kinks.first_order(state, at.known.anchor)
        if not np.array_equal(self.estimate(state, at)[0], at.x):  # noise hides the model's pair
            return None
        changed = at.known.radius.change
        if isinstance(state, WorkingState) and self._working_set is not None:
            return self._working_set.first_order(state, changed)
        return self.newton.first_order(state, changed) if isinstance(state, Model) else None

    def has_moved(self, state: ModelState, at: Progress) -> bool:
        if isinstance(state, Unstarted):
            moved = state.prior is not None and state.prior.steps > 0
        else:
            moved = state.steps > 0 or self.settled(state)
        return moved and not astray(at.x, at.known.anchor)

    def settled(self, state: ModelState) -> bool:
        return not isinstance(state, Unstarted) and state.stage == "settled"

    def remark(self, state: ModelState, at: Progress) -> str:
        anchor = at.known.anchor
        if isinstance(state, Unstarted):
            if state.prior is None:
                return ""
            return described_samples(state.prior) + astray_remark(state.prior.at.x, anchor)
        said = self._described(state, at)
        return said + astray_remark(state.at.x, anchor)

    def _described(self, state: Descended, at: Progress) -> str:
        steps, noise = count_steps(state.steps), at.known.radius.noise
        if isinstance(state, KinkState):
            return (
                f"Learned: no noise in values, kinks in the loss; {steps} by descent "
                "across kinks with whole gradients."
            )
        if isinstance(state, WorkingState):
            return _described_set(state, self.given.problem.m)
        loss = "the mean loss over all observations" if self.given.sampled else "the loss"
        values = radius.described(at.known.radius)
        if state.stage == "start" and state.steps == 0:
            return (
                f"Learned: {values}. The run ended before the first step of a model of "
                f"{loss}, which takes two evaluations a variable."
            )
        few = state.most_slopes > 0 and at.known.budget > 0
        if noise == 0.0:
            values += f", rounding {state.eps:.1g}"
        said = f"Learned: {values}; {steps} by a quadratic model of {loss}."
        needed = for_model(self.given.problem.m)
        return f"{said} With {needed} evaluations each variable is measured." if few else said


def _is_not_convex(state: Descended) -> bool:
    """Whether values have shown that the loss is not convex."""
    return state.model.not_convex if isinstance(state, WorkingState) else state.not_convex


def _is_hidden(after: Model) -> bool:
    """Whether noise hides what a model promises: nothing is left to gain, or trials fail."""
    ended = after.stage in ("settled", "lost", "kink", "kinked")
    return ended or after.poor >= IN_A_ROW


def _handover(before: Model, after: Model) -> Handover:
    """To the filter for noisy values, with the last metric and belief at the best x."""
    known = after if len(after.belief.v) > 0 else before
    if len(known.belief.v) == 0:  # the loss is finite hardly anywhere around x0
        return Handover("no model fits", probe_again=True)
    moved = beliefs.moved(known.belief, known.H, after.at.x - known.at.x, known.tau)[0]
    model = known._replace(at=after.at, loss=after.loss, belief=moved, steps=after.steps)
    return Handover(prior=model)


def _described_set(state: WorkingState, m: int) -> str:
    said = (
        f"Learned: no noise in values, rounding {state.eps:.1g}; {len(state.chosen)} of {m} "
        "variables were found to matter on the way"
    )
    if state.steps > 0:
        said += f", and {state.steps} steps by a quadratic model of the loss on these were taken."
    elif state.stage == "settled":
        said += ", and no step was taken."
    elif state.stage == "whole":
        said += ", and no step was taken. The run ended before each was measured by itself."
    else:
        said += ". The run ended before the first step by a model of the loss on these."
    return f"{said} Each of the others was measured by itself." if state.sweeps > 0 else said
