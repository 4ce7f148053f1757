"""Following a loss that drifts: each round measures it near x_t, and experts say where to go.

A round is two queries on one observation. The first has f at x_t and beside it along each variable:
a value and a gradient. The second has one value along the gradient and one across it: curvatures.
The very first query evaluates f at x_1 alone, several times: where the values differ the loss is
noisy, and gets pairs on both sides, far enough apart for curvatures to rise above the noise.
x_{t+1} is the mean of the candidates, by their weights, and the answer of the run. With a
regularizer, a set other than bounds or linear constraints it is the candidate of the largest
weight, since a mean has no zeros. In such a set the points beside x are projected on it, and
`probes` reads their values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.special import ndtr, stdtrit

from zooadmm.methods.follow import probes
from zooadmm.methods.follow.experts import (
    OUTLIER,
    Experts,
    LocalModel,
    Stack,
    Structure,
    along,
    two_curvatures,
)
from zooadmm.methods.follow.probes import Ways
from zooadmm.methods.follow.state import FollowState, Sizes, Slopes, initial, unit_across
from zooadmm.methods.method import Method, Output, Pair, State, Step
from zooadmm.oracle.directions import Coordinate
from zooadmm.oracle.gradients import Smoothed
from zooadmm.oracle.observations import Batch, Observations, Stream
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.oracle.randomness import Key, Purpose, generator_at
from zooadmm.problem.arrays import Matrix, Vector, norm
from zooadmm.problem.constraint import Consensus
from zooadmm.problem.problem import Problem

NEAR = 1e-4
"""Distance of the points of an exact gradient from x, in steps; and the least distance at which
curvatures are measured, in longest steps: less would measure rounding after a jump."""

NEAREST = 1e-8
"""The least distance of the points of an exact gradient from x, in longest steps."""

LOUD = 8.0
"""Pairs of noisy values are so far apart that curvature changes them by this many deviations."""

LEAST, LEAST_OF_NOISY = 1e-3, 0.3
"""The least curvature along a gradient, beside the usual one, of an exact and of a noisy loss."""

FAR = 32.0
"""The same where slopes are measured: four times the curvature's is half the noise."""

REPEATS = 3
"""How often f(x_1) is evaluated to see whether values are noisy."""

ULPS = 64.0
"""Units in the last place by which a loss without noise may differ from itself."""

WIDER = 4.0
"""Factor by which points of a noisy loss move apart until its curvature is visible."""

WIDEST = WIDER**12
"""The largest distance of such points, beside the first guess."""

ROUNDED = 1e-6
"""Part of a length that rounding may take; where more is missing, X has ended."""

LEARNS = 0.5
"""The part of a round's curvatures that H takes: noise is averaged over a few rounds."""

PAIRED, ONE_SIDED = 2.0, math.sqrt(88.0)
"""Deviations of noise in a curvature from two points, on both sides of x and on one."""

FADES = 0.02
"""The least weight of a new round in running sizes: a memory of 50 rounds."""


@dataclass(frozen=True, eq=False)
class Follower(Method):
    """The parameters of a follower: none to choose.

    Condition: B has an inverse. A round takes m + 3 evaluations, or 2 m + 6 of a noisy loss; all of
    them in X.
    """

    problem: Problem
    key: Key
    learned_type = FollowState
    step_size = None
    smoothing = None
    recovers = True

    @cached_property
    def source(self) -> Smoothed:  # type: ignore[override]
        return Smoothed(
            self.problem.m,
            1,
            distribution=Coordinate(),
            probes="anywhere" if self.problem.domain.is_everything else "inside",
        )

    @cached_property
    def _structure(self) -> Structure | None:
        """None where there is none."""
        problem = self.problem
        plain = problem.regularizer_is_zero and isinstance(problem.constraint, Consensus)
        return None if plain and problem.domain.is_everything else Structure(problem)

    @property
    def _has_bounds(self) -> bool:
        """Whether X is all of R^m or has bounds only."""
        return self.problem.domain.is_everything or self.problem.domain.bounds() is not None

    def init(self, x: Vector, y: Vector, dual: Vector) -> State:
        if self._structure is not None:
            x = self._structure.inside(x.astype(np.float64)).astype(x.dtype)
            y = self._structure.completed(x)
        sums = np.zeros(len(x)), np.zeros(len(y))
        return State(1, x, y, dual, *sums, (), initial(x))

    def drawn(self, state: State, batch: Batch | None) -> int:
        known: FollowState = state.learned
        return known.drawn + (1 if batch is not None and known.slopes is None else 0)

    def draw(self, state: State, observations: Observations) -> Batch:
        known: FollowState = state.learned
        if known.slopes is None:
            return observations.next(known.drawn, 1, self.key)
        if isinstance(observations, Stream):
            return state.window
        return observations.next(known.drawn - 1, 1, self.key)

    def cost(self, state: State) -> int:
        return len(self._points(state))

    def query(self, state: State, batch: Batch | None) -> Query:
        return PointsQuery(state.t, self._points(state), batch)

    def _points(self, state: State) -> Matrix:
        """x and the points beside it, x twice for a noisy loss; or the points of curvatures."""
        known, x = state.learned, state.x.astype(np.float64)
        variance = known.sizes.variance
        if math.isnan(variance):
            rows = REPEATS * [x]
        elif known.slopes is not None:
            rows = [x + moved for moved in self._curves(state)]
        else:
            ways = self._beside(state)
            rows = [x, *(x + ways.first)]
            if variance > 0.0:  # two points of a way one after the other: f may move meanwhile
                rows = [x, *(x + np.stack([ways.first, ways.second], 1).reshape(-1, len(x))), x]
        return self._inside(np.array(rows)).astype(state.x.dtype)

    def _inside(self, points: Matrix) -> Matrix:
        """The points, those that rounding put beyond a bound moved onto it."""
        if not self._has_bounds:
            return np.array([self.problem.moved_inside(point) for point in points])
        bounds = self.problem.domain.bounds()
        return points if bounds is None else np.clip(points, *bounds)

    def _step(self, state: State) -> float:
        """The running way to the minimum; before the first round a guess from x and the bounds."""
        if state.learned.sizes.step > 0.0:
            return float(state.learned.sizes.step)
        bounds = self.problem.domain.bounds()
        widths = np.atleast_1d(math.inf if bounds is None else bounds[1] - bounds[0])
        width = float(widths[widths > 0.0].min(initial=math.inf))
        return width / 4 if math.isfinite(width) else max(0.1 * float(np.abs(state.x).max()), 1e-3)

    def _apart(self, state: State) -> float:
        """How far from x a noisy loss is evaluated."""
        sizes, step = state.learned.sizes, self._step(state)
        if not sizes.variance > 0.0 or sizes.along <= 0.0:
            return step
        return max(step, math.sqrt(FAR * math.sqrt(sizes.variance) / sizes.along))

    def _limit(self, sizes: Sizes) -> float:
        """The largest distance from x at which the loss is evaluated."""
        further = OUTLIER * sizes.longest or math.inf
        return min(further, sizes.widest) if sizes.variance > 0.0 else further

    def _beside(self, state: State) -> Ways:
        """The points of a gradient."""
        noisy = state.learned.sizes.variance > 0.0
        basis = generator_at(self.key, Purpose.DIRECTIONS, state.t, 1) if noisy else None
        x = state.x.astype(np.float64)
        return probes.beside(self.problem.domain, x, self._far(state), basis)

    def _far(self, state: State) -> float:
        """How far from x the points of a gradient are."""
        sizes = state.learned.sizes
        if sizes.variance > 0.0:
            return min(self._apart(state), self._limit(sizes))
        return float(max(NEAR * self._step(state), NEAREST * sizes.longest))

    def _curves(self, state: State) -> Matrix:
        """Ways along the gradient and across it, on both sides for a noisy loss."""
        slopes: Slopes = state.learned.slopes
        u = slopes.gradient / np.linalg.norm(slopes.gradient)
        x, noisy = state.x.astype(np.float64), state.learned.sizes.variance > 0.0
        ways = slopes.length * np.array([-u, slopes.across])
        return probes.curves(self.problem.domain, x, ways, noisy)

    def step(
        self, state: State, query: Query, answer: Answer, counted: Counted | None = None
    ) -> tuple[State, Step]:
        values = answer.reshape(len(answer), -1)[:, 0].astype(np.float64)
        known: FollowState = state.learned
        if known.slopes is None:
            return self._measured(state, values)
        return self._moved(state, values)

    def _measured(self, state: State, values: Vector) -> tuple[State, Step]:
        """After the first half of a round: value, gradient, and the noise."""
        known: FollowState = state.learned
        known = known._replace(drawn=known.drawn + 1)
        if not np.isfinite(values).all():
            if not known.failed:  # perhaps by chance: a missing value
                return self._stay(state, known._replace(failed=True), math.nan)
            moved = norm(state.x - known.anchor) / WIDER
            known = known._replace(reach=moved if moved > 0.0 else known.reach)
            return self._stay(state, self._shorter(state, known), math.nan, known.anchor)
        known = known._replace(failed=False)
        variance, value = known.sizes.variance, float(values[0])
        if math.isnan(variance):
            rounded = np.ptp(values) <= ULPS * np.spacing(np.abs(values).max())
            variance = 0.0 if rounded else float(values.var(ddof=1))
            widest = WIDEST * self._step(state)
            sizes = known.sizes._replace(variance=variance, widest=widest)
            known = known._replace(sizes=sizes)
            return self._stay(state, known, float(values.mean()))
        ways, first, second = self._beside(state), values[1:], np.full(self.problem.m, value)
        if variance > 0.0:
            value, half = 0.5 * (values[0] + values[-1]), 0.5 * (values[0] - values[-1]) ** 2
            first, second = values[1:-1:2], values[2:-1:2]
            rate = max(1.0 / _repeated(state.t), FADES)
            sizes = known.sizes._replace(variance=variance + rate * (half - variance))
            hessian = self._learned(known, ways, ways.bends(first - value, second - value))
            known = known._replace(sizes=sizes, hessian=hessian)
        gradient = ways.slope(first - value, second - value, known.hessian)
        length = float(np.linalg.norm(gradient))
        if math.isfinite(length) and length * length >= np.finfo(np.float64).tiny:
            random = generator_at(self.key, Purpose.DIRECTIONS, state.t)
            drawn = random.standard_normal(len(gradient))
            usual, across = known.sizes.along, unit_across(gradient, drawn)
            apart = max(self._apart(state), NEAR * known.sizes.longest)
            apart = max(apart, self._missing(known, gradient) / usual) if usual > 0.0 else apart
            apart = min(apart, self._limit(known.sizes))
            known = known._replace(slopes=Slopes(float(value), gradient, across, apart))
        return self._stay(state, known, float(value))

    def _learned(self, known: FollowState, ways: Ways, bends: Vector) -> Matrix:
        """H after the curvatures along ways; from a round sphere at first."""
        seen = np.linalg.norm(ways.first, axis=1) > 0.0
        first, bends, hessian = ways.first[seen], bends[seen], known.hessian
        if not seen.any() or not np.isfinite(bends).all():
            return hessian
        squares = np.square(first).sum(axis=1)
        if known.experts.rounds == 0:
            hessian = float(np.mean(bends / squares)) * np.eye(self.problem.m)
            return probes.learned(hessian, first, bends, np.ones(len(first)))
        errors = np.where(ways.ratios[seen] < 0.0, PAIRED, ONE_SIDED)
        rates = LEARNS * _trust(known, errors, squares)
        return probes.learned(hessian, first, bends, rates)

    def _first_curvature(self, state: State, bent: float) -> float:
        """The first curvature along a gradient; nan where it is not seen yet.

        Noise hides it, or without noise the rounding of the slope, as on a plane beside a kink.
        """
        slopes, sizes = state.learned.slopes, state.learned.sizes
        variance, widest = sizes.variance, sizes.widest
        noisy = variance > 0.0
        far = max(float(np.linalg.norm(way)) for way in self._curves(state)[: 2 if noisy else 1])
        rounded = ULPS * float(np.spacing(abs(slopes.value))) / NEAR
        least = _visible(variance, state.t) if noisy else rounded
        if bent * far**2 >= least:
            return bent
        ends = far < (1.0 - ROUNDED) * slopes.length  # X does: what a whole move would hide
        if noisy:
            return float(least / slopes.length**2) if ends else math.nan
        return bent if ends or far >= (1.0 - ROUNDED) * widest else math.nan

    def _curved(
        self, known: FollowState, slopes: Slopes, bends: Vector, far: float, rate: float
    ) -> FollowState:
        """With the curvatures along the gradient and across it: their means, and in H if noisy."""
        sizes, (bent, across) = known.sizes, bends
        usual = sizes.along + rate * (max(bent, 0.0) - sizes.along)
        sideways = sizes.across + rate * (across - sizes.across)
        hessian = known.hessian
        if sizes.variance > 0.0:
            u = slopes.gradient / np.linalg.norm(slopes.gradient)
            ways = np.array([u, slopes.across])[: self.problem.m]
            rates = _trust(known, PAIRED, np.full(len(ways), far**2))
            hessian = probes.learned(hessian, ways, bends[: len(ways)], rates)
            mean = np.maximum(np.linalg.eigvalsh(hessian), 0.0).mean()
            fades = min(1.0, 2.0 * rate)  # slowly: H may bend downwards for a while
            usual = max(mean, sizes.along + fades * (mean - sizes.along))
        sizes = sizes._replace(along=float(usual), across=float(sideways))
        return known._replace(sizes=sizes, hessian=hessian)

    def _missing(self, known: FollowState, gradient: Vector) -> float:
        """The length of the slope without the part that phi and X balance."""
        return norm(gradient if self._structure is None else gradient - known.experts.balanced)

    def _stay(
        self, state: State, known: FollowState, value: float, x: Vector | None = None
    ) -> tuple[State, Step]:
        """x stays where it is, or goes back to a point that was played before."""
        return self._after(state, state.x if x is None else x, known), Step(
            value, math.nan, 0.0, 0.0, math.nan, math.nan, math.nan
        )

    def _shorter(self, state: State, known: FollowState) -> FollowState:
        """After values that are not finite: distances from x become shorter."""
        longest = (known.sizes.longest or self._step(state)) / OUTLIER
        return known._replace(sizes=known.sizes._replace(longest=longest))

    def _after(self, state: State, x: Vector, known: FollowState) -> State:
        y = x.copy() if self._structure is None else self._structure.completed(x)
        return state.next(x, y, state.dual, known)

    def _moved(self, state: State, values: Vector) -> tuple[State, Step]:
        """After the second half: the experts learn, and x moves."""
        known: FollowState = state.learned
        slopes, sizes, rounds = known.slopes, known.sizes, known.experts.rounds + 1
        assert slopes is not None
        known = known._replace(slopes=None)
        if not np.isfinite(values).all():
            return self._stay(state, self._shorter(state, known), slopes.value)
        length = float(np.linalg.norm(slopes.gradient))
        curves = self._curves(state)
        bent, across = probes.curvatures(curves, values, slopes, sizes)
        longest = max(sizes.longest, slopes.length)
        if rounds == 1:
            bent = self._first_curvature(state, bent)
            if math.isnan(bent):
                step = min(WIDER * slopes.length, sizes.widest)
                wider = sizes._replace(step=step, longest=longest)
                return self._stay(state, known._replace(sizes=wider), slopes.value)
        trusted = slopes.length
        if sizes.along > 0.0:
            least = max(sizes.along, self._missing(known, slopes.gradient) / trusted)
            if sizes.variance > 0.0 and bent > OUTLIER * least:  # f rises like no quadratic
                trusted /= OUTLIER
                longest = trusted / OUTLIER
            bent = min(bent, OUTLIER * sizes.along)
            across = float(np.clip(across, -sizes.along, OUTLIER * sizes.along))
        rate = 1.0 if rounds == 1 else max(1.0 / rounds, FADES)
        far = min(float(np.linalg.norm(way)) for way in curves)
        known = self._curved(known, slopes, np.array([bent, across]), far, rate)
        usual, sideways = known.sizes.along, known.sizes.across
        if sizes.variance > 0.0:
            kappa = max(bent, LEAST_OF_NOISY * usual) or length / self._step(state)
            hessian = _at_least(known.hessian, slopes.gradient, kappa)
        else:
            c = sideways if sideways > 1e-6 * usual else 0.0
            kappa = max(bent, c, LEAST * usual) or length / self._step(state)
            hessian = two_curvatures(slopes.gradient, kappa, c)
        model = LocalModel(state.x.astype(np.float64), slopes.gradient, hessian)
        way = step = self._missing(known, slopes.gradient) / kappa
        if rounds > 1:
            step = sizes.step + rate * (min(step, OUTLIER * sizes.step) - sizes.step)
        if self._structure is not None:
            self._structure.renew()
        experts = known.experts.after(model, self._structure)
        reach = OUTLIER * max(way, step)  # a candidate that rests on little may be anywhere
        if sizes.variance > 0.0:
            reach = min(reach, trusted)
        else:
            reach = min(reach, known.reach)
            longest = max(longest, way)
        played = self._played(
            state, experts, _within(experts.allowed(self._structure), model.x, reach)
        )
        sizes = known.sizes._replace(step=step, longest=longest)
        known = known._replace(
            experts=experts, sizes=sizes, anchor=state.x, reach=WIDER * known.reach
        )
        after = self._after(state, played, known)
        update = norm(after.x - state.x)
        return after, Step(slopes.value, length, 0.0, update, 1.0 / kappa, slopes.length, math.nan)

    def _played(self, state: State, experts: Experts, near: Matrix) -> Vector:
        """The next x: the mean of the candidates; with structure the one of the largest weight."""
        if self._structure is not None:
            leader = near[int(np.argmax(experts.weights))]
            return self.problem.moved_inside(leader).astype(state.x.dtype)
        inside = np.array([self.problem.domain.project(point) for point in near])
        x = (experts.weights @ inside).astype(state.x.dtype)
        return np.asarray(self.problem.domain.project(x), dtype=state.x.dtype)

    def recommended(self, state: State, output: Output) -> Pair:
        """The point that the next round plays; of an exact loss that is not finite, the last."""
        known: FollowState = state.learned
        if known.failed and known.sizes.variance == 0.0:
            back = self._after(state, known.anchor, known)
            return back.x, back.y
        return state.x, state.y

    def stationarity(self, before: State, step: Step, after: State) -> Vector:
        return np.full(1, math.inf)  # a loss that drifts has no stationary point

    def rounding(self, query: Query, answer: Answer) -> float:
        return 0.0

    def has_moved(self, state: State) -> bool:
        known: FollowState = state.learned
        return known.experts.rounds > 0

    def remark(self, state: State) -> str:
        known: FollowState = state.learned
        if known.experts.rounds == 0:
            return ""
        count = len(known.experts.points)
        memory = int(np.argmax(known.experts.by_memory))
        past = "all rounds count" if memory == count - 1 else f"the last {2**memory} rounds count"
        past = "the last round counts" if memory == 0 else past
        noise = math.sqrt(known.sizes.variance)
        said = f"noise {noise:.2g} in values" if noise > 0 else "no noise in values"
        return f"Learned: {said}; after {known.experts.rounds} rounds, {past} most."

    def with_key(self, key: Key) -> Self:
        return replace(self, key=key)


def _repeated(t: int) -> int:
    """How many degrees of freedom the noise has at query t: the first values, and a pair a round.

    >>> _repeated(3), _repeated(5)
    (3, 4)
    """
    return REPEATS - 1 + t // 2


def _visible(variance: float, t: int) -> float:
    """The least second difference, of variance 4 sigma^2, that is no noise; LOUD sigma at last.

    A sigma from few values is often too small, which Student's t allows for.
    """
    return float(2.0 * math.sqrt(variance) * stdtrit(_repeated(t), ndtr(LOUD / 2.0)))


def _trust(known: FollowState, errors: Vector | float, squares: Vector) -> Vector:
    """The parts of curvatures along ways that H takes: less, and in the end a mean, behind noise.

    errors: deviations of noise in w'Hw. squares: the squared lengths of the ways.
    """
    rounds = min(known.experts.rounds, 1.0 / FADES)
    usual = np.square(known.sizes.along * squares)
    noise = rounds * known.sizes.variance * np.square(errors)
    return np.asarray(usual / (usual + noise) if rounds else np.ones(len(squares)))


def _at_least(hessian: Matrix, direction: Vector, kappa: float) -> Stack:
    """H with eigenvalues of at least its error, and of kappa or more along a direction.

    A convex loss has none below 0, so the lowest one says how wrong H is.
    """
    values, vectors = np.linalg.eigh(hessian)
    positive = (vectors * np.maximum(values, max(-values[0], 0.0))) @ vectors.T
    missing = max(kappa - along(positive, direction), 0.0)
    return np.asarray(positive + two_curvatures(direction, missing, 0.0))


def _within(points: Matrix, x: Vector, reach: float) -> Matrix:
    """The points, those further than that from x drawn near on their way."""
    moved = points - x
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(x + moved * np.minimum(1.0, reach / np.maximum(lengths, reach)))
