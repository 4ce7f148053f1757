"""What the stages of the descent by steps share: gradient estimates, steps, values to judge by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np

from zooadmm.methods.auto.constants import (
    FACTORS,
    FEW,
    FEWEST,
    FEWEST_VALUES,
    MOST_MODELED,
    NARROW,
    ULPS,
)
from zooadmm.methods.auto.given import Given
from zooadmm.methods.auto.known import Known
from zooadmm.methods.auto.steps import distance, scale
from zooadmm.methods.auto.steps.state import StepsState
from zooadmm.methods.auto.steps.stretched import Stretched
from zooadmm.methods.auto.strategy import Progress
from zooadmm.methods.method import Pair
from zooadmm.methods.schedule import usable
from zooadmm.oracle.directions import Coordinate, Orthogonal
from zooadmm.oracle.gradients import GradientSource, Smoothed
from zooadmm.oracle.gradients.source import Probes
from zooadmm.oracle.queries import Answer, CentralQuery, Counted, Query
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet
from zooadmm.structure.model_step import ModelStep, Solved


class StepTools:
    """For what the user gave."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.problem = given.problem

    # gradient estimates

    def num_directions(self, budget: int) -> int:
        """q1: all m, or as many as leave the budget FEWEST_VALUES estimates."""
        m = self.problem.m
        if self.given.gradient is not None:
            return m
        if budget == 0:
            return min(m, MOST_MODELED)
        return max(1, min(m, budget // FEWEST_VALUES - 1))

    def source(self, num_directions: int, noisy: bool) -> GradientSource:
        """How gradients are estimated: on one observation, along as many directions as pay.

        Central differences for a noisy loss, whose points are far apart; else forward differences.
        """
        if self.given.gradient is not None:
            return self.given.gradient
        probes: Probes = "inside" if self.given.stays_inside else "anywhere"
        return _differences(num_directions, num_directions == self.problem.m, noisy, probes)

    def source_of(self, state: StepsState, known: Known) -> GradientSource:
        """How gradients are estimated in a run."""
        return self.source(state.num_directions, known.radius.noise > 0.0)

    def source_at(self, state: StepsState, at: Progress) -> GradientSource:
        """How they are estimated at x: to the inner side of bounds, or by shorter pairs at them."""
        domain, q1, length = self.problem.domain, state.num_directions, state.length
        bounds_only = domain.bounds() is not None and not domain.is_everything
        given, noisy = self.given, at.known.radius.noise > 0.0
        bounded = bounds_only and q1 == self.problem.m and given.smoothing is None
        if given.gradient is None and bounded and not noisy:
            return Smoothed(q1, distribution=Stretched(_inner_side(at.x, length, domain)))
        if given.gradient is None and bounded and given.stays_inside:
            stretch = _with_room(at.x, length, domain)
            if (stretch < 1.0).any():
                pairs = Stretched(stretch)
                return Smoothed(q1, distribution=pairs, difference="central", probes="inside")
        return self.source_of(state, at.known)

    def estimated(
        self, state: StepsState, known: Known, query: Query, answer: Answer, counted: Counted | None
    ) -> Vector:
        """The gradient estimate that an answer amounts to."""
        g = self.source_of(state, known).gradient(query, answer, counted)
        if isinstance(query, CentralQuery) and isinstance(query.distribution, Stretched):
            return query.distribution.unstretched(g)
        return g

    def exact(self, state: StepsState, known: Known) -> bool:
        """Whether one estimate tells the gradient: no noise, no observations, all directions."""
        values = not self.given.sampled and known.radius.noise == 0.0
        whole = state.num_directions == self.problem.m
        return values and self.given.gradient is None and whole

    def is_compared(self, known: Known) -> bool:
        """Whether single values tell which pair is better: no noise, no observations, no drift."""
        return not self.given.sampled and known.radius.noise == 0.0 and self.given.checks

    def first_estimates(self, state: StepsState, known: Known) -> int:
        """How many estimates are gathered before the first search."""
        if self.exact(state, known):
            return 1
        if known.budget == 0:
            return FEW
        source = self.source(state.num_directions, bool(self.given.auto.noise))
        allowed = known.budget // (FEWEST * source.evaluations(1))
        return max(2, min(FEW, allowed))

    def width(self, state: StepsState, known: Known, estimates: int) -> int:
        """Values that judge a point, beside this number of gradient estimates."""
        if not self.given.sampled and known.radius.noise == 0.0:
            return 1
        return scale.width(estimates, state.num_directions)

    # steps

    @property
    def factors(self) -> Sequence[float]:
        """Lengths of the first steps that are tried, in units of a guess."""
        return scale.WARY if self.given.once else FACTORS

    def eta(self, state: StepsState) -> float:
        """eta_t"""
        if self.given.step_size is not None:
            return usable("step_size", self.given.step_size, state.means.number + 1)
        t = state.gathered.number + state.means.number
        return distance.step_size(state.distance, t, self.given.auto.horizon)

    @cached_property
    def model_step(self) -> ModelStep:
        """How the step of structure is solved."""
        return ModelStep(self.problem, self.given.penalty)

    def structure(
        self, state: StepsState, at: Progress, x: Vector, g: Vector, eta: float
    ) -> Solved:
        """The step of structure from x along -g."""
        start = Solved(at.x, at.y, at.dual, state.penalty)
        return self.model_step(x, g.astype(x.dtype, copy=False), eta, state.weights, start)

    def inside(self, x: Vector) -> Vector:
        """The point of X nearest to x."""
        return np.array(self.problem.domain.project(x), dtype=self.problem.dtype)

    def completed(self, x: Vector, y: Vector) -> Pair:
        """The pair with one side computed from the other; x stays where it may be evaluated."""
        K = self.problem.constraint
        if self.given.complete == "y":
            return x, K.complete_y(x)
        if self.given.complete == "x" and not self.given.stays_inside:
            return K.complete_x(y), y
        return x, y

    def phi(self, pair: Pair) -> float:
        """phi at the point of Y nearest to y."""
        return self.problem.phi_near(pair[1])


def _with_room(x: Vector, length: float, domain: ConvexSet) -> Vector:
    """How much shorter, as a factor, pairs of this length are that bounds cut off.

    A pair that reaches as far as the bound on both sides has its slope at x. Below NARROW it is
    moved inside instead, by at most that part of the length, and has the slope of a point so far
    away: with second differences of SURE sigma this costs at most 1/16 of the noise of a value.
    """
    lower, upper = domain.bounds() or (-math.inf, math.inf)
    room = np.maximum(np.minimum(x - lower, upper - x), 0.0)
    return np.asarray(np.clip(room / length, NARROW, 1.0))


def _inner_side(x: Vector, length: float, domain: ConvexSet) -> Vector:
    """1 for a variable with room for a move of this length upward, -1 downward, 0 for neither."""
    lower, upper = domain.bounds() or (-math.inf, math.inf)
    reach = length + ULPS * np.finfo(x.dtype).eps * (np.abs(x) + length)
    return np.where(upper - x >= reach, 1.0, np.where(x - lower >= reach, -1.0, 0.0))


@lru_cache
def _differences(num_directions: int, whole: bool, noisy: bool, probes: Probes) -> Smoothed:
    return Smoothed(
        num_directions,
        distribution=Coordinate() if whole else Orthogonal(),
        difference="central" if noisy else "forward",
        probes=probes,
    )
