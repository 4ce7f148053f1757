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
    """The answer beside the best pair known and points further on."""
    return np.stack([x for x, _ in _rivals(tools, state, at)])


def checked(
    tools: StepTools, state: StepsState, at: Progress, answer: Answer
) -> tuple[StepsState, Pair, Pair]:
    """The state after a comparison on the same values, the pair to go on from, and the best."""
    rivals = _rivals(tools, state, at)
    table = answer + np.array([tools.phi(pair) for pair in rivals])[:, None]
    _, worse, doubt = scale.best(table[:2])
    j, further, further_doubt = scale.best(table[1:])
    kept, now, r = rivals[0], rivals[1], state.distance.r
    doubted, surprised = worse > (1.0 - SMALL_PART) * doubt, r >= state.means.reach
    lost = not math.isfinite(worse)
    compared = tools.is_compared(at.known)
    lowest = [float(value) if compared else math.inf for value in table[:, 0]]
    if not lost and further < -CERTAIN * further_doubt and worse + further < 0.0:
        state = state._replace(lowest=lowest[2 + j])
        return _restarted(tools, state, at, rivals[2 + j], r, trusted=True)
    state = state._replace(lowest=lowest[1 if worse < 0.0 else 0])
    if lost or worse > CERTAIN * doubt or (doubted and surprised):
        return _restarted(tools, state, at, kept, 0.5 * r, trusted=False)
    noted = state.means._replace(
        trusted=not doubted,
        next_check=2 * state.means.number,
        reach=r / SMALL_PART,
    )
    best = now if worse < 0.0 else kept
    return state._replace(stage="descend", means=noted), (at.x, at.y), best


def _rivals(tools: StepTools, state: StepsState, at: Progress) -> list[Pair]:
    """The best pair known, the answer, and pairs as much further from x_1 as FURTHER says."""
    now, anchor = answer_now(tools, state, at), at.known.anchor
    rivals = [at.known.best, now]
    for factor in means.FURTHER:
        x = tools.inside(anchor + factor * (now[0] - anchor))
        to = tools.structure(state, at, x, np.zeros_like(x), tools.eta(state))
        rivals.append(tools.completed(to.x, to.y))
    return rivals


def _restarted(
    tools: StepTools, state: StepsState, at: Progress, pair: Pair, r: float, *, trusted: bool
) -> tuple[StepsState, Pair, Pair]:
    """The descent from another pair, with the distance r or that from x_1 to there."""
    x = tools.inside(pair[0])
    r = max(r, distance.length(x - at.known.anchor, state.weights))
    after = state._replace(
        stage="descend",
        distance=state.distance._replace(r=r),
        means=means.init(x, state.means.gradient, r, trusted=trusted),
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
