"""What to do where a value of a gradient estimate is not finite."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import MOST_ROUNDS, ROUNDED, TRIES
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.steps.state import StepsState
from zooadmm.methods.auto.steps.tools import StepTools
from zooadmm.methods.auto.strategy import Progress
from zooadmm.oracle.queries import Answer, CentralQuery, ForwardQuery, Query
from zooadmm.problem.arrays import Vector, norm


def recovered(state: StepsState) -> StepsState:
    """After an estimate without a mishap: what mishaps have changed is changed back."""
    length = state.length
    if length < state.chosen:
        length = min(state.chosen, 2.0 * length)
    return state._replace(flipped=False, streak=0, length=length)


def mishap(
    tools: StepTools, state: StepsState, at: Progress, query: Query, answer: Answer
) -> tuple[StepsState, Vector, Vector]:
    """Values that are not finite: the state, x and y from which to try again.

    Two times to the other side, since it may have been chance or the observation; then half as far
    each time; then from further back. Every time on fresh observations. Where the loss is
    finite at x_t, or at some of its probes, only probes went too far; where it is not, or TRIES
    lengths have not helped, the step did.
    """
    if state.streak >= MOST_ROUNDS:
        if not at.known.failed("model", "sampled"):
            raise ValueError(_nowhere(at.x, query, answer))
        return state._replace(at_edge=True), *at.known.best  # a good point is known, at the edge
    noted = state._replace(streak=state.streak + 1)
    here = bool(
        np.isfinite(answer[0]).all()
        if isinstance(query, ForwardQuery)
        else np.isfinite(answer).any()
    )
    if state.streak < 2:
        one_sided = not (isinstance(query, CentralQuery) or tools.given.stays_inside)
        return noted._replace(flipped=here and one_sided), at.x, at.y
    shortest = ROUNDED * radius.size(at.known.anchor)
    probes_too_far = here and state.streak < TRIES and tools.given.smoothing is None
    if state.stage == "gather" or probes_too_far:
        length = max(0.5 * state.length, shortest)
        chosen = state.length if math.isnan(state.chosen) else state.chosen
        return noted._replace(length=length, chosen=chosen, flipped=False), at.x, at.y
    kept = at.known.best[0]
    x = tools.inside(kept + 0.5 * (at.x - kept))
    shorter = state.distance._replace(r=max(0.5 * state.distance.r, shortest))
    return noted._replace(distance=shorter, flipped=False), x, at.y


def _nowhere(x: Vector, query: Query, answer: Answer) -> str:
    cell = int(np.argmin(np.isfinite(answer.reshape(-1))))
    return (
        f"evaluation {cell} of query {query.id} is {answer.reshape(-1)[cell]}, not finite, as "
        f"were some in the {MOST_ROUNDS} queries before: the loss exists hardly anywhere near "
        f"|x_t| = {norm(x):.3g}. Give its bounds as domain, or another x0."
    )
