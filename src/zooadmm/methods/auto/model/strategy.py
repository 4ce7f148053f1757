"""Descent by a quadratic model of the loss: see `zooadmm.methods.auto.model`.

The model is of all variables, or of a working set of them; at a kink the descent across kinks takes
over. Where noise hides what the model promises, the filter for noisy values does.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from zooadmm.methods.auto.constants import (
    COARSE,
    FEWEST,
    IN_A_ROW,
    MOST_MODELED,
    MOST_NUMBERS,
    NEGLIGIBLE,
    TINY_PART,
    ULPS,
)
from zooadmm.methods.auto.few import are_few
from zooadmm.methods.auto.kinks import KinkDescent, KinkState
from zooadmm.methods.auto.known import Known, Refusal
from zooadmm.methods.auto.model import Model, QuasiNewton, Steps, line, prediction, start
from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.model.descent import First
from zooadmm.methods.auto.model.eligibility import refusal, starts_from_values
from zooadmm.methods.auto.model.initial import at_lengths
from zooadmm.methods.auto.model.remarks import described
from zooadmm.methods.auto.noisy.start import better_than_start, first_lengths
from zooadmm.methods.auto.sampled import SampledState
from zooadmm.methods.auto.sampled.handover import Unstarted, continued
from zooadmm.methods.auto.sampled.strategy import described as described_samples
from zooadmm.methods.auto.strategy import (
    Handover,
    Progress,
    Strategy,
    Update,
    astray,
    astray_remark,
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
from zooadmm.structure.splitting import EXACT, Solved

Descended = Model | WorkingState | KinkState
ModelState = Unstarted | Descended


class ModelStrategy(Strategy[ModelState]):
    """Evaluate the points of the model, on all samples if any, and take the step they suggest."""

    name = "model"
    states = (Unstarted, Model, WorkingState, KinkState)

    # whether to use it

    def init(self, at: Progress, handover: Handover) -> tuple[Progress, ModelState] | Refusal:
        if isinstance(handover.prior, SampledState):
            return at, Unstarted(handover.prior)
        refused: Refusal | None = Refusal("")
        if handover.prior is None:
            refused = refusal(self.given, at, self._starts_with_few(at))
        if refused is not None:
            return refused
        x, y = (self._few(at) or self._minimizer).feasible(at.x, at.y)
        if self.given.sampled or x is not at.x:
            return at._replace(x=x, y=y), Unstarted(None)
        return at, self._started(at, at.known.loss, None)

    def _starts_with_few(self, at: Progress) -> bool:
        """Whether the model is of a working set: of an exact loss, from an x0 of few nonzeros.

        A search is by groups of variables, FIRST_GROUPS at first; with fewer variables than that
        it is no less than a look at each.
        """
        exact = at.known.radius.noise == 0.0 and not self.given.demands_steps
        exact = exact and not self.given.sampled
        few = bool(np.count_nonzero(at.known.anchor) <= MOST_MODELED // 2)
        return exact and few and self._working_set is not None

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

    def _few(self, at: Progress) -> WorkingSet | None:
        """The descent on a working set, where a run starts with it."""
        return self._working_set if self._starts_with_few(at) else None

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
        x, y, dual = (self._of_type(part) for part in self._of(after).pair(after))
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
        if (after.model if isinstance(after, WorkingState) else after).not_convex:
            now = now._replace(known=now.known._replace(not_convex=True))
        noisy = at.known.radius.noise > 0.0
        if (
            noisy
            and isinstance(state, Model)
            and isinstance(after, Model)
            and self._is_hidden(after)
        ):
            return Update(now, _handover(state, after), self.idle_step(at, state.loss))
        if isinstance(after, Model) and not noisy and self._is_rounded(after, now):
            return Update(now, Handover("rounding hides what is left", prior=after), step)
        if after.stage == "lost" or self._is_blind(after, now):
            best = self._lowest(after, now) or self.estimate(after, now)
            now = now._replace(known=now.known._replace(best=best))
            return Update(now, Handover("no model fits", probe_again=True), step)
        return Update(now, after, step)

    def _is_hidden(self, model: Model) -> bool:
        """Whether noise hides what a model promises: nothing is left to gain, or trials fail.

        Or slopes at x are more than variables and leave the step in doubt. Each has the variance
        eps / 2 in H, so m of them promise a decrease of m eps / 4 where there is none; the model
        goes on where it promises four times that, whatever trials have made of H.
        """
        m = len(model.at.x)
        if model.stage in ("settled", "lost", "kink", "kinked") or model.poor >= IN_A_ROW:
            return True
        if model.num_slopes <= m:
            return False
        free = model._replace(H=model.uncorrected)
        predicted = prediction.promised(self._minimizer, free, EXACT)[2]
        return -predicted <= max(NEGLIGIBLE, m) * model.eps

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
        first = First(Solved(at.x, at.y, at.dual), loss, size, eps)
        if starts_from_values(self.given, at, self._starts_with_few(at)):
            left = at.known.budget - at.known.spent
            most = FEWEST if at.known.budget == 0 else max(1, min(FEWEST, left // 2))
            return self.newton.from_values(self.newton.init(first), at.known.values, most, normals)
        if known.noise > 0.0:
            domain = self.given.problem.domain
            lengths = first_lengths(domain, at.x, known.reach)
            return at_lengths(domain, self.newton.init(first), lengths)
        if waited is None or waited.prior is None:
            few = self._few(at)
            return self.newton.init(first) if few is None else few.init(first, normals)
        return continued(self.newton, self.newton.init(first), waited.prior, normals)

    def _descended(self, state: Descended, values: Vector, at: Progress) -> Descended:
        """After the values: the model hands over at a kink, and gets back where none is."""
        normals, noise = self.given.normals(at.t), at.known.radius.noise
        if isinstance(state, KinkState):
            across = self._kinks.update(state, values)
            if across.stage != "smooth":
                return across
            return self._of_all(across, across.first_loss)
        if isinstance(state, WorkingState):
            assert self._working_set is not None
            few = self._working_set.update(state, values, normals)
            given_up = few.stage == "lost" and self.given.problem.m <= MOST_MODELED
            return self._of_all(few, at.known.loss) if given_up else few
        if state.most_slopes > 0:
            model = self._with_few(state, values, at)
        else:
            if at.known.budget > 0:
                left = (at.known.budget - at.known.spent) // self._samples() - len(values)
                state = state._replace(left=float(min(left, MOST_NUMBERS)))
            model = self.newton.update(state, values, normals)
        if model.stage != "kinked" or noise > 0.0:
            return model
        return self._kinks.init(self._at_lowest(model, at.known), at.known.radius.change, normals)

    def _at_lowest(self, model: Model, known: Known) -> Model:
        """The model where probes have shown the least value: slopes are measured again anyway."""
        if not known.lowest < self.newton.objective(model):
            return model
        at = line.at(self._minimizer, model.at, known.lowest_x.astype(np.float64))
        return model._replace(at=at, loss=known.lowest_loss)

    def _with_few(self, state: Model, values: Vector, at: Progress) -> Model:
        """A model that began from some values: slopes as the budget allows.

        Once they have cost two a variable, or the values have misled, each variable is measured, if
        the budget lasts; where a probe met a kink, by the descent across kinks.
        """
        two, left = 2 * len(at.x), math.inf
        if at.known.budget > 0:
            left = at.known.budget - at.known.spent - len(values)
            state = state._replace(most_slopes=int(max(1, min(state.most_slopes, left // 2))))
        model = self.newton.update(state, values, self.given.normals(at.t))
        measured = model.steps > state.steps and model.spent >= two
        if not ((measured or model.stage == "lost") and left > two + FEWEST):
            return model
        if at.known.radius.kinked:
            return model._replace(stage="kinked", ask=model.ask[:0])
        return self.newton.measured_again(model)

    def _of_all(self, state: WorkingState | KinkState, first_loss: float) -> Model:
        """A model of all variables from where another descent ended."""
        pair = self._of(state).pair(state)
        first = First(Solved(*pair), state.loss, abs(state.loss), state.eps)
        model = self.newton.init(first)
        return model._replace(steps=state.steps, first_loss=first_loss)

    def _is_blind(self, state: Descended, at: Progress) -> bool:
        """Whether a descent is settled only because values are too coarse, or mostly the same."""
        if state.stage != "settled" or isinstance(state, WorkingState):
            return False
        known = at.known.radius
        size = max(abs(state.first_loss), known.change) or 1.0
        if isinstance(state, KinkState):
            return known.rounding > COARSE * size
        if state.steps == 0 and are_few(self.given, at.known):
            return True  # a short probe does not see how coarse values are
        constant = (state.start.slopes == 0.0) & (state.start.curvatures == 0.0)
        unsure = known.change > 0.0 or self.given.limits is not None  # it may change further away
        flat = state.steps == 0 and unsure and start.mostly(constant, self.given.problem.domain)
        return flat or state.eps > COARSE * max(size, abs(state.loss))

    def _is_rounded(self, model: Model, at: Progress) -> bool:
        """Whether a model is settled only because values are rounded, or made by iterations."""
        changed = at.known.radius.change
        size = max(abs(model.first_loss), abs(model.loss), changed)
        fine = changed > 0.0 and model.eps <= TINY_PART**2 * size
        exact = model.stage == "settled" and not self.given.sampled
        return exact and fine and self.newton.is_rounded(model, changed)

    # what it says

    def _of_type(self, part: Vector) -> Vector:
        """A copy in the type of x0."""
        return part.astype(self.given.problem.dtype)

    def estimate(self, state: ModelState, at: Progress) -> Pair:
        """The iterate; of a noisy loss x0, unless the model has a better one beyond doubt."""
        if isinstance(state, Unstarted):
            return at.known.best if state.prior is None else (at.x, at.y)
        if isinstance(state, Model) and at.known.radius.noise > 0.0:
            return better_than_start(self._minimizer, state, at)
        if not isinstance(state, KinkState):
            return at.x, at.y
        x, y = self._kinks.best(state)
        return self._of_type(x), self._of_type(y)

    def _lowest(self, state: Descended, at: Progress) -> Pair | None:
        """The best pair evaluated, where it is better than the iterate of a descent given up."""
        if isinstance(state, WorkingState):
            return None
        if not at.known.lowest < state.loss + self._minimizer.phi(state.at):
            return None
        x = at.known.lowest_x
        return x, self.given.problem.constraint.complete_y(x)

    def stationarity(self, state: ModelState, at: Progress, step: Step, way: Vector) -> Vector:
        """H (x_t - x_{t+1})"""
        assert not isinstance(state, Unstarted)
        return self._of(state).curved(state, way)

    def prospect(self, state: ModelState) -> tuple[Vector, Vector] | None:
        if not isinstance(state, Model):
            return None
        s = prediction.suggested(self.newton.minimizer, state)
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
        return described(state, at, self.given) + astray_remark(state.at.x, anchor)


def _handover(before: Model, after: Model) -> Handover:
    """To the filter for noisy values, with the last metric and belief at the best x."""
    known = after if len(after.belief.v) > 0 else before
    if len(known.belief.v) == 0:  # the loss is finite hardly anywhere around x0
        return Handover("no model fits", probe_again=True)
    moved = beliefs.moved(known.belief, known.H, after.at.x - known.at.x, known.tau)[0]
    model = known._replace(at=after.at, loss=after.loss, belief=moved, steps=after.steps)
    return Handover(prior=model)
