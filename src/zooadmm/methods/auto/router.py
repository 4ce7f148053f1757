"""ZOO-ADMM without knobs: `settings="auto"`.

    probe, noise    how noisy the loss is, how far apart points must be              probe/
    ridges          no noise: is each observation a function of one combination?     ridges/
    sampled         no noise: slopes of fresh observations, values that judge each step  sampled/
    model           descent by a quadratic model of the loss                         model/
    filter          noise hides what the model promises: slopes of many values       noisy/
    gather, search  the scale of the problem and of its variables, at x_1            steps/
    descend         x_{t+1} = step of structure from x_t along -g_t, eta_t from the way so far
    check           is the answer better than the best known?                        descent

Each query is one iteration t of the run; what the next one is for is the phase. g_t is estimated on
one fresh observation along as many directions as there are variables: for a given number of
evaluations no other split has less variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from zooadmm.methods.auto import summary
from zooadmm.methods.auto.learned import Learned, PhaseName, first, learned_of
from zooadmm.methods.auto.model import Model, QuasiNewton
from zooadmm.methods.auto.model.phase import ModelPhase
from zooadmm.methods.auto.next_phase import next_phase
from zooadmm.methods.auto.noisy import phase as noisy
from zooadmm.methods.auto.phase import Phase
from zooadmm.methods.auto.probe.phases import Noise, Probe
from zooadmm.methods.auto.ridges.phase import RidgePhase, ridges_of
from zooadmm.methods.auto.sampled.phase import SampledPhase, sampled_of
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.auto.steps.descent import Check, Descend, answer_now
from zooadmm.methods.auto.steps.search import Gather, Search
from zooadmm.methods.method import Method, Output, Pair, State, Step
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector

PHASES: dict[PhaseName, Phase] = {
    "probe": Probe(),
    "noise": Noise(),
    "ridges": RidgePhase(),
    "sampled": SampledPhase(),
    "model": ModelPhase(),
    "filter": noisy.Filter(),
    "gather": Gather(),
    "search": Search(),
    "descend": Descend(),
    "check": Check(),
}


@dataclass(frozen=True, eq=False)
class Adaptive(Method):
    """The automatic method, for what it is set up for."""

    setup: Setup
    learned_type = Learned

    @property
    def recovers(self) -> bool:  # type: ignore[override]
        return self.setup.checks

    def __post_init__(self) -> None:
        setup = self.setup
        for name, value in (
            ("problem", setup.model_step.problem),  # which refuses what it cannot solve
            ("source", setup.source()),
            ("step_size", setup.step_size),
            ("smoothing", setup.smoothing),
            ("key", setup.key),
        ):
            object.__setattr__(self, name, value)

    def init(self, x: Vector, y: Vector, dual: Vector) -> State:
        """Before the first query nothing is known."""
        setup = self.setup
        q1 = setup.num_directions if setup.gradient is None else setup.problem.m
        learned = first(x, y, setup.budget, q1)
        if not setup.has("memory"):
            learned = learned._replace(memory=np.zeros(0))
        return State(1, x, y, dual, np.zeros(len(x)), np.zeros(len(y)), (), learned)

    def drawn(self, state: State, batch: Batch | None) -> int:
        learned = learned_of(state)
        if batch is None or learned.phase in ("noise", "model"):  # no fresh observations
            return learned.drawn
        if self.setup.in_turn and learned.phase == "check":  # ahead of their turn
            return learned.drawn
        if learned.phase == "ridges":
            return max(learned.drawn, self.setup.ridges.portion(ridges_of(learned))[0] + len(batch))
        if learned.phase == "sampled":
            return max(learned.drawn, sampled_of(learned).seen)
        return learned.drawn + len(batch)

    def draw(self, state: State, observations: Observations | None) -> Batch | None:
        if observations is None:
            return None
        learned = learned_of(state)
        if learned.phase == "noise":  # on one observation, so that noise is all that differs
            return state.window[:1] or observations.next(0, 1, self.key)
        if learned.phase == "ridges":
            return observations.next(*self.setup.ridges.portion(ridges_of(learned)), self.key)
        if learned.phase == "sampled":
            return self.setup.fresh.draw(sampled_of(learned), observations, self.key)
        if learned.phase == "model":
            return observations.report(0, self.setup.samples, self.key, ())[0]
        count = PHASES[learned.phase].observations(self.setup, learned)
        return observations.next(learned.drawn, count, self.key)

    def cost(self, state: State) -> int:
        learned = learned_of(state)
        return PHASES[learned.phase].cost(self.setup, learned)

    def query(self, state: State, batch: Batch | None) -> Query:
        return PHASES[learned_of(state).phase].query(self.setup, state, batch)

    def step(
        self, state: State, query: Query, answer: Answer, counted: Counted | None = None
    ) -> tuple[State, Step]:
        phase = PHASES[learned_of(state).phase]
        after, step = phase.read(self.setup, state, query, answer, counted)
        if self._is_known(state, after):
            after = next_phase(self.setup, after, math.nan)
        drawn = self.drawn(state, query.observations)
        return (
            after._replace(
                t=state.t + 1,
                x_sum=state.x_sum + state.x,
                y_sum=state.y_sum + state.y,
                learned=learned_of(after)._replace(drawn=drawn),
            ),
            step,
        )

    def _is_known(self, before: State, after: State) -> bool:
        """Whether ridges were ruled out at the point where noise and lengths were measured."""
        was, now = learned_of(before), learned_of(after)
        ruled_out = was.phase == "ridges" and now.phase == "probe"
        return ruled_out and np.array_equal(after.x, was.anchor)

    def recommended(self, state: State, output: Output) -> Pair:
        """The answer of the run, or its newest iterates."""
        learned = learned_of(state)
        noisy_model = learned.model is not None and learned.radius.noise > 0.0
        if output == "average" and (learned.filtered is not None or noisy_model):
            return noisy.answer(self.setup, state)
        by_values = learned.model, learned.ridges, learned.sampling
        if output == "last" or any(known is not None for known in by_values):
            return state.x, state.y
        means = learned.means
        if learned.at_edge:
            return means.kept
        doubted = not means.trusted and self.setup.checks
        return means.kept if doubted else answer_now(self.setup, state)

    def stationarity(self, before: State, step: Step, after: State) -> Vector:
        """W (x_t - x_{t+1}) / eta_t, the mapped gradient; infinite where no step was taken.

        In a model of the loss its metric H takes the place of W / eta_t.
        """
        if math.isnan(step.step_size):
            return np.full(1, math.inf)
        model = learned_of(before).model
        if model is not None:
            return self.setup.descent(model).curved(model, before.x - after.x)
        filtered = learned_of(before).filtered
        if filtered is not None:
            return np.asarray(filtered.H @ (before.x - after.x))
        weights = learned_of(before).weights
        return np.asarray(weights * (before.x - after.x) / step.step_size)

    def prospect(self, after: State) -> tuple[Vector, Vector] | None:
        model, newton = learned_of(after).model, self.setup.quasi_newton
        if not isinstance(model, Model) or not isinstance(newton, QuasiNewton):
            return None
        s = newton.suggested(model)
        return None if s is None else (s, newton.curved(model, s))

    def rounding(self, query: Query, answer: Answer) -> float:
        return 0.0  # the radius was chosen with rounding in view

    def has_moved(self, state: State) -> bool:
        learned = learned_of(state)
        if learned.model is not None:
            moved = learned.model.steps > 0 or self.settled(state)
            return moved and not summary.astray(state.x, learned.anchor)
        if learned.ridges is not None:
            moved = learned.ridges.answered > 0
            return moved and not summary.astray(state.x, learned.anchor)
        if learned.sampling is not None:
            moved = learned.sampling.steps > 0
            return moved and not summary.astray(state.x, learned.anchor)
        return learned.means.number > 0 or learned.model_ruled_out or learned.filtered is not None

    def settled(self, state: State) -> bool:
        learned = learned_of(state)
        if learned.at_edge:
            return True
        if learned.ridges is not None:
            return learned.ridges.stage == "settled"
        ended = learned.model is not None and learned.model.stage == "settled"
        return ended and learned.phase == "model"

    def first_order(self, state: State) -> tuple[float, float] | None:
        model = learned_of(state).model
        newton = self.setup.quasi_newton if isinstance(model, Model) else None
        if isinstance(model, Model) and isinstance(newton, QuasiNewton):
            return newton.first_order(model)
        return None

    def remark(self, state: State) -> str:
        learned = learned_of(state)
        descending = learned.phase in ("descend", "check")
        eta = self.setup.eta(learned) if descending else math.nan
        return summary.described(learned, self.problem.m, self.setup.sampled, eta)

    def with_key(self, key: Key) -> Self:
        return replace(self, setup=replace(self.setup, key=key))
