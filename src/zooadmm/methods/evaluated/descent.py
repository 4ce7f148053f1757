"""Sequential quadratic programming with slopes from differences.

    d = argmin <g, d> + d'Hd/2 + phi(x + d)  over  x + d in X,  c_i + <a_i, d> + q_i <= 0,  |d| <= r
    x+ = x + d  if  M(x+) <= M(x) + 1e-4 p,    M = f + phi + sum_i weight_i max(c_i + q_i, 0)

p < 0 is the change of M by the slopes. The differences of an iteration give the slopes g of f and
a_i of all constraints. H follows the Lagrangian function f + <multipliers, c> by damped BFGS
(Powell 1978). q_i = bend_i |d|^2 / 2 is how far c_i rose above its slope on the last step, carried
over to this one: so iterates approach from inside. A refused step is corrected once by the
constraints measured at its end; then the program is solved again with the curvatures that its end
has shown and a smaller r. `planner` solves the programs, and `measures` has what is compared.

"safe" takes twice the measured bends, demands c_i + <a_i, d> + q_i <= 0 of every step, and lets r
at most double.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from zooadmm.methods.evaluated import slopes
from zooadmm.methods.evaluated.measures import Measures
from zooadmm.methods.evaluated.planner import FIRST_REACH, FIRST_SAFE_REACH, Planner
from zooadmm.methods.evaluated.settings import UnsafeStart
from zooadmm.methods.evaluated.state import NO_ROWS, NO_STEP, NOTHING, SequentialState, Step
from zooadmm.methods.method import FirstOrder
from zooadmm.oracle.loss import LARGEST
from zooadmm.problem.arrays import Matrix, Vector

DAMPED_PART = 0.2
"""Curvature along a step at least, as a part of that of H (Powell 1978)."""


def updated(H: Matrix, s: Vector, y: Vector) -> Matrix:
    """Damped BFGS: H with the curvature y along s.

    >>> updated(np.eye(2), np.array([1.0, 0.0]), np.array([3.0, 0.0])).tolist()
    [[3.0, 0.0], [0.0, 1.0]]
    """
    Hs = H @ s
    sHs, sy = float(s @ Hs), float(s @ y)
    if not (sHs > 0.0 and math.isfinite(sy)):
        return H
    if sy < DAMPED_PART * sHs:
        theta = (1.0 - DAMPED_PART) * sHs / (sHs - sy)
        y = theta * y + (1.0 - theta) * Hs
        sy = float(s @ y)
    new = H - np.outer(Hs, Hs) / sHs + np.outer(y, y) / sy
    usable = np.isfinite(new).all() and (np.diagonal(new) > 0.0).all()  # rounding may leave none
    return np.asarray(0.5 * (new + new.T)) if usable else H


DECREASE = 1e-4
"""Part of the promised decrease that a step must bring."""

NEGLIGIBLE = 30.0
"""A decrease that shows nothing, in units of the error of a value."""

GROWTH, SAFE_GROWTH = 10.0, 2.0
"""Factor by which a step may be longer than the last."""

MOST_REFUSED = 12
"""Refused steps from one x at most."""

NEARER_PART = 0.1
"""Part of a refused step that the next may have at least."""

STEEPER = 100.0
"""Factor by which a refused step may raise the curvature along it."""

DOUBT = 2.0
"""Curvature of constraints that "safe" expects, in units of the measured one."""

VISIBLE = 100.0
"""Steps that show curvature, in units of the differences that slopes come from."""


class Sequential:
    """The method for one structure."""

    def __init__(self, measures: Measures) -> None:
        self.measures = measures
        self._planner = Planner(measures)

    def init(self, x: Vector) -> SequentialState:
        """The state before the first query."""
        k = self.measures.count
        return SequentialState(
            stage="start",
            ask=slopes.first_points(x, self.measures.units, self.measures.form.phi),
            x=x,
            values=np.full(1 + k, math.nan),
            J=NO_ROWS,
            H=NO_ROWS,
            raised=NO_ROWS,
            came=x,
            noise=np.zeros(1 + k),
            units=self.measures.units,
            bends=np.zeros(k),
            radius=FIRST_SAFE_REACH if self.measures.safe else FIRST_REACH,
            last=math.inf,
            multipliers=np.zeros(k),
            of_rows=np.zeros(self.measures.form.num_rows),
            weights=np.zeros(k),
            step=NO_STEP,
            central=True,
            seen=NOTHING,
            tries=0,
            doubts=0,
            steps=0,
            best_x=x,
            best_values=np.full(1 + k, math.nan),
            first_loss=math.nan,
            breaches=0,
            worst=0.0,
            mishaps=0,
        )

    def update(self, state: SequentialState, values: Matrix) -> SequentialState:
        """What follows from the rows (f, c_1, ..., c_k) at the points of the query."""
        if state.stage == "start" and not (np.abs(values[0]) <= LARGEST).all():
            raise ValueError(
                f"the loss returned {values[0].tolist()} at x0; start where f and all constraints "
                f"are finite, and at most {LARGEST:.0e} in size."
            )
        values = np.where(np.abs(values) <= LARGEST, values, math.nan)
        state = self._counted(state, values)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if state.stage == "start":
                return self._started(state, values)
            if state.stage in ("slopes", "other side"):
                return self._sloped(state, values)
            return self._tried(state, values[0])

    def first_order(self, state: SequentialState) -> FirstOrder | None:
        """How far x is from a point of Karush, Kuhn and Tucker; None where that is not measured."""
        measured = state.stage not in ("start", "slopes") and math.isfinite(state.step.promised)
        if not measured or not self.measures.is_feasible(state.values):
            return None
        length = math.sqrt(2.0 * max(state.step.promised, 0.0))
        error = math.sqrt(2.0 * NEGLIGIBLE * self.measures.error(state))
        return FirstOrder(length, error, abs(state.first_loss - float(state.values[0])))

    def _started(self, state: SequentialState, values: Matrix) -> SequentialState:
        at = values[0]
        violation = self.measures.violation(at)
        if self.measures.safe and violation > 0.0:
            raise UnsafeStart(int(at[1:].argmax()), self.measures.count, violation)
        first = slopes.read_first(state.ask, values, self.measures.units)
        H = np.diag(first.curvature)
        state = state._replace(
            values=at,
            J=first.J,
            H=H,
            raised=H,
            noise=first.noise,
            bends=DOUBT * first.bends if self.measures.safe else state.bends,
            best_values=at,
            first_loss=float(at[0]),
        )
        return self._programmed(state)

    def _programmed(self, state: SequentialState) -> SequentialState:
        """Solve the program at x, and try its step if it promises anything."""
        state = state._replace(weights=self._planner.weights(state))
        found, inside, radius = self._planner.step(state)
        if found is None:
            return self._refused(self._planner.unconfined(state))
        d, lam = found.d, found.multipliers
        weights = np.maximum(lam, 0.5 * (state.weights + lam))  # Powell 1978
        if found.elastic:
            weights = np.maximum(weights, state.weights)
        change = self.measures.change(state, d)
        slope = change - float(weights @ self.measures.relief(state, d, inside))
        state = state._replace(
            multipliers=lam,
            of_rows=found.of_rows,
            weights=weights,
            step=Step(d, inside, slope, -(change + 0.5 * float(d @ state.raised @ d))),
            radius=radius,
        )
        if slope < 0.0 and self._is_worth(state, change):
            return state._replace(stage="trial", ask=self.measures.within(state.x + d)[None])
        return self._refused(state)

    def _is_worth(self, state: SequentialState, change: float) -> bool:
        """Whether F falls, or from an infeasible x violations do, by more than errors of values."""
        least = NEGLIGIBLE * self.measures.error(state)
        if self.measures.is_feasible(state.values):
            return -change > least
        eased = self.measures.relief(state, state.step.d, 0.0) > NEGLIGIBLE * state.noise[1:]
        return -state.step.slope > least or bool(eased.any())

    def _tried(self, state: SequentialState, values: Vector) -> SequentialState:
        to, slope = state.ask[0], state.step.slope
        finite = bool(np.isfinite(values).all())
        merit: Callable[[Vector, Vector], float] = partial(self.measures.merit, state)
        if finite and self.measures.is_feasible(state.values) and self.measures.is_feasible(values):
            merit = self.measures.objective
        here, there = merit(state.x, state.values), merit(to, values) if finite else math.inf
        if there < here and there <= here + DECREASE * slope + self.measures.error(state):
            return self._moved(state, to, values)
        fixable = finite and not self.measures.safe and self.measures.violation(values) > 0.0
        corrected = self._planner.corrected(state, values) if fixable else None
        if state.stage == "trial" and corrected is not None:
            return state._replace(stage="correction", ask=self.measures.within(corrected)[None])
        if state.tries == MOST_REFUSED:
            return self._refused(state)
        return self._replanned(state, to, values)

    def _replanned(self, state: SequentialState, to: Vector, values: Vector) -> SequentialState:
        """The program at x again, with what a refused step has shown: curvature, and a radius."""
        d, slope, part = to - state.x, state.step.slope, NEARER_PART
        if np.isfinite(values).all():
            rise, length = values - state.values - state.J @ d, self.measures.length(d)
            change = self.measures.merit(state, to, values) - self.measures.merit(
                state, state.x, state.values
            )
            part = float(np.clip(-0.5 * slope / max(change - slope, 1e-300), NEARER_PART, 0.5))
            Hd = state.raised @ d
            dHd = float(d @ Hd)
            seen = 2.0 * float(rise[0] + state.multipliers @ rise[1:])
            if 0.0 < dHd < seen:
                more = min(seen, STEEPER * dHd) - dHd
                state = state._replace(raised=state.raised + more / dHd**2 * np.outer(Hd, Hd))
            bends = np.maximum(state.bends, self._bends(state, rise[1:], length))
            state = state._replace(bends=bends, last=length)
        return self._programmed(
            state._replace(radius=part * self.measures.size(d), tries=state.tries + 1)
        )

    def _moved(self, state: SequentialState, to: Vector, values: Vector) -> SequentialState:
        s = to - state.x
        bends = self._bends(
            state, values[1:] - state.values[1:] - state.J[1:] @ s, self.measures.length(s)
        )
        if self.measures.safe:
            bends = np.maximum(state.bends, bends)
        growth = SAFE_GROWTH if self.measures.safe else GROWTH
        return self._measuring(
            state._replace(
                x=to,
                values=values,
                came=state.x,
                bends=bends,
                radius=growth * self.measures.size(s),
                last=self.measures.length(s),
                tries=0,
                doubts=0 if state.doubts < 2 else state.doubts,
                steps=state.steps + 1,
            )
        )

    def _bends(self, state: SequentialState, rise: Vector, length: float) -> Vector:
        """Curvatures of constraints that rose so far above their slopes; 0 on a short step."""
        if length <= VISIBLE * self.measures.length(self.measures.lengths(state)):
            return np.zeros(self.measures.count)
        bends = np.maximum(2.0 * (rise - 4.0 * state.noise[1:]) / length**2, 0.0)
        return np.asarray(DOUBT * bends if self.measures.safe else bends)

    def _measuring(self, state: SequentialState) -> SequentialState:
        measures = self.measures
        lengths = measures.inward(state) if measures.safe else measures.lengths(state)
        ask = measures.within(state.x + np.diag(lengths))
        return state._replace(stage="slopes", ask=ask, central=measures.safe, seen=NOTHING)

    def _sloped(self, state: SequentialState, values: Matrix) -> SequentialState:
        J = slopes.differences(state.x, state.values, state.ask, values, state.J)
        if state.stage == "other side":
            both = state._replace(J=0.5 * (state.J + J), central=True, seen=self._seen(state, J))
            return self._programmed(both)
        change = (J - state.J).T @ np.append(1.0, state.multipliers)
        H = updated(state.H, state.x - state.came, change)
        return self._programmed(state._replace(J=J, H=H, raised=H))

    def _seen(self, state: SequentialState, J: Matrix) -> Vector:
        """Curvature of the Lagrangian function along each variable: slopes differ on both sides."""
        apart = 2.0 * np.abs(np.diagonal(state.ask) - state.x)
        change = np.abs((state.J - J).T @ np.append(1.0, state.multipliers))
        room = apart > 0.0
        return np.where(room, change / np.where(room, apart, 1.0), np.diagonal(state.H))

    def _refused(self, state: SequentialState) -> SequentialState:
        """Measure the other side of x, take a diagonal H, return to the best point; then settle.

        Where the other side shows that H hid a decrease, its curvatures take the place of H, once.
        """
        if not state.central:
            ask = self.measures.within(state.x - np.diag(self.measures.lengths(state)))
            return state._replace(stage="other side", ask=ask, tries=0)
        if state.doubts == 0:
            H = np.diag(np.diagonal(state.H))
            return self._again(state, H, 1)
        if state.doubts == 1 and not np.array_equal(state.best_x, state.x):
            at = state._replace(x=state.best_x, values=state.best_values, came=state.x)
            return self._measuring(at._replace(doubts=2, tries=0))
        settled = self._planner.doubted(state) if len(state.seen) > 0 else state
        least = max(state.step.promised, NEGLIGIBLE * self.measures.error(state))
        if state.doubts < 3 and settled.step.promised > least:
            return self._again(state, np.diag(self._planner.curvatures(state)), 3)
        return settled._replace(stage="settled", ask=np.zeros((0, len(state.x))))

    def _again(self, state: SequentialState, H: Matrix, doubts: int) -> SequentialState:
        """The program at x with another H, and steps as long as the last one."""
        longer = max(state.radius, min(state.last, FIRST_REACH))
        radius = state.radius if self.measures.safe else longer
        return self._programmed(
            state._replace(H=H, raised=H, doubts=doubts, tries=0, radius=radius)
        )

    def _counted(self, state: SequentialState, values: Matrix) -> SequentialState:
        """The state with the best point, violations and mishaps among these values."""
        finite = np.asarray(np.isfinite(values).all(axis=1))
        worst = np.where(finite, values[:, 1:].max(axis=1), 0.0)
        state = state._replace(
            breaches=state.breaches + int((worst > self.measures.tolerance).sum()),
            worst=max(state.worst, float(worst.max(initial=0.0))),
            mishaps=state.mishaps + int((~finite).sum()),
        )
        if state.stage not in ("trial", "correction") or not finite[0]:
            return state
        rank = self.measures.rank
        if rank(state.ask[0], values[0]) < rank(state.best_x, state.best_values):
            return state._replace(best_x=state.ask[0], best_values=values[0])
        return state
