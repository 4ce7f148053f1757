"""What the user gave to an automatic run, and what all phases compute from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from zooadmm.methods.auto.kinks import KinkDescent, KinkState
from zooadmm.methods.auto.learned import Learned, Radius, learned_of
from zooadmm.methods.auto.model import Model, ModelDescent, QuasiNewton, Steps
from zooadmm.methods.auto.noisy import ValueFilter
from zooadmm.methods.auto.ridges import MOST_VARIABLES, RidgeDescent, affordable
from zooadmm.methods.auto.sampled import FIRST, SampledDescent
from zooadmm.methods.auto.settings import Auto
from zooadmm.methods.auto.steps import distance, scale, units
from zooadmm.methods.auto.steps.stretched import Stretched
from zooadmm.methods.auto.working_set import WorkingSet, WorkingState, sparse_coordinates
from zooadmm.methods.method import Pair, State, Step
from zooadmm.methods.schedule import Schedule, usable
from zooadmm.oracle.directions import Coordinate, Orthogonal
from zooadmm.oracle.gradients import GradientSource, Smoothed
from zooadmm.oracle.gradients.differences import Probes
from zooadmm.oracle.queries import Answer, CentralQuery, Counted, Query
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.constraint import Side
from zooadmm.problem.coordinates import Coordinates
from zooadmm.problem.problem import Problem, nearest_feasible
from zooadmm.problem.sets import ConvexSet, ProbeSafe
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.model_step import ModelStep, Solved

MOST_DIRECTIONS = 1000
"""q1 at most, for a run that does not know its budget."""

WHOLE = 10
"""How many estimates along all m directions a budget must allow for; else there are fewer."""

SOME = 40
"""How many estimates along fewer directions it is then made to allow for."""

FIRST_PART = 0.3
"""The part of a small budget that may go into the first estimates."""

MOST_MODELED = 1500
"""The largest m for which a model of the loss, two m x m matrices, is made of all variables."""

SHORTEST = 0.25
"""The length of a pair of a noisy loss at a bound, as a part of the length elsewhere. The slope of
a pair that was moved inside is that of a point so far away: with second differences of CURVED sigma
this costs at most SHORTEST^2 sigma in F, 1/16 of the noise of a value."""

VISIBLE = 10.0
"""The change of values along the ladder of the first probe, in standard deviations of the noise,
from which a model is made of a noisy loss. Noise alone changes them by about three. A model shows
a curvature by one second difference of 100 of them, which a loss that changes by less than a tenth
of that over ten times the size of x_1 has nowhere in reach; steps need no curvature."""

MOST_AT_FIRST = 500
"""Most nonzero variables of x0 with which a working set starts."""

COARSE = 1e-6
"""Rounding, as a part of the loss or its changes, from which values have steps and plateaus."""

FEWEST_BATCHES = 2
"""Batches of the first size that samples and an announced budget must allow for: one for the first
slopes and curvatures, one for what confirms a step."""

SEARCHES = 300
"""Evaluations that a budget must allow for the first search for these."""

PROBES = 28
"""Evaluations beside two for each variable that the first step of a model takes: the 26 of the
first probe, f(x) and a trial."""

FEWEST_HELD = 16
"""Observations, or all, whose ridges a budget must cover for the ridge test to pay."""


@dataclass(frozen=True, eq=False)
class Setup:
    """A problem, and what the user insists on.

    auto: which parts are at work, and how long the past counts.
    key: where random numbers come from.
    sampled: whether the loss has observations.
    samples: how many there are, where they are finitely many and known; else 0.
    in_turn: whether these come each once before any twice.
    budget: the evaluations planned for, or 0.
    gradient, step_size, smoothing, penalty: what the user gave by name, or None.
    complete: the side of the answer that is computed from the other.
    """

    problem: Problem
    auto: Auto
    key: Key
    sampled: bool
    samples: int
    in_turn: bool
    budget: int
    gradient: GradientSource | None
    step_size: Schedule | None
    smoothing: Schedule | None
    penalty: float | None
    complete: Side | None

    def has(self, part: str) -> bool:
        """Whether a part is at work."""
        return part not in self.auto.without

    @property
    def checks(self) -> bool:
        """Whether answers are compared; not where the loss drifts, and with it what is better."""
        return self.has("check") and math.isinf(self.auto.horizon)

    @cached_property
    def num_directions(self) -> int:
        """q1: all m, or as many as the budget allows for."""
        m = self.problem.m
        if self.budget == 0:
            return min(m, MOST_DIRECTIONS)
        return m if WHOLE * (m + 1) <= self.budget else max(1, min(m, self.budget // SOME))

    def models(self, learned: Learned) -> bool:
        """Whether to use the model strategy.

        For exact losses, the mean over few samples among them (over many, fresh observations come
        first), and for noisy ones whose changes rise above the noise. Parameters given by name
        belong to the steps, and win.
        """
        m = self.problem.m
        few = 0 < self.samples < FEWEST_BATCHES * FIRST
        return (
            self.has("model")
            and (few or not self.sampled)
            and not learned.model_ruled_out
            and (learned.radius.noise == 0.0 or self._shows_through(learned.radius))
            and self._unhampered()
            and (self._affords_few(learned) if m > MOST_MODELED else self._affords_all(learned))
        )

    def _shows_through(self, known: Radius) -> bool:
        """Whether a noisy loss has no observations, and changes by much more than its noise."""
        few = self.problem.m <= MOST_MODELED and not self.sampled
        return few and known.change > VISIBLE * known.noise

    def _unhampered(self) -> bool:
        """Whether nothing given by name is against a model."""
        named = self.gradient, self.step_size, self.smoothing, self.penalty
        return (
            all(given is None for given in named)
            and math.isinf(self.auto.horizon)
            and self.problem.dtype == np.float64
        )

    def holds(self, learned: Learned) -> bool:
        """Whether to test the observations for ridges first."""
        m, budget, fewest = self.problem.m, learned.budget, min(FEWEST_HELD, self.samples)
        return (
            self.has("ridges")
            and self.in_turn
            and m <= MOST_VARIABLES
            and not learned.ridges_ruled_out
            and self.ridges.has_room(learned.anchor, learned.radius.length)
            and learned.radius.noise == 0.0
            and self._unhampered()
            and (budget == 0 or affordable(budget, m, self.samples) >= fewest)
        )

    def samples_afresh(self, learned: Learned) -> bool:
        """Whether the run takes slopes of fresh observations; not where these are few or coarse."""
        m, budget, known = self.problem.m, learned.budget, learned.radius
        return (
            self.has("sampled")
            and self.has("model")
            and self.samples >= FEWEST_BATCHES * FIRST
            and m <= MOST_MODELED
            and not (self.has("radius") and known.rounding > COARSE * known.change)
            and not learned.model_ruled_out
            and (self.limits is None or self.limits.bounds() is not None)
            and learned.radius.noise == 0.0
            and self._unhampered()
            and (budget == 0 or budget >= FEWEST_BATCHES * FIRST * (2 * m + 1))
        )

    @cached_property
    def fresh(self) -> SampledDescent:
        """Descent by fresh observations."""
        return SampledDescent(self.problem, self.samples)

    @cached_property
    def ridges(self) -> RidgeDescent:
        """Descent by the ridges of observations."""
        metric = self.has("metric") and units.fit(self.problem)
        inside = self.limits if isinstance(self.limits, ProbeSafe) else None
        return RidgeDescent(self.problem, self.samples, metric, inside)

    def _affords_all(self, learned: Learned) -> bool:
        """Whether the budget allows for a model of all variables."""
        return learned.budget == 0 or learned.budget >= 2 * self.problem.m + PROBES

    def _affords_few(self, learned: Learned) -> bool:
        """Whether a model of those that are not zero will do, and the budget allows for it."""
        few = bool(np.count_nonzero(learned.anchor) <= MOST_AT_FIRST) and not self.sampled
        affords = learned.budget == 0 or learned.budget >= SEARCHES
        return few and affords and self._sparse is not None

    @cached_property
    def _sparse(self) -> Coordinates | None:
        """The parts of a problem of which a model is made of a few variables at a time."""
        return sparse_coordinates(self.problem) if self.problem.m > MOST_MODELED else None

    @cached_property
    def quasi_newton(self) -> ModelDescent[Any]:
        """Descent by a model of the loss."""
        if self._sparse is None:
            return QuasiNewton(self.problem)
        return WorkingSet(self.problem, self._sparse)

    @cached_property
    def minimizer(self) -> Minimizer:
        """S(g), the minimizer of a quadratic model over the structure."""
        return Minimizer(self.problem)

    @cached_property
    def value_filter(self) -> ValueFilter:
        """Descent by slopes of noisy values."""
        return ValueFilter(self.problem, self.minimizer)

    @cached_property
    def kinks(self) -> KinkDescent:
        """Descent across kinks of the loss."""
        return KinkDescent(self.minimizer)

    def descent(self, model: Model | WorkingState | KinkState) -> Steps[Any]:
        """The descent that a state belongs to."""
        return self.kinks if isinstance(model, KinkState) else self.quasi_newton

    def first_estimates(self, learned: Learned) -> int:
        """How many estimates are gathered before the first search."""
        if learned.budget == 0:
            return scale.FIRST
        allowed = int(FIRST_PART * learned.budget / self.source(learned).evaluations(1))
        return max(2, min(scale.FIRST, allowed))

    @cached_property
    def limits(self) -> ConvexSet | None:
        """The domain where no point may be evaluated outside; None where points may be anywhere."""
        domain = self.problem.domain
        given = self.gradient is not None and self.gradient.stays_inside
        inside = given or self.auto.probes == "inside"
        return domain if inside and not domain.is_everything else None

    @cached_property
    def stays_inside(self) -> bool:
        """Whether differences stay inside the domain: it must know how far its boundary is."""
        if self.gradient is not None:
            return self.gradient.stays_inside
        return isinstance(self.limits, ProbeSafe) and self.limits.inradius(self.problem.m) > 0.0

    def source(self, learned: Learned | None = None, x: Vector | None = None) -> GradientSource:
        """How gradients are estimated: on one observation, along as many directions as pay.

        Central differences for a noisy loss, whose points are far apart, and shorter ones at bounds
        that they must not leave; else forward differences, at x to the inner side of bounds.
        """
        if self.gradient is not None:
            return self.gradient
        probes: Probes = "inside" if self.stays_inside else "anywhere"
        if learned is None:
            whole = self.num_directions == self.problem.m
            return _differences(self.num_directions, whole, False, probes)
        q1 = learned.num_directions
        domain, noisy = self.problem.domain, learned.radius.noise > 0.0
        bounds_only = domain.bounds() is not None and not domain.is_everything
        bounded = bounds_only and q1 == self.problem.m
        if bounded and x is not None and not noisy and self.smoothing is None:
            signs = _inner_side(x, learned.radius.length, domain)
            return Smoothed(q1, distribution=Stretched(signs))
        if bounded and x is not None and noisy and self.stays_inside and self.smoothing is None:
            stretch = _with_room(x, learned.radius.length, domain)
            if (stretch < 1.0).any():
                stretched = Stretched(stretch)
                return Smoothed(q1, distribution=stretched, difference="central", probes=probes)
        return _differences(q1, q1 == self.problem.m, noisy, probes)

    def estimated(
        self, learned: Learned, query: Query, answer: Answer, counted: Counted | None
    ) -> Vector:
        """The gradient estimate that an answer amounts to."""
        g = self.source(learned).gradient(query, answer, counted)
        if isinstance(query, CentralQuery) and isinstance(query.distribution, Stretched):
            return query.distribution.unstretched(g)
        return g

    def beta(self, learned: Learned, t: int) -> float:
        """beta_t, negative where differences are taken on the other side."""
        if self.smoothing is not None:
            beta = usable("smoothing", self.smoothing, t)
        else:
            beta = learned.radius.length / math.sqrt(self.problem.m)
        return -beta if learned.flipped else beta

    def eta(self, learned: Learned) -> float:
        """eta_t"""
        if self.step_size is not None:
            return usable("step_size", self.step_size, learned.means.number + 1)
        t = learned.gathered.number + learned.means.number
        return distance.step_size(learned.distance, t, self.auto.horizon)

    def width(self, learned: Learned, estimates: int) -> int:
        """How many values a point is judged by, beside so many gradient estimates."""
        if not self.sampled and learned.radius.noise == 0.0:
            return 1
        return scale.width(estimates, learned.num_directions)

    def exact(self, learned: Learned) -> bool:
        """Whether one estimate tells the gradient: no noise, no observations, all directions."""
        values = not self.sampled and learned.radius.noise == 0.0
        return values and self.gradient is None and learned.num_directions == self.problem.m

    @cached_property
    def model_step(self) -> ModelStep:
        """How the step of structure is solved."""
        return ModelStep(self.problem, self.penalty)

    def structure(self, state: State, x: Vector, g: Vector, eta: float) -> Solved:
        """The step of structure from x along -g."""
        learned = learned_of(state)
        start = Solved(state.x, state.y, state.dual, learned.penalty)
        return self.model_step(x, g.astype(x.dtype, copy=False), eta, learned.weights, start)

    def inside(self, x: Vector) -> Vector:
        """The point of X nearest to x."""
        return np.array(self.problem.domain.project(x), dtype=self.problem.dtype)

    def completed(self, x: Vector, y: Vector) -> Pair:
        """The pair with one side computed from the other; x stays where it may be evaluated."""
        K = self.problem.constraint
        if self.complete == "y":
            return x, K.complete_y(x)
        if self.complete == "x" and not self.stays_inside:
            return K.complete_x(y), y
        return x, y

    def phi(self, pair: Pair) -> float:
        """phi at the point of Y nearest to y."""
        regularizer = self.problem.regularizer
        return float(regularizer(nearest_feasible(regularizer, pair[1])))

    def idle_step(self, state: State, loss: float) -> Step:
        """The record of an iteration without a step."""
        r = norm(self.problem.constraint.residual(state.x, state.y))
        beta = abs(self.beta(learned_of(state), state.t))
        return Step(loss, math.nan, r, 0.0, math.nan, beta, math.nan)


def _with_room(x: Vector, length: float, domain: ConvexSet) -> Vector:
    """How much shorter, as a factor, pairs of this length are that bounds cut off.

    A pair that reaches as far as the bound on both sides has its slope at x. Below SHORTEST it is
    moved inside instead, by at most that part of the length.
    """
    lower, upper = domain.bounds() or (-math.inf, math.inf)
    room = np.maximum(np.minimum(x - lower, upper - x), 0.0)
    return np.asarray(np.clip(room / length, SHORTEST, 1.0))


def _inner_side(x: Vector, length: float, domain: ConvexSet) -> Vector:
    """1 for a variable with room for a move of this length upward, -1 downward, 0 for neither."""
    lower, upper = domain.bounds() or (-math.inf, math.inf)
    reach = length + 4.0 * np.finfo(x.dtype).eps * (np.abs(x) + length)
    return np.where(upper - x >= reach, 1.0, np.where(x - lower >= reach, -1.0, 0.0))


@lru_cache(maxsize=8)
def _differences(num_directions: int, whole: bool, noisy: bool, probes: Probes) -> Smoothed:
    return Smoothed(
        num_directions,
        distribution=Coordinate() if whole else Orthogonal(),
        difference="central" if noisy else "forward",
        probes=probes,
    )
