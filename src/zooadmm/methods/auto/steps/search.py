"""The scale of the problem: gradient estimates at x_1, and points along the way they lead."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import CERTAIN, DEFAULT_LENGTH, FIRST_LENGTH
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.steps import distance, means, scale, units
from zooadmm.methods.auto.steps.state import Distance, StepsState
from zooadmm.methods.auto.steps.tools import StepTools
from zooadmm.methods.auto.strategy import Progress
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Matrix, Vector, norm
from zooadmm.structure.model_step import Solved


def gathered(tools: StepTools, state: StepsState, at: Progress, g: Vector) -> StepsState:
    """The state with one more gradient estimate at x_1."""
    known = state.gathered.plus(g)
    state = state._replace(gathered=known)
    if known.number < known.target:
        return state
    weights: Vector = units.NONE
    if tools.given.has("metric") and units.applicable(tools.problem):
        weights = units.learned(known)
    tau = state.scale.tau
    if tools.given.once:  # steps are about as long as differences
        tau = _tau(state.length, known.mean, weights)
    elif math.isnan(tau):
        way = FIRST_LENGTH * radius.size(at.x) * math.sqrt(len(at.x))
        tau = _tau(way, known.mean, weights)
    state = state._replace(
        stage="search", weights=weights, scale=state.scale._replace(tau=tau, rounds=0)
    )
    if tools.given.has("scale"):
        return state
    return _descending(state, at.x, _blind_distance(state, at.x), trusted=True)


def points(tools: StepTools, state: StepsState, at: Progress) -> Matrix:
    """x_1, and steps from it along the mean estimate."""
    made = np.empty((1 + len(tools.factors), len(at.x)), dtype=at.x.dtype)
    made[0] = tools.completed(at.x, at.y)[0]
    for j in range(len(tools.factors)):
        to = _step(tools, state, at, j)
        made[1 + j] = tools.completed(to.x, to.y)[0]
    return made


def searched(
    tools: StepTools, state: StepsState, at: Progress, answer: Answer
) -> tuple[StepsState, Solved | None]:
    """The state after values at these points, and the step that was surely better, if any."""
    steps = (_step(tools, state, at, j) for j in range(len(tools.factors)))
    phis = [tools.phi(tools.completed(at.x, at.y))]
    phis += [tools.phi(tools.completed(to.x, to.y)) for to in steps]
    table = answer + np.array(phis)[:, None]
    j, change, error = scale.best(table)
    elsewhere = scale.moved(state.scale, tools.factors, j, change, error)
    if elsewhere is not None:
        return state._replace(scale=elsewhere), None
    known = at.known
    repeated = answer.shape[1] > 1 or tools.width(state, known, 1) == 1
    sure = repeated and change < -CERTAIN * error
    if not sure:
        j = scale.longest(table)
    tau = state.scale.tau * tools.factors[j]
    found = state._replace(scale=state.scale._replace(tau=tau))
    number = state.gathered.number
    most = scale.most_estimates(known.budget, tools.source_of(state, known).evaluations(1))
    if not (sure or tools.exact(state, known)) and number < most:
        more = state.gathered._replace(target=min(2 * number, most))
        return found._replace(stage="gather", gathered=more), None
    u = _step(tools, state, at, j)
    start = _first_distance(found, at.x, u.x, tau)
    if not sure:
        return _descending(found, at.x, start, trusted=False), None
    return _descending(found._replace(penalty=u.penalty), u.x, start, trusted=True), u


def _step(tools: StepTools, state: StepsState, at: Progress, j: int) -> Solved:
    """The step of structure from x_1 along the mean estimate, for the j-th tau of the range."""
    tau = state.scale.tau * tools.factors[j]
    return tools.structure(state, at, at.x, state.gathered.mean, tau)


def _tau(way: float, g: Vector, weights: Vector) -> float:
    pull = norm(np.asarray(g / weights, dtype=np.float64))
    return way / pull if pull > 0.0 else 1.0


def _first_distance(state: StepsState, x: Vector, u: Vector, tau: float) -> Distance:
    """From the step to u; the smallest there is where the search has led nowhere."""
    r = distance.length(u - x, state.weights)
    if r < DEFAULT_LENGTH * radius.size(x):
        return _blind_distance(state, x)
    noise = state.gathered.noise(state.weights)
    return distance.init(r, tau, state.gathered.number, noise)


def _blind_distance(state: StepsState, x: Vector) -> Distance:
    """The beginning that DoG is known with, at a small distance."""
    g, r = state.gathered.mean, DEFAULT_LENGTH * radius.size(x)
    pull = math.sqrt(float((np.square(g) / state.weights).sum()))
    noise = state.gathered.noise(state.weights)
    tau = r / pull if pull > 0.0 else r
    return distance.init(r, tau, state.gathered.number, noise)


def _descending(state: StepsState, x: Vector, start: Distance, *, trusted: bool) -> StepsState:
    """The descent from x."""
    g = state.gathered.mean
    return state._replace(
        stage="descend",
        distance=start,
        gathered=state.gathered.forgotten(),
        means=means.init(x, g, start.r, trusted=trusted),
    )
