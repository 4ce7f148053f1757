"""Gradient estimates: their queries, and what to do where a value is not finite."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.learned import Learned, learned_of
from zooadmm.methods.auto.phase import Phase
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.method import State, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, CentralQuery, ForwardQuery, Query
from zooadmm.problem.arrays import norm

NARROWER = 0.25
"""What remains of the length where the loss is not finite beside a finite point."""

NARROWEST = 1e-13
"""The shortest length, in units of the size of x_1."""

AGAIN = 2
"""How often in a row it is asked again before the length is shortened: it may have been chance, or
the observation."""

TRIES = 5
"""How often in a row it is asked again, or nearer, before the step itself is taken back."""

WIDER = 2.0
"""How fast a length that was shortened grows back while all is well."""

BACK = 0.5
"""What remains of the distance r, and of the way from the best pair, when steps were too long."""

MOST = 60
"""How many answers in a row may have values that are not finite."""


class Estimate(Phase):
    """A phase whose query is a gradient estimate at x_t."""

    def observations(self, setup: Setup, learned: Learned) -> int:
        return setup.source(learned).num_observations

    def cost(self, setup: Setup, learned: Learned) -> int:
        source = setup.source(learned)
        return source.evaluations(source.num_observations)

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        learned = learned_of(state)
        beta, domain = setup.beta(learned, state.t), setup.problem.domain
        source = setup.source(learned, state.x)
        return source.query(state.t, state.x, beta, setup.key, batch, domain, forgiving=True)


def recovered(learned: Learned) -> Learned:
    """After an estimate without a mishap: what mishaps have changed is changed back."""
    known = learned.radius
    if learned.streak == 0 and not learned.flipped and not known.length < known.chosen:
        return learned
    length = known.length
    if known.length < known.chosen:
        length = min(known.chosen, WIDER * known.length)
    return learned._replace(flipped=False, streak=0, radius=known._replace(length=length))


def mishap(setup: Setup, state: State, query: Query, answer: Answer) -> tuple[State, Step]:
    """Values that are not finite: look to the other side, then nearer, then from further back.

    Every time on fresh observations. Where the loss is finite at x_t, or at some of its probes,
    only probes went too far; where it is not, or shorter lengths have not helped, the step did.
    """
    learned = learned_of(state)
    if learned.streak >= MOST and learned.model_ruled_out:  # a good point is known, at the edge
        x, y = learned.means.kept
        ended = learned._replace(at_edge=True, mishaps=learned.mishaps + 1)
        return state._replace(x=x, y=y, learned=ended), setup.idle_step(state, math.nan)
    if learned.streak >= MOST:
        cell = int(np.argmin(np.isfinite(answer.reshape(-1))))
        raise ValueError(
            f"evaluation {cell} of query {query.id} is {answer.reshape(-1)[cell]}, not finite, as "
            f"were some in the {MOST} queries before: the loss exists hardly anywhere near "
            f"|x_t| = {norm(state.x):.3g}. Give its bounds as domain, or another x0."
        )
    noted = learned._replace(mishaps=learned.mishaps + 1, streak=learned.streak + 1)
    idle = setup.idle_step(state, float(answer.reshape(-1)[0]))
    here = bool(
        np.isfinite(answer[0]).all()
        if isinstance(query, ForwardQuery)
        else np.isfinite(answer).any()
    )
    if learned.streak < AGAIN:
        one_sided = not (isinstance(query, CentralQuery) or setup.stays_inside)
        return state._replace(learned=noted._replace(flipped=here and one_sided)), idle
    shortest = NARROWEST * radius.size(learned.anchor)
    if learned.phase == "gather" or (here and learned.streak < TRIES and setup.smoothing is None):
        known = learned.radius
        nearer = known._replace(
            length=max(NARROWER * known.length, shortest),
            chosen=known.length if math.isnan(known.chosen) else known.chosen,
        )
        return state._replace(learned=noted._replace(radius=nearer, flipped=False)), idle
    kept = learned.means.kept[0]
    x = setup.inside(kept + BACK * (state.x - kept))
    r = max(BACK * learned.distance.r, shortest)
    back = noted._replace(distance=learned.distance._replace(r=r), flipped=False)
    return state._replace(x=x, learned=back), idle._replace(update=norm(x - state.x))
