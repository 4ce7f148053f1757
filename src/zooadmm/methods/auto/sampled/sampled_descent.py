"""Descent by fresh observations: slopes of a batch, a step of the model, values that judge it.

    value    f(x0; w) of the first observations
    start    their slopes and curvatures along every variable, by central differences
    trials   the steps S_mu(v) for a few dampings mu, by values paired with those at x
    slopes   of b = max(FEWEST, LATEST k) fresh observations, along every variable

S_mu(v) = argmin <v, u - x> + mu |u - x|_H^2 / 2 + phi(y) over the structure. A trial is accepted
where the mean of F over the judges is lower by SURE standard errors, so the run does not rise
but by a chance of 2 % a step; else the next batch makes v more certain. Batches grow with what
was seen, whatever the budget. Once all n observations were used, the model of their mean takes
over, with v, P and H.
"""

from __future__ import annotations

import numpy as np

from zooadmm.methods.auto.constants import (
    AT_ONCE,
    FACTOR,
    FACTORS,
    FEWEST,
    FEWEST_VALUES,
    LATEST,
    NEGLIGIBLE,
    ROUNDED,
    SEEN,
    SMALL_PART,
    SURE,
    ULPS,
)
from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.model import start
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.model.measure import measure
from zooadmm.methods.auto.model.state import NO_ROWS, NOTHING, Start
from zooadmm.methods.auto.sampled import differences, evidence, judges
from zooadmm.methods.auto.sampled.differences import Moves, rounding
from zooadmm.methods.auto.sampled.state import NO_BATCH, SampledState
from zooadmm.methods.method import FirstOrder
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, PointsQuery
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector
from zooadmm.problem.problem import Problem
from zooadmm.problem.sets import ConvexSet, WholeSpace
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, Solved

DAMPINGS = tuple(FACTOR**k for k in (-1, 0, 1))
"""The dampings that are tried, in units of the latest; at first, when the scale of D is unknown,
FACTORS take their place."""

MOST_FRUITLESS = 256
"""Observations without an accepted step, or m of them, after which slopes mislead: steps take over
that measure their differences by the loss itself."""


class SampledDescent:
    """The descent for one problem; samples: n; limits: where no point may be outside, or None."""

    def __init__(self, problem: Problem, samples: int, limits: ConvexSet | None = None) -> None:
        self.problem = problem
        self.samples = samples
        self._minimizer = Minimizer(problem)
        bounded = problem.domain.bounds() is not None
        self._reach: ConvexSet = limits or (problem.domain if bounded else WholeSpace())
        self._known: tuple[Solved, float, Moves] | None = None

    def init(self, x: Vector, y: Vector, dual: Vector, rounding: float) -> SampledState:
        """Before the first value; rounding: its error as far as it is known."""
        x, y = self._minimizer.feasible(x, y)
        m = len(x)
        zero = np.zeros(m)
        unknown = Start(zero, zero, zero, zero, np.arange(0), 0, zero, zero, NO_ROWS)
        return SampledState(
            stage="value",
            at=self._minimizer.init(x, y, dual),
            target=min(FEWEST, self.samples),
            start=unknown,
            batch=NO_BATCH,
            belief=Belief(np.zeros(m), NO_ROWS),
            first=np.zeros(m),
            products=np.zeros((m, m)),
            eps=rounding,
        )

    def pair(self, sampling: SampledState) -> tuple[Vector, Vector, Vector]:
        """(x, y, dual)"""
        return self._minimizer.pair(sampling.at)

    def first_order(self, sampling: SampledState) -> FirstOrder | None:
        """By the belief about the gradient; its error is that of sampling."""
        if len(sampling.belief.P) == 0:
            return None
        at, belief, H = sampling.at, sampling.belief, sampling.H
        return measure(self._minimizer, at, belief, H, sampling.rho, 0.0)

    def portion(self, sampling: SampledState) -> int:
        """How many observations the next query is about."""
        fits = max(1, AT_ONCE // self.num_points(sampling))
        return min(sampling.target - sampling.done, fits)

    def num_points(self, sampling: SampledState) -> int:
        """How many points are evaluated on each observation."""
        if sampling.stage == "start":
            return 2 * len(sampling.start.todo)
        return {"value": 1, "trials": 1 + len(sampling.trials)}.get(
            sampling.stage, 1 + len(sampling.at.x)
        )

    def draw(self, sampling: SampledState, observations: Observations, key: Key) -> Batch:
        """The observations of the next query.

        Fresh ones judge each test: from an order of their own, or, where there is but one order,
        those that come next.
        """
        count, n = self.portion(sampling), self.samples
        if sampling.stage != "trials":
            return observations.next(sampling.seen + sampling.done, count, key)
        if sampling.target == n:
            return observations.report(0, n, key, ())[0][sampling.done : sampling.done + count]
        first = n * (1 + sampling.tests) + sampling.seen
        return observations.next(first + sampling.done, count, key)

    def query(self, sampling: SampledState, id: int, batch: Batch | None) -> PointsQuery:
        """The points to evaluate next."""
        x = sampling.at.x
        if sampling.stage == "value":
            points = x[None]
        elif sampling.stage == "start":
            points = start.points(sampling.start, self._reach, x)
        elif sampling.stage == "trials":
            points = np.stack([x, *(trial.x for trial in sampling.trials)])
        else:
            points = self._moves(sampling).points()
        return PointsQuery(id, points, batch)

    def update(self, sampling: SampledState, answer: Answer) -> SampledState:
        """The state after the values at these points."""
        self._minimizer.renew()  # a resumed run begins with a new one
        sampling = sampling._replace(done=sampling.done + answer.shape[1])
        if sampling.stage == "slopes":
            slopes = self._moves(sampling).slopes(answer, sampling.belief.v)
            sampling = sampling._replace(batch=evidence.added(sampling.batch, slopes))
            return sampling if sampling.done < sampling.target else self._measured(sampling)
        parts = (*sampling.parts, answer)
        if sampling.done < sampling.target:
            return sampling._replace(parts=parts)
        sampling, answer = sampling._replace(parts=(), done=0), np.concatenate(parts, axis=1)
        read = {"value": self._valued, "start": self._started, "trials": self._judged}
        return read[sampling.stage](sampling, answer)

    def _valued(self, sampling: SampledState, answer: Answer) -> SampledState:
        if not np.isfinite(answer).all():
            return sampling._replace(stage="lost")
        eps = max(sampling.eps, ULPS * float(np.spacing(np.abs(answer)).mean()))
        first = start.init(self._reach, sampling.at.x, float(answer.mean()), eps)
        loss = np.array([float(answer.mean())])
        return sampling._replace(stage="start", start=first, eps=eps, prior=loss)

    def _started(self, sampling: SampledState, answer: Answer) -> SampledState:
        """The slopes and curvatures of the first observations; some may need another radius."""
        x, eps, loss = sampling.at.x, sampling.eps, float(sampling.prior[0])
        before = sampling.start
        first = start.read(before, self._reach, x, loss, answer.mean(axis=1), eps)
        spread = sampling.first.copy()
        points, apart = start.points(before, self._reach, x), answer[0::2] - answer[1::2]
        lengths = np.linalg.norm(points[0::2] - points[1::2], axis=1)
        spread[before.todo] = np.square(apart).mean(axis=1) / np.square(lengths)
        sampling = sampling._replace(start=first, first=spread)
        if len(first.todo) > 0:
            return sampling
        finite = np.isfinite(first.slopes).all() and np.isfinite(spread).all()
        if not finite or start.mostly(spread == 0.0, self._reach):
            return sampling._replace(stage="lost")
        known, curvatures = start.finished(first, self._reach, x, eps)
        seen = first.curvatures * np.square(first.radii) >= SEEN * eps
        k = sampling.target
        variances = np.maximum(spread - known.v**2, 0.0) * k / (k - 1)
        chance = min(1.0, float(np.mean(variances[spread > 0.0] / spread[spread > 0.0])))
        D = evidence.diagonal(np.where(seen, curvatures, 0.0), spread, abs(loss), chance)
        nu = float(np.mean(variances / D))
        P = known.P + nu * (1.0 / k - 1.0 / self.samples) * np.diag(D)
        sampling = sampling._replace(
            belief=Belief(known.v, P), H=np.diag(D), first=D, nu=nu, seen=k, prior=NOTHING
        )
        if start.mostly(self._moves(sampling).blocked, self._reach):
            return sampling._replace(stage="lost")
        return self._trying(sampling)

    # slopes of a batch

    def _moves(self, sampling: SampledState) -> Moves:
        """The moves of a batch, kept for all of its queries."""
        known, at, eps = self._known, sampling.at, sampling.eps
        if known is None or known[0] is not at or known[1] != eps:
            known = at, eps, differences.moves(self._reach, at.x, eps, sampling.first)
            self._known = known
        return known[2]

    def _drawing(self, sampling: SampledState) -> SampledState:
        """To a fresh batch; or to the model of the mean, once the batch would be the last."""
        if sampling.steps == 0 and sampling.seen >= max(MOST_FRUITLESS, len(sampling.at.x)):
            return sampling._replace(stage="lost", trials=())
        b = self._batch(sampling)
        if sampling.seen + b > (1.0 - SMALL_PART) * self.samples:
            return sampling._replace(stage="whole", trials=(), parts=(), target=0, done=0)
        return sampling._replace(stage="slopes", target=b, done=0, batch=NO_BATCH, trials=())

    def _batch(self, sampling: SampledState) -> int:
        """b; where variables are few, enough for the slopes to cost as much as their judges."""
        few = FEWEST_VALUES * (1 + len(DAMPINGS)) // (1 + len(sampling.at.x))
        return max(FEWEST, int(LATEST * sampling.seen), few)

    def _measured(self, sampling: SampledState) -> SampledState:
        if sampling.batch.number < max(2.0, (1.0 - SMALL_PART) * sampling.target):
            return sampling._replace(stage="lost")
        if sampling.counted == 0 and evidence.vanished(sampling):
            return sampling._replace(stage="lost")
        sampling = evidence.conditioned(sampling, self.samples)
        sampling = sampling._replace(batch=NO_BATCH, last=NOTHING, prior=NOTHING)
        return self._trying(sampling)

    # trials

    def _trying(self, sampling: SampledState) -> SampledState:
        """To the values at the steps for a few dampings, as far as they promise a decrease."""
        x, v, H, rho = sampling.at.x, sampling.belief.v, sampling.H, sampling.rho
        phi, trials = self._minimizer.phi, []
        dampings = sampling.damping * np.array(DAMPINGS if sampling.steps > 0 else FACTORS)
        for damping in dampings:
            to, rho = self._minimizer(damping * H, x, v, sampling.at, damping * rho, EXACT)
            to, rho = self._minimizer.exactly(to), rho / damping
            s = to.x - x
            predicted = float(v @ s) + 0.5 * damping * float(s @ H @ s) + phi(to) - phi(sampling.at)
            promising = predicted < -NEGLIGIBLE * sampling.eps
            trials.append(to if promising else sampling.at)
        target = judges.number(len(x) * self._batch(sampling), self.samples)
        sampling = sampling._replace(
            rho=rho, trials=tuple(trials), dampings=dampings, target=target, done=0
        )
        if all(trial is sampling.at for trial in trials):
            nearer = max(min(sampling.damping, 1.0), float(dampings[0]))
            return self._drawing(sampling._replace(damping=nearer))
        return sampling._replace(stage="trials")

    def _judged(self, sampling: SampledState, answer: Answer) -> SampledState:
        """To the surest of the trials, where one is better beyond doubt."""
        phi, n = self._minimizer.phi, self.samples
        heights = np.array([phi(trial) for trial in sampling.trials]) - phi(sampling.at)
        change, error = judges.paired(answer)
        if answer.shape[1] >= n:
            error = np.zeros_like(error)
        change = np.where(np.isfinite(change), change + heights, np.inf)
        surely = change + SURE * error
        best, dampings = int(np.argmin(surely)), sampling.dampings
        sampling = sampling._replace(tests=sampling.tests + 1)
        if (change > SURE * error).all():  # too long, or uphill
            return self._drawing(sampling._replace(damping=DAMPINGS[-1] * sampling.damping))
        if not surely[best] < 0.0:
            likely = int(np.argmin(change))
            if change[likely] < 0.0 and sampling.steps > 0:
                sampling = sampling._replace(damping=float(dampings[likely]))
            return self._drawing(sampling)
        sampling = sampling._replace(damping=float(dampings[best]))
        if best == 0 and sampling.steps == 0 and sampling.damping > ROUNDED * ROUNDED:  # too short
            return self._trying(sampling)
        before, after = (float(np.nanmean(np.abs(values))) for values in answer[[0, 1 + best]])
        least = rounding(after, sampling.first, sampling.trials[best].x)
        eps = max(least, sampling.eps * after / max(before, after))
        return self._drawing(self._moved(sampling._replace(eps=eps), sampling.trials[best]))

    def _moved(self, sampling: SampledState, to: Solved) -> SampledState:
        s = to.x - sampling.at.x
        belief, _ = beliefs.moved(sampling.belief, sampling.H, s, sampling.tau)
        return sampling._replace(
            at=to,
            belief=belief,
            last=s,
            prior=np.diagonal(sampling.belief.P).copy(),
            steps=sampling.steps + 1,
        )
