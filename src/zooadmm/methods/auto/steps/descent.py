"""The descent: x_{t+1} is the step of structure from x_t along -g_t, eta_t = r_t / sqrt(G_t)."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import CERTAIN, SMALL_PART
from zooadmm.methods.auto.steps import distance, estimates, means, scale
from zooadmm.methods.auto.steps.state import StepsState
from zooadmm.methods.auto.steps.tools import StepTools
from zooadmm.methods.auto.strategy import Progress
from zooadmm.methods.method import Pair
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Vector
from zooadmm.structure.model_step import Solved


def stepped(
    tools: StepTools, state: StepsState, at: Progress, g: Vector
) -> tuple[StepsState, Solved, float]:
    """An iteration: the state, the step, and eta_t."""
    horizon, eta = tools.given.auto.horizon, tools.eta(state)
    to = tools.structure(state, at, at.x, g, eta)
    averaged = means.averaged(state.means, at.x, g, horizon)
    where = to.x if math.isinf(horizon) else averaged.x
    gone = distance.travelled(
        state.distance,
        eta,
        distance.length(to.x - at.x, state.weights),
        distance.length(where - at.known.anchor, state.weights),
    )
    late = averaged.number >= averaged.next_check or gone.r >= averaged.reach
    after = estimates.recovered(state)._replace(
        stage="check" if tools.given.checks and late else "descend",
        distance=gone,
        means=averaged,
        penalty=to.penalty,
    )
    return after, to, eta


def check_width(tools: StepTools, state: StepsState, at: Progress) -> int:
    """Values of each pair in a comparison."""
    return tools.width(state, at.known, max(1, int(SMALL_PART * state.means.number)))


def check_points(tools: StepTools, state: StepsState, at: Progress) -> Vector:
    """The best pair known and the answer."""
    return np.stack([at.known.best[0], answer_now(tools, state, at)[0]])


def checked(
    tools: StepTools, state: StepsState, at: Progress, answer: Answer
) -> tuple[StepsState, Pair, Pair]:
    """The state after a comparison on the same values, the pair to go on from, and the best."""
    kept, now, r = at.known.best, answer_now(tools, state, at), state.distance.r
    table = answer + np.array([tools.phi(kept), tools.phi(now)])[:, None]
    _, worse, doubt = scale.best(table)
    doubted, surprised = worse > (1.0 - SMALL_PART) * doubt, r >= state.means.reach
    lost = not math.isfinite(worse)
    if tools.is_compared(at.known):
        state = state._replace(lowest=float(table[1 if worse < 0.0 else 0, 0]))
    if lost or worse > CERTAIN * doubt or (doubted and surprised):
        return _restarted(tools, state, at)
    noted = state.means._replace(
        trusted=not doubted, next_check=2 * state.means.number, reach=r / SMALL_PART
    )
    best = now if worse < 0.0 else kept
    return state._replace(stage="descend", means=noted), (at.x, at.y), best


def _restarted(tools: StepTools, state: StepsState, at: Progress) -> tuple[StepsState, Pair, Pair]:
    """The descent from the best pair known, with half the distance or that from x_1 to there."""
    pair = at.known.best
    x = tools.inside(pair[0])
    r = max(0.5 * state.distance.r, distance.length(x - at.known.anchor, state.weights))
    after = state._replace(
        stage="descend",
        distance=state.distance._replace(r=r),
        means=means.init(x, state.means.gradient, r, trusted=False),
    )
    return after, (x, pair[1]), pair


def answer_now(tools: StepTools, state: StepsState, at: Progress) -> Pair:
    """The step of structure from the mean iterate along the mean gradient."""
    if state.means.number == 0:
        return at.known.best
    x = tools.inside(state.means.x)
    eta = tools.eta(state)
    if tools.given.has("answer"):
        tau = means.last_step(state.scale.tau, eta, state.means.number)
        to = tools.structure(state, at, x, state.means.gradient, tau)
        return tools.completed(to.x, to.y)
    return tools.completed(x, tools.structure(state, at, x, np.zeros_like(x), eta).y)
