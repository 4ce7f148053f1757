"""ZOO-ADMM without knobs: `settings="auto"`, a list of strategies tried in order.

    probe     how noisy is the loss, how far apart must points be?                       probe/
    ridges    no noise: is each observation a function of one combination?               ridges/
    sampled   no noise: slopes of fresh observations, values that judge each step        sampled/
    model     descent by a quadratic model of the loss, across kinks, or on a few variables  model/
    limited   the same with whole gradients, for many variables                          limited/
    jumps     no noise, and no model fits: points around the best, by their order         jumps/
    filter    noise hides what the model promises: slopes of many values                 noisy/
    order     noise, and no curvature fits: means of points, by their order               jumps/
    steps     steps by gradient estimates, for any loss                                  steps/

Each query is one iteration t of the run. A strategy that ends hands over what it knows, and the
list is tried again from its beginning; what was given up refuses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, Self

import numpy as np

from zooadmm.methods.auto import best_point, outliers
from zooadmm.methods.auto.constants import FEW, ROUNDED
from zooadmm.methods.auto.given import Given
from zooadmm.methods.auto.jumps.noisy_search import NoisySearch
from zooadmm.methods.auto.jumps.strategy import Jumps
from zooadmm.methods.auto.known import NO_TRIES, NOWHERE, Known, Learned, Refusal
from zooadmm.methods.auto.limited.strategy import Limited
from zooadmm.methods.auto.model.strategy import ModelStrategy
from zooadmm.methods.auto.noisy.strategy import Filter
from zooadmm.methods.auto.probe.state import ProbeState, Radius
from zooadmm.methods.auto.probe.strategy import Probe
from zooadmm.methods.auto.ridges.strategy import Ridges
from zooadmm.methods.auto.sampled.strategy import Sampled
from zooadmm.methods.auto.steps.strategy import StepsStrategy
from zooadmm.methods.auto.steps.tools import StepTools
from zooadmm.methods.auto.strategy import Handover, Progress, Strategy, astray, astray_remark
from zooadmm.methods.method import FirstOrder, Method, Output, Pair, State, Step
from zooadmm.oracle.gradients import GradientSource
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector
from zooadmm.problem.problem import Problem
from zooadmm.structure.model_step import ModelStep

STRATEGIES: tuple[type[Strategy[Any]], ...] = (
    Probe,
    Ridges,
    Sampled,
    ModelStrategy,
    Limited,
    Jumps,
    Filter,
    NoisySearch,
    StepsStrategy,
)


@dataclass(frozen=True, eq=False)
class Adaptive(Method):
    """The automatic method, for what the user gave."""

    given: Given
    problem = property(attrgetter("given.problem"))
    step_size = property(attrgetter("given.step_size"))
    smoothing = property(attrgetter("given.smoothing"))
    key = property(attrgetter("given.key"))
    learned_type = Learned

    @property
    def recovers(self) -> bool:  # type: ignore[override]
        return self.given.checks

    @cached_property
    def source(self) -> GradientSource:  # type: ignore[override]
        tools = StepTools(self.given)
        return tools.source(tools.num_directions(self.given.budget), noisy=False)

    @cached_property
    def strategies(self) -> tuple[Strategy[Any], ...]:
        """In the order in which they are tried."""
        return tuple(strategy(self.given) for strategy in STRATEGIES)

    @cached_property
    def _by_state(self) -> dict[type, Strategy[Any]]:
        return {kind: strategy for strategy in self.strategies for kind in strategy.states}

    def _at_work(self, state: State) -> tuple[Strategy[Any], Any, Progress]:
        """The strategy at work, its state, and what all strategies share."""
        known, own = _learned(state)
        t = known.asked or state.t
        at = Progress(t, state.x, state.y, state.dual, state.window, known)
        return self._by_state[type(own)], own, at

    def init(self, x: Vector, y: Vector, dual: Vector) -> State:
        """Before the first query nothing is known but the values that the user has."""
        if not self.problem.constraint.is_consensus:
            ModelStep(self.problem, self.given.penalty)  # which refuses what it cannot solve
        values = self.given.values
        known = Known(
            budget=self.given.budget,
            spent=0,
            drawn=0,
            radius=Radius(),
            loss=math.nan,
            start=x,
            anchor=x,
            best=(x, y),
            mishaps=0,
            failures=(),
            refusals=(),
            values=values,
        )
        learned = Learned(known, ProbeState("given" if len(values.values) > 0 else "ladder"))
        return State(1, x, y, dual, np.zeros(len(x)), np.zeros(len(y)), (), learned)

    def drawn(self, state: State, batch: Batch | None) -> int:
        strategy, own, at = self._at_work(state)
        return at.known.drawn if batch is None else strategy.drawn(own, at, batch)

    def draw(self, state: State, observations: Observations) -> Batch:
        strategy, own, at = self._at_work(state)
        return strategy.observations(own, at, observations)

    def cost(self, state: State) -> int:
        strategy, own, at = self._at_work(state)
        cost = strategy.cost(own, at)
        return outliers.cost(cost, at.known) if at.known.repeats > 1 else cost

    def query(self, state: State, batch: Batch | None) -> Query:
        strategy, own, at = self._at_work(state)
        query = strategy.query(own, at, batch)
        return outliers.repeated(state.t, query, at.known) if at.known.repeats > 1 else query

    def step(
        self, state: State, query: Query, answer: Answer, counted: Counted | None = None
    ) -> tuple[State, Step]:
        strategy, own, at = self._at_work(state)
        batch, drawn, evaluations = query.observations, at.known.drawn, query.evaluations
        if batch is not None:
            drawn = strategy.drawn(own, at, batch)
        if at.known.repeats > 1:
            query, tries = strategy.query(own, at, None), outliers.joined(at.known, answer)
            if outliers.are_open(tries, at.known.repeats).any():
                spent = at.known.spent + evaluations
                known = at.known._replace(tries=tries, asked=at.t, spent=spent)
                idle = strategy.idle_step(at, float(np.median(answer)))
                return state.next(at.x, at.y, at.dual, Learned(known, own)), idle
            at = at._replace(known=at.known._replace(tries=NO_TRIES, asked=0))
            answer = outliers.values(tries).reshape(query.shape)
        with np.errstate(all="ignore"):  # users may have set numpy to raise
            at = self._with_lowest(at, query, answer)
            at, own, step = strategy.update(own, at, query, answer, counted)
            if isinstance(strategy, Probe):  # only now it is known that there is no noise
                at = self._with_lowest(at, query, answer)
        at = at._replace(known=at.known._replace(spent=at.known.spent + evaluations))
        if not isinstance(own, Handover) and _is_overtaken(strategy, at.known):
            x, y = strategy.estimate(own, at)
            left = at.known.budget if at.known.budget > at.known.spent else 0
            known = at.known._replace(budget=left, best=(x, y))
            at, own = at._replace(x=x, y=y, known=known), Handover(probe_again=True)
        if isinstance(own, Handover):
            at, own = self._next(strategy.name, at, own)
        learned = Learned(at.known._replace(drawn=drawn), own)
        return state.next(at.x, at.y, at.dual, learned), step

    def _with_lowest(self, at: Progress, query: Query, answer: Answer) -> Progress:
        """With the least F of an answer where it is the least of all, without noise or samples."""
        if at.known.radius.noise != 0.0 or self.given.sampled:
            return at
        return at._replace(known=_with_lowest(self.problem, at.known, query, np.asarray(answer)))

    def _next(self, name: str, at: Progress, handover: Handover) -> tuple[Progress, Any]:
        """The first strategy that does not refuse, and why others did."""
        refusals: list[Refusal] = []
        if handover.reason:
            failures = (*at.known.failures, Refusal(handover.reason, name))
            at = at._replace(known=at.known._replace(failures=failures))
        for strategy in self.strategies:
            started = strategy.init(at, handover)
            if not isinstance(started, Refusal):
                at, own = started
                return at._replace(known=at.known._replace(refusals=tuple(refusals))), own
            if started.reason:
                refusals.append(started._replace(strategy=strategy.name))
        raise AssertionError("steps refuse nothing")

    def recommended(self, state: State, output: Output) -> Pair:
        """The answer of the run, or its newest iterates."""
        if output == "last":
            return state.x, state.y
        strategy, own, at = self._at_work(state)
        if self._is_unmoved(state):
            return at.known.lowest_x, self.problem.constraint.complete_y(at.known.lowest_x)
        return strategy.estimate(own, at)

    def _is_unmoved(self, state: State) -> bool:
        """Whether the run has not left x0 yet, and a probe has shown a lower value."""
        strategy, own, at = self._at_work(state)
        known = at.known
        (start,) = best_point.objectives(self.problem, [known.anchor], [known.loss])
        below = known.radius.noise == 0.0 and known.lowest < start
        stays = below and np.array_equal(strategy.estimate(own, at)[0], known.anchor)
        return stays and not strategy.settled(own)

    def stationarity(self, before: State, step: Step, after: State) -> Vector:
        """What the strategy says of the step; infinite where none was taken."""
        if math.isnan(step.step_size):
            return np.full(1, math.inf)
        strategy, own, at = self._at_work(before)
        return strategy.stationarity(own, at, step, before.x - after.x)

    def prospect(self, after: State) -> tuple[Vector, Vector] | None:
        strategy, own, _ = self._at_work(after)
        return strategy.prospect(own)

    def has_moved(self, state: State) -> bool:
        strategy, own, at = self._at_work(state)
        return strategy.has_moved(own, at) and not astray(at.x, at.known.anchor)

    def settled(self, state: State) -> bool:
        strategy, own, _ = self._at_work(state)
        return strategy.settled(own)

    def first_order(self, state: State) -> FirstOrder | None:
        if self._is_unmoved(state):
            return None
        strategy, own, at = self._at_work(state)
        with np.errstate(all="ignore"):
            return strategy.first_order(own, at)

    def lowest(self, state: State) -> tuple[float, Vector]:
        known = _learned(state).known
        return (known.lowest, known.lowest_x) if known.radius.noise == 0.0 else (math.inf, NOWHERE)

    def not_convex(self, state: State) -> bool:
        return _learned(state).known.not_convex

    def remark(self, state: State) -> str:
        """What was learned, values that were not finite, and the strategies that were refused."""
        strategy, own, at = self._at_work(state)
        said, far = strategy.remark(own, at), astray_remark(at.x, at.known.anchor)
        if not said:
            return ""
        return " ".join(filter(None, (said + far, at.known.distrust, *_remarks(at.known))))

    def notice(self, before: State, after: State) -> str:
        distrust = _learned(after).known.distrust
        return "" if _learned(before).known.distrust else distrust

    def with_key(self, key: Key) -> Self:
        return replace(self, given=replace(self.given, key=key))


def _learned(state: State) -> Learned:
    """What an automatic run has learned by now."""
    assert isinstance(state.learned, Learned)
    return state.learned


def _with_lowest(problem: Problem, known: Known, query: Query, answer: Answer) -> Known:
    """With the least F at the FEW points of least f in an answer, where it is the least of all."""
    values = np.where(np.isfinite(answer), answer, math.inf).reshape(-1)
    least = np.argsort(values, kind="stable")[:FEW]
    cells = least[values[least] < math.inf].tolist()
    points, losses = query.points_at(cells), values[cells].tolist()
    objectives = best_point.objectives(problem, points, losses, ROUNDED)
    for x, loss, F in zip(points, losses, objectives, strict=True):
        if known.lowest > F:
            known = known._replace(lowest=F, lowest_loss=loss, lowest_x=x)
    return known


def _is_overtaken(strategy: Strategy[Any], known: Known) -> bool:
    """Whether steps have gone on for as long as another strategy was refused.

    A budget is fixed when a run begins; one that goes on beyond it, as after a resume, has no plan.
    """
    waiting = any(0 < refusal.until <= known.spent for refusal in known.refusals)
    return waiting and isinstance(strategy, StepsStrategy)


def _remarks(known: Known) -> tuple[str, str]:
    """Sentences about mishaps, and about refusals with their reasons in brackets."""
    mishaps = ""
    if known.mishaps > 0:
        answers = "answer" if known.mishaps == 1 else "answers"
        mishaps = (
            f"{known.mishaps} {answers} had values that were not finite; probes went to the other "
            "side, nearer, or the step was taken back."
        )
    reasons = dict.fromkeys(refusal.reason for refusal in known.refusals)
    names = {why: [r.strategy for r in known.refusals if r.reason == why] for why in reasons}
    refused = "; ".join(f"{', '.join(names[why])} ({why})" for why in reasons)
    if known.repeats > 1:
        mishaps = (
            "Values at a point are mostly the same and now and then another: each was repeated "
            f"until some were the same. {mishaps}"
        ).rstrip()
    return mishaps, f"Not used: {refused}." if refused else ""
