"""Descent across kinks: BFGS with whole gradients inside S (Lewis and Overton 2013 where phi = 0).

    again    f(x) once more, since late noise resembles kinks; and a point beside x0
    slopes   f(x + sqrt(eps) b) along axes b of H, b'H b = 1; before H is known and where X has
             more than bounds f(x + l_i e_i), l_i = min(sqrt(eps delta) / s_i, sqrt(eps / H_ii))
    value    u = S(H / t), the structured step with the metric H / t

s_i is the largest slope seen along variable i and delta the decrease of F over the last 2m + 20
steps, so lengths follow the units of the variables and of the loss, and few kinks lie between two
points of a difference. H is how the gradient changes near x. On a sharp ridge the slope along it is
far less than what differences across it are wrong by: along axes of H none is across it that need
not be, and the error of a slope is sqrt(eps b'H b) in every direction b. t satisfies the weak Wolfe
conditions on the arc:

    F(u) <= F(x) + 1e-4 p(t),    <g(u), u - x> + phi(u) - phi(x) >= 0.9 p(t),
    p(t) = <g(x), u - x> + phi(u) - phi(x).

t doubles before slopes are measured while F falls nearly straight; the first search ends where u is
nearer to x than l_i: differences show nothing there.
A start that is given may lie on kinks, as holdings do where trades cost: differences show no
gradient there, and no search leads down. So the descent begins beside it.
BFGS is neither damped nor scaled: H has to grow without bound across a kink. A search that finds no
t measures the gradient to both sides: what a kink at x adds on one side it takes on the other, and
the slope along the kink is left. Where that leads nowhere either, H begins again as a diagonal.
After that values along the last refused step tell whether there is a kink: if not, the quadratic
model takes over, or noise is measured again where values jump.
"""

from __future__ import annotations

import contextlib
import math

import numpy as np
import scipy.linalg

from zooadmm.methods.auto.constants import (
    DECREASE,
    FACTOR,
    FIRST_LENGTH,
    FLATTEST,
    LEFT,
    MOST_ROUNDS,
    NARROW,
    NEGLIGIBLE,
    ROUNDED,
    SMALL_PART,
    ULPS,
)
from zooadmm.methods.auto.convexity import on_line
from zooadmm.methods.auto.kinks import planes
from zooadmm.methods.auto.kinks.state import KinkState, Search, Stage
from zooadmm.methods.auto.model import grid, kink_search, line, rounding, start
from zooadmm.methods.auto.model.descent import Normals
from zooadmm.methods.auto.model.repair import away_from_bounds, axes
from zooadmm.methods.auto.model.state import NO_ROWS, NO_TRIAL, NOTHING, Model, Trial
from zooadmm.methods.method import FirstOrder
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import PointsQuery
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ConvexSet, ProbeSafe
from zooadmm.structure.canonical import canonical
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, Solved

FRESH = Search(1.0, 0.0, math.inf, 0)


class KinkDescent:
    """The descent for one problem."""

    def __init__(self, minimizer: Minimizer) -> None:
        self._minimizer = minimizer
        self._domain, self._dtype = minimizer.problem.domain, minimizer.problem.dtype
        self._form = canonical(minimizer.problem)

    def init(self, model: Model, changed: float, normals: Normals) -> KinkState:
        """From where a quadratic model met a kink, with its H once that took m steps.

        Beside it where it took no step from x0, or x0 is on kinks.

        changed: how far the loss was seen to change before there was a model.
        """
        eps = model.eps
        scale = abs(model.first_loss - model.loss)
        scale = max(scale, eps / ROUNDED, changed if model.steps == 0 else 0.0)
        seen = np.maximum(np.abs(model.belief.v), start.across_kinks(model.start))
        steepest = _slopes(seen, model.at.x, scale)
        m = len(model.at.x)
        remembered = planes.remembered(m)
        H = model.uncorrected
        learned = model.steps >= m and bool(np.isfinite(H).all())  # a step each variable
        beside = model.at
        if model.steps == 0 or model.start.on_kinks.any():
            beside = self._beside(model, steepest, scale, normals(1)[0])
        return KinkState(
            stage="again",
            ask=np.array([model.at.x, beside.x])[: 1 if beside is model.at else 2],
            at=model.at,
            loss=model.loss,
            steepest=steepest,
            scale=scale,
            search=FRESH,
            trial=Trial(beside, 0.0, math.nan),
            origin=Trial(model.at, 0.0, model.loss),
            eps=eps,
            rho=model.rho,
            steps=model.steps,
            first_loss=model.first_loss,
            began=self._objective(model.loss, model.at),
            planes=planes.none(m),
            falls=np.full(remembered, scale / remembered),
            not_convex=model.not_convex,
            H=H if learned else NO_ROWS,
            fresh=not learned,
        )

    def _beside(self, model: Model, steepest: Vector, scale: float, z: Vector) -> Solved:
        """A point at random where F is higher by a thousandth of Delta or so at most."""
        by = FIRST_LENGTH * scale / len(z)
        H, x = np.diag(np.square(steepest) / by), model.at.x
        to, _ = self._minimizer(H, x, steepest * z, model.at, model.rho, EXACT)
        return grid.nearest(self._minimizer, self._minimizer.exactly(to))

    def query(self, state: KinkState, id: int, batch: Batch | None) -> PointsQuery:
        return PointsQuery(id, state.ask.astype(self._dtype, copy=False), batch)

    def pair(self, state: KinkState) -> tuple[Vector, Vector, Vector]:
        return self._minimizer.pair(state.at)

    def best(self, state: KinkState) -> tuple[Vector, Vector]:
        """x and y of the least F: those of a trial whose slopes are still to be measured."""
        least = self._objective(state.loss, state.at)
        known = (state.found, state.tried, state.origin)
        tried = [each for each in known if len(each.solved.x) > 0]
        tried = [each for each in tried if self._objective(each.loss, each.solved) < least]
        if not tried:
            return self.pair(state)[:2]
        lowest = min(tried, key=lambda each: self._objective(each.loss, each.solved))
        return self._minimizer.pair(lowest.solved)[:2]

    def gradient(self, state: KinkState) -> Vector:
        return state.g

    def curved(self, state: KinkState, s: Vector) -> Vector:
        """H s"""
        return np.asarray(state.H @ s) if len(state.H) > 0 else np.full(len(s), math.inf)

    def first_order(self, state: KinkState, x0: Vector) -> FirstOrder | None:
        """What planes leave to gain; None where a group or a matrix norm has no such program."""
        return None if self._form is None else planes.first_order(state, self._form.form, x0)

    def update(self, state: KinkState, values: Vector) -> KinkState:
        """The state after the values at the points of the query."""
        self._minimizer.renew()  # a resumed run begins with a new one
        with np.errstate(over="ignore", invalid="ignore"):
            if state.stage == "value":
                return self._valued(state, float(values[0]))
            if state.stage == "again":
                return self._started(state, values)
            if state.stage == "kink":
                return self._tested(state, values)
            return self._sloped(state, values)

    def _started(self, state: KinkState, values: Vector) -> KinkState:
        """At the point beside x0, unless f(x0) is another now, or f is not finite beside it."""
        loss = float(values[-1])
        if _is_another(state, values[0]):
            return _ended(state, "lost")
        trial = state.trial._replace(loss=loss) if math.isfinite(loss) else state.origin
        return self._measuring(state._replace(at=trial.solved, loss=trial.loss, trial=trial))

    def _tested(self, state: KinkState, values: Vector) -> KinkState:
        """How the descent ends: lost at jumps, or in noise that was not there at first."""
        if _is_another(state, values[0]):
            return _ended(state, "lost")
        ask, values = state.ask[1:], values[1:]
        hill = self._has_hill(state, ask, values)
        state = state._replace(not_convex=state.not_convex or hill)
        seen = kink_search.verdict(values, state.loss, self._off(state))
        at, loss = line.least(self._minimizer, state.at, state.loss, ask, values)
        lower = self._objective(state.loss, state.at) - self._objective(loss, at)
        if lower > 0.0:
            eps = max(state.eps, rounding.of(loss))
            state = state._replace(at=at, loss=loss, eps=eps, smooth_g=NOTHING)
        if seen == "jump":
            return _ended(state, "lost")
        if lower > NEGLIGIBLE * state.eps:
            return self._measuring(self._renewed(state._replace(fresh=True), failures=0))
        fallen = state.began - self._objective(state.loss, state.at) > NEGLIGIBLE * state.eps
        if not fallen:
            origin = state.origin
            state = state._replace(at=origin.solved, loss=origin.loss, smooth_g=NOTHING)
        return _ended(state, "smooth" if seen == "smooth" and fallen else "settled")

    def _objective(self, loss: float, at: Solved) -> float:
        return loss + self._minimizer.phi(at)

    def _measuring(self, state: KinkState) -> KinkState:
        """The gradient at the trial."""
        ask = self._points(state, state.trial.solved.x)
        if len(ask) == 0:  # without a gradient nothing is known of x
            return _ended(state, "settled" if len(state.g) > 0 else "lost")
        return state._replace(stage="slopes", ask=ask)

    def _points(self, state: KinkState, x: Vector) -> Matrix:
        both = _is_central(state)
        moves = state.side * self._moves(state, x)
        if self._domain.is_everything:
            moves = np.vstack([moves, -moves]) if both else moves
            return grid.rounded(x + moves, self._dtype)
        made: list[Vector] = []
        for move in moves:
            sides = [self._domain.project(x + move), self._domain.project(x - move)]
            sides.sort(key=lambda p: -float(np.square(p - x).sum()))
            least = LEFT * np.abs(move).max()
            made += [p for p in sides[: 2 if both else 1] if np.linalg.norm(p - x) > least]
        return grid.rounded(np.array(made).reshape(-1, len(x)), self._dtype)

    def _moves(self, state: KinkState, x: Vector) -> Matrix:
        """Differences of a gradient, a row each: along axes of H once it is known."""
        cells = ULPS * grid.cells(x, self._dtype)
        free = away_from_bounds(self._domain, x)
        if free is None or not planes.is_metric_known(state):
            return _moves(self._domain, x, np.maximum(planes.lengths(state), cells))
        moves = math.sqrt(state.eps) * axes(state.H, free)
        seen = (np.abs(moves) / cells).max(axis=1)
        return np.asarray(moves / np.minimum(seen, 1.0)[:, None])

    def _sloped(self, state: KinkState, values: Vector) -> KinkState:
        trial = state.trial
        independent = away_from_bounds(self._domain, trial.solved.x) is not None
        g = _gradient(state.ask - trial.solved.x, values - trial.loss, independent)
        first = trial.predicted == 0.0  # at x itself
        if not np.isfinite(g).all():
            if first:
                return _ended(state, "lost")
            if len(state.found_g) == 0:
                state = state._replace(found=NO_TRIAL)
            return self._next(state, too_long=True)
        if first and (values == trial.loss).all():  # a plateau, not a kink
            return _ended(state, "lost")
        known = np.zeros(len(g)) if len(state.g) == 0 else state.steepest  # a model may be wrong
        steepest = np.maximum(known, _slopes(g, trial.solved.x, state.scale))
        state = state._replace(steepest=steepest)
        central = _is_central(state)
        if not central:
            state = state._replace(planes=planes.appended(state, trial.solved.x, trial.loss, g))
        if first and state.failures > 0 and planes.agree(state, g):
            state = state._replace(smooth_g=0.5 * (state.g + g))
        if first:
            H = np.diag(self._diagonal(state, g)) if state.fresh else state.H
            return self._trying(state._replace(g=g, H=H))
        s, phi = trial.solved.x - state.at.x, self._minimizer.phi
        slope = float(g @ s) + phi(trial.solved) - phi(state.at)
        state = state._replace(found=trial, found_g=g)
        longest = state.search.t >= FACTOR and not state.fresh  # a first H has no scale
        if slope >= (1.0 - SMALL_PART) * trial.predicted or longest:
            return self._stepped(state)
        return self._next(state, too_long=False)

    def _diagonal(self, state: KinkState, g: Vector) -> Vector:
        """A metric in the units of the slopes whose first step promises Delta / 2."""
        unit = np.square(state.steepest)
        return np.asarray(unit * max(float(np.sum(g * g / unit)), ROUNDED) / state.scale)

    def _trying(self, state: KinkState) -> KinkState:
        x, phi = state.at.x, self._minimizer.phi
        H = state.H / state.search.t
        to, rho = self._minimizer(H, x, state.g, state.at, state.rho, EXACT)
        to = grid.nearest(self._minimizer, self._minimizer.exactly(to))
        predicted = float(state.g @ (to.x - x)) + phi(to) - phi(state.at)
        first = state.fresh and state.failures == 0
        within = first and (np.abs(to.x - x) < planes.lengths(state)).all()
        if within or not predicted < -np.spacing(abs(self._objective(state.loss, state.at))):
            return self._ending(state)
        trial = Trial(to, predicted, math.nan)
        return state._replace(stage="value", ask=to.x[None], trial=trial, rho=rho)

    def _valued(self, state: KinkState, loss: float) -> KinkState:
        trial = state.trial._replace(loss=loss)
        before = self._objective(state.loss, state.at)
        enough = before + DECREASE * trial.predicted
        known = [each for each in (state.found, state.tried, trial) if len(each.solved.x) > 0]
        points = np.array([each.solved.x for each in known])
        hill = self._has_hill(state, points, np.array([each.loss for each in known]))
        not_convex = state.not_convex or hill
        state = state._replace(trial=trial, tried=trial, not_convex=not_convex)
        falls, found = self._objective(loss, trial.solved) <= enough, state.found
        waiting = len(found.solved.x) > 0 and len(state.found_g) == 0  # for its slopes
        lower = falls and not (
            waiting
            and self._objective(found.loss, found.solved) <= self._objective(loss, trial.solved)
        )
        if lower and math.isinf(state.search.high) and self._goes_on(state):
            return self._next(state._replace(found=trial), too_long=False)
        if lower:
            return self._measuring(state)
        return self._ending(state) if waiting else self._next(state, too_long=True)

    def _goes_on(self, state: KinkState) -> bool:
        """Whether t doubles before slopes are measured: where a parabola has its minimum beyond.

        A first H has no scale, and t doubles while F falls.
        """
        trial = state.trial
        fall = self._objective(state.loss, state.at) - self._objective(trial.loss, trial.solved)
        return state.fresh or fall > -(1.0 - NARROW) * trial.predicted

    def _next(self, state: KinkState, too_long: bool) -> KinkState:
        """Another t: by bisection once one was too long, else twice as long."""
        t, low, high, tries = state.search
        low, high = (low, t) if too_long else (t, high)
        t = 0.5 * (low + high) if math.isfinite(high) else 2.0 * t
        state = state._replace(search=Search(t, low, high, tries + 1))
        return self._ending(state) if tries + 1 >= MOST_ROUNDS else self._trying(state)

    def _ending(self, state: KinkState) -> KinkState:
        """The best trial is the step, once its slopes are known; its t is too short."""
        t, low, high, tries = state.search
        if len(state.found.solved.x) == 0:
            return self._failed(state)
        state = state._replace(search=Search(low, low, min(t, high), tries))
        if len(state.found_g) > 0:
            return self._stepped(state)
        return self._measuring(state._replace(trial=state.found))

    def _stepped(self, state: KinkState) -> KinkState:
        to, d = state.found, state.found_g - state.g
        s = to.solved.x - state.at.x
        fall = self._objective(state.loss, state.at) - self._objective(to.loss, to.solved)
        scale, falls = state.scale, np.append(state.falls[1:], fall)
        if fall > scale:
            scale, falls = fall, np.full(len(falls), fall / len(falls))
        H = state.H / max(state.search.t, 1.0) if state.fresh else state.H
        return self._trying(
            state._replace(
                fresh=False,
                scale=scale,
                falls=falls,
                at=to.solved,
                loss=to.loss,
                g=state.found_g,
                H=_updated(H, s, d, state.steepest),
                eps=max(state.eps, rounding.of(to.loss)),
                search=FRESH,
                found=NO_TRIAL,
                found_g=NOTHING,
                tried=NO_TRIAL,
                smooth_g=NOTHING,
                failures=0,
                steps=state.steps + 1,
            )
        )

    def _failed(self, state: KinkState) -> KinkState:
        """No t leads down: the gradient to both sides, a new H, then the test for a kink."""
        if state.failures >= 2:
            s = state.trial.solved.x - state.at.x
            if not s.any():
                return _ended(state, "settled")
            slope = float(state.g @ s)
            ask = kink_search.points(self._domain, state.at.x, s, slope, self._off(state))
            ask = grid.rounded(ask, self._dtype)
            if len(ask) == 0:
                return _ended(state, "settled")
            return state._replace(stage="kink", ask=np.vstack([state.at.x, ask]))
        again = self._renewed(state, state.failures + 1)
        return self._measuring(again._replace(side=-state.side, fresh=not _is_central(again)))

    def _off(self, state: KinkState) -> float:
        return grid.off(state.eps, state.g, state.at.x, self._dtype)

    def _has_hill(self, state: KinkState, points: Matrix, values: Vector) -> bool:
        """Whether values on a line through x show that the loss is not convex.

        Across a steep kink they are off by the rounding of x, whatever their own size.
        """
        eps = max(state.eps, grid.hidden(state.steepest, state.at.x, self._dtype))
        return on_line(state.at.x, state.loss, points, values, eps)

    def _renewed(self, state: KinkState, failures: int) -> KinkState:
        """Before the gradient at x is measured again."""
        trial = Trial(state.at, 0.0, state.loss)
        return state._replace(search=FRESH, tried=NO_TRIAL, failures=failures, trial=trial)


def _is_central(state: KinkState) -> bool:
    """Whether gradients are measured to both sides: a search from x has failed."""
    return state.failures == 1


def _slopes(v: Vector, x: Vector, scale: float) -> Vector:
    """|v_i|, or Delta / |x_i| where that is more, but no more than the largest |v_j|."""
    most = float(np.abs(v).max()) or scale
    typical = scale / np.maximum(np.abs(x), scale / most)
    return np.maximum(np.abs(v), typical)


def _moves(domain: ConvexSet, x: Vector, lengths: Vector) -> Matrix:
    """Along each variable, a row each; where X has a total, at the expense of the largest one.

    A projection would move all the others, and those at kinks of their own across them: f'(x; d)
    along such d is that of no gradient.
    """
    moves = np.diag(lengths)
    if not isinstance(domain, ProbeSafe):
        return moves
    largest = int(np.argmax(np.abs(x)))
    paired = np.delete(moves, largest, axis=0)
    paired[:, largest] = -np.delete(lengths, largest)
    total = not np.allclose(domain.tangent(moves), moves, atol=0.0)
    return paired if total and np.allclose(domain.tangent(paired), paired) else moves


def _gradient(ways: Matrix, changes: Vector, independent: bool) -> Vector:
    """The least g with <g, way> = change for all ways, which may be known to be independent."""
    moved = ways != 0.0
    if len(ways) == ways.shape[1] and (moved == np.eye(len(ways), dtype=bool)).all():
        return np.asarray(changes / np.diagonal(ways))
    if not np.isfinite(changes).all():
        return np.full(ways.shape[1], math.nan)
    lengths = np.linalg.norm(ways, axis=1)
    ways, slopes = ways / lengths[:, None], changes / lengths
    if independent and len(ways) == ways.shape[1]:
        with contextlib.suppress(np.linalg.LinAlgError):
            return np.linalg.solve(ways, slopes)
    return np.asarray(np.linalg.lstsq(ways, slopes, rcond=FLATTEST)[0])


def _updated(H: Matrix, s: Vector, d: Vector, units: Vector) -> Matrix:
    """BFGS, and a ridge where rounding leaves H singular."""
    sd = float(s @ d)
    if not sd > ROUNDED * float(np.linalg.norm(s * units) * np.linalg.norm(d / units)):
        return H
    Hs = H @ s
    H = H + np.outer(d, d / sd) - np.outer(Hs, Hs / float(s @ Hs))
    H = 0.5 * (H + H.T)
    unit = np.sqrt(np.maximum(np.diagonal(H), np.finfo(float).tiny))
    factor, failed = scipy.linalg.lapack.dpotrf(H / np.outer(unit, unit), lower=1)
    if failed == 0 and float(np.diagonal(factor).min()) > ROUNDED**0.5:
        return np.asarray(H)
    return np.asarray(H + np.diag(ROUNDED * np.trace(H / np.outer(unit, unit)) * unit**2))


def _is_another(state: KinkState, again: float) -> bool:
    """Whether f(x) is not what it was when it was evaluated first."""
    return not abs(float(again) - state.loss) <= NEGLIGIBLE * state.eps


def _ended(state: KinkState, stage: Stage) -> KinkState:
    return state._replace(stage=stage, ask=state.ask[:0])
