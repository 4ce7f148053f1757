"""Minimizing by comparisons: a belief about f, and pairs that are drawn from it.

Two losses are drawn from the belief, and each is minimized over the structure. Their minimizers
duel (Thompson sampling): the pair lies on the line through both, around their middle, and is
stretched until its answer is expected to tell them apart. The answer of the run is the minimizer of
the belief's mean, around which the next belief is centered.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from zooadmm.methods.compare.belief import Belief, Comparisons, Floats, Quadratic, Scale
from zooadmm.methods.compare.settings import Compare
from zooadmm.methods.method import (
    NO_SOURCE,
    FirstOrder,
    Method,
    Output,
    Pair,
    State,
    Step,
    Uncertainty,
)
from zooadmm.oracle.gradients import GradientSource
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, PairsQuery, Query
from zooadmm.oracle.randomness import Key, Purpose, generator_at
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.form import form_of
from zooadmm.problem.problem import Problem
from zooadmm.problem.regularizers import Indicator, Zero
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT


class CompareState(NamedTuple):
    """All that the future of the run depends on."""

    firsts: Floats
    """The first points of the next query, a row each"""
    seconds: Floats
    start: Floats
    """x0"""
    seen: Comparisons
    """The last comparisons"""
    weights: Floats
    """Weights of these in the belief: where its next fit starts"""
    scale: Scale
    answered: int
    """Comparisons answered so far"""
    due: int
    """Comparisons at which the scale is tuned next"""
    ties: int
    """Answers so far that preferred neither point"""
    contradictions: int
    """Preferences among the last ones that go against the belief"""


FIRST_RADIUS = 0.3
"""R at the start, in units of the variables: their bounds, or max(1, |x0|) without."""

FIRST_AMPLITUDE = 2.0
"""a at the start, in log odds."""

LEAST_AMPLITUDE = 0.5
"""a is never less, in log odds: a belief that all answers are noise would learn nothing more."""

STEEPNESS = 0.5
SPREAD = 0.35
"""s and b of the belief that pairs are drawn from."""

VAGUE = (2.0, 1.0)
"""s and b of the belief that says how uncertain the answer is: its center is the answer itself, so
that it must not hold the minimizer near it."""

LEAST_CURVATURE = 0.05
"""Least eigenvalue of a curvature that is minimized, in amplitudes."""

TRUST = 2.0
"""Longest step from the center, and half the longest pair, in radii."""

TOLD_APART = 2.0
"""Log odds, root mean square over draws, that a pair is stretched to."""

DRAWS = 8
"""Losses drawn for a query."""

REPORTED = 64
"""Losses drawn to say how uncertain the answer is."""

KEPT = 400
"""Comparisons that the belief rests on: the last ones. A fit takes some 10 ms with them."""

PAIRS_PER = 20
"""Comparisons so far for each pair of a query."""

TUNED_PER = 40
"""The scale is tuned every 1 + count / TUNED_PER comparisons."""

SHOWN = 1e-5
"""Part of the decrease that may be left where x is shown to be an optimum."""

CONTRADICTED = 0.05
"""The part of answers that contradict the others at least, where these are odds: pairs are two log
odds apart, and one answer in eight is then for the worse point."""

SUSPICIOUS = 20
"""So many equal answers, to pairs in random order, are no accident: 1 in 500,000."""


@dataclass(frozen=True, eq=False)
class Comparing(Method):
    """Comparisons on a problem; an answer has the share of votes for the first of each pair."""

    problem: Problem
    settings: Compare
    key: Key
    source: GradientSource = NO_SOURCE
    step_size: None = None
    smoothing: None = None
    learned_type = CompareState
    recovers = True
    unshown = "comparisons leave it uncertain."
    unchanged = (
        "All comparisons had the same answer: neither point was preferred, or always the first or "
        "the second. Check that the function uses both of its arguments, and x0 and the domain."
    )

    @cached_property
    def _minimizer(self) -> Minimizer:
        return Minimizer(self.problem)

    @cached_property
    def weighs(self) -> bool:
        """Whether there is a phi to weigh against f."""
        return not has_only_sets(self.problem)

    def init(self, x: Vector, y: Vector, dual: Vector) -> State:
        m, x64 = len(x), x.astype(np.float64)
        units = np.maximum(np.abs(x64), 1.0)
        form = self.problem.domain.form(m)
        if form is not None:
            units = np.minimum(units, form.phi.upper - form.phi.lower)
        units = np.where(units > 0.0, units, 1.0)
        none = np.zeros((0, m))
        seen = Comparisons(none, none, np.zeros(0), self.settings.votes)
        scale = Scale(x64, FIRST_RADIUS, units, FIRST_AMPLITUDE, STEEPNESS, SPREAD)
        known = CompareState(none, none, x64, seen, np.zeros(0), scale, 0, 0, 0, 0)
        sums = np.zeros(m), np.zeros(len(y))
        return State(1, x, y, dual, *sums, (), self._with_pairs(known, 1, y, dual))

    def cost(self, state: State) -> int:
        return len(_own(state).firsts)

    def query(self, state: State, batch: Batch | None) -> Query:
        own = _own(state)
        return PairsQuery(state.t, own.firsts, own.seconds, self.settings.votes)

    def duels(self, x: Vector, start: Vector, count: int) -> PairsQuery:
        """x against x0, each of them first in turn; x is first in the even ones."""
        firsts = np.array([x if j % 2 == 0 else start for j in range(count)])
        seconds = np.array([start if j % 2 == 0 else x for j in range(count)])
        return PairsQuery(0, firsts, seconds, self.settings.votes)

    def step(
        self, state: State, query: Query, answer: Answer, counted: Counted | None = None
    ) -> tuple[State, Step]:
        self._minimizer.renew()
        own = self._with_answers(_own(state), answer)
        belief = self._tuned(own) if own.answered >= own.due else _belief(own)
        if own.answered >= own.due:
            due = own.answered + 1 + own.answered // TUNED_PER
            own = own._replace(due=due)
        x, y, dual = self._minimum(belief.scale, belief.mean, state.y, state.dual)
        own = own._replace(weights=belief.weights, scale=belief.scale._replace(center=x))
        own = self._with_pairs(own, state.t + 1, y, dual)
        record = Step(
            loss=math.nan,
            gradient_norm=norm(belief.mean.slope / belief.scale.units) / belief.scale.radius,
            residual=norm(self.problem.constraint.residual(state.x, state.y)),
            update=norm(x - state.x),
            step_size=math.nan,
            smoothing=belief.scale.radius,
            penalty=math.nan,
        )
        return state.next(x, y, dual, own), record

    def _with_answers(self, own: CompareState, answer: Answer) -> CompareState:
        """The state with the answers that were given, and the last comparisons kept."""
        given = np.isfinite(answer)
        last = slice(-KEPT, None)
        seen = Comparisons(
            np.concatenate([own.seen.firsts, own.firsts[given]])[last],
            np.concatenate([own.seen.seconds, own.seconds[given]])[last],
            np.concatenate([own.seen.shares, answer[given]])[last],
            self.settings.votes,
        )
        fresh = int(given.sum())
        return own._replace(
            seen=seen,
            weights=np.concatenate([own.weights, np.zeros(fresh)])[last],
            answered=own.answered + fresh,
            ties=own.ties + int((answer[given] == 0.5).sum()),
        )

    def _tuned(self, own: CompareState) -> Belief:
        """The belief with the most evidence among scales beside the present one.

        First the amplitude changes, then the radius, with slopes that stay as they are. The radius
        does not outgrow twice the way from x0.
        """
        best = _belief(own)
        way = norm((own.scale.center - own.start) / own.scale.units)
        most = max(own.scale.radius, FIRST_RADIUS + 2.0 * way)
        for radii in (False, True):
            a, R = best.scale.amplitude, best.scale.radius
            near = [
                best.scale._replace(amplitude=by * a, radius=by * R if radii else R)
                for by in (0.5, 2.0)
            ]
            others = [
                Belief(scale, own.seen, best.weights)
                for scale in near
                if scale.radius <= most and scale.amplitude >= LEAST_AMPLITUDE
            ]
            best = max([best, *others], key=lambda belief: belief.evidence)
        return best

    def _with_pairs(self, own: CompareState, t: int, y: Vector, dual: Vector) -> CompareState:
        """The state with the pairs of query t."""
        m, belief = len(own.start), _belief(own)
        count = self.settings.pairs or max(1, min(m, own.answered // PAIRS_PER))
        random = generator_at(self.key, Purpose.DIRECTIONS, t)
        draws = [belief.draw(random) for _ in range(max(DRAWS, count))]
        chosen = [random.choice(len(draws), 2, replace=False) for _ in range(count)]
        others, swapped = random.standard_normal((count, m)), random.random(count) < 0.5
        minima = np.array([self._minimum(own.scale, draw, y, dual)[0] for draw in draws])
        firsts, seconds = np.empty((count, m)), np.empty((count, m))
        for k, (i, j) in enumerate(chosen):
            pair = self._duel(own.scale, draws, (minima[i], minima[j]), others[k], y)
            firsts[k], seconds[k] = pair[::-1] if swapped[k] else pair
        against = int(((own.seen.shares - 0.5) * (belief.chances - 0.5) < 0.0).sum())
        return own._replace(
            firsts=firsts, seconds=seconds, weights=belief.weights, contradictions=against
        )

    def _duel(
        self,
        scale: Scale,
        draws: list[Quadratic],
        ends: tuple[Floats, Floats],
        other: Floats,
        y: Vector,
    ) -> tuple[Floats, Floats]:
        """A pair on the line through two points; along another direction where they are one."""
        middle: Floats = 0.5 * (ends[0] + ends[1])
        half: Floats = 0.5 * (ends[1] - ends[0])
        length = norm(half / scale.units) / scale.radius
        if length < 1e-9:
            half = 0.1 * scale.radius / norm(other) * scale.units * other
            length = 0.1
        u, v = scale.of(middle), half / (scale.radius * scale.units)
        rises = np.array([2.0 * v @ (draw.slope + draw.curvature @ u) for draw in draws])
        expected = max(float(np.sqrt(np.square(rises).mean())), np.finfo(float).tiny)
        half = half * max(1.0, min(TOLD_APART / expected, TRUST / length))
        return self._inside(middle - half, y), self._inside(middle + half, y)

    def _inside(self, x: Floats, y: Vector) -> Floats:
        """The nearest point that the problem allows."""
        nearest = self._minimizer.feasible(x, y)[0]
        return np.asarray(self.problem.moved_inside(nearest), dtype=np.float64)

    def _minimum(
        self, scale: Scale, f: Quadratic, y: Vector, dual: Vector
    ) -> tuple[Floats, Vector, Vector]:
        """(x, y, dual) of S(g) in the convex part of f, at most TRUST radii from the center."""
        values, vectors = np.linalg.eigh(f.curvature)
        values = np.maximum(values, LEAST_CURVATURE * scale.amplitude)
        spread = vectors / (scale.radius * scale.units)[:, None]
        H, g = (spread * values) @ spread.T, f.slope / (scale.radius * scale.units)
        minimizer = self._minimizer
        start = minimizer.init(scale.center, y, dual)
        solved, _ = minimizer(H, scale.center, g, start, 0.0, EXACT)
        x, y, dual = minimizer.pair(minimizer.exactly(solved))
        length = norm(scale.of(x))
        if length > TRUST:
            x = scale.center + TRUST / length * (x - scale.center)
        x = self._inside(x, y)
        K = self.problem.constraint
        return x, x.copy() if K.is_consensus else K.complete_y(x) if K.B_invertible else y, dual

    def _objective(self, scale: Scale, f: Quadratic, x: Floats) -> float:
        """f + phi at x."""
        value = float(f(scale.of(x)[None])[0])
        if not self.weighs:
            return value
        return value + self.problem.phi_near(self.problem.constraint.complete_y(x))

    def uncertainty(self, state: State) -> Uncertainty | None:
        """How sure the belief is of the recommended x; None before the first answer."""
        own = _own(state)
        if own.answered == 0:
            return None
        if not (self._uncertain and self._uncertain[0][0] is state):
            self._uncertain[:] = [(state, self._drawn_uncertainty(state, own))]
        return self._uncertain[0][1]

    @cached_property
    def _uncertain(self) -> list[tuple[State, Uncertainty]]:
        """The uncertainty at the last state: a report needs it several times."""
        return []

    def _drawn_uncertainty(self, state: State, own: CompareState) -> Uncertainty:
        """From losses drawn as the belief has them."""
        self._minimizer.renew()
        x, scale = own.scale.center, own.scale._replace(steepness=VAGUE[0], spread=VAGUE[1])
        belief = Belief(scale, own.seen, own.weights)
        random = generator_at(self.key, Purpose.REPORT, state.t)
        draws = [belief.draw(random) for _ in range(REPORTED)]
        minima = np.array([self._minimum(scale, f, state.y, state.dual)[0] for f in draws])
        away = norm(scale.of(own.start))
        near = x + min(1.0, TRUST / away) * (own.start - x) if away > 0.0 else x  # F rises further
        at = np.array([self._objective(scale, f, x) for f in draws])
        gains = np.array([self._objective(scale, f, near) for f in draws]) - at
        lows = [self._objective(scale, f, to) for f, to in zip(draws, minima, strict=True)]
        lost = np.maximum(at - np.array(lows), 0.0)
        misfit = belief.misfit(near)
        gain, error = float(gains.mean()), math.hypot(float(gains.std()), misfit)
        left = (lost.mean() + 2.0 * lost.std()) / gain if gain > 2.0 * error else math.inf
        return Uncertainty(
            error=np.sqrt(np.square(minima - x).mean(axis=0)),
            preferred=float(ndtr(gain / error)) if error > 0.0 else 0.5,
            left=float(left),
        )

    def recommended(self, state: State, output: Output) -> Pair:
        """The minimizer of the belief's mean."""
        return state.x, state.y

    def prospect(self, after: State) -> tuple[Vector, Vector] | None:
        """The uncertainty of x, which is compared with a tolerance."""
        found = self.uncertainty(after)
        return None if found is None else (found.error, np.zeros_like(found.error))

    def has_moved(self, state: State) -> bool:
        return _own(state).answered > 0

    def goes_on_unanswered(self, state: State) -> bool:
        """People may pass over a pair; a function that never answers is wrong."""
        return _own(state).answered > 0 or state.t < SUSPICIOUS

    def settled(self, state: State) -> bool:
        """Whether the problem allows a single point: there is nothing to compare."""
        own = _own(state)
        return bool((own.firsts == own.seconds).all())

    def has_one_answer(self, state: State) -> bool:
        own = _own(state)
        shares = own.seen.shares
        return len(shares) > 0 and (
            own.ties == own.answered
            or (own.answered >= SUSPICIOUS and bool((shares == shares[0]).all()))
        )

    def first_order(self, state: State) -> FirstOrder | None:
        """The decrease that is left, as a part of the decrease so far, where it is known."""
        found = self.uncertainty(state)
        if found is None or not found.left <= SHOWN:
            return None
        return FirstOrder(math.sqrt(2.0 * found.left), 0.0, 1.0)

    def remark(self, state: State) -> str:
        own = _own(state)
        if own.answered == 0:
            return ""
        said = f"Learned: {own.answered} comparisons"
        said += f", {own.ties} without a preference" if own.ties else ""
        last = len(own.seen.shares)
        said += f"; {own.contradictions} of the last {last} contradict the others."
        if self.weighs and own.contradictions < CONTRADICTED * last:
            said += (
                " With so few the unit of f is not known, and neither is the weight of the "
                "regularizer beside it."
            )
        return said


def compare_method(settings: Compare, problem: Problem, key: Key) -> Comparing:
    """The method for a problem, or a sentence on the part of it that does not fit."""
    if problem.dtype != np.float64:
        raise ValueError(f'settings="compare" needs an x0 of float64, not {problem.dtype}.')
    if settings.answers == "signs" and not has_only_sets(problem):
        raise ValueError(
            "which of two points is better says nothing about the unit of f, so that "
            f"{problem.regularizer!r} cannot be weighed against it: leave it out, or give "
            'settings=Compare(answers="odds") if x wins with probability '
            "1 / (1 + exp(f(x) - f(other)))."
        )
    if not (has_only_sets(problem) or problem.constraint.B_invertible):
        raise ValueError(
            f'settings="compare" weighs {problem.regularizer!r} at the y of an x, and this '
            "constraint has none: B has no inverse."
        )
    return Comparing(problem, settings, key)


def has_only_sets(problem: Problem) -> bool:
    """Whether phi is 0 where it is finite."""
    phi = problem.regularizer
    form = form_of(phi, problem.d)
    if form is None:
        return isinstance(phi, Zero | Indicator)
    parts = (form.phi, form.psi)
    return not any(p.above.any() or p.below.any() or p.curvature.any() for p in parts)


def _belief(own: CompareState) -> Belief:
    return Belief(own.scale, own.seen, own.weights)


def _own(state: State) -> CompareState:
    assert isinstance(state.learned, CompareState)
    return state.learned
