"""Descent by a limited-memory model: which points are evaluated, and what follows.

    start     slopes and curvatures c along the variables, two points each, see `model.start`; after
              some steps again, at doubling intervals: curvatures change on the way
    slopes    the gradient by forward differences, corrected by c: where most variables are at
              bounds or kinks along the others, for as long as these promise as much for an
              evaluation as was gained since the last whole gradient; else along all
    value     f at S(g), the minimizer of the model; or nearer to x, where F has not fallen
    further   f elsewhere on that line, where a parabola promises much more
    rounding  back along the last step, once |f| has fallen far, see `model.rounding`

A gradient costs m evaluations and a value one, so lines are searched by values alone. Where no
point of a line is better, slopes and curvatures are measured again and secants dropped; where
that leads nowhere either the descent is lost, or settled if the model promises no more than errors
of m slopes would.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import (
    AT_ONCE,
    DECREASE,
    FEW,
    FLATTEST,
    MANY,
    NEGLIGIBLE,
    SMALL_PART,
    SURE,
    TINY_PART,
    TRIES,
    ULPS,
)
from zooadmm.methods.auto.limited.metric import LimitedMetric, limited_metric
from zooadmm.methods.auto.limited.state import LimitedState
from zooadmm.methods.auto.limited.step import LimitedStep
from zooadmm.methods.auto.model import rounding, start
from zooadmm.methods.auto.model.state import NO_ROWS, NOTHING, Start
from zooadmm.methods.method import FirstOrder
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import FREE
from zooadmm.problem.problem import Problem, nearest_feasible
from zooadmm.structure.canonical import canonical
from zooadmm.structure.model_step import Solved


class LimitedDescent:
    """The descent for one problem."""

    def __init__(self, problem: Problem) -> None:
        self.step = LimitedStep(problem)
        self._domain, self._phi = problem.domain, problem.regularizer
        self._is_box = problem.domain.bounds() is not None
        self._lower, self._upper = problem.domain.bounds() or (-math.inf, math.inf)
        found = canonical(problem)
        self._parts = None if found is None else found.form.phi

    def init(self, at: Solved, loss: float, eps: float) -> LimitedState:
        """Before anything but f(x) is known."""
        m = len(at.x)
        return self._measuring(
            LimitedState(
                stage="start",
                at=at,
                loss=loss,
                start=start.init(self._domain, at.x, loss, eps),
                g=np.zeros(m),
                curvatures=np.ones(m),
                S=np.zeros((0, m)),
                Y=np.zeros((0, m)),
                to=at,
                renewal=FEW,
                eps=eps,
                eps_size=abs(loss),
                least=rounding.least(loss),
                first_loss=loss,
            )
        )

    def objective(self, state: LimitedState) -> float:
        """F(x)"""
        return state.loss + self._regularized(state.at)

    def first_order(self, state: LimitedState, changed: float) -> FirstOrder | None:
        """sqrt(2 p) with the decrease p that the model promises, once the gradient at x is known.

        changed: how far the loss was seen to change before there was a model.
        """
        if state.stage in ("start", "slopes", "rounding", "lost") or not state.whole:
            return None
        square = self._metric(state).square(state.to.x - state.at.x)
        length = math.sqrt(max(square, -2.0 * state.predicted - square))
        scale = max(abs(state.loss), abs(state.first_loss - state.loss), changed)
        return FirstOrder(length, 2.0 * math.sqrt(len(state.g) * state.eps), scale)

    def curved(self, state: LimitedState, s: Vector) -> Vector:
        """H s"""
        return self._metric(state).times(s)

    def update(self, state: LimitedState, values: Vector) -> LimitedState:
        """The state after the values at the points of the query."""
        with np.errstate(over="ignore", invalid="ignore"):
            if state.stage == "start":
                return self._started(state, values)
            if state.stage == "slopes":
                return self._sloped(state, values)
            if state.stage == "rounding":
                eps = rounding.read(state.loss, values, state.eps, state.least)
                return self._on_face(state._replace(eps=eps, eps_size=abs(state.loss)))
            return self._valued(state, float(values[0]))

    # the gradient

    def _measuring(self, state: LimitedState) -> LimitedState:
        """The next variables of the first measurement."""
        if len(state.start.todo) == 0:
            return state._replace(stage="settled", ask=NO_ROWS)  # all variables are fixed
        now, left = state.start.todo[: AT_ONCE // 2], state.start.todo[AT_ONCE // 2 :]
        part = state.start._replace(todo=now, tries=0)
        ask = start.points(part, self._domain, state.at.x)
        return state._replace(start=part, left=left, ask=ask)

    def _started(self, state: LimitedState, values: Vector) -> LimitedState:
        x = state.at.x
        seen = _enough(
            state.start, start.read(state.start, self._domain, x, state.loss, values, state.eps)
        )
        if len(seen.todo) > 0:
            return state._replace(start=seen, ask=start.points(seen, self._domain, x))
        if len(state.left) > 0:
            return self._measuring(state._replace(start=seen._replace(todo=state.left)))
        if not np.isfinite(seen.slopes).all():
            return _ended(state, "lost")
        g, curvatures = start.along_variables(seen, self._domain, x)
        if not seen.slopes.any() and not seen.curvatures.any():  # a plateau
            return _ended(state, "lost")
        state = state._replace(start=seen, g=g, curvatures=curvatures)
        return self._with_secant(self._whole(state))

    def _renewed(self, state: LimitedState) -> LimitedState:
        """Slopes and curvatures at x, at lengths that the last curvatures suggest."""
        first = start.init(self._domain, state.at.x, state.loss, state.eps)
        radii = start.radii_for(state.curvatures, state.loss, state.eps)
        first = first._replace(radii=radii, downward=state.start.downward)
        return self._measuring(
            state._replace(stage="start", start=first, renewal=2 * state.sweeps + FEW)
        )

    def _on_face(self, state: LimitedState) -> LimitedState:
        """Forward differences along the variables at no bound or kink, where these are few.

        For the others g changes by their curvatures until nothing is left along these.
        """
        m = len(state.g)
        free = np.arange(m)
        if self._parts is not None:
            free = np.flatnonzero(self._parts.face(state.at.x) == FREE)
        free = self._movable(state, free) if 2 * len(free) <= m else free[:0]
        return self._differing(state, free) if len(free) > 0 else self._everywhere(state, free)

    def _everywhere(self, state: LimitedState, known: NDArray[np.intp]) -> LimitedState:
        """The same along all variables but those whose slope at x is known."""
        if state.sweeps >= state.renewal:
            return self._renewed(state)
        others = np.setdiff1d(np.arange(len(state.g)), known)
        return self._differing(self._whole(state), self._movable(state, others))

    def _whole(self, state: LimitedState) -> LimitedState:
        objective = self.objective(state)
        return state._replace(whole=True, sweeps=state.sweeps + 1, whole_objective=objective)

    def _movable(self, state: LimitedState, variables: NDArray[np.intp]) -> NDArray[np.intp]:
        """Those of these variables that X does not fix."""
        if self._is_box:
            return np.compress(self._moves(state)[variables] != 0.0, variables)
        return np.compress(self._ways(state, variables).any(axis=1), variables)

    def _differing(self, state: LimitedState, among: NDArray[np.intp]) -> LimitedState:
        """Forward differences along these variables."""
        slopes = np.zeros(len(state.g))
        return self._next_slopes(state._replace(among=among, left=among, slopes=slopes))

    def _moves(self, state: LimitedState) -> Vector:
        """The difference of each variable, inside X; 0 where it is fixed."""
        x = state.at.x
        lengths = 2.0 * np.sqrt(state.eps / state.curvatures)
        lengths = np.maximum(lengths, ULPS * np.spacing(np.abs(x)))
        above, below = self._upper - x, x - self._lower
        farther = np.where(above >= below, above, -below)  # of two bounds that are near
        return np.where(above >= lengths, lengths, np.where(below >= lengths, -lengths, farther))

    def _ways(self, state: LimitedState, variables: NDArray[np.intp]) -> Matrix:
        """From x to a point of X that shows the slope along each of these variables, a row each."""
        x, moves = state.at.x, self._moves(state)[variables]
        points = np.tile(x, (len(variables), 1))
        here = np.arange(len(variables)), variables
        points[here] += moves
        if self._is_box:
            return np.asarray(np.clip(points, self._lower, self._upper) - x)
        ways = np.array([self._domain.project(point) - x for point in points])
        squares = np.square(ways).sum(axis=1)
        for i in np.flatnonzero(SURE * squares < np.square(moves)):  # else the other is no longer
            points[i, variables[i]] -= 2.0 * moves[i]
            back = self._domain.project(points[i]) - x
            if float(back @ back) > SURE * squares[i]:
                ways[i] = back
        return ways

    def _next_slopes(self, state: LimitedState) -> LimitedState:
        if len(state.left) == 0:
            return self._with_secant(state._replace(g=self._gradient(state)))
        ask = state.at.x + self._ways(state, state.left[:AT_ONCE])
        return state._replace(stage="slopes", ask=np.clip(ask, self._lower, self._upper))

    def _gradient(self, state: LimitedState) -> Vector:
        """The nearest to g with these slopes that differs from it along what was measured only."""
        g, among = state.g.copy(), state.among
        if self._is_box:
            g[among] = state.slopes[among]
            return g
        ways = self._ways(state, among)
        g[among] += start.least_norm(ways[:, among], state.slopes[among] - ways @ g)
        return g

    def _sloped(self, state: LimitedState, values: Vector) -> LimitedState:
        now, slopes = state.left[:AT_ONCE], state.slopes.copy()
        ways = state.ask - state.at.x
        squares = np.square(ways).sum(axis=1)
        slopes[now] = values - state.loss - 0.5 * state.curvatures[now] * squares
        if self._is_box:
            slopes[now] /= ways[np.arange(len(now)), now]
        if not np.isfinite(slopes).all():  # an edge of where f is finite: points on both sides of x
            return self._again(state._replace(before=NOTHING, whole=True))
        return self._next_slopes(state._replace(slopes=slopes, left=state.left[AT_ONCE:]))

    def _with_secant(self, state: LimitedState) -> LimitedState:
        """The change of the gradient over the last step is known."""
        if len(state.before) > 0:
            s, d = state.at.x - state.before, state.g - state.before_g
            c = state.curvatures
            size = math.sqrt(float(c @ np.square(s)) * float(np.sum(d * d / c)))
            if float(s @ d) > FLATTEST * size:
                S = np.vstack([state.S, s])[-MANY:]
                Y = np.vstack([state.Y, d])[-MANY:]
                state = state._replace(S=S, Y=Y)
        return self._promising(state._replace(before=NOTHING, before_g=NOTHING))

    # the line to the minimizer of the model

    def _metric(self, state: LimitedState) -> LimitedMetric:
        return limited_metric(state.curvatures, state.S, state.Y)

    def _regularized(self, pair: Solved) -> float:
        return float(self._phi(nearest_feasible(self._phi, pair.y)))

    def _promising(self, state: LimitedState) -> LimitedState:
        """S(g), tried where it promises more than rounding."""
        metric = self._metric(state)
        to = self.step(metric, state.g, state.at)
        s = to.x - state.at.x
        change = self._regularized(to) - self._regularized(state.at)
        predicted = float(state.g @ s) + change
        state = state._replace(
            to=to, predicted=predicted, t=1.0, tries=0, better=math.nan, better_t=0.0
        )
        promised = -(predicted + 0.5 * metric.square(s))
        gained = 0.0 if state.whole else state.whole_objective - self.objective(state)
        share = len(state.among) / len(state.g)
        if not promised > max(NEGLIGIBLE * state.eps, share * gained):
            return _ended(state, "settled") if state.whole else self._everywhere(state, state.among)
        return state._replace(stage="value", ask=to.x[None])

    def _valued(self, state: LimitedState, loss: float) -> LimitedState:
        """A value on the line: a step, another point, or all is measured again."""
        t, change = state.t, self._change(state, state.t, loss)
        if state.stage == "further":
            better = change < self._change(state, state.better_t, state.better)
            return self._stepped(state, *((t, loss) if better else (state.better_t, state.better)))
        enough = change <= DECREASE * t * state.predicted
        curved = 2.0 * (change / t - state.predicted) / t
        best = -state.predicted / curved if curved > 0.0 else math.inf
        if enough:
            longest = 1.0 / SMALL_PART if self.step.is_free else 1.0  # of S(g) - x
            other = min(max(best, SMALL_PART * t), longest)
            promised = other * (state.predicted + 0.5 * other * curved)
            if promised < (1.0 + SMALL_PART) * change and other != t:
                kept = state._replace(stage="further", t=other, better=loss, better_t=t)
                return kept._replace(ask=self._on_line(state, other).x[None])
            return self._stepped(state, t, loss)
        if state.tries + 1 >= TRIES:
            return self._again(state)
        t = min(max(best, SMALL_PART * t), 0.5 * t) if math.isfinite(change) else SMALL_PART * t
        near = self._on_line(state, t)
        if not (near.x != state.at.x).any():
            return self._again(state)
        return state._replace(t=t, tries=state.tries + 1, ask=near.x[None])

    def _on_line(self, state: LimitedState, t: float) -> Solved:
        """The pair a part t of the way to S(g)."""
        if t == 1.0:
            return state.to
        return self.step.on_line(state.to, state.at.x + t * (state.to.x - state.at.x))

    def _change(self, state: LimitedState, t: float, loss: float) -> float:
        """F there, less F(x)."""
        return loss + self._regularized(self._on_line(state, t)) - self.objective(state)

    def _stepped(self, state: LimitedState, t: float, loss: float) -> LimitedState:
        """At the new x the gradient, and rounding where |f| has fallen far."""
        s = t * (state.to.x - state.at.x)
        length = math.sqrt(self._metric(state).square(s))
        moved = state._replace(
            at=self._on_line(state, t),
            loss=loss,
            before=state.at.x,
            before_g=state.g,
            g=state.g + state.curvatures * s,
            whole=False,
            repairs=0,
            steps=state.steps + 1,
            eps=max(state.eps, rounding.of(loss)),
        )
        if abs(loss) < TINY_PART * state.eps_size and state.eps > state.least:
            ask = rounding.points(moved.at.x, s, length, state.eps)
            return moved._replace(stage="rounding", ask=ask)
        return self._on_face(moved)

    def _again(self, state: LimitedState) -> LimitedState:
        """Measure slopes and curvatures at x again; end where that was done just now."""
        m = len(state.g)
        if not state.whole:
            return self._everywhere(state, state.among)
        if state.repairs > 0:
            promised = -state.predicted - 0.5 * self._metric(state).square(state.to.x - state.at.x)
            return _ended(state, "settled" if promised <= SURE * m * state.eps else "lost")
        return self._measuring(
            state._replace(
                stage="start",
                start=start.init(self._domain, state.at.x, state.loss, state.eps),
                S=np.zeros((0, m)),
                Y=np.zeros((0, m)),
                before=NOTHING,
                before_g=NOTHING,
                repairs=1,
            )
        )


def _enough(before: Start, after: Start) -> Start:
    """After two lengths a finite slope is enough, at the length at which it was measured.

    Further ones cost 2 m evaluations each, and a secant repairs what they would show.
    """
    if after.tries < 2:
        return after
    again = after.todo[~np.isfinite(after.slopes[after.todo])]
    kept = np.setdiff1d(after.todo, again)
    radii = after.radii.copy()
    radii[kept] = before.radii[kept]
    return after._replace(todo=again, radii=radii)


def _ended(state: LimitedState, stage: Literal["settled", "lost"]) -> LimitedState:
    return state._replace(stage=stage, ask=state.ask[:0])
