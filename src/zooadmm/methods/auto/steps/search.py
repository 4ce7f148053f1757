"""The scale of the problem: gradient estimates at x_1, and a look along the way they lead."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.learned import Distance, Learned, learned_of
from zooadmm.methods.auto.phase import Phase
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.auto.steps import distance, estimates, means, moments, scale, units
from zooadmm.methods.method import State, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.problem.arrays import Vector, norm
from zooadmm.structure.model_step import Solved

FIRST_WAY = 1e-3
"""The first length tau moves x_1 by this part of its size."""

BLIND_WAY = 1e-6
"""r_1 where nothing was searched for or found, in units of the size of x_1."""


class Gather(estimates.Estimate):
    """One more gradient estimate at x_1."""

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        if not np.isfinite(answer).all():
            return estimates.mishap(setup, state, query, answer)
        learned = learned_of(state)
        source = setup.source(learned)
        g = setup.estimated(learned, query, answer, counted)
        loss = source.loss(query, answer, counted)
        gathered = moments.add(learned.gathered, g)
        noted = estimates.recovered(learned)._replace(gathered=gathered)
        idle = setup.idle_step(state, math.nan if loss is None else loss)
        idle = idle._replace(gradient_norm=norm(g))
        if gathered.number < gathered.target:
            return state._replace(learned=noted), idle
        weights: Vector = units.NONE
        if setup.has("metric") and units.fit(setup.problem):
            weights = units.learned(gathered)
        tau = learned.scale.tau
        if math.isnan(tau):
            tau = _first_tau(state.x, moments.mean(gathered), weights)
        noted = noted._replace(
            phase="search",
            weights=weights,
            scale=learned.scale._replace(tau=tau, rounds=0),
            dimension=moments.dimension(gathered),
        )
        ready = state._replace(learned=noted)
        return (ready if setup.has("scale") else _begin_blindly(setup, ready)), idle


class Search(Phase):
    """Points along the way that the mean estimate leads, on common observations."""

    def observations(self, setup: Setup, learned: Learned) -> int:
        return setup.width(learned, learned.gathered.number)

    def cost(self, setup: Setup, learned: Learned) -> int:
        return (1 + len(scale.FACTORS)) * self.observations(setup, learned)

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        points = np.empty((1 + len(scale.FACTORS), len(state.x)), dtype=state.x.dtype)
        points[0] = setup.completed(state.x, state.y)[0]
        for j in range(len(scale.FACTORS)):
            to = _step(setup, state, j)
            points[1 + j] = setup.completed(to.x, to.y)[0]
        return PointsQuery(state.t, points, batch, self.observations(setup, learned_of(state)))

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        learned = learned_of(state)
        steps = (_step(setup, state, j) for j in range(len(scale.FACTORS)))
        phis = [setup.phi(setup.completed(state.x, state.y))]
        phis += [setup.phi(setup.completed(to.x, to.y)) for to in steps]
        table = answer + np.array(phis)[:, None]
        j, change, error = scale.best(table)
        idle = setup.idle_step(state, float(answer[0].mean()))
        elsewhere = scale.moved(learned.scale, j, change, error)
        if elsewhere is not None:
            return state._replace(learned=learned._replace(scale=elsewhere)), idle
        gathered, repeated = learned.gathered, answer.shape[1] > 1 or setup.width(learned, 1) == 1
        sure = repeated and change < -scale.STANDS_OUT * error
        if not sure:
            j = scale.longest(table)
        tau = learned.scale.tau * float(scale.FACTORS[j])
        found = learned._replace(scale=learned.scale._replace(tau=tau))
        most = scale.most_estimates(learned.budget, setup.source(learned).evaluations(1))
        if not (sure or setup.exact(learned)) and gathered.number < most:
            more = gathered._replace(target=min(2 * gathered.number, most))
            return state._replace(learned=found._replace(phase="gather", gathered=more)), idle
        u = _step(setup, state, j)
        began = _first_distance(found, state.x, u.x, tau)
        known = state._replace(learned=found)
        if not sure:
            return _begin(setup, known, state.x, state.y, began, trusted=False), idle
        known = known._replace(dual=u.dual, learned=found._replace(penalty=u.penalty))
        started = _begin(setup, known, u.x, u.y, began, trusted=True)
        return started, idle._replace(update=norm(u.x - state.x))


def _step(setup: Setup, state: State, j: int) -> Solved:
    """The step of structure from x_1 along the mean estimate, for the j-th tau of the range."""
    learned = learned_of(state)
    tau = learned.scale.tau * float(scale.FACTORS[j])
    return setup.structure(state, state.x, moments.mean(learned.gathered), tau)


def _first_tau(x: Vector, g: Vector, weights: Vector) -> float:
    pull = norm(np.asarray(g / weights, dtype=np.float64))
    way = FIRST_WAY * radius.size(x) * math.sqrt(len(x))
    return way / pull if pull > 0.0 else 1.0


def _first_distance(learned: Learned, x: Vector, u: Vector, tau: float) -> Distance:
    """From the step to u; the smallest there is where the search has led nowhere."""
    r = distance.length(u - x, learned.weights)
    if r < BLIND_WAY * radius.size(x):
        return _blind_distance(learned, x)
    noise = moments.noise(learned.gathered, learned.weights)
    return distance.init(r, tau, learned.gathered.number, noise)


def _blind_distance(learned: Learned, x: Vector) -> Distance:
    """The beginning that DoG is known with, at a small distance."""
    g, r = moments.mean(learned.gathered), BLIND_WAY * radius.size(x)
    pull = math.sqrt(float((np.square(g) / learned.weights).sum()))
    noise = moments.noise(learned.gathered, learned.weights)
    tau = r / pull if pull > 0.0 else r
    return distance.init(r, tau, learned.gathered.number, noise)


def _begin_blindly(setup: Setup, state: State) -> State:
    """Without a search."""
    began = _blind_distance(learned_of(state), state.x)
    return _begin(setup, state, state.x, state.y, began, trusted=True)


def _begin(
    setup: Setup, state: State, x: Vector, y: Vector, began: Distance, *, trusted: bool
) -> State:
    """The descent from (x, y)."""
    learned = learned_of(state)
    g = moments.mean(learned.gathered)
    after = learned._replace(
        phase="descend",
        distance=began,
        gathered=moments.forgotten(learned.gathered),
        memory=g if len(learned.memory) > 0 else learned.memory,
        means=means.init(x, g, setup.completed(x, y), began.r, trusted=trusted),
    )
    return state._replace(x=x, y=y, learned=after)
