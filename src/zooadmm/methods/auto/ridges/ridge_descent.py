"""The descent: slopes of ever more observations, each time with a fit and a narrow measurement.

    test      a few observations along two directions: are they ridges?
    level     the same far across their own directions, where they are straight up to kinks
    wide      slopes of fresh observations at the center
    again     the sample at the minimizer of its model: did F fall as predicted? A few times
              where ridges are no parabolas
    narrow    fresh observations along the span of the minimizers S_tau: the answer
    compare   where they are no parabolas: is the answer better than the center?

Once all observations there are have been seen nothing is left to chance: the model is that of the
mean loss itself, there is no pull, and Newton's steps go on until nothing is to be gained. Losses
with kinks have the tangents of `cuts` in place of parabolas, and no narrow measurement.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import (
    DEFAULT_LENGTH,
    FACTOR,
    FEW,
    FEWEST,
    FEWEST_VALUES,
    FIRST_LENGTH,
    HALF_DIGITS,
    IN_A_ROW,
    MOST_NUMBERS,
    MOST_ROUNDS,
    SMALL_PART,
    SURE,
    TINY_PART,
    TRIES,
    ULPS,
)
from zooadmm.methods.auto.model.descent import Normals
from zooadmm.methods.auto.paired import beside_first
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.ridges import narrow, plan, probes
from zooadmm.methods.auto.ridges.cuts import CutModel, Cuts, scale
from zooadmm.methods.auto.ridges.fit import STRENGTHS, Pulled, changes
from zooadmm.methods.auto.ridges.measurement import Measurement
from zooadmm.methods.auto.ridges.state import NO_FLAGS, NOTHING, Along, RidgeState
from zooadmm.methods.auto.ridges.tangents import NO_TANGENTS
from zooadmm.methods.method import FirstOrder
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Vector, metric_norm
from zooadmm.problem.problem import Problem
from zooadmm.problem.sets import ProbeSafe
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, Solved

NEGLIGIBLE_PART = 1e-10
"""A decrease of F too small for another step, as a part of the mean |f| now, or of its change since
the start where that is less: a far start does not hide what is left."""

VANISHED = NEGLIGIBLE_PART * NEGLIGIBLE_PART
"""The same part of that change alone, squared, for losses that fall to zero."""

SUPPORTED = HALF_DIGITS
"""The decrease that slopes off the model would allow at most where a run settles, as a part of the
mean |f|."""

Judged = tuple[Solved, Vector]
"""A pair and its values of some observations"""


class RidgeDescent:
    """The descent for one problem.

    samples: how many observations there are.
    metric: whether variables may be given units of their own.
    inside: the set that no point may leave, or None.
    """

    def __init__(
        self, problem: Problem, samples: int, metric: bool, inside: ProbeSafe | None
    ) -> None:
        self.measure = Measurement(inside)
        self.problem = problem
        self.samples = samples
        self._minimizer = Minimizer(problem)
        self._pulled = Pulled(self._minimizer, metric)
        self._cuts = CutModel(self._minimizer, self._pulled)
        self._most = min(samples, MOST_NUMBERS // problem.m)

    def init(
        self, x: Vector, y: Vector, dual: Vector, length: float, budget: int, spent: int, since: int
    ) -> RidgeState:
        """Before the first measurement.

        length: of differences at x.
        budget, spent: the evaluations planned for, 0 for none, and those so far.
        since: the iteration that comes next.
        """
        x, y = self._minimizer.feasible(x, y)
        start = self._minimizer.init(x, y, dual)
        return RidgeState(
            stage="test",
            target=min(FEW, self.samples),
            since=since,
            spent=spent,
            plan=plan.planned(budget, len(x), self._most),
            length=length,
            start=start,
            center=start,
            directions=np.zeros((0, len(x))),
            along=Along(NOTHING, NOTHING, NOTHING, NO_FLAGS),
            pull=np.zeros(len(x)),
            trial=start,
            basis=np.zeros((len(x), 0)),
            answer=start,
        )

    def pair(self, state: RidgeState) -> tuple[Vector, Vector, Vector]:
        """(x, y, dual) of the answer."""
        return self._minimizer.pair(state.answer)

    def first_order(self, state: RidgeState) -> FirstOrder | None:
        """|x - S(g)|_H of the mean over all observations, once a run has settled.

        Its error is what the last slopes could not rule out, see `_supported`.
        """
        if state.stage != "settled":
            return None
        phi = abs(self._minimizer.phi(state.center))
        size = float(np.abs(state.along.value).mean()) + phi
        first = float(np.abs(state.first).mean()) + phi
        error = math.sqrt(0.5 * max(SUPPORTED * size, VANISHED * first))
        if state.span > 0.0:
            return FirstOrder(math.sqrt(max(-2.0 * state.predicted, 0.0)), error, max(size, first))
        model = self._pulled.quadratic(state.directions, state.along)
        to, _ = self._pulled(model, model.pull(0.0), state.center, state.start.x, state.rho)
        s = to.x - state.center.x
        return FirstOrder(metric_norm(s, model.H), error, max(size, first))

    def whole(self, state: RidgeState) -> bool:
        """Whether all observations there are have been seen."""
        return len(state.directions) == self.samples

    def update(self, state: RidgeState, answer: Answer, t: int, normals: Normals) -> RidgeState:
        """The state after the values at these points, in iteration t."""
        self._minimizer.renew()  # a resumed run begins with a new one
        parts = (*state.parts, answer)
        state = state._replace(parts=parts, spent=state.spent + answer.size)
        if state.done < state.target:
            return state
        state, answer = state._replace(parts=(), since=t + 1), np.concatenate(parts, axis=1)
        updates = {
            "test": self._test,
            "level": self._level,
            "wide": self._wide,
            "again": self._again,
            "narrow": self._narrow,
            "compare": self._compare,
            "verify": self._verify,
        }
        return updates[state.stage](state, answer, normals)

    def _test(self, state: RidgeState, answer: Answer, normals: Normals) -> RidgeState:
        """Ridges that are curved or, if they are straight, those that bend further away."""
        h, straight = self.measure.reach(state), float(probes.straight(answer).mean())
        if state.span == 0.0 and straight < 1.0 - SMALL_PART:
            if probes.unlike(answer, h) <= TINY_PART:
                return self._wider(state)
            shorter = DEFAULT_LENGTH * radius.size(state.center.x)
            nearer = state._replace(length=shorter)  # there may be kinks within the first length
            return nearer if state.length > shorter else _lost(state)
        if state.span == 0.0:
            basis = probes.level(answer, self.measure.across(state, normals), h)
            state = state._replace(basis=basis)
        far, room = radius.size(state.center.x) / FIRST_LENGTH, self.measure.room(state.center.x)
        if straight > 0.5 and h < min(far, room):
            return state._replace(span=min(FACTOR * FACTOR * h, far, room))
        if straight < 1.0 and probes.unlike(answer, h) <= TINY_PART:  # far from where they bend
            return self._wider(state._replace(span=0.0, basis=state.basis[:, :0]))
        if (straight == 1.0 and far < room) or not np.isfinite(state.basis).all():
            return _lost(state)
        length = min(state.length, DEFAULT_LENGTH * radius.size(state.center.x))
        return state._replace(stage="level", seen=answer[:2], curved=1.0, length=length)

    def _level(self, state: RidgeState, answer: Answer, normals: Normals) -> RidgeState:
        """Ridges with kinks do not change across their directions, however far."""
        there, moved = np.abs(answer[0] - state.seen[0]), np.abs(state.seen[1] - state.seen[0])
        state = state._replace(seen=NOTHING, basis=state.basis[:, :0])
        return self._wider(state) if there.sum() <= TINY_PART * moved.sum() else _lost(state)

    def _wide(self, state: RidgeState, answer: Answer, normals: Normals) -> RidgeState:
        slopes, seen = self.measure.seen(state, answer, self.measure.across(state, normals)[0])
        if seen.sound.mean() < 1.0 - SMALL_PART:
            return _lost(state)
        slopes[~seen.sound] = 0.0
        seen = probes.moved(seen, slopes @ (state.center.x - self.measure.place(state)))
        if state.span > 0.0:
            h, v = self.measure.reach(state), self.measure.across(state, normals)[0]
            fresh = NO_TANGENTS.plus(slopes @ state.center.x, seen, h * (slopes @ v))
            state = state._replace(tangents=state.tangents.beside(fresh))
        joined = (np.concatenate(pair) for pair in zip(state.along, seen, strict=True))
        state = state._replace(
            directions=np.concatenate([state.directions, slopes]),
            known=np.concatenate([state.known, seen.sound]),
            first=np.concatenate([state.first, seen.value]),
            along=Along(*joined),
            refits=0,
            halvings=0,
        )
        return self._fitted(state)

    def _fitted(self, state: RidgeState) -> RidgeState:
        """To the minimizer of the model, where that promises anything."""
        if state.span > 0.0:
            return self._cut(state)
        model = self._pulled.quadratic(state.directions, state.along)
        if not model.top > 0.0:
            return _lost(state)
        if self.whole(state):
            state = state._replace(pull=model.pull(0.0))
        elif state.refits == 0:
            strength = self._pulled.best_strength(
                state.directions, state.along, state.center, state.start.x, state.rho
            )
            state = state._replace(pull=model.pull(strength))
        trial, rho = self._pulled(model, state.pull, state.center, state.start.x, state.rho)
        return self._tried(state._replace(rho=rho), trial)

    def _tried(self, state: RidgeState, trial: Solved) -> RidgeState:
        """Evaluate the trial, unless nothing is to be gained there."""
        change = changes(state.directions, state.along, trial.x - state.center.x)
        phi = self._minimizer.phi
        predicted = float(change.mean()) + phi(trial) - phi(state.center)
        if self.whole(state) and -predicted <= self._negligible(state):
            return self._verifying(state)
        return state._replace(
            stage="again", target=len(state.directions), trial=trial, predicted=predicted
        )

    # kinks

    def _cut(self, state: RidgeState) -> RidgeState:
        """To the minimizer of the tangents, or on where it promises nothing."""
        A, whole = state.directions, self.whole(state)
        D = scale(A)
        if state.unit == 0.0:
            step = A @ (state.along.slope @ A / len(A) / D)
            length = math.sqrt(float(np.square(step).mean() / D.mean()))
            state = state._replace(unit=length / state.span)
        if not state.unit > 0.0:
            return _lost(state)
        D, cuts = state.unit * D, Cuts(state.tangents, A, state.center, state.start.x)
        if whole:
            state = state._replace(pull=np.zeros(len(D)))
        elif state.refits == 1:  # where all have two points: one alone promises anything
            strength = self._cuts.best_strength(cuts, state.damping * D, D)
            state = state._replace(pull=strength * D)
        for damping in (state.damping, min(HALF_DIGITS, state.damping)):  # the last is next to none
            trial = self._cuts(cuts, damping * D, state.pull)
            state = state._replace(trial=trial, predicted=self._cuts.change(cuts, trial))
            promised = state.predicted + _pulled(state, trial) - _pulled(state, state.center)
            if -promised > self._negligible(state):
                break
        else:
            return self._verifying(state) if whole else self._comparing(state)
        if state.refits >= (MOST_ROUNDS if whole else plan.TRIALS):
            return _lost(state) if whole else self._comparing(state)
        return state._replace(stage="again", target=len(A), damping=damping)

    def _cut_again(self, state: RidgeState, there: Along, h: Vector) -> RidgeState:
        """With the tangents at the trial; x moves there where F has fallen.

        What was flat at first has no direction: the model cannot follow where it is not flat now.
        """
        flat = ~state.directions.any(axis=1) & state.known
        if (there.value[flat] != state.first[flat]).any():
            return _lost(state)
        phi, same = self._minimizer.phi, np.array_equal(state.trial.x, state.center.x)
        fell = float((there.value - state.along.value).mean())
        fell += phi(state.trial) - phi(state.center)
        pull = _pulled(state, state.trial) - _pulled(state, state.center)
        taken = fell + pull < SMALL_PART * (state.predicted + pull)
        factor = 1.0 if same else 1.0 / FACTOR if taken else FACTOR
        state = state._replace(
            tangents=state.tangents.plus(state.directions @ state.trial.x, there, h),
            damping=factor * state.damping,
            refits=state.refits + 1,
        )
        if taken or same:
            state = state._replace(center=state.trial, along=there)
            state = self._answered(state, state.center) if self.whole(state) else state
        return self._cut(state)

    def _cut_verified(self, state: RidgeState, answer: Answer, v: Vector) -> RidgeState:
        """Settled, where values beside x are those of the tangents; else these learn from them."""
        h, A = self.measure.reach(state), state.directions
        z, q, most = A @ self.measure.place(state), h * (A @ v), h * np.linalg.norm(A, axis=1)
        if state.tangents.agree(z, q, answer, most):
            return state._replace(stage="settled")
        if state.halvings >= IN_A_ROW:
            return _lost(state)
        here = probes.moved(probes.along(answer, A @ v, h), A @ state.center.x - z)
        state = state._replace(halvings=state.halvings + 1, trial=state.center)
        return self._cut_again(state, here, q)

    def _again(self, state: RidgeState, answer: Answer, normals: Normals) -> RidgeState:
        h, across = self.measure.reach(state), self.measure.across(state, normals)
        there = probes.along(answer, state.directions @ across[0], h)
        there = probes.moved(there, state.directions @ (state.trial.x - self.measure.place(state)))
        there = there._replace(sound=there.sound & state.known)
        if state.span > 0.0:
            return self._cut_again(state, there, h * (state.directions @ across[0]))
        if there.sound.mean() < 1.0 - SMALL_PART:
            return self._halved(state)
        phi = self._minimizer.phi
        both = there.sound & state.along.sound
        fell = float((there.value - state.along.value)[both].mean())
        fell += phi(state.trial) - phi(state.center)
        pull = _pulled(state, state.trial) - _pulled(state, state.center)
        promised = state.predicted + pull
        if fell + pull > SMALL_PART * promised and -promised > self._negligible(state):
            return self._halved(state)
        largest = max(abs(state.predicted), abs(fell))
        curved = abs(fell - state.predicted) / largest if largest > 0.0 else 0.0
        state = state._replace(
            center=state.trial,
            along=there,
            curved=max(curved, state.curved),
            refits=state.refits + 1,
            halvings=0,
        )
        if self.whole(state):
            state = self._answered(state, state.center)
            return self._fitted(state) if state.refits < MOST_ROUNDS else _lost(state)
        if curved > TINY_PART and state.refits < plan.TRIALS:
            return self._fitted(state)
        return self._narrower(state)

    def _negligible(self, state: RidgeState) -> float:
        """A decrease of F too small for another trial."""
        phi, sound = self._minimizer.phi, state.along.sound
        values = state.along.value[sound]
        changed = float(np.abs(values - state.first[sound]).mean())
        changed += abs(phi(state.center) - phi(state.start))
        now = float(np.abs(values).mean()) + abs(phi(state.center))
        rounding = ULPS * float(np.spacing(np.abs(values)).mean())
        return max(NEGLIGIBLE_PART * min(changed, now), VANISHED * changed, rounding)

    def _halved(self, state: RidgeState) -> RidgeState:
        """The trial half of its way back, as long as that may help."""
        if state.halvings >= TRIES:
            return _lost(state)
        back = Solved(*(0.5 * (a + b) for a, b in zip(state.trial, state.center, strict=True)))
        return self._tried(state._replace(halvings=state.halvings + 1), back)

    def _verifying(self, state: RidgeState) -> RidgeState:
        state = self._answered(state, state.center)
        return state._replace(stage="verify", target=len(state.directions))

    def _verify(self, state: RidgeState, answer: Answer, normals: Normals) -> RidgeState:
        """Has every observation the slope along yet another direction that its ridge says?"""
        v, sound = self.measure.across(state, normals)[0], bool(state.along.sound.all())
        if state.span > 0.0:
            return self._cut_verified(state, answer, v)
        here = probes.moved(
            state.along, state.directions @ (self.measure.place(state) - state.center.x)
        )
        same = sound and probes.kept(answer, state.directions, here, v, self.measure.reach(state))
        supported = same and self._supported(state, here, answer, v)
        return state._replace(stage="settled") if supported else _lost(state)

    def _supported(self, state: RidgeState, here: Along, answer: Answer, v: Vector) -> bool:
        """Whether the slope of F along v, as measured, is that of the model, and its curvature.

        An error e of the slopes allows a decrease of |e|^2 / 2 in the inverse metric; along one
        random direction of m it shows with a share of 1/m. Where the curvature is that of a kink,
        a metric that is too large would forgive any slope.
        """
        h, model = self.measure.reach(state), self._pulled.quadratic(state.directions, here)
        slopes, seconds = probes.across(answer, h)
        off = float(slopes.mean() - model.g @ v)
        rounding = ULPS * float(np.spacing(np.abs(answer).max(axis=0)).mean()) / h
        off = max(0.0, abs(off) - rounding)
        curvature = float(v @ model.H @ v)
        if float(seconds.mean()) + rounding / h < 0.5 * curvature:
            return False
        size = float(np.abs(answer[0]).mean()) + abs(self._minimizer.phi(state.center))
        first = VANISHED * float(np.abs(state.first).mean())
        return len(v) * off**2 <= 2.0 * curvature * max(SUPPORTED * size, first)

    def _narrower(self, state: RidgeState) -> RidgeState:
        """To a narrow measurement, where enough observations are left for one."""
        N, m = state.directions.shape
        model = self._pulled.quadratic(state.directions, state.along)
        if not model.top > 0.0:
            return _lost(state)
        anchor, points, start, rho = state.start.x, [state.start.x], state.center, state.rho
        for strength in STRENGTHS:
            pull = model.pull(strength)
            start, rho = self._pulled(model, pull, state.center, anchor, rho, start)
            points.append(start.x)
        basis = narrow.spanned(np.stack(points), state.center.x, model.W)
        k = basis.shape[1]
        each = k + plan.LINE + 2 * (state.curved > TINY_PART)
        count = min(plan.narrow(state.plan, N, m, state.spent, each), self.samples - N)
        if k == 0 or count < FEWEST * k:
            return self._comparing(state)
        return state._replace(stage="narrow", target=count, basis=basis)

    def _comparing(self, state: RidgeState) -> RidgeState:
        """To values of the center on as many other observations."""
        N = len(state.directions)
        judges = min(self.samples - N, max(FEWEST_VALUES, N))
        if (1.0 + SMALL_PART) * state.answered > N:  # no fit of many more observations
            return self._wider(state)
        if judges < FEWEST_VALUES:
            return self._wider(self._answered(state, state.center))
        return state._replace(stage="compare", target=judges, trial=state.center, seen=NOTHING)

    def _narrow(self, state: RidgeState, answer: Answer, normals: Normals) -> RidgeState:
        slopes, seen = self.measure.seen(state, answer, self.measure.within(state, normals))
        if np.count_nonzero(seen.sound) < max(2, (1.0 - SMALL_PART) * len(seen.sound)):
            return self._wider(self._answered(state, state.center))
        model = self._pulled.quadratic(state.directions, state.along)
        balanced = model.g + state.pull * (state.center.x - state.start.x)
        refined = narrow.refined(state.basis, slopes, seen, model, balanced)
        if refined is None:
            return self._wider(self._answered(state, state.center))
        found, _ = self._minimizer(refined.H, state.center.x, refined.g, state.center, 0.0, EXACT)
        found = self._minimizer.exactly(found)
        state = state._replace(num_narrow=state.target, trial=found, seen=answer[0])
        if state.curved > TINY_PART:
            return state._replace(stage="compare")
        within = [
            np.linalg.lstsq(state.basis, z.x - state.center.x)[0] for z in (found, state.start)
        ]
        there, at_start = (changes(slopes, seen, z) for z in within)
        return self._chosen(state, (found, there), (state.center, np.zeros(len(there))), at_start)

    def _compare(self, state: RidgeState, answer: Answer, normals: Normals) -> RidgeState:
        there, at_start = answer
        center = state.seen if len(state.seen) > 0 else there
        return self._chosen(state, (state.trial, there), (state.center, center), at_start)

    def _chosen(
        self, state: RidgeState, trial: Judged, center: Judged, at_start: Vector
    ) -> RidgeState:
        """The better of trial and center as the answer, where it is surely better than x0.

        Each with its values of fresh observations, up to a number for each of these. Else the
        answer stays: x0, or one that was surely better.
        """
        phi, best, least = self._minimizer.phi, state.answer, math.inf
        means, errors = beside_first(np.stack([at_start, trial[1], center[1]]))
        for (pair, _), mean, error in zip((trial, center), means, errors, strict=True):
            height = float(mean) + phi(pair) - phi(state.start)
            if height + SURE * float(error) < 0.0 and height < least:
                best, least = pair, height
        return self._wider(self._answered(state._replace(seen=NOTHING), best))

    def _answered(self, state: RidgeState, answer: Solved) -> RidgeState:
        return state._replace(answer=answer, answered=len(state.directions))

    def _wider(self, state: RidgeState) -> RidgeState:
        """To the slopes of more observations, while there are more and room for them."""
        N, m = state.directions.shape
        count = min(plan.more(state.plan, N, m, state.spent), self._most - N)
        return state._replace(stage="wide" if count > 0 else "lost", target=count)


def _lost(state: RidgeState) -> RidgeState:
    return state._replace(stage="lost")


def _pulled(state: RidgeState, solved: Solved) -> float:
    """(tau/2) |x - x_1|_W^2"""
    return 0.5 * float((state.pull * np.square(solved.x - state.start.x)).sum())
