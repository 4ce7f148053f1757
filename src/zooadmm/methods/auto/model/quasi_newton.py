"""Descent by a quadratic model of the loss: which points are evaluated, and what follows.

    start      slopes and curvatures along every variable
    slopes     along the directions in which the answer could still change; and, after a step s,
               along s
    candidate  S(v), the minimizer of the model, once v is sure enough
    further    another point of the line from x to it, where a parabola promises more there; and
               again from that point while values fall, for at most the price of a gradient
    rounding   back along the last step, once |f| has fallen far, see `rounding`; at first between
               neighboring numbers, where they are far apart, see `grid`
    second     all second derivatives, where they pay, see `second`
    kink       along the last refused step, see `kink_search`
    bend       along moves of negative curvature, before the run settles

A candidate that is not better shows what the model has wrong along s; the slope along s is measured
and a multiple of H serves the further trials from x, which lie on an arc. Where no step promises
more than rounding, the whole gradient is measured; if it still promises nothing the run settles.
Where trials keep giving much less than promised, values along the last refused step show whether
there is a kink. If not the model is repaired, by central differences along axes of H: as often as F
falls in between.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import FACTOR, IN_A_ROW, SEEN, SMALL_PART, TINY_PART, TRIES
from zooadmm.methods.auto.model import (
    acceptance,
    curvature,
    grid,
    hills,
    kink_search,
    line,
    measure,
    prediction,
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
from zooadmm.methods.auto.model.descent import First, Normals, Steps
from zooadmm.methods.auto.model.initial import unmeasured
from zooadmm.methods.auto.model.regression import Values
from zooadmm.methods.auto.model.state import (
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
from zooadmm.problem.arrays import Matrix, Vector, metric_norm
from zooadmm.problem.problem import Problem
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, FINE, Solved


class QuasiNewton(Steps[Model]):
    """The descent for one problem."""

    def __init__(self, problem: Problem) -> None:
        self._domain, self._dtype = problem.domain, problem.dtype
        self.minimizer = Minimizer(problem)

    def init(self, first: First) -> Model:
        """Before anything but f(x) is known."""
        at = Solved(*(part.astype(np.float64) for part in first.at))
        return self._unmeasured(self.minimizer.init(*at), first.loss, first.eps)

    def _unmeasured(self, at: Solved, loss: float, eps: float) -> Model:
        single = self._dtype == np.float32
        return self._on_grid(unmeasured(self._domain, at, loss, eps, single))

    def _on_grid(self, model: Model) -> Model:
        """With points of the type of x0."""
        if not model.start.single or len(model.ask) == 0:
            return model
        model = model._replace(ask=grid.rounded(model.ask, self._dtype))
        if model.stage not in ("candidate", "further"):
            return model
        tried = line.at(self.minimizer, model.trial.solved, model.ask[0])
        return model._replace(trial=model.trial._replace(solved=tried))

    def from_values(self, model: Model, known: Values, most: int, normals: Normals) -> Model:
        """A model that nothing was measured for, with what values at other points show.

        most: slopes at x before a trial.
        """
        found = regression.fitted(known, model.at.x, model.loss, model.eps)
        if found is None:
            return model
        first = np.diagonal(found.H).copy()
        model = model._replace(belief=found.belief, H=found.H, first=first, rounds=1, whole=False)
        return self._on_grid(self.decided(model._replace(most_slopes=most), normals))

    def measured_again(self, model: Model) -> Model:
        """Slopes and curvatures along every variable at x, as at the first x of other runs."""
        at = self.minimizer.init(*self.pair(model))
        first = self._unmeasured(at, model.loss, model.eps)
        return first._replace(
            steps=model.steps, first_loss=model.first_loss, not_convex=model.not_convex
        )

    def query(self, model: Model, id: int, batch: Batch | None) -> PointsQuery:
        return PointsQuery(id, model.ask.astype(self._dtype, copy=False), batch)

    def pair(self, model: Model) -> tuple[Vector, Vector, Vector]:
        return self.minimizer.pair(model.at)

    def gradient(self, model: Model) -> Vector:
        return model.belief.v

    def curved(self, model: Model, s: Vector) -> Vector:
        return np.asarray(model.H @ s)

    def update(self, model: Model, values: Vector, normals: Normals) -> Model:
        """The state after the values at the points of the query."""
        self.minimizer.renew()  # a resumed run begins with a new one
        seen = model.not_convex or hills.are_seen(model, values)
        model = model._replace(spent=model.spent + len(values), not_convex=seen)
        with np.errstate(over="ignore", invalid="ignore"):  # a loss may fall without end
            return self._on_grid(self._updated(model, values, normals))

    def _updated(self, model: Model, values: Vector, normals: Normals) -> Model:
        if model.stage == "start":
            return self._started(model, values, normals)
        if model.stage == "slopes":
            return self._sloped(model, values, normals)
        if model.stage == "candidate":
            return self._tried(model, float(values[0]), normals)
        if model.stage == "rounding":
            return self._rounded(model, values, normals)
        if model.stage == "second":
            if (values == model.loss).all():
                return self._on_plateau(model)
            return self.decided(second.measured(model, values), normals)
        if model.stage == "kink":
            return self._tested(model, values, normals)
        if model.stage == "bend":
            return self._saddle_tested(model, values, normals)
        return self._gone_further(model, float(values[0]), normals)

    def first_order(self, model: Model, changed: float) -> FirstOrder | None:
        """|x - S(v)|_H and its error, as the belief about the gradient has it; None before it.

        changed: how far the loss was seen to change before there was a model.
        """
        return measure.of_model(self.minimizer, model, changed)

    def objective(self, model: Model) -> float:
        """F(x)"""
        return model.loss + self.minimizer.phi(model.at)

    def _objectives(self, model: Model, trial: Trial) -> tuple[float, float]:
        """F(x) and F at a trial."""
        here, there = self.minimizer.phis([model.at, trial.solved])
        return model.loss + here, trial.loss + there

    def _started(self, model: Model, values: Vector, normals: Normals) -> Model:
        domain, x = self._domain, model.at.x
        measured = start.before_kinks(
            start.read(model.start, domain, x, model.loss, values, model.eps)
        )
        model = model._replace(not_convex=model.not_convex or len(measured.downward) > 0)
        if len(measured.todo) > 0:
            return model._replace(start=measured, ask=start.points(measured, domain, x))
        # second differences that fall at no length are jumps
        jumps = measured.tries == TRIES and 2 * len(model.start.todo) > len(x)
        if not np.isfinite(measured.slopes).all() or (model.repairs > 0 and jumps):
            return model._replace(start=measured).ended("lost")
        known, curvatures = start.finished(measured, domain, x, model.eps)
        H = start.metric(measured, curvatures)
        model = model._replace(belief=known, H=H, first=np.diagonal(H).copy(), start=measured)
        if len(measured.basis) == 0:
            along = NOTHING if repair.away_from_bounds(domain, x) is None else measured.curvatures
            model = model._replace(origin=Origin(x, known.v, along, np.zeros((0, len(x)))))
        if len(measured.basis) == 0 and start.is_kinked(measured, domain):
            return model.ended("kinked")
        ask = self._without_points(model)
        if len(ask) > 0:
            return model._replace(stage="rounding", ask=ask)
        return self.decided(model, normals)

    def _without_points(self, model: Model) -> Matrix:
        """Points that show rounding of values alone, where that of points may have added to it."""
        hidden = grid.hidden(model.belief.v, model.at.x, self._dtype)
        by_points = SEEN * rounding.of(model.loss) < model.eps < SEEN * hidden
        if model.steps > 0 or model.start.noisy or not by_points:  # the first probe measured eps
            return model.ask[:0]
        return grid.line(self._domain, model.at.x, model.belief.v, self._dtype, rounding.ORDER + 2)

    def decided(self, model: Model, normals: Normals) -> Model:
        """What to evaluate next, at x with this belief and metric."""
        x, H = model.at.x, model.H
        to, curved, predicted, model = prediction.promised(self.minimizer, model, EXACT)
        negligible = prediction.negligible(model)
        enough = 0 < model.most_slopes <= model.num_slopes
        if not model.whole and not enough:
            least = math.sqrt(2.0 * max(negligible, model.worth)) / probes.RESOLVED
            count = probes.draws(model.rounds, len(x))
            changed = prediction.changes(self.minimizer, model, to, normals(count))
            rows = probes.worth_measuring(changed, H, max(math.sqrt(curved), least))
            rows = rows[: model.most_slopes or None]
            asked = self._with_slopes(model, probes.orthonormal(rows, H))
            if len(asked.ask) > 0:
                return asked
        if predicted >= -negligible and model.whole and self.minimizer.iterates:
            to, curved, predicted, model = prediction.promised(self.minimizer, model, FINE)
        if predicted >= -negligible:
            return self._settling(model, normals)
        if second.pays(model, -predicted, negligible):
            moves = second.moves(self.minimizer, model, to)
            if len(moves) > 0:
                return model._replace(stage="second", ask=second.points(x, moves), moves=moves)
        trial = prediction.within_reach(self.minimizer, model, Trial(to, predicted, math.nan))
        path = np.vstack([model.path, [[model.spent, -predicted]]])
        return model._replace(stage="candidate", ask=trial.solved.x[None], trial=trial, path=path)

    def _with_slopes(self, model: Model, Z: Matrix) -> Model:
        """To slopes along the rows of Z."""
        x = model.at.x
        ask = slopes.points(self._domain, x, model.H, Z, model.eps, grid.cells(x, self._dtype))
        asked = model.num_slopes + len(ask)
        return model._replace(stage="slopes", ask=ask, rounds=model.rounds + 1, num_slopes=asked)

    def _settling(self, model: Model, normals: Normals) -> Model:
        """Nothing seems to be left: the whole gradient once more, or the end.

        A model that failed just now promises little only because of that, and so does one whose
        curvature has grown out of all proportion: it is repaired first.
        """
        if model.start.on_kinks.any():  # H says what they are bent by, and nothing of slopes
            return model.ended("kinked")
        if not model.whole:
            return self._whole(model, normals)
        if model.poor > 1 or curvature.has_grown(model.H, model.first):
            return self._doubted(model)
        if model.repairs == 1 and not repair.has_fallen(model, self.objective(model)):
            return self._repaired(model)  # measured along axes of an H that may be wrong
        if model.repairs == 0 and model.least < rounding.least(model.first_loss):
            return self._repaired(model)  # H is of a loss that was far larger
        s, moved_since_eps = model.secant.s, model.steps > model.eps_steps
        floor_is_high = model.least > SEEN * rounding.of(model.loss)
        floor_hides_gap = floor_is_high and not self._is_stationary(model, 0.0)
        if floor_hides_gap:
            model = model._replace(least=rounding.least(model.loss))
        if len(s) > 0 and (floor_hides_gap or (moved_since_eps and self.is_rounded(model, 0.0))):
            ask = rounding.points(model.at.x, s, metric_norm(s, model.H), model.eps)
            return model._replace(stage="rounding", ask=ask, best=NO_TRIAL)
        ask = saddle.both_sides(self.minimizer, model)
        return model._replace(stage="bend" if len(ask) > 0 else "settled", ask=ask)

    def is_rounded(self, model: Model, changed: float) -> bool:
        """Whether rounding coarser than that of numbers hides whether x is stationary.

        Points of single precision lie on a grid, which has rounding of its own.
        """
        if model.start.single or not rounding.is_coarse(
            model.eps, max(abs(model.loss), abs(model.first_loss))
        ):
            return False
        return self.first_order(model, changed) is not None and not self._is_stationary(
            model, changed
        )

    def _is_stationary(self, model: Model, changed: float) -> bool:
        """Whether almost nothing is left to gain, beside all changes that were seen."""
        measured = self.first_order(model, changed)
        return measured is not None and measured.is_stationary(self.objective(model))

    def _saddle_tested(self, model: Model, values: Vector, normals: Normals) -> Model:
        """Down from a saddle; settled where no move leads down."""
        trial = saddle.descent(self.minimizer, model, values)
        return model.ended("settled") if trial is None else self._stepped(model, trial, normals)

    def _whole(self, model: Model, normals: Normals) -> Model:
        """The slopes along all variables, or of those that X leaves."""
        units = np.diag(1.0 / np.sqrt(np.diagonal(model.H)))
        asked = self._with_slopes(model._replace(whole=True), units)
        return asked if len(asked.ask) > 0 else self.decided(asked, normals)

    def _sloped(self, model: Model, values: Vector, normals: Normals) -> Model:
        ways, changes = model.ask - model.at.x, values - model.loss
        seen = slopes.read(ways, changes, model.H, model.eps, model.tau)
        secant = model.secant
        by_chance = len(changes) < IN_A_ROW <= model.steps and model.poor == 0
        if model.whole and not changes.any() and not by_chance:
            return self._on_plateau(model)
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
        return self.decided(model, normals)

    def _on_plateau(self, model: Model) -> Model:
        """No slope shows: rounding is coarser than was measured, or the loss is constant here."""
        s = model.secant.s
        if len(s) == 0 or model.steps == model.eps_steps:
            return model.ended("lost")
        ask = rounding.points(model.at.x, s, metric_norm(s, model.H), math.inf)
        return model._replace(stage="rounding", ask=ask, best=NO_TRIAL, eps=math.inf)

    def _corrected(self, model: Model, normals: Normals) -> Model:
        """The slope towards a refused trial is known, and with it the curvature.

        Where that happens again and again the belief may be too sure of itself: then the whole
        gradient is measured.
        """
        s = model.refused.solved.x - model.at.x
        curved = 2.0 * (model.refused.loss - model.loss - float(model.belief.v @ s))
        base = model.uncorrected
        H = curvature.raised(model.refused.multiple * model.H, s, curved)
        model = model._replace(H=H, base=base, refused_step=s, secant=NO_SECANT, refused=NO_TRIAL)
        doubtful = model.poor >= IN_A_ROW and not model.whole
        return self._whole(model, normals) if doubtful else self.decided(model, normals)

    def _unseen(self, model: Model, normals: Normals) -> Model:
        """Not one value was finite: perhaps by chance, perhaps the loss exists hardly anywhere."""
        model = model._replace(poor=model.poor + 1, refused=NO_TRIAL, whole=False)
        if model.poor >= TRIES:
            return model.ended("lost")
        return self.decided(model, normals)

    def _tried(self, model: Model, loss: float, normals: Normals) -> Model:
        trial = model.trial._replace(loss=loss)
        if not math.isfinite(loss):
            return self._nearer(model)
        before, after = self._objectives(model, trial)
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
        """After a trial: a step to it, a point further on, or the slope along it."""
        before, after = self._objectives(model, trial)
        if after < before:
            least = max((1.0 + SMALL_PART) * (before - after), SEEN * model.eps)
            other = line.best(self.minimizer, model, trial, before, least)
            if other is None or trial.further >= min(len(model.at.x), TRIES):
                return self._stepped(model, trial, normals)
            other = other._replace(multiple=trial.multiple, further=trial.further + 1)
            return model._replace(
                stage="further", ask=other.solved.x[None], trial=other, best=trial
            )
        hopeless = prediction.negligible(model)
        if after - before <= hopeless and SMALL_PART * trial.predicted >= -hopeless:
            return self._settling(model, normals)
        s = trial.solved.x - model.at.x
        asked = self._with_slopes(model._replace(refused=trial), s[None])
        if len(asked.ask) == 0:
            return self._settling(model, normals)
        return asked._replace(rounds=model.rounds)

    def _nearer(self, model: Model) -> Model:
        """A candidate where the loss is not finite: one nearer to x."""
        trial, x = model.trial, model.at.x
        point = x + (trial.solved.x - x) / FACTOR
        model = model._replace(poor=model.poor + 1)
        if model.poor >= 2 * TRIES or np.array_equal(point, x):
            return model.ended("lost")
        pair = line.at(self.minimizer, trial.solved, point)
        nearer = Trial(pair, trial.predicted / FACTOR, math.nan, trial.multiple)
        return model._replace(ask=point[None], trial=nearer)

    def _gone_further(self, model: Model, loss: float, normals: Normals) -> Model:
        trial, best = model.trial._replace(loss=loss), model.best
        now, then = self.minimizer.phis([trial.solved, best.solved])
        if loss + now < best.loss + then:
            return self._followed(model, trial, normals)
        return self._stepped(model, best, normals)

    def _stepped(self, model: Model, trial: Trial, normals: Normals) -> Model:
        """At the new x: the slope along the step, and where the answer could change."""
        s = trial.solved.x - model.at.x
        if abs(trial.loss) < TINY_PART * model.eps_size and model.eps > model.least:
            length = metric_norm(s, model.H)
            ask = rounding.points(trial.solved.x, s, length, model.eps)
            return model._replace(stage="rounding", ask=ask, best=trial)
        short = len(model.base) > 0 or trial.multiple > 1.0
        model = model._replace(H=model.uncorrected, base=NO_ROWS)
        belief, change = beliefs.moved(model.belief, model.H, s, model.tau)
        eps, size = rounding.scaled(model.eps, model.eps_size, trial.loss)
        moved = model._replace(
            at=trial.solved,
            loss=trial.loss,
            eps=eps,
            eps_size=size,
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
        changed = prediction.changes(self.minimizer, moved, to, normals(probes.draws(1, len(s))))
        rows = np.vstack([s, changed])[: model.most_slopes or None]
        asked = self._with_slopes(moved, probes.orthonormal(rows, moved.H))
        return asked if len(asked.ask) > 0 else self.decided(moved, normals)

    def _rounded(self, model: Model, values: Vector, normals: Normals) -> Model:
        stays = len(model.best.solved.x) == 0
        loss = model.loss if stays else model.best.loss
        eps = rounding.read(loss, values, model.eps, model.least)
        if not math.isfinite(eps):
            return model._replace(eps=rounding.of(loss)).ended("lost")
        grown = not math.isfinite(model.eps)
        model = model._replace(eps=eps, eps_size=abs(loss), eps_steps=model.steps + (not stays))
        if grown and eps > TINY_PART**2 * max(abs(loss), abs(model.first_loss)):
            return model.ended("lost")  # values have few digits, or are counts
        if grown:
            return self._repaired(model)  # H and the belief are of ties
        return self.decided(model, normals) if stays else self._stepped(model, model.best, normals)

    def _doubted(self, model: Model) -> Model:
        """Trials keep failing: the test for a kink along the last refused step, then a repair."""
        if len(model.refused_step) == 0:
            return self._repaired(model)
        s = model.refused_step
        slope = float(model.belief.v @ s)
        ask = kink_search.points(self._domain, model.at.x, s, slope, self._off(model))
        if len(ask) == 0:
            return self._repaired(model)
        return model._replace(stage="kink", ask=ask)

    def _tested(self, model: Model, values: Vector, normals: Normals) -> Model:
        seen = kink_search.verdict(values, model.loss, self._off(model))
        if seen == "smooth" and len(model.best.solved.x) > 0:  # the model still makes its way
            return self._followed(model._replace(best=NO_TRIAL), model.best, normals)
        at, loss = line.least(self.minimizer, model.at, model.loss, model.ask, values)
        model = model._replace(at=at, loss=loss)
        if seen == "smooth":
            return self._repaired(model)
        return model.ended("kinked" if seen == "kink" else "lost")

    def _off(self, model: Model) -> float:
        return grid.off(model.eps, model.belief.v, model.at.x, self._dtype)

    def _repaired(self, model: Model) -> Model:
        return repair.repaired(self._domain, model, self.objective(model))
