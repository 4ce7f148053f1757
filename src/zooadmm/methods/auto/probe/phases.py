"""The first phases: is there noise, and how far apart must points be?"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.learned import Learned, Radius, learned_of
from zooadmm.methods.auto.next_phase import next_phase
from zooadmm.methods.auto.phase import Phase
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.method import State, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.problem.sets import ProbeSafe

TRIES = 8
"""Observations tried for one whose loss is not constant."""


class Probe(Phase):
    """A ladder of lengths along one direction."""

    def cost(self, setup: Setup, learned: Learned) -> int:
        return 2 + 2 * len(radius.LADDER)  # at most: rungs outside X are left out

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        return radius.probe(state.t, state.x, setup.key, batch, setup.limits)

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        if not math.isfinite(answer[0]):
            raise ValueError(
                f"evaluation 0 of query {query.id} is {answer[0]}, not finite: the loss is not "
                "finite at x0. Start where it is, inside its domain."
            )
        learned = learned_of(state)
        if setup.sampled and learned.drawn < TRIES and np.ptp(answer) == 0.0:
            return state, setup.idle_step(state, float(answer[0]))  # the next one may depend on x
        found = radius.untested(state.x, answer)
        if setup.has("radius"):
            made = radius.rungs(query.id, state.x, setup.key, setup.limits)
            found = radius.read(state.x, answer, made)
        if found.noise == 0.0 and setup.limits is not None:
            shortest = radius.within(state.x, setup.limits)
            found = found._replace(length=min(found.length, shortest))
        if setup.auto.noise is not None and setup.auto.noise != found.noise:
            found = radius.from_user(setup.auto.noise, state.x, answer)
        if found.noise > 0.0:
            found = _within(setup, state, found)
        noisy = not math.isfinite(found.length)
        appeared = learned.radius.noise == 0.0 and found.noise != 0.0
        # a model that has failed did not allow for noise
        model_ruled_out = learned.model_ruled_out and not appeared
        learned = learned._replace(phase="noise", radius=found, model_ruled_out=model_ruled_out)
        target = 1 if setup.exact(learned) else setup.first_estimates(learned)
        gathered = learned.gathered._replace(target=target)
        noted = state._replace(learned=learned._replace(gathered=gathered))
        idle = setup.idle_step(state, float(answer[0]))
        if math.isfinite(found.noise) and setup.models(learned_of(noted)):
            loss = float(answer[0]) if found.noise == 0.0 else found.center
            return next_phase(setup, noted, loss), idle
        if noisy:
            return noted, idle
        return next_phase(setup, noted, float(answer[0])), idle


class Noise(Phase):
    """The size of the noise, and then the length from which curvature rises above it."""

    def cost(self, setup: Setup, learned: Learned) -> int:
        known = learned.radius
        return radius.PAIRS if math.isnan(known.noise) else 2 * radius.PAIRS

    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        known = learned_of(state).radius
        if math.isnan(known.noise):
            return radius.repeat(state.t, state.x, batch)
        inside = setup.limits if isinstance(setup.limits, ProbeSafe) else None
        return radius.pairs(state.t, state.x, known, setup.key, batch, inside)

    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        learned = learned_of(state)
        known, measured = learned.radius, math.isnan(learned.radius.noise)
        if measured:
            known = radius.read_repeated(known, state.x, answer)
            if known.noise > 0.0:
                known = _within(setup, state, known)
        elif not np.isfinite(answer).all():
            known = known._replace(length=known.trial / 2)  # not so far
        else:
            most = radius.farthest(state.x, setup.problem.domain)
            known = radius.read_pairs(known, state.x, answer, float(most.min()))
            if not math.isfinite(known.length):
                known = _within(setup, state, known)
        noted = state._replace(learned=learned._replace(radius=known))
        idle = setup.idle_step(state, known.center if measured else math.nan)
        if measured and setup.models(learned_of(noted)):
            return next_phase(setup, noted, known.center), idle
        given = setup.smoothing is not None
        if not (given or math.isfinite(known.length)):
            return noted, idle
        return next_phase(setup, noted, float(answer.flat[0])), idle


def _within(setup: Setup, state: State, known: Radius) -> Radius:
    """With the length that the domain allows, where it has no room for the next trial."""
    if setup.limits is None or radius.has_room(state.x, known.trial, setup.limits):
        return known
    return known._replace(length=radius.within(state.x, setup.limits))
