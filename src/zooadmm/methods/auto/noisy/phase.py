"""The filter for noisy values as a phase of the run."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.learned import Learned, learned_of
from zooadmm.methods.auto.model import Model
from zooadmm.methods.auto.noisy.state import FilterState, Spread
from zooadmm.methods.auto.noisy.value_filter import BEYOND_NOISE
from zooadmm.methods.auto.phase import Phase, normals_at
from zooadmm.methods.auto.probe.radius import PAIRS
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.method import Pair, State, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.problem.arrays import norm
from zooadmm.structure.splitting import Solved

CERTAIN = 1e12
"""Degrees of freedom of a sigma that the user gave: more than any run has values."""


def init(setup: Setup, state: State, model: Model) -> State:
    """The filter from where a model ended; x0 stays the answer unless the model has a better one.

    Condition: the model has a belief about the gradient.
    """
    learned = learned_of(state)
    freedom = PAIRS - 1.0 if setup.auto.noise is None else CERTAIN
    known = setup.value_filter.init(
        model,
        *_start(setup, learned),
        Spread(freedom * learned.radius.noise**2, freedom),
        normals_at(setup, state.t),
    )
    learned = learned._replace(phase="filter", model=None, filtered=known)
    return state._replace(learned=learned)


def _start(setup: Setup, learned: Learned) -> tuple[Solved, float]:
    """x0 with its y, and its mean loss; infinite where F is not finite there."""
    x, y, dual = setup.problem.start(learned.anchor, None, None)
    allowed = setup.quasi_newton.feasible(x, y)
    value = learned.radius.center if np.array_equal(allowed[0], x) else math.inf
    return setup.minimizer.init(*allowed, dual), value


def answer(setup: Setup, state: State) -> Pair:
    """The best pair known of a noisy loss: no worse than x0, as far as values tell.

    While a model compares single values x0 is the answer, unless the model has found a pair that is
    better by BEYOND_NOISE standard deviations of a value.
    """
    learned = learned_of(state)
    if learned.filtered is not None:
        return setup.value_filter.answer(learned.filtered)
    at, value = _start(setup, learned)
    first = value + setup.minimizer.phi(at)
    assert isinstance(learned.model, Model)
    found = learned.model.loss + setup.minimizer.phi(learned.model.at)
    if found < first - BEYOND_NOISE * learned.radius.noise:
        return state.x, state.y
    x, y, _ = setup.minimizer.pair(at)
    return x, y


def filter_of(learned: Learned) -> FilterState:
    """What the filter knows."""
    assert learned.filtered is not None
    return learned.filtered


class Filter(Phase):
    """Values for slopes at x, or for a comparison with the best pair."""

    def cost(self, setup: Setup, learned: Learned) -> int:
        known = filter_of(learned)
        return len(known.ask) * known.repeats

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        return setup.value_filter.query(filter_of(learned_of(state)), state.t)

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        learned = learned_of(state)
        before = filter_of(learned)
        after = setup.value_filter.update(before, answer, normals_at(setup, state.t))
        x, y, dual = setup.value_filter.pair(after)
        missed = int(np.count_nonzero(~np.isfinite(answer)))
        learned = learned._replace(filtered=after, mishaps=learned.mishaps + (missed > 0))
        step = Step(
            loss=float(np.mean(answer)),
            gradient_norm=norm(before.belief.v),
            residual=norm(setup.problem.constraint.residual(state.x, state.y)),
            update=norm(x - state.x),
            step_size=1.0 if after.steps > before.steps else math.nan,
            smoothing=math.nan,
            penalty=math.nan,
        )
        return state._replace(x=x.copy(), y=y.copy(), dual=dual.copy(), learned=learned), step
