"""Gradient estimates: their queries, and what to do where a value is not finite."""

from __future__ import annotations

import numpy as np

from zooadmm.algorithm import State, Step
from zooadmm.arrays import norm
from zooadmm.auto import radius
from zooadmm.auto.knowledge import Learned, learned_by
from zooadmm.auto.phases import Phase
from zooadmm.auto.setup import Setup
from zooadmm.observations import Batch
from zooadmm.queries import Answer, CentralQuery, ForwardQuery, Query

NARROWER = 0.25
"""What remains of the length where the loss is not finite beside a finite point."""

NARROWEST = 1e-13
"""The shortest length, in units of the size of x_1."""

TRIES = 3
"""How often in a row a length is shortened before the step itself is taken back."""

BACK = 0.5
"""What remains of the distance r, and of the way from the best pair, when a step is taken back."""

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
        learned = learned_by(state)
        beta, domain = setup.beta(learned, state.t), setup.problem.domain
        source = setup.source(learned, state.x)
        query = source.query(state.t, state.x, beta, setup.key, batch, domain)
        query.forgiving = True
        return query


def mishap(setup: Setup, state: State, query: Query, answer: Answer) -> tuple[State, Step]:
    """Values that are not finite: look to the other side, then nearer, then from further back.

    Where the loss is finite at x_t, or at some of its probes, only probes went too far; where it
    is not, or shorter lengths have not helped, the step did.
    """
    learned = learned_by(state)
    if learned.streak >= MOST:
        cell = int(np.argmin(np.isfinite(answer.reshape(-1))))
        raise ValueError(
            f"evaluation {cell} of query {query.id} is {answer.reshape(-1)[cell]}, not finite, as "
            f"were some in the {MOST} queries before: the loss exists hardly anywhere near "
            f"|x_t| = {norm(state.x):.3g}. Give its bounds as domain, or another x0."
        )
    noted = learned._replace(mishaps=learned.mishaps + 1, streak=learned.streak + 1)
    still = setup.still(state, float(answer.reshape(-1)[0]))
    here = bool(
        np.isfinite(answer[0]).all()
        if isinstance(query, ForwardQuery)
        else np.isfinite(answer).any()
    )
    one_sided = setup.gradient is not None and setup.gradient.stays_inside
    if here and not learned.flipped and not one_sided and not isinstance(query, CentralQuery):
        return state._replace(learned=noted._replace(flipped=True)), still
    shortest = NARROWEST * radius.size(learned.anchor)
    narrower = max(NARROWER * learned.radius.length, shortest)
    if learned.phase == "gather" or (here and learned.streak < TRIES and setup.smoothing is None):
        nearer = learned.radius._replace(length=narrower)
        return state._replace(learned=noted._replace(radius=nearer, flipped=False)), still
    kept = learned.means.kept[0]
    x = setup.inside(kept + BACK * (state.x - kept))
    r = max(BACK * learned.distance.r, shortest)
    back = noted._replace(distance=learned.distance._replace(r=r), flipped=False)
    return state._replace(x=x, learned=back), still._replace(update=norm(x - state.x))
