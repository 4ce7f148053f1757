"""Descent by a quadratic model of the loss: what is asked for, and what follows from the values.

    start      slopes and curvatures along every variable
    slopes     along the directions in which the answer could still change; and, after a step s,
               along s
    candidate  S(v), the minimizer of the model, once v is sure enough
    further    another point of the line from x to it, where a parabola promises more there; and
               again from that point while values fall, for at most the price of a gradient
    rounding   back along the last step, once |f| has fallen far, see `rounding`
    second     all second derivatives, where they pay, see `second`
    kink       along the last refused step, see `repair`
    bend       along moves that bent downwards, before the run settles

A candidate that is not better shows what the model has wrong along s; the slope along s is measured
and a multiple of H serves the further trials from x, which lie on an arc. Where no step promises
more than rounding, the whole gradient is measured; if it still promises nothing the run is settled.
Where trials keep giving much less than promised, values along the last refused step tell whether
there is a kink. If not the model is repaired, by central differences along axes of H: as often as F
falls in between.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import (
    BEYOND_NOISE,
    FACTOR,
    FLATTEST,
    IN_A_ROW,
    NEGLIGIBLE,
    SEEN,
    SMALL_PART,
    TINY_PART,
    TRIES,
)
from zooadmm.methods.auto.model import (
    acceptance,
    curvature,
    hills,
    line,
    measure,
    probes,
    regression,
    repair,
    rounding,
    saddle,
    second,
    slopes,
    start,
)
from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.model.descent import ModelDescent, Normals
from zooadmm.methods.auto.model.regression import Values
from zooadmm.methods.auto.model.state import (
    NO_PATH,
    NO_ROWS,
    NO_SECANT,
    NO_TRIAL,
    NOTHING,
    Model,
    Origin,
    Secant,
    Trial,
)
from zooadmm.methods.method import FirstOrder
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import PointsQuery
from zooadmm.problem.arrays import Matrix, Vector, norm
from zooadmm.problem.problem import Problem
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, FINE, Accuracy, Solved

KINKED = 1e4
"""A curvature that has grown so many times is that of a kink, or of another place: the model is
repaired before the run settles."""


class QuasiNewton(ModelDescent[Model]):
    """The descent for one problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.minimizer = Minimizer(problem)

    def feasible(self, x: Vector, y: Vector) -> tuple[Vector, Vector]:
        return self.minimizer.feasible(x, y)

    def init(
        self,
        x: Vector,
        y: Vector,
        dual: Vector,
        loss: float,
        size: float,
        eps: float,
        normals: Normals,
    ) -> Model:
        return self.unmeasured(x, y, dual, loss, eps)

    def unmeasured(self, x: Vector, y: Vector, dual: Vector, loss: float, eps: float) -> Model:
        """Before anything but f(x) is known."""
        first = start.init(self._problem.domain, x, loss, eps)
        return Model(
            stage="start" if len(first.todo) > 0 else "settled",  # all variables are fixed
            ask=start.points(first, self._problem.domain, x),
            at=self.minimizer.init(x, y, dual),
            loss=loss,
            belief=Belief(NOTHING, NO_ROWS),
            H=NO_ROWS,
            first=NOTHING,
            rho=0.0,
            tau=1.0,  # H may be off by as much as itself
            eps=eps,
            worth=0.0,
            eps_size=abs(loss),
            start=first,
            secant=NO_SECANT,
            rounds=0,
            whole=True,
            trial=NO_TRIAL,
            best=NO_TRIAL,
            refused=NO_TRIAL,
            steps=0,
            poor=0,
            repairs=0,
            base=NO_ROWS,
            refused_step=NOTHING,
            repaired_at=math.inf,
            repaired_steps=0,
            least=rounding.least(loss),
            first_loss=loss,
            spent=0,
            path=NO_PATH,
            patience=second.FIRST_PATIENCE,
            moves=NO_ROWS,
        )

    def at_lengths(self, model: Model, lengths: Vector) -> Model:
        """A model that nothing was measured for, with these first radii, for noisy values."""
        first = model.start._replace(radii=lengths, noisy=True)
        return model._replace(
            start=first, ask=start.points(first, self._problem.domain, model.at.x)
        )

    def from_values(self, model: Model, known: Values, most: int, normals: Normals) -> Model:
        """A model that nothing was measured for, with what values at other points show.

        most: slopes at x before a trial.
        """
        found = regression.fitted(known, model.at.x, model.loss, model.eps)
        if found is None:
            return model
        first = np.diagonal(found.H).copy()
        model = model._replace(belief=found.belief, H=found.H, first=first, rounds=1, whole=False)
        return self._decided(model._replace(most_slopes=most), normals)

    def measured_anew(self, model: Model) -> Model:
        """Slopes and curvatures along every variable at x, as at the first x of other runs."""
        first = self.unmeasured(*self.pair(model), model.loss, model.eps)
        return first._replace(
            steps=model.steps, first_loss=model.first_loss, not_convex=model.not_convex
        )

    def resumed(self, model: Model, normals: Normals) -> Model:
        """Continue from an externally built model."""
        return self._decided(model, normals)

    def query(self, model: Model, id: int, batch: Batch | None) -> PointsQuery:
        return PointsQuery(id, model.ask, batch)

    def pair(self, model: Model) -> tuple[Vector, Vector, Vector]:
        return self.minimizer.pair(model.at)

    def gradient(self, model: Model) -> Vector:
        return model.belief.v

    def curved(self, model: Model, s: Vector) -> Vector:
        return np.asarray(model.H @ s)

    def update(self, model: Model, values: Vector, normals: Normals) -> Model:
        self.minimizer.renew()  # a resumed run begins with a new one
        seen = model.not_convex or hills.are_seen(model, values)
        model = model._replace(spent=model.spent + len(values), not_convex=seen)
        with np.errstate(over="ignore", invalid="ignore"):  # a loss may fall without end
            if model.stage == "start":
                return self._started(model, values, normals)
            if model.stage == "slopes":
                return self._sloped(model, values, normals)
            if model.stage == "candidate":
                return self._tried(model, float(values[0]), normals)
            if model.stage == "rounding":
                return self._rounded(model, values, normals)
            if model.stage == "second":
                return self._curved(model, values, normals)
            if model.stage == "kink":
                return self._tested(model, values, normals)
            if model.stage == "bend":
                return self._bent(model, values, normals)
            return self._gone_further(model, float(values[0]), normals)

    def objective(self, model: Model) -> float:
        """F(x)"""
        return line.objective(self.minimizer, model)

    def first_order(self, model: Model, changed: float) -> FirstOrder | None:
        """|x - S(v)|_H and its error, as the belief about the gradient has it; None before it.

        Where trials keep failing H is doubtful, and small steps say nothing: None too.
        changed: how far the loss was seen to change before there was a model.
        """
        H = model.base if len(model.base) > 0 else model.H  # without what refused trials added
        if len(model.belief.v) == 0 or model.poor > 1:
            return None
        if curvature.growth(H, model.first) > KINKED or self._is_of_a_kink(model, H):
            return None
        scale = max(abs(model.loss), abs(model.first_loss - model.loss), changed)
        v, P = model.belief
        belief = Belief(v, P + np.diag(np.square(self._secant_errors(model, H))))
        return measure.measure(self.minimizer, model.at, belief, H, model.rho, scale)

    def _is_of_a_kink(self, model: Model, H: Matrix) -> bool:
        """Whether a repair may have measured across a kink, and nothing has shown otherwise yet.

        The curvature there grows as the differences shrink, beyond what it was at first.
        """
        if model.repairs == 0 or model.stage == "settled":
            return False
        first = model.origin.curvatures
        if len(first) != len(H):
            return False
        least = FLATTEST * float(first.max())
        return least == 0.0 or curvature.growth(H, np.maximum(first, least)) > KINKED

    def _secant_errors(self, model: Model, H: Matrix) -> Vector:
        """What slopes may be wrong by where their lengths compare with the whole way.

        The lengths are 1e-8 for most losses, and as long as X is wide where a loss was straight at
        first. The gradient has changed by d over the way s from where it was first measured, so
        there is a curvature of |d_i| / |s|.
        """
        origin, x = model.origin, model.at.x
        if len(origin.x) != len(x) or np.array_equal(origin.x, x):
            return np.zeros(len(x))
        lengths, way = 2.0 * np.sqrt(model.eps / np.diagonal(H)), float(np.abs(x - origin.x).max())
        bent = np.abs(model.belief.v - origin.v) / way
        return np.where(lengths > TINY_PART * way, 0.5 * bent * lengths, 0.0)

    def suggested(self, model: Model) -> Vector | None:
        """S(v) - x where v is sure enough for a trial, or for the end; None elsewhere.

        After a trial that gave too little H is corrected or the step cut, which says nothing of x.
        """
        settling = model.stage == "settled" or (model.stage == "slopes" and model.whole)
        sure = settling or model.stage == "candidate"
        return self._towards(model) if sure and model.poor == 0 and len(model.belief.v) else None

    def _towards(self, model: Model) -> Vector:
        """S(v) - x"""
        to, _ = self.minimizer(model.H, model.at.x, model.belief.v, model.at, model.rho, EXACT)
        return self.minimizer.exactly(to).x - model.at.x

    def _started(self, model: Model, values: Vector, normals: Normals) -> Model:
        domain, x = self._problem.domain, model.at.x
        measured = start.before_kinks(
            start.read(model.start, domain, x, model.loss, values, model.eps)
        )
        model = model._replace(not_convex=model.not_convex or len(measured.downward) > 0)
        if len(measured.todo) > 0:
            return model._replace(start=measured, ask=start.points(measured, domain, x))
        # second differences that fall at no length are jumps
        jumps = measured.tries == TRIES and 2 * len(model.start.todo) > len(x)
        if not np.isfinite(measured.slopes).all() or (model.repairs > 0 and jumps):
            return model._replace(stage="lost", start=measured, ask=model.ask[:0])
        known, curvatures = start.finished(measured, domain, x, model.eps)
        H = start.metric(measured, curvatures)
        model = model._replace(belief=known, H=H, first=np.diagonal(H).copy(), start=measured)
        if len(measured.basis) == 0:
            along = NOTHING if repair.away_from_bounds(domain, x) is None else measured.curvatures
            model = model._replace(origin=Origin(x, known.v, along, np.zeros((0, len(x)))))
        if len(measured.basis) == 0 and start.is_kinked(measured, domain):
            return model._replace(stage="kinked", ask=model.ask[:0])
        return self._decided(model, normals)

    def _decided(self, model: Model, normals: Normals) -> Model:
        """What to ask for next, at x with this belief and metric."""
        x, H = model.at.x, model.H
        to, curved, predicted, model = self._promised(model, EXACT)
        negligible = _negligible(model)
        enough = 0 < model.most_slopes <= model.num_slopes
        if not model.whole and not enough:
            least = math.sqrt(2.0 * max(negligible, model.worth)) / probes.RESOLVED
            count = probes.draws(model.rounds)
            changed = self._changes(model, to, normals(count))
            rows = probes.worth_asking(changed, H, max(math.sqrt(curved), least))
            rows = rows[: model.most_slopes or None]
            asked = self._asking(model, probes.orthonormal(rows, H))
            if len(asked.ask) > 0:
                return asked
        if predicted >= -negligible and model.whole and self.minimizer.iterates:
            to, curved, predicted, model = self._promised(model, FINE)
        if predicted >= -negligible:
            return self._settling(model, normals)
        if second.pays(model.spent, -predicted, model.path, negligible, len(x), model.patience):
            moves = self._all_moves(model, to)
            if len(moves) > 0:
                return model._replace(stage="second", ask=second.points(x, moves), moves=moves)
        trial = self._within_reach(model, Trial(to, predicted, math.nan))
        path = np.vstack([model.path, [[model.spent, -predicted]]])
        return model._replace(stage="candidate", ask=trial.solved.x[None], trial=trial, path=path)

    def _within_reach(self, model: Model, trial: Trial) -> Trial:
        """The first trial at x, where the last step was by a multiple of H: by a multiple again.

        It leads at most as many times as far as a parabola may, in the units of the diagonal of H.
        """
        if not model.secant.short:
            return trial
        units = np.sqrt(np.diagonal(model.H))
        reach = line.STEPS[-1] * norm(units * model.secant.s)
        length = norm(units * (trial.solved.x - model.at.x))
        if not length > reach > 0.0:
            return trial
        multiple = length / reach
        to, _, predicted, _ = self._promised(model._replace(H=multiple * model.H), EXACT)
        if predicted >= -NEGLIGIBLE * model.eps:
            return trial
        return Trial(to, predicted, math.nan, multiple)

    def _promised(self, model: Model, accuracy: Accuracy) -> tuple[Solved, float, float, Model]:
        """S(v), |S(v) - x|_H^2, and what the model says of F there, less F(x)."""
        x, v, H = model.at.x, model.belief.v, model.H
        to, rho = self.minimizer(H, x, v, model.at, model.rho, accuracy)
        to = self.minimizer.exactly(to)
        s = to.x - x
        curved = max(float(s @ H @ s), 0.0)
        change = self.minimizer.phi(to) - self.minimizer.phi(model.at)
        return to, curved, float(v @ s) + 0.5 * curved + change, model._replace(rho=rho)

    def _all_moves(self, model: Model, to: Solved) -> Matrix:
        """The moves for second derivatives; none where a variable is not free."""
        x, H = model.at.x, model.base if len(model.base) > 0 else model.H
        if not self.minimizer.is_interior(x, to.x):
            return NO_ROWS
        moves = second.block(H, model.loss, model.eps)
        free = repair.away_from_bounds(self._problem.domain, x, 2.0 * np.abs(moves).max(axis=0))
        return moves if free is not None and free.all() else NO_ROWS

    def _curved(self, model: Model, values: Vector, normals: Normals) -> Model:
        """All second derivatives are known, and with them the gradient."""
        H, moves = model.base if len(model.base) > 0 else model.H, model.moves
        patience = FACTOR * model.patience
        model = model._replace(moves=NO_ROWS, spent=0, path=NO_PATH, patience=patience)
        if not np.isfinite(values).all():
            return self._decided(model, normals)
        seen = second.read(H, moves, values - model.loss, model.eps, model.tau)
        back = H @ seen.Z.T  # the inverse of Z, because Z H Z' = I
        known = Belief(back @ seen.slopes, (back * seen.variances) @ back.T)
        model = model._replace(
            H=H, base=NO_ROWS, belief=known, secant=NO_SECANT, whole=True, poor=0
        )
        model = acceptance.with_metric(model, seen.H)
        return self._decided(model._replace(first=np.diagonal(model.H).copy()), normals)

    def _changes(self, model: Model, to: Solved, normals: Matrix) -> Matrix:
        """How errors of v, as they are believed to be, would change S(v)."""
        errors = beliefs.draws(model.belief, normals)
        x, v = model.at.x, model.belief.v
        return self.minimizer.changes(model.H, x, v, errors, to, model.rho)

    def _asking(self, model: Model, Z: Matrix) -> Model:
        """Slopes along the rows of Z."""
        ask = slopes.points(self._problem.domain, model.at.x, model.H, Z, model.eps)
        asked = model.num_slopes + len(ask)
        return model._replace(stage="slopes", ask=ask, rounds=model.rounds + 1, num_slopes=asked)

    def _settling(self, model: Model, normals: Normals) -> Model:
        """Nothing seems to be left: the whole gradient once more, or the end.

        A model that failed just now promises little only because of that, and so does one whose
        curvature has grown out of all proportion: it is repaired first.
        """
        if not model.whole:
            return self._whole(model, normals)
        if model.poor > 1 or curvature.growth(model.H, model.first) > KINKED:
            return self._doubted(model)
        if model.repairs == 1 and not self._has_fallen(model):  # by axes of an H that may be wrong
            return self._repaired(model)
        ask = self._both_sides(model)
        return model._replace(stage="bend" if len(ask) > 0 else "settled", ask=ask)

    def _both_sides(self, model: Model) -> Matrix:
        """The allowed points nearest to x + d and x - d for moves d that bent downwards, or may."""
        x, y, _ = self.pair(model)
        w = saddle.suspect(model)
        moves = [*model.start.downward, w] if len(w) > 0 else model.start.downward
        ways = [sign * d for d in moves for sign in (1.0, -1.0)]
        points = [self.minimizer.feasible(self._problem.domain.project(x + d), y)[0] for d in ways]
        return np.array([p for p in points if not np.array_equal(p, x)]).reshape(-1, len(x))

    def _bent(self, model: Model, values: Vector, normals: Normals) -> Model:
        """Down from a saddle; settled where no move leads down."""
        pairs = [line.at(self.minimizer, model.at, point) for point in model.ask]
        fell = [
            value + self.minimizer.phi(pair) - self.objective(model)
            for pair, value in zip(pairs, values, strict=True)
        ]
        i = int(np.argmin(np.where(np.isfinite(fell), fell, np.inf)))
        if not fell[i] < -NEGLIGIBLE * model.eps:
            return model._replace(stage="settled", ask=model.ask[:0])
        return self._stepped(model, Trial(pairs[i], fell[i], float(values[i])), normals)

    def _whole(self, model: Model, normals: Normals) -> Model:
        """The slopes along all variables, or of those that X leaves."""
        units = np.diag(1.0 / np.sqrt(np.diagonal(model.H)))
        asked = self._asking(model._replace(whole=True), units)
        return asked if len(asked.ask) > 0 else self._decided(asked, normals)

    def _sloped(self, model: Model, values: Vector, normals: Normals) -> Model:
        ways, changes = model.ask - model.at.x, values - model.loss
        seen = slopes.read(ways, changes, model.H, model.eps, model.tau)
        secant = model.secant
        by_chance = len(changes) < IN_A_ROW <= model.steps and model.poor == 0
        if model.whole and not changes.any() and not by_chance:
            return model._replace(stage="lost", ask=model.ask[:0])  # a plateau: no slope shows
        if len(seen.Z) == 0:
            return self._unseen(model, normals)
        if len(secant.s) > 0 and model.rounds == 1 and len(model.refused.solved.x) == 0:
            model = model._replace(tau=acceptance.of_slopes(model, seen))
        known, change = beliefs.conditioned(model.belief, secant.change, *seen)
        if not beliefs.is_sound(known, model.belief, model.H):
            return self._repaired(model)
        model = model._replace(belief=known, secant=secant._replace(change=change))
        if len(secant.s) > 0:
            model = acceptance.with_metric(model, curvature.updated(secant.H, secant.s, change.d))
        if len(model.refused.solved.x) > 0:
            return self._corrected(model, normals)
        return self._decided(model, normals)

    def _corrected(self, model: Model, normals: Normals) -> Model:
        """The slope towards a refused trial is known, and with it the curvature.

        Where that happens again and again the belief may be too sure of itself: then the whole
        gradient is measured.
        """
        s = model.refused.solved.x - model.at.x
        bent = 2.0 * (model.refused.loss - model.loss - float(model.belief.v @ s))
        base = model.base if len(model.base) > 0 else model.H
        H = curvature.raised(model.refused.multiple * model.H, s, bent)
        model = acceptance.with_metric(model, H)
        model = model._replace(base=base, refused_step=s, secant=NO_SECANT, refused=NO_TRIAL)
        doubtful = model.poor >= IN_A_ROW and not model.whole
        return self._whole(model, normals) if doubtful else self._decided(model, normals)

    def _unseen(self, model: Model, normals: Normals) -> Model:
        """Not one value was finite: perhaps by chance, perhaps the loss exists hardly anywhere."""
        model = model._replace(poor=model.poor + 1, refused=NO_TRIAL, whole=False)
        if model.poor >= TRIES:
            return model._replace(stage="lost", ask=model.ask[:0])
        return self._decided(model, normals)

    def _tried(self, model: Model, loss: float, normals: Normals) -> Model:
        trial = model.trial._replace(loss=loss)
        if not math.isfinite(loss):
            return self._nearer(model)
        before, after = self.objective(model), loss + self.minimizer.phi(trial.solved)
        strained = model.strained
        model = acceptance.of_trial(model, before - after, -trial.predicted)
        if model.poor >= TRIES or model.strained >= 2 * TRIES:
            if after < before:
                model = model._replace(at=trial.solved, loss=trial.loss)
            return self._doubted(model)
        if strained < model.strained == TRIES:
            tested = self._doubted(model._replace(best=trial))
            if tested.stage == "kink":
                return tested
        return self._followed(model, trial, normals)

    def _followed(self, model: Model, trial: Trial, normals: Normals) -> Model:
        """After a trial: a step to it, a look further, or the slope along it."""
        before, after = self.objective(model), trial.loss + self.minimizer.phi(trial.solved)
        if after < before:
            least = max((1.0 + SMALL_PART) * (before - after), SEEN * model.eps)
            other = line.best(self.minimizer, model, trial, before - least)
            if other is None or trial.further >= min(len(model.at.x), TRIES):
                return self._stepped(model, trial, normals)
            other = other._replace(multiple=trial.multiple, further=trial.further + 1)
            return model._replace(
                stage="further", ask=other.solved.x[None], trial=other, best=trial
            )
        hopeless = _negligible(model)
        if after - before <= hopeless and SMALL_PART * trial.predicted >= -hopeless:
            return self._settling(model, normals)
        s = trial.solved.x - model.at.x
        asked = self._asking(model._replace(refused=trial), s[None])
        if len(asked.ask) == 0:
            return self._settling(model, normals)
        return asked._replace(rounds=model.rounds)

    def _nearer(self, model: Model) -> Model:
        """A candidate where the loss is not finite: one nearer to x."""
        trial, x = model.trial, model.at.x
        point = x + (trial.solved.x - x) / FACTOR
        model = model._replace(poor=model.poor + 1)
        if model.poor >= 2 * TRIES or np.array_equal(point, x):
            return model._replace(stage="lost", ask=model.ask[:0])
        pair = line.at(self.minimizer, trial.solved, point)
        nearer = Trial(pair, trial.predicted / FACTOR, math.nan, trial.multiple)
        return model._replace(ask=point[None], trial=nearer)

    def _gone_further(self, model: Model, loss: float, normals: Normals) -> Model:
        trial, best = model.trial._replace(loss=loss), model.best
        phi = self.minimizer.phi
        if loss + phi(trial.solved) < best.loss + phi(best.solved):
            return self._followed(model, trial, normals)
        return self._stepped(model, best, normals)

    def _stepped(self, model: Model, trial: Trial, normals: Normals) -> Model:
        """At the new x: the slope along the step, and where the answer could change."""
        s = trial.solved.x - model.at.x
        if abs(trial.loss) < TINY_PART * model.eps_size and model.eps > model.least:
            length = math.sqrt(max(float(s @ model.H @ s), 0.0))
            ask = rounding.points(trial.solved.x, s, length, model.eps)
            return model._replace(stage="rounding", ask=ask, best=trial)
        short = len(model.base) > 0 or trial.multiple > 1.0
        if len(model.base) > 0:
            model = model._replace(H=model.base, base=NO_ROWS)
        belief, change = beliefs.moved(model.belief, model.H, s, model.tau)
        moved = model._replace(
            at=trial.solved,
            loss=trial.loss,
            eps=max(model.eps, rounding.of(trial.loss)),
            belief=belief,
            secant=Secant(s, model.H, change, model.loss, short),
            rounds=0,
            num_slopes=0,
            whole=False,
            trial=NO_TRIAL,
            best=NO_TRIAL,
            steps=model.steps + 1,
            origin=saddle.stepped(model.origin, s),
        )
        to, rho = self.minimizer(moved.H, moved.at.x, moved.belief.v, moved.at, moved.rho, EXACT)
        moved = moved._replace(rho=rho)
        changed = self._changes(moved, to, normals(probes.draws(1)))
        rows = np.vstack([s, changed])[: model.most_slopes or None]
        asked = self._asking(moved, probes.orthonormal(rows, moved.H))
        return asked if len(asked.ask) > 0 else self._decided(moved, normals)

    def _rounded(self, model: Model, values: Vector, normals: Normals) -> Model:
        loss = model.best.loss
        eps = rounding.read(loss, values, model.eps, model.least)
        return self._stepped(model._replace(eps=eps, eps_size=abs(loss)), model.best, normals)

    def _doubted(self, model: Model) -> Model:
        """Trials keep failing: the test for a kink along the last refused step, then a repair."""
        if len(model.refused_step) == 0:
            return self._repaired(model)
        s = model.refused_step
        slope = float(model.belief.v @ s)
        ask = repair.test_points(self._problem.domain, model.at.x, s, slope, model.eps)
        if len(ask) == 0:
            return self._repaired(model)
        return model._replace(stage="kink", ask=ask)

    def _tested(self, model: Model, values: Vector, normals: Normals) -> Model:
        seen = repair.verdict(values, model.loss, model.eps)
        if seen == "smooth" and len(model.best.solved.x) > 0:  # the model still makes its way
            return self._followed(model._replace(best=NO_TRIAL), model.best, normals)
        at, loss = line.least(self.minimizer, model.at, model.loss, model.ask, values)
        model = model._replace(at=at, loss=loss)
        if seen == "smooth":
            return self._repaired(model)
        return model._replace(stage="kinked" if seen == "kink" else "lost", ask=model.ask[:0])

    def _has_fallen(self, model: Model) -> bool:
        """Whether F has fallen since the last repair."""
        return self.objective(model) < model.repaired_at - NEGLIGIBLE * model.eps

    def _repaired(self, model: Model) -> Model:
        """Slopes and curvatures measured anew at x.

        Along axes of H, or along the variables where that was done already. Where neither lasted
        for m steps the descent across kinks takes over: it needs no model.
        """
        lasted = self._has_fallen(model) and model.steps >= model.repaired_steps + len(model.at.x)
        repairs = 0 if lasted else model.repairs
        H, x = model.base if len(model.base) > 0 else model.H, model.at.x
        free = repair.away_from_bounds(self._problem.domain, x)
        along_axes = repairs == 0 and free is not None and bool(np.isfinite(H).all())
        basis = repair.axes(H, free) if along_axes and free is not None else NO_ROWS
        first = start.init(self._problem.domain, x, model.loss, model.eps, basis)
        first = first._replace(downward=model.start.downward)
        if len(first.todo) == 0:
            return model._replace(stage="settled", ask=model.ask[:0])
        if repairs >= 2:
            return model._replace(stage="kinked", ask=model.ask[:0])
        return model._replace(
            stage="start",
            ask=start.points(first, self._problem.domain, x),
            start=first,
            tau=1.0,  # H may be off by as much as itself
            secant=NO_SECANT,
            rounds=0,
            whole=True,
            trial=NO_TRIAL,
            best=NO_TRIAL,
            refused=NO_TRIAL,
            poor=0,
            strained=0,
            base=NO_ROWS,
            refused_step=NOTHING,
            repairs=repairs + 1,
            repaired_at=self.objective(model),
            repaired_steps=model.steps,
        )


def _negligible(model: Model) -> float:
    """A change of F that is not worth an evaluation.

    Where evaluations are few a trial is worth what noise cannot feign: no more of them will come
    that could show less.
    """
    return (BEYOND_NOISE if model.most_slopes > 0 else NEGLIGIBLE) * model.eps
