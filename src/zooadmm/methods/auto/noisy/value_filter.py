"""The filter for noisy values: slopes of many pairs, none of which decides alone.

    slopes   pairs of values around x along the directions whose errors change S(v) most; then the
             belief g ~ N(v, P) is conditioned on them, and x moves to S(v)
    check    the mean iterate against the best pair known, each by repeated values

The model of `methods.auto.model` compares single values. Once the decreases that it promises are
lost in noise, its belief and its metric H go on here. P is Kalman's: a slope has the variance
sigma^2 / (2 l^2), a step adds what H may be off. The past fades: after N sweeps over the variables
a new one counts for FADES / (N + FADES), so that x is a weighted mean of what was measured.

The values of a round also show f(x) up to sigma / sqrt(number of values). Where that is above the
round before beyond doubt, the step is taken back, and those that follow are damped.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg

from zooadmm.methods.auto.constants import (
    BEYOND_NOISE,
    CERTAIN,
    FACTOR,
    FADES,
    FEW,
    HALF_DIGITS,
    IN_A_ROW,
    LATEST,
    MANY,
    MOST_TAU,
    SURE,
)
from zooadmm.methods.auto.model import Model, Normals, curvature
from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.model.belief import NO_CHANGE, Belief
from zooadmm.methods.auto.model.measure import measure
from zooadmm.methods.auto.model.slopes import Slopes
from zooadmm.methods.auto.noisy import directions
from zooadmm.methods.auto.noisy.comparison import (
    combined,
    finite_means,
    most_repeats,
    num_errors,
    pooled,
)
from zooadmm.methods.auto.noisy.state import Best, FilterState, Spread
from zooadmm.methods.method import FirstOrder
from zooadmm.oracle.queries import Answer, PointsQuery
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.problem import Problem
from zooadmm.structure.exact import Nearby
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, Solved

NOWHERE = Solved(np.zeros(0), np.zeros(0), np.zeros(0))


class ValueFilter:
    """The descent for one problem."""

    def __init__(self, problem: Problem, minimizer: Minimizer) -> None:
        self._problem = problem
        self._minimizer = minimizer

    def init(
        self, model: Model, x0: Solved, value: float, spread: Spread, spent: int, rounded: bool
    ) -> FilterState:
        """From where a model ended, after so many values: is its minimizer better?

        x0: the user's start, whose mean loss is `value`; it is the best pair known unless the model
            has found one that is better beyond doubt.
        """
        error = spread.sigma / math.sqrt(spread.number + 1.0)
        best = Best(x0, value + self._minimizer.phi(x0), error)
        found = model.loss + self._minimizer.phi(model.at)
        if found < best.value - BEYOND_NOISE * spread.sigma:
            best = Best(model.at, found, spread.sigma)
        start = FilterState(
            stage="slopes",
            ask=model.ask[:0],
            repeats=1,
            at=model.at,
            before=NOWHERE,
            belief=model.belief,
            H=model.H,
            damping=1.0,
            step=np.zeros(0),
            change=NO_CHANGE,
            surprise=(1.0, 1.0),
            level=(found, spread.sigma),
            high=found,
            mean=model.at.x,
            averaged=0,
            reversals=0,
            slopes=0,
            spent=spent,
            next_check=spent,
            spread=spread,
            best=best,
            start=x0.x,
            steps=model.steps,
            noise="elsewhere" if model.steps > 0 else "known",
            rounded=rounded,
        )
        return self._checking(self._stepped(start))

    def query(self, known: FilterState, id: int) -> PointsQuery:
        """The points to evaluate next."""
        return PointsQuery(id, known.ask, None, known.repeats)

    def pair(self, known: FilterState) -> tuple[Vector, Vector, Vector]:
        """(x, y, dual) of the iterate."""
        return self._minimizer.pair(known.at)

    def answer(self, known: FilterState) -> tuple[Vector, Vector]:
        """The best pair known."""
        x, y, _ = self._minimizer.pair(known.best.at)
        return x, y

    def first_order(self, known: FilterState, scale: float) -> FirstOrder | None:
        """By the belief about the gradient at x, moved to the best pair."""
        best = known.best.at
        belief, _ = beliefs.moved(known.belief, known.H, best.x - known.at.x, tau(known))
        return measure(self._minimizer, best, belief, known.H, 0.0, scale)

    def is_lost(self, known: FilterState) -> bool:
        """Whether no curvature fits: steps lead up again and again, damped as they are."""
        return known.reversals >= IN_A_ROW

    def update(self, known: FilterState, answer: Answer, normals: Normals) -> FilterState:
        """What follows from the values."""
        self._minimizer.renew()  # a resumed run begins with a new one
        known = known._replace(spent=known.spent + answer.size)
        with np.errstate(over="ignore", invalid="ignore"):
            if known.stage == "check":
                return self._compared(known, answer, normals)
            return self._sloped(known, finite_means(answer), normals)

    def _asking(self, known: FilterState, normals: Normals) -> FilterState:
        """Pairs along the directions in which errors of v change S(v) most, LATEST m of them.

        With more nothing was gained; with fewer, steps are taken with too little known.
        """
        m, H = len(known.at.x), self._metric(known)
        count, damped = math.ceil(LATEST * m), known.damping * H
        errors, (v, _) = beliefs.draws(known.belief, normals(count)), known.belief
        now = self._step(damped, known.at, v)
        how = Nearby(together=False, across=count)
        changed = self._minimizer.changes(damped, known.at.x, v, errors, now, how)
        if not changed.any() or not np.isfinite(changed).all():
            changed = normals(count)
        sigma = known.spread.sigma
        length = math.sqrt(directions.LENGTH * sigma)
        Z = directions.orthonormal(changed, H)
        ask = directions.points(self._problem.domain, known.at.x, H, Z, length)
        if len(ask) == 1:  # X leaves nothing along these
            units = np.diag(1.0 / np.sqrt(np.diagonal(H)))
            ask = directions.points(self._problem.domain, known.at.x, H, units, length)
        return known._replace(stage="slopes", ask=ask, repeats=_repeats(known))

    def _metric(self, known: FilterState) -> Matrix:
        """H, raised where X is too narrow to show it: pairs fit in, and steps are no longer."""
        bounds = self._problem.domain.bounds()
        if bounds is None:
            return known.H
        width = np.broadcast_to(bounds[1] - bounds[0], known.at.x.shape)
        sigma = known.spread.sigma / math.sqrt(_repeats(known))
        least = np.divide(directions.LENGTH * sigma, width**2, where=width > 0.0, out=0.0 * width)
        lacking = np.maximum(least - np.diagonal(known.H), 0.0)
        return known.H + np.diag(lacking) if lacking.any() else known.H

    def _step(self, H: Matrix, start: Solved, g: Vector) -> Solved:
        return self._minimizer.exactly(self._minimizer(H, start.x, g, start, 0.0, EXACT)[0])

    def _sloped(self, known: FilterState, values: Vector, normals: Normals) -> FilterState:
        x, v = known.at.x, known.belief.v
        sigma = known.spread.sigma / math.sqrt(known.repeats)
        seen = directions.read(x, known.ask, values, known.H, sigma)
        now = beliefs.conditioned(known.belief, NO_CHANGE, *seen)[0].v if len(seen.Z) > 0 else v
        loss, error = directions.level(x, known.ask, values, now, known.H, sigma)
        level = loss + self._minimizer.phi(known.at)
        above = level - known.level[0] - BEYOND_NOISE * math.hypot(error, known.level[1])
        above -= directions.LENGTH * known.spread.sigma
        if len(known.before.x) > 0 and not above <= 0.0:
            if known.noise == "elsewhere" and not known.spread.is_given:
                return self._checking(known._replace(noise="doubted"))
            back = known._replace(reversals=known.reversals + 1)
            return self._asking(self._taken_back(back, level), normals)
        if not math.isfinite(level):  # nothing to go back to: nearer, by more curvature
            return self._asking(known._replace(H=FACTOR * known.H), normals)
        measured = known.repeats * len(values) // 2
        known = known._replace(damping=self._eased(known, level))
        known = self._with_fall(known, level, error)
        known = self._with_level(known, level, error)
        known = known._replace(slopes=known.slopes + measured)
        known = self._conditioned(known, seen)
        H = directions.curved(x, known.ask, values, v, known.H, sigma, tau(known))
        known = known._replace(H=_sound(H, known.H))
        moved = self._stepped(known)
        if moved.spent >= moved.next_check:
            return self._checking(moved)
        return self._asking(moved, normals)

    def _with_fall(self, known: FilterState, level: float, error: float) -> FilterState:
        """The belief with what the levels at both ends of the last step say of slopes along it."""
        if len(known.step) == 0 or not math.isfinite(level):
            return known
        phi = self._minimizer.phi
        fall = level - known.level[0] - (phi(known.at) - phi(known.before))
        bend = 0.5 * directions.LENGTH * known.spread.sigma * tau(known)
        variance = error**2 + known.level[1] ** 2 + bend**2
        belief, change = beliefs.fallen(known.belief, known.change, known.step, fall, variance)
        return known._replace(belief=belief, change=change)

    def _with_level(self, known: FilterState, level: float, error: float) -> FilterState:
        """With f + phi at x; where it has fallen beyond noise the averages start again.

        They are over one region, and errors of slopes cost far less than m sigma there.
        """
        known = known._replace(level=(level, error))
        hidden = max(BEYOND_NOISE, len(known.at.x)) * known.spread.sigma
        if not level < known.high - hidden:
            return known
        return known._replace(high=level, slopes=0, mean=known.at.x, averaged=0, reversals=0)

    def _conditioned(self, known: FilterState, seen: Slopes) -> FilterState:
        """The belief with these slopes, the metric with the secant, and the past faded."""
        m = len(known.at.x)
        if len(seen.Z) == 0:  # no pair was finite
            return known
        known = known._replace(surprise=_surprise(known, seen))
        belief, change = beliefs.conditioned(known.belief, known.change, *seen)
        if not np.isfinite(belief.v).all():
            return known
        H = known.H
        if len(known.step) > 0:
            H = _sound(_expected(H, known.step, change.d), H)
        fading = FADES * known.repeats * len(seen.Z) / (known.slopes + FADES * m)
        belief = Belief(belief.v, (1.0 + fading) * belief.P)
        return known._replace(belief=belief, change=change, H=H)

    def _stepped(self, known: FilterState) -> FilterState:
        """At S(v)."""
        to = self._step(known.damping * self._metric(known), known.at, known.belief.v)
        s = to.x - known.at.x
        belief, change = beliefs.moved(known.belief, known.H, s, tau(known))
        averaged = known.averaged + 1
        return known._replace(
            at=to,
            before=known.at,
            belief=belief,
            change=change,
            step=s,
            mean=known.mean + (to.x - known.mean) / averaged,
            averaged=averaged,
            steps=known.steps + 1,
        )

    def _shorter(self, known: FilterState, level: float, normals: Normals) -> FilterState:
        """The first step has led up: a shorter one, while it promises more than noise hides."""
        back = self._taken_back(known, level)
        step = self._stepped(back)
        promised = known.level[0] - self._predicted(step, step.at)
        if promised > SURE * known.spread.sigma:
            return self._checking(step)
        return self._asking(back, normals)

    def _taken_back(self, known: FilterState, level: float) -> FilterState:
        """The last step has led up: x is where it was, and the damping what shows along that step.

        All steps are shorter: with H raised along this one only, the next leads up along another
        steep direction. H stays, for with a larger one pairs are too short to show slopes.
        """
        along = self._along(known, level)
        return self._at(known, known.before, along / known.damping, 1.0)

    def _along(self, known: FilterState, level: float) -> float:
        """The curvature along the last step, in units of that of H, by the values at its ends."""
        if not math.isfinite(level):
            return FACTOR * known.damping
        s, H, phi, damping = known.step, known.H, self._minimizer.phi, known.damping
        slope = float((known.belief.v - H @ s) @ s) + phi(known.at) - phi(known.before)
        bent = 2.0 * (level - known.level[0] - slope)
        return damping * curvature.multiple(damping * H, s, bent)

    def _eased(self, known: FilterState, level: float) -> float:
        """The damping after a step that is not taken back: no more than shows along it, or half."""
        damping = known.damping
        if damping == 1.0 or len(known.before.x) == 0:
            return damping
        return min(damping, max(1.0, 0.5 * damping, self._along(known, level)))

    def _at(
        self, known: FilterState, to: Solved, damping_factor: float, variance_factor: float
    ) -> FilterState:
        """At another pair, with the damping and P multiplied by these factors.

        How far the metric is off is not known any more.
        """
        belief, _ = beliefs.moved(known.belief, known.H, to.x - known.at.x, tau(known))
        return known._replace(
            at=to,
            before=NOWHERE,
            belief=Belief(belief.v, variance_factor * belief.P),
            damping=max(1.0, damping_factor * known.damping),
            step=np.zeros(0),
            change=NO_CHANGE,
            surprise=(1.0, 1.0),
            mean=to.x,
            averaged=0,
        )

    def _checking(self, known: FilterState) -> FilterState:
        """The mean iterate and the best pair, as often as would show what the model promises.

        x0 is left out while earlier values show it as well: it was not chosen by them.
        """
        candidate, best, sigma = self._candidate(known), known.best, known.spread.sigma
        promised = best.value - self._predicted(known, candidate)
        needed = (2.0 * SURE * sigma / promised) ** 2 if promised > 0.0 else math.inf
        repeats = max(1, math.ceil(min(needed, most_repeats(known.spent, self._is_start(known)))))
        doubted = known.noise == "doubted" and not known.spread.is_given
        lacking = max(FEW - (0.0 if doubted else known.spread.number), 0.0)  # it may be too small
        repeats = 1 if known.rounded else max(repeats, 1 + math.ceil(lacking / 2.0))
        ask = np.stack([candidate.x, best.at.x])
        if self._is_start(known) and best.error**2 * repeats <= sigma**2:
            ask = ask[:1]
        return known._replace(stage="check", ask=ask, repeats=repeats)

    def _predicted(self, known: FilterState, to: Solved) -> float:
        """f + phi at a pair, by the level before the last step and the model."""
        (v, _), H, s, way = known.belief, known.H, known.step, to.x - known.at.x
        change = float(v @ (way + s)) + 0.5 * float(way @ H @ way - s @ H @ s)
        phi = self._minimizer.phi
        return known.level[0] + change + phi(to) - phi(known.before)

    def _is_start(self, known: FilterState) -> bool:
        """Whether x0 is the best pair known."""
        return np.array_equal(known.best.at.x, known.start)

    def _candidate(self, known: FilterState) -> Solved:
        """One step of structure from the mean iterate, FACTOR times as short: it restores zeros."""
        g = known.belief.v + known.H @ (known.mean - known.at.x)
        start = self._minimizer.init(known.mean, *self._minimizer.pair(known.at)[1:])
        return self._step(FACTOR * known.damping * self._metric(known), start, g)

    def _compared(self, known: FilterState, answer: Answer, normals: Normals) -> FilterState:
        """The better of the two is kept; the run goes back to it where the mean is far worse.

        The mean iterate is kept unless it is seen to be worse, where values were as many as may be;
        where a large promise was to be confirmed by few, only if it is seen to be better.
        """
        candidate, leaving = self._candidate(known), self._is_start(known)
        many = known.repeats >= most_repeats(known.spent - answer.size, leaving)
        spread, means, errors = pooled(known.spread, answer, known.noise == "doubted")
        after = Best(candidate, means[0] + self._minimizer.phi(candidate), errors[0])
        best = known.best
        if len(means) > 1:
            again = Best(best.at, means[1] + self._minimizer.phi(best.at), errors[1])
            best = combined(best, again) if leaving else again
        worse, doubt = after.value - best.value, math.hypot(after.error, best.error)
        noise = "known" if known.noise == "doubted" else known.noise
        due = math.ceil((1.0 + LATEST) * known.spent)
        known = known._replace(spread=spread, noise=noise, next_check=due)
        at_once = known.averaged == 1 and len(known.before.x) > 0
        known = known._replace(mean=known.at.x, averaged=0)
        if worse < (-num_errors(spread) if leaving else 1.0 if many else -1.0) * doubt:
            return self._asking(known._replace(best=after), normals)
        known = known._replace(best=best)
        if at_once and after.value > known.level[0]:
            return self._shorter(known, after.value, normals)
        if worse <= CERTAIN * doubt:
            return self._asking(known, normals)
        # what led astray counts less
        back = self._at(known, best.at, FACTOR / 2.0, FACTOR)
        return self._asking(back, normals)


def _repeats(known: FilterState) -> int:
    """Values at each point of a pair: one more after every FEW sweeps over the variables.

    A round then adds at most an eighth to what is known, and rounds, which cost arithmetic, grow
    only like a logarithm. Rounding is the same again.
    """
    return 1 if known.rounded else 1 + known.slopes // (FEW * len(known.at.x))


def tau(known: FilterState) -> float:
    """How far H is off, relative to itself: what slopes missed predictions by, beside luck."""
    missed, expected = known.surprise
    return math.sqrt(min(max(missed / expected, 1.0 / len(known.at.x)), MOST_TAU**2))


def _surprise(known: FilterState, seen: Slopes) -> tuple[float, float]:
    """The sums behind tau with these slopes; each weighs less the more luck explains.

    About the last MANY rounds count.
    """
    if len(known.step) == 0:
        return known.surprise
    (v, P), change, (missed, expected) = known.belief, known.change, known.surprise
    luck = seen.variances + np.einsum("jm,jm->j", seen.Z @ (P - change.C), seen.Z)
    doubt = np.einsum("jm,jm->j", seen.Z @ change.C, seen.Z) / tau(known) ** 2
    weights = doubt / np.square(luck + doubt)
    beyond = np.square(seen.values - seen.Z @ v) - luck
    kept = 1.0 - 1.0 / MANY
    return kept * missed + float(weights @ beyond), kept * expected + float(weights @ doubt)


def _expected(H: Matrix, s: Vector, d: Vector) -> Matrix:
    """The mean of the second derivatives given that they map s to d.

    It is linear in d (Greenstadt 1970; the mean of the belief's prior, Hennig 2015), so errors of d
    cancel over the rounds; those of BFGS, which are squared, would not.
    """
    Hs = H @ s
    sHs = float(s @ Hs)
    if not sHs > 0.0:
        return H
    r, u = d - Hs, Hs / sHs
    return H + np.outer(r, u) + np.outer(u, r) - float(s @ r) * np.outer(u, u)


def _sound(H: Matrix, otherwise: Matrix) -> Matrix:
    """H where it is positive definite beyond rounding."""
    with np.errstate(invalid="ignore"):
        unit = np.sqrt(np.diagonal(H))
    factor, failed = scipy.linalg.lapack.dpotrf(H / np.outer(unit, unit), lower=1)
    return H if failed == 0 and np.diagonal(factor).min() > HALF_DIGITS else otherwise
