"""The descent: wide looks at ever more observations, each followed by a fit and a narrow look.

    test      a few observations along two directions: are they ridges?
    wide      slopes of fresh observations at the center
    again     all that are held at the minimizer of their model: did F fall as it says? If they are
              no parabolas, a few times
    narrow    fresh observations along the span of the minimizers S_tau: the answer
    compare   where they are no parabolas: is the answer better than the center?

Once all observations there are have been seen nothing is left to chance: the model is that of the
mean loss itself, there is no pull, and Newton's steps go on until nothing is to be gained.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.model.descent import Normals
from zooadmm.methods.auto.ridges import narrow, plan, probes
from zooadmm.methods.auto.ridges.fit import STRENGTHS, Pulled, changes
from zooadmm.methods.auto.ridges.state import Along, Held, Stage
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, PointsQuery
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.problem import Problem
from zooadmm.problem.sets import ProbeSafe
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, Solved

MOST_VARIABLES = 1000
"""The largest m for which m x m matrices are factored again and again."""

MOST_NUMBERS = 2**24
"""How many numbers the directions that are held may have, 128 MiB."""

ALIKE = 0.01
"""How unlike the curvatures of a ridge may be along two directions."""

AT_ONCE = 512
"""Evaluations of a query, if they are of several observations."""

MANY_MORE = 1.2
"""How many times as many observations must be held for their fit to be better than the answer of a
narrow look."""

REFITS = 3
"""How often a sample that is not whole is fitted, at most."""

MOST_REFITS = 50
MOST_HALVINGS = 12

PARABOLA = 0.01
"""How far F may be from what a model says of it, as a part of that, to be as good as quadratic."""

ENOUGH = 0.1
"""The part of what the model promises that a step must keep."""

BY_CHANCE = 0.2
"""The part of the observations that may have values that are not finite."""

NEGLIGIBLE = 1e-10
"""A decrease of F too small for another step, as a part of the mean |f| now, or of its change since
the start where that is less: a far start does not hide what is left."""

VANISHED = 1e-20
"""The same as a part of that change alone, for losses that fall to zero: NEGLIGIBLE squared."""

SUPPORTED = 1e-7
"""The decrease that slopes off the model would allow at most where a run settles, as a part of the
mean |f|."""

SURE = 2.0
"""Standard errors by which an answer is better than x0 on fresh observations: a chance of 2 %."""

FEWEST_JUDGES = 16
"""Fresh observations for a standard error that is itself known to about a fifth."""

ULPS = 4.0
"""Units in the last place of a value that are not worth one either."""

Judged = tuple[Solved, Vector]
"""A pair and its values of some observations"""

NOTHING = np.zeros(0)
NONE = np.zeros(0, dtype=bool)


class RidgeDescent:
    """The descent for one problem.

    samples: how many observations there are.
    metric: whether variables may be given units of their own.
    inside: the set that no point may leave, or None. Near its boundary a look is taken at the
        nearest point with room for it, and ridges lead back to x.
    """

    def __init__(
        self, problem: Problem, samples: int, metric: bool, inside: ProbeSafe | None = None
    ) -> None:
        self._inside = inside
        self.problem = problem
        self.samples = samples
        self._minimizer = Minimizer(problem)
        self._pulled = Pulled(self._minimizer, metric)
        self._most = min(samples, MOST_NUMBERS // problem.m)

    def begun(
        self, x: Vector, y: Vector, dual: Vector, length: float, budget: int, spent: int, since: int
    ) -> Held:
        """Before the first look.

        length: of differences at x.
        budget, spent: the evaluations planned for, 0 for none, and those so far.
        since: the iteration that comes next.
        """
        x, y = self._minimizer.feasible(x, y)
        start = self._minimizer.begun(x, y, dual)
        return Held(
            stage="test",
            wanted=min(plan.FIRST, self.samples),
            since=since,
            parts=(),
            spent=spent,
            plan=plan.planned(budget, len(x), self._most),
            length=length,
            start=start,
            center=start,
            directions=np.zeros((0, len(x))),
            known=NONE,
            first=NOTHING,
            along=Along(NOTHING, NOTHING, NOTHING, NONE),
            pull=np.zeros(len(x)),
            trial=start,
            predicted=math.nan,
            refits=0,
            halvings=0,
            basis=np.zeros((len(x), 0)),
            seen=NOTHING,
            answer=start,
            answered=0,
            curved=0.0,
            rho=0.0,
            looked=0,
        )

    def pair(self, held: Held) -> tuple[Vector, Vector, Vector]:
        """(x, y, dual) of the answer."""
        return self._minimizer.pair(held.answer)

    def whole(self, held: Held) -> bool:
        """Whether all observations there are have been seen."""
        return len(held.directions) == self.samples

    def portion(self, held: Held) -> tuple[int, int]:
        """(position, count) of the observations that the next values are about."""
        begin = 0 if held.stage in ("again", "verify") else len(held.directions)
        at_once = max(1, AT_ONCE // self.num_points(held))
        return begin + held.done, min(at_once, held.wanted - held.done)

    def num_points(self, held: Held) -> int:
        """How many values of each are asked for."""
        m, k = held.basis.shape
        numbers: dict[Stage, int] = {
            "test": 5,
            "wide": m + plan.BESIDE,
            "narrow": k + plan.BESIDE,
            "compare": 2,
        }
        return numbers.get(held.stage, plan.AGAIN)

    def query(self, held: Held, id: int, batch: Batch | None, normals: Normals) -> PointsQuery:
        """The points whose values are wanted next."""
        h, d, across = self._reach(held), held.length, self._across(held, normals)
        x = self._place(held)
        if held.stage in ("test", "again", "verify"):
            points = probes.across_points(x, across, h)
        elif held.stage == "compare":
            points = np.stack([held.trial.x, held.start.x])
        else:
            moves = held.basis.T if held.stage == "narrow" else self._along(np.eye(len(x)))
            points = probes.sloped_points(x, moves, d, across[0], h)
        return PointsQuery(id, points if self._inside is None else self._inside.clip(points), batch)

    def has_room(self, x: Vector, length: float) -> bool:
        """Whether a look at x, with differences of this length, fits into the set."""
        if self._inside is None:
            return True
        h = math.sqrt(length * max(1.0, float(np.abs(x).max())))
        return 4.0 * (h + length) < self._inside.inradius(len(x))

    def _place(self, held: Held) -> Vector:
        """Where a look is taken: at the trial or the center, or beside it with room for points."""
        x = held.trial.x if held.stage == "again" else held.center.x
        if self._inside is None:
            return x
        room = min(self._reach(held) + held.length, 0.5 * self._inside.inradius(len(x)))
        return np.asarray(self._inside.shrunk(room).project(x))

    def _along(self, rows: Matrix) -> Matrix:
        """The rows within the linear hull of the set."""
        return rows if self._inside is None else self._inside.tangent(rows)

    def told(self, held: Held, answer: Answer, t: int, normals: Normals) -> Held:
        """What follows from the values at these points, told at iteration t."""
        self._minimizer.renew()  # a resumed run begins with a new one
        parts = (*held.parts, answer)
        held = held._replace(parts=parts, spent=held.spent + answer.size)
        if held.done < held.wanted:
            return held
        held, answer = held._replace(parts=(), since=t + 1), np.concatenate(parts, axis=1)
        told = {
            "test": self._test,
            "wide": self._wide,
            "again": self._again,
            "narrow": self._narrow,
            "compare": self._compare,
            "verify": self._verify,
        }
        return told[held.stage](held, answer, normals)

    def _reach(self, held: Held) -> float:
        """h, for second differences: their error is least at the root of the length for first."""
        return math.sqrt(held.length * max(1.0, float(np.abs(held.center.x).max())))

    def _across(self, held: Held, normals: Normals) -> Matrix:
        """Random directions of length 1 in the space that is looked at."""
        if held.stage == "narrow":
            return np.asarray(self._within(held, normals)[None] @ held.basis.T)
        rows = normals(2 if held.stage == "test" else 1)
        rows = np.sign(rows) * (1.0 + np.abs(rows))  # no entry is small: directions may have few
        rows = self._along(rows)
        return np.asarray(rows / np.linalg.norm(rows, axis=1)[:, None])

    def _within(self, held: Held, normals: Normals) -> Vector:
        """The direction of a narrow look, in units of its basis."""
        coefficients: Vector = normals(1, held.basis.shape[1])[0]
        return coefficients / float(np.linalg.norm(held.basis @ coefficients))

    def _seen(self, held: Held, answer: Answer, v: Vector) -> tuple[Matrix, Along]:
        """Slopes and ridges of a wide or narrow look; v: in units of what slopes are along."""
        h = self._reach(held)
        slopes = probes.slopes(answer, held.length, v, h)
        seen = probes.along(answer, slopes @ v, h)
        sound = seen.sound & probes.agreeing(answer, slopes, v, h)
        return slopes, seen._replace(sound=sound)

    def _test(self, held: Held, answer: Answer, normals: Normals) -> Held:
        ridges = probes.unlike(answer, self._reach(held)) <= ALIKE
        return self._wider(held) if ridges else _lost(held)

    def _wide(self, held: Held, answer: Answer, normals: Normals) -> Held:
        slopes, seen = self._seen(held, answer, self._across(held, normals)[0])
        if seen.sound.mean() < 1.0 - BY_CHANCE:
            return _lost(held)
        slopes[~seen.sound] = 0.0
        seen = probes.moved(seen, slopes @ (held.center.x - self._place(held)))
        joined = (np.concatenate(pair) for pair in zip(held.along, seen, strict=True))
        held = held._replace(
            directions=np.concatenate([held.directions, slopes]),
            known=np.concatenate([held.known, seen.sound]),
            first=np.concatenate([held.first, seen.value]),
            along=Along(*joined),
            refits=0,
            halvings=0,
        )
        return self._fitted(held)

    def _fitted(self, held: Held) -> Held:
        """To the minimizer of the model, where that promises anything."""
        model = self._pulled.quadratic(held.directions, held.along)
        if not model.top > 0.0:
            return _lost(held)
        if self.whole(held):
            held = held._replace(pull=model.pull(0.0))
        elif held.refits == 0:
            strength = self._pulled.best_strength(
                held.directions, held.along, held.center, held.start.x, held.rho
            )
            held = held._replace(pull=model.pull(strength))
        trial, rho = self._pulled(model, held.pull, held.center, held.start.x, held.rho)
        return self._tried(held._replace(rho=rho), trial)

    def _tried(self, held: Held, trial: Solved) -> Held:
        """Look at the trial, unless nothing is to be gained there."""
        change = changes(held.directions, held.along, trial.x - held.center.x)
        phi = self._minimizer.phi
        predicted = float(change.mean()) + phi(trial) - phi(held.center)
        if self.whole(held) and -predicted <= self._negligible(held):
            return self._verifying(held)
        return held._replace(
            stage="again", wanted=len(held.directions), trial=trial, predicted=predicted
        )

    def _again(self, held: Held, answer: Answer, normals: Normals) -> Held:
        h, across = self._reach(held), self._across(held, normals)
        there = probes.along(answer, held.directions @ across[0], h)
        there = probes.moved(there, held.directions @ (held.trial.x - self._place(held)))
        there = there._replace(sound=there.sound & held.known)
        if there.sound.mean() < 1.0 - BY_CHANCE:
            return self._halved(held)
        phi = self._minimizer.phi
        both = there.sound & held.along.sound
        fell = float((there.value - held.along.value)[both].mean())
        fell += phi(held.trial) - phi(held.center)
        pull = _pulled(held, held.trial) - _pulled(held, held.center)
        promised = held.predicted + pull
        if fell + pull > ENOUGH * promised and -promised > self._negligible(held):
            return self._halved(held)
        curved = abs(fell - held.predicted) / max(abs(held.predicted), abs(fell), 1e-300)
        held = held._replace(
            center=held.trial,
            along=there,
            curved=max(curved, held.curved),
            refits=held.refits + 1,
            halvings=0,
        )
        if self.whole(held):
            held = self._answered(held, held.center)
            return self._fitted(held) if held.refits < MOST_REFITS else _lost(held)
        if curved > PARABOLA and held.refits < REFITS:
            return self._fitted(held)
        return self._narrower(held)

    def _negligible(self, held: Held) -> float:
        """A decrease of F that is not worth another look."""
        phi, sound = self._minimizer.phi, held.along.sound
        values = held.along.value[sound]
        changed = float(np.abs(values - held.first[sound]).mean())
        changed += abs(phi(held.center) - phi(held.start))
        now = float(np.abs(values).mean()) + abs(phi(held.center))
        rounding = ULPS * float(np.spacing(np.abs(values)).mean())
        return max(NEGLIGIBLE * min(changed, now), VANISHED * changed, rounding)

    def _halved(self, held: Held) -> Held:
        """The trial half of its way back, as long as that may help."""
        if held.halvings >= MOST_HALVINGS:
            return _lost(held)
        back = Solved(*(0.5 * (a + b) for a, b in zip(held.trial, held.center, strict=True)))
        return self._tried(held._replace(halvings=held.halvings + 1), back)

    def _verifying(self, held: Held) -> Held:
        held = self._answered(held, held.center)
        return held._replace(stage="verify", wanted=len(held.directions))

    def _verify(self, held: Held, answer: Answer, normals: Normals) -> Held:
        """Has every observation the slope along yet another direction that its ridge says?"""
        v, sound = self._across(held, normals)[0], bool(held.along.sound.all())
        here = probes.moved(held.along, held.directions @ (self._place(held) - held.center.x))
        same = sound and probes.kept(answer, held.directions, here, v, self._reach(held))
        supported = same and self._supported(held, here, answer, v)
        return held._replace(stage="settled") if supported else _lost(held)

    def _supported(self, held: Held, here: Along, answer: Answer, v: Vector) -> bool:
        """Whether the slope of F along v, as measured, is that of the model.

        An error e of the slopes allows a decrease of |e|^2 / 2 in the inverse metric; along one
        random direction of m it shows with a share of 1/m.
        """
        h, model = self._reach(held), self._pulled.quadratic(held.directions, here)
        slopes, _ = probes.across(answer[-2], answer[-1], answer[0], h)
        off = float(slopes.mean() - model.g @ v)
        off = max(0.0, abs(off) - ULPS * float(np.spacing(np.abs(answer).max(axis=0)).mean()) / h)
        bent = float(v @ model.H @ v)
        size = float(np.abs(answer[0]).mean()) + abs(self._minimizer.phi(held.center))
        first = VANISHED * float(np.abs(held.first).mean())
        return len(v) * off**2 <= 2.0 * bent * max(SUPPORTED * size, first)

    def _narrower(self, held: Held) -> Held:
        """To a narrow look, where enough observations are left for one."""
        N, m = held.directions.shape
        model = self._pulled.quadratic(held.directions, held.along)
        if not model.top > 0.0:
            return _lost(held)
        anchor, points, start, rho = held.start.x, [held.start.x], held.center, held.rho
        for strength in STRENGTHS:
            pull = model.pull(strength)
            start, rho = self._pulled(model, pull, held.center, anchor, rho, start)
            points.append(start.x)
        basis = narrow.spanned(np.stack(points), held.center.x, model.W)
        k = basis.shape[1]
        each = k + plan.BESIDE + 2 * (held.curved > PARABOLA)
        count = min(plan.narrow(held.plan, N, m, held.spent, each), self.samples - N)
        if k == 0 or count < plan.FOR_EACH * k:
            judges = min(self.samples - N, max(FEWEST_JUDGES, N))
            if MANY_MORE * held.answered > N:
                return self._wider(held)
            if judges < FEWEST_JUDGES:
                return self._wider(self._answered(held, held.center))
            return held._replace(stage="compare", wanted=judges, trial=held.center, seen=NOTHING)
        return held._replace(stage="narrow", wanted=count, basis=basis)

    def _narrow(self, held: Held, answer: Answer, normals: Normals) -> Held:
        slopes, seen = self._seen(held, answer, self._within(held, normals))
        if np.count_nonzero(seen.sound) < max(2, (1.0 - BY_CHANCE) * len(seen.sound)):
            return self._wider(self._answered(held, held.center))
        model = self._pulled.quadratic(held.directions, held.along)
        balanced = model.g + held.pull * (held.center.x - held.start.x)
        bent = narrow.bent(held.basis, slopes, seen, model, balanced)
        if bent is None:
            return self._wider(self._answered(held, held.center))
        found, _ = self._minimizer(bent.H, held.center.x, bent.g, held.center, 0.0, EXACT)
        found = self._minimizer.exactly(found)
        held = held._replace(looked=held.wanted, trial=found, seen=answer[0])
        if held.curved > PARABOLA:
            return held._replace(stage="compare")
        within = [np.linalg.lstsq(held.basis, z.x - held.center.x)[0] for z in (found, held.start)]
        there, at_start = (changes(slopes, seen, z) for z in within)
        return self._chosen(held, (found, there), (held.center, np.zeros(len(there))), at_start)

    def _compare(self, held: Held, answer: Answer, normals: Normals) -> Held:
        there, at_start = answer
        center = held.seen if len(held.seen) > 0 else there
        return self._chosen(held, (held.trial, there), (held.center, center), at_start)

    def _chosen(self, held: Held, trial: Judged, center: Judged, at_start: Vector) -> Held:
        """The better of trial and center as the answer, where it is surely better than x0.

        Each with its values of fresh observations, up to a number for each of these. Else the
        answer stays: x0, or one that was surely better.
        """
        phi, best, least = self._minimizer.phi, held.answer, math.inf
        for pair, values in (trial, center):
            apart = values - at_start
            finite = np.isfinite(apart)
            count = int(finite.sum())
            if count < max(2.0, (1.0 - BY_CHANCE) * len(apart)):
                continue
            height = float(apart[finite].mean()) + phi(pair) - phi(held.start)
            error = float(apart[finite].std(ddof=1)) / math.sqrt(count)
            if height + SURE * error < 0.0 and height < least:
                best, least = pair, height
        return self._wider(self._answered(held._replace(seen=NOTHING), best))

    def _answered(self, held: Held, answer: Solved) -> Held:
        return held._replace(answer=answer, answered=len(held.directions))

    def _wider(self, held: Held) -> Held:
        """To a wide look at more observations, while there are more and room for them."""
        N, m = held.directions.shape
        count = min(plan.more(held.plan, N, m, held.spent), self._most - N)
        return held._replace(stage="wide" if count > 0 else "lost", wanted=count)


def _lost(held: Held) -> Held:
    return held._replace(stage="lost")


def _pulled(held: Held, solved: Solved) -> float:
    """(tau/2) |x - x_1|_W^2"""
    return 0.5 * float((held.pull * np.square(solved.x - held.start.x)).sum())
