"""Sequential quadratic programming with slopes from differences.

    d = argmin <g, d> + d'Hd/2 + phi(x + d)  over  x + d in X,  c_i + <a_i, d> + q_i <= 0,  |d| <= r
    x+ = x + d  if  M(x+) <= M(x) + 1e-4 p,    M = f + phi + sum_i weight_i max(c_i + q_i, 0)

p < 0 is the change of M by the slopes. The differences of an iteration give the slopes g of f and
a_i of all constraints. H follows the Lagrangian function f + <multipliers, c> by damped BFGS
(Powell 1978). q_i = bend_i |d|^2 / 2 is how far c_i rose above its slope on the last step, carried
over to this one: so iterates approach from inside. A refused step is corrected once by the
constraints measured at its end; then the program is solved again with the curvatures that its end
has shown and a smaller r.

"safe" takes twice the measured bends, demands c_i + <a_i, d> + q_i <= 0 of every step, and lets r
at most double.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from zooadmm.methods.evaluated import slopes
from zooadmm.methods.evaluated.program import Programmed, solve
from zooadmm.methods.evaluated.settings import Evaluated
from zooadmm.methods.evaluated.state import NO_ROWS, NO_STEP, SequentialState, Step
from zooadmm.methods.method import FirstOrder
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.form import Form

DECREASE = 1e-4
"""Part of the promised decrease that a step must bring."""

NEGLIGIBLE = 30.0
"""A decrease that shows nothing, in units of the error of a value."""

DAMPED = 0.2
"""Curvature along a step at least, as a part of that of H (Powell 1978)."""

FORCE = 10.0
"""First weight of a violation, in units of the slope of f over that of the constraint, in H."""

FIRST_RADIUS, FIRST_SAFE = 100.0, 0.1
"""r of the first step, in units of the variables; the second for "safe"."""

GROWTH, SAFE_GROWTH = 10.0, 2.0
"""Factor by which a step may be longer than the last."""

TRIES = 12
"""Refused steps from one x at most."""

NEARER = 0.1
"""Part of a refused step that the next may have at least."""

STEEPER = 100.0
"""Factor by which a refused step may raise the curvature along it."""

DOUBT = 2.0
"""Curvature of constraints that "safe" expects, in units of the measured one."""

PASSES, SAFE_PASSES = 4, 30
"""Programs for the q of one step at most."""

MORE = 1.25
"""Factor of q by which "safe" aims inside, so that its passes end."""

RESOLVED = 100.0
"""Steps that show curvature, in units of the differences that slopes come from."""

CLOSE = 0.1
"""Relative change of d at which q is good enough."""

LONGER = 2.0
"""Length of d at most, in units of its length without q."""


class Sequential:
    """The method for one structure: X and phi as a form.

    phi: phi(y) as a function of x.
    units: the size of each variable.
    """

    def __init__(
        self, form: Form, phi: Callable[[Vector], float], evaluated: Evaluated, units: Vector
    ) -> None:
        self._form = form
        self._phi = phi
        self._k = evaluated.count
        self._safe = evaluated.mode == "safe"
        self._tolerance = evaluated.tolerance
        self._units = units

    def init(self, x: Vector) -> SequentialState:
        """The state before the first query."""
        k = self._k
        return SequentialState(
            stage="start",
            ask=slopes.first_points(x, self._units, self._form.phi),
            x=x,
            values=np.full(1 + k, math.nan),
            J=NO_ROWS,
            H=NO_ROWS,
            raised=NO_ROWS,
            came=x,
            noise=np.zeros(1 + k),
            units=self._units,
            bends=np.zeros(k),
            radius=FIRST_SAFE if self._safe else FIRST_RADIUS,
            last=math.inf,
            multipliers=np.zeros(k),
            of_rows=np.zeros(self._form.num_rows),
            weights=np.zeros(k),
            step=NO_STEP,
            central=True,
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
        state = self._counted(state, values)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if state.stage == "start":
                return self._started(state, values)
            if state.stage in ("slopes", "other side"):
                return self._sloped(state, values)
            return self._tried(state, values[0])

    def violation(self, values: Vector) -> float:
        """The largest violation of a constraint."""
        return max(float(values[1:].max()), 0.0)

    def is_feasible(self, values: Vector) -> bool:
        """Whether no constraint is violated by more than the tolerance."""
        return self.violation(values) <= self._tolerance

    def first_order(self, state: SequentialState) -> FirstOrder | None:
        """How far x is from a point of Karush, Kuhn and Tucker; None where that is not measured."""
        measured = state.stage not in ("start", "slopes") and math.isfinite(state.step.promised)
        if not measured or not self.is_feasible(state.values):
            return None
        length = math.sqrt(2.0 * max(state.step.promised, 0.0))
        error = math.sqrt(2.0 * NEGLIGIBLE * self._error(state))
        return FirstOrder(length, error, abs(state.first_loss - float(state.values[0])))

    def _started(self, state: SequentialState, values: Matrix) -> SequentialState:
        at = values[0]
        if not np.isfinite(at).all():
            raise ValueError(
                f"the loss returned {at.tolist()} at x0; start where f and all constraints are "
                "finite."
            )
        if self._safe and self.violation(at) > 0.0:
            raise ValueError(
                f"x0 violates constraint {int(at[1:].argmax()) + 1} of {self._k} by "
                f'{self.violation(at):.3g}; mode="safe" needs an x0 that satisfies all of them, '
                'mode="soft" starts anywhere.'
            )
        first = slopes.read_first(state.ask, values, self._units)
        H = np.diag(first.curvature)
        state = state._replace(
            values=at,
            J=first.J,
            H=H,
            raised=H,
            noise=first.noise,
            bends=DOUBT * first.bends if self._safe else state.bends,
            best_values=at,
            first_loss=float(at[0]),
        )
        return self._programmed(state)

    # the program, and its step

    def _programmed(self, state: SequentialState) -> SequentialState:
        """Solve the program at x, and try its step if it promises anything."""
        state = state._replace(weights=self._with_force(state))
        found, inside, radius = self._program(state)
        if found is None:
            return self._refused(self._unconfined(state))
        d, lam = found.d, found.multipliers
        weights = np.maximum(lam, 0.5 * (state.weights + lam))  # Powell 1978
        if found.elastic:
            weights = np.maximum(weights, state.weights)
        change = self._change(state, d)
        slope = change - float(weights @ self._relief(state, d, inside))
        state = state._replace(
            multipliers=lam,
            of_rows=found.of_rows,
            weights=weights,
            step=Step(d, inside, slope, -(change + 0.5 * float(d @ state.raised @ d))),
            radius=radius,
        )
        if slope < 0.0 and self._is_worth(state, change):
            return state._replace(stage="trial", ask=(state.x + d)[None])
        return self._refused(state)

    def _unconfined(self, state: SequentialState) -> SequentialState:
        """With the step that would be taken if constraints had no curvature: what is left at x."""
        c, box = state.values[1:], FIRST_RADIUS * self._units
        found = solve(self._form, state.x, state.raised, state.J, -c, box, state.weights)
        if found is None or found.elastic:
            return state._replace(step=NO_STEP)
        change = self._change(state, found.d)
        promised = -(change + 0.5 * float(found.d @ state.raised @ found.d))
        step = Step(found.d, 0.0 * c, change, promised)
        return state._replace(step=step, multipliers=found.multipliers, of_rows=found.of_rows)

    def _change(self, state: SequentialState, d: Vector) -> float:
        """Of F along d by its slopes."""
        return float(state.J[0] @ d) + self._phi(state.x + d) - self._phi(state.x)

    def _relief(self, state: SequentialState, d: Vector, inside: Vector | float) -> Vector:
        """By how much violations fall along d."""
        c = state.values[1:] + inside
        return np.asarray(np.maximum(c, 0.0) - np.maximum(c + state.J[1:] @ d, 0.0))

    def _is_worth(self, state: SequentialState, change: float) -> bool:
        """Whether F falls, or from an infeasible x violations do, by more than errors of values."""
        least = NEGLIGIBLE * self._error(state)
        if self.is_feasible(state.values):
            return -change > least
        eased = self._relief(state, state.step.d, 0.0) > NEGLIGIBLE * state.noise[1:]
        return -state.step.slope > least or bool(eased.any())

    def _program(self, state: SequentialState) -> tuple[Programmed | None, Vector, float]:
        """The step, how far inside the constraints it aims, and the radius."""
        if self._safe:
            return self._safe_program(state)
        c, inside, radius = state.values[1:], self._reserve(state), state.radius
        program = partial(solve, self._form, state.x, state.raised, state.J)
        box = radius * self._units
        found = program(-c - inside, box, state.weights)
        if found is None or found.elastic or not state.bends.any():
            return found, inside, radius
        plain = self._length(found.d)
        for _ in range(PASSES):
            aim = self._reserve(state) + self._bent(state, min(self._length(found.d), state.last))
            other = program(-c - aim, box, state.weights)
            if other is None or other.elastic or self._length(other.d) > LONGER * plain:
                break
            if self.is_feasible(state.values) and not self._change(state, other.d) < 0.0:
                break
            close = self._length(other.d - found.d) <= CLOSE * self._length(found.d)
            found, inside = other, aim
            if close:
                break
        return found, inside, radius

    def _safe_program(self, state: SequentialState) -> tuple[Programmed | None, Vector, float]:
        """The same; every constraint holds at the end of the step, bent as it may be."""
        c, radius, reserve = state.values[1:], state.radius, self._reserve(state)
        q = 0.0 * c
        for n in range(1, SAFE_PASSES + 1):
            box, aim = radius * self._units, reserve + q
            found = solve(self._form, state.x, state.raised, state.J, -c - aim, box, state.weights)
            if found is None:
                break
            bent = self._bent(state, self._length(found.d))
            falls = not found.elastic and self._change(state, found.d) < 0.0
            if falls and (c + state.J[1:] @ found.d + bent <= -reserve).all():
                return found, reserve, radius
            q = MORE * bent
            if not falls or n % PASSES == 0:
                radius, q = 0.5 * min(radius, self._size(found.d)), 0.0 * c
        return None, reserve, state.radius

    def _reserve(self, state: SequentialState) -> Vector:
        """How far inside the rows end: rounding; in "safe" the next differences, or as x does."""
        reserve = 2.0 * state.noise[1:]
        if not self._safe:
            return np.asarray(reserve)
        next_ones = 2.0 * np.abs(state.J[1:] * self._lengths(state)).max(axis=1)
        return np.asarray(np.minimum(reserve + next_ones, np.maximum(-state.values[1:], 0.0)))

    def _bent(self, state: SequentialState, length: float) -> Vector:
        """How far constraints rise above their slopes along a step of this length."""
        return np.asarray(0.5 * state.bends * length**2)

    def _with_force(self, state: SequentialState) -> Vector:
        """Weights, at least such that violated constraints outweigh f."""
        inverse = 1.0 / np.diagonal(state.H)
        force = math.sqrt(float(np.square(state.J[0]) @ inverse))
        sizes = np.sqrt(np.square(state.J[1:]) @ inverse)
        counts = (state.values[1:] > 0.0) & (sizes > 0.0)
        least = np.where(counts, FORCE * force / np.where(counts, sizes, 1.0), 0.0)
        return np.maximum(state.weights, least)

    def _tried(self, state: SequentialState, values: Vector) -> SequentialState:
        to, slope = state.ask[0], state.step.slope
        finite = bool(np.isfinite(values).all())
        merit: Callable[[Vector, Vector], float] = partial(self._merit, state)
        if finite and self.is_feasible(state.values) and self.is_feasible(values):
            merit = self._objective
        here, there = merit(state.x, state.values), merit(to, values) if finite else math.inf
        if there < here and there <= here + DECREASE * slope + self._error(state):
            return self._moved(state, to, values)
        fixable = finite and not self._safe and self.violation(values) > 0.0
        corrected = self._corrected(state, values) if fixable else None
        if state.stage == "trial" and corrected is not None:
            return state._replace(stage="correction", ask=corrected[None])
        if state.tries == TRIES:
            return self._refused(state)
        return self._replanned(state, to, values)

    def _corrected(self, state: SequentialState, values: Vector) -> Vector | None:
        """x + d by the constraints measured at the end of the refused step."""
        d, J = state.step.d, state.J
        limits = J[1:] @ d - values[1:] - self._reserve(state)
        box = LONGER * state.radius * self._units
        found = solve(self._form, state.x, state.raised, J, limits, box, state.weights)
        if found is None or found.elastic or self._length(found.d - d) > self._length(d):
            return None
        return np.asarray(state.x + found.d)

    def _replanned(self, state: SequentialState, to: Vector, values: Vector) -> SequentialState:
        """The program at x again, with what a refused step has shown: curvature, and a radius."""
        d, slope, part = to - state.x, state.step.slope, NEARER
        if np.isfinite(values).all():
            rise, length = values - state.values - state.J @ d, self._length(d)
            change = self._merit(state, to, values) - self._merit(state, state.x, state.values)
            part = float(np.clip(-0.5 * slope / max(change - slope, 1e-300), NEARER, 0.5))
            Hd = state.raised @ d
            dHd = float(d @ Hd)
            seen = 2.0 * float(rise[0] + state.multipliers @ rise[1:])
            if 0.0 < dHd < seen:
                more = min(seen, STEEPER * dHd) - dHd
                state = state._replace(raised=state.raised + more / dHd**2 * np.outer(Hd, Hd))
            bends = np.maximum(state.bends, self._bends(state, rise[1:], length))
            state = state._replace(bends=bends, last=length)
        return self._programmed(state._replace(radius=part * self._size(d), tries=state.tries + 1))

    def _moved(self, state: SequentialState, to: Vector, values: Vector) -> SequentialState:
        s = to - state.x
        bends = self._bends(state, values[1:] - state.values[1:] - state.J[1:] @ s, self._length(s))
        if self._safe:
            bends = np.maximum(state.bends, bends)
        growth = SAFE_GROWTH if self._safe else GROWTH
        return self._measuring(
            state._replace(
                x=to,
                values=values,
                came=state.x,
                bends=bends,
                radius=growth * self._size(s),
                last=self._length(s),
                tries=0,
                doubts=0 if state.doubts < 2 else 2,
                steps=state.steps + 1,
            )
        )

    def _bends(self, state: SequentialState, rise: Vector, length: float) -> Vector:
        """Curvatures of constraints that rose so far above their slopes; 0 on a short step."""
        if length <= RESOLVED * self._length(self._lengths(state)):
            return np.zeros(self._k)
        bends = np.maximum(2.0 * (rise - 4.0 * state.noise[1:]) / length**2, 0.0)
        return np.asarray(DOUBT * bends if self._safe else bends)

    # slopes

    def _lengths(self, state: SequentialState) -> Vector:
        curvature, error = np.diagonal(state.H), self._error(state)
        return slopes.lengths(state.x, curvature, error, self._units, self._form.phi)

    def _measuring(self, state: SequentialState) -> SequentialState:
        ask = state.x + np.diag(self._inward(state) if self._safe else self._lengths(state))
        return state._replace(stage="slopes", ask=ask, central=self._safe)

    def _inward(self, state: SequentialState) -> Vector:
        """Lengths towards the side on which constraints are less near."""
        length, bounds = self._lengths(state), self._form.phi
        rise = state.J[1:] * length
        worse = (state.values[1:, None] + rise).max(axis=0) > (state.values[1:, None] - rise).max(
            axis=0
        )
        other = state.x - length
        free = (other >= bounds.lower) & (other <= bounds.upper)
        return np.where(worse & free, -length, length)

    def _sloped(self, state: SequentialState, values: Matrix) -> SequentialState:
        J = slopes.differences(state.x, state.values, state.ask, values, state.J)
        if state.stage == "other side":
            return self._programmed(state._replace(J=0.5 * (state.J + J), central=True))
        change = (J - state.J).T @ np.append(1.0, state.multipliers)
        H = updated(state.H, state.x - state.came, change)
        return self._programmed(state._replace(J=J, H=H, raised=H))

    def _refused(self, state: SequentialState) -> SequentialState:
        """Measure the other side of x, take a diagonal H, return to the best point; then settle."""
        inside = self._form.phi
        if not state.central:
            ask = state.x - np.diag(self._lengths(state))
            ask = np.minimum(np.maximum(ask, inside.lower), inside.upper)
            return state._replace(stage="other side", ask=ask, tries=0)
        if state.doubts == 0:
            H = np.diag(np.diagonal(state.H))
            radius = (
                state.radius if self._safe else max(state.radius, min(state.last, FIRST_RADIUS))
            )
            again = state._replace(H=H, raised=H, doubts=1, tries=0, radius=radius)
            return self._programmed(again)
        if state.doubts == 1 and not np.array_equal(state.best_x, state.x):
            at = state._replace(x=state.best_x, values=state.best_values, came=state.x)
            return self._measuring(at._replace(doubts=2, tries=0))
        return state._replace(stage="settled", ask=np.zeros((0, len(state.x))))

    # sizes

    def _length(self, d: Vector) -> float:
        """Of a step, in units of the variables."""
        return float(np.linalg.norm(d / self._units))

    def _size(self, d: Vector) -> float:
        """The largest change of a variable, in its unit."""
        return float(np.abs(d / self._units).max())

    def _merit(self, state: SequentialState, x: Vector, values: Vector) -> float:
        missed = np.maximum(values[1:] + state.step.inside, 0.0)
        return self._objective(x, values) + float(state.weights @ missed)

    def _objective(self, x: Vector, values: Vector) -> float:
        return float(values[0]) + self._phi(x)

    def _error(self, state: SequentialState) -> float:
        """Of a value of the Lagrangian function."""
        return float(state.noise[0] + state.multipliers @ state.noise[1:])

    def _counted(self, state: SequentialState, values: Matrix) -> SequentialState:
        """With the best point, violations and mishaps among these values."""
        finite = np.asarray(np.isfinite(values).all(axis=1))
        worst = np.where(finite, values[:, 1:].max(axis=1), 0.0)
        state = state._replace(
            breaches=state.breaches + int((worst > self._tolerance).sum()),
            worst=max(state.worst, float(worst.max(initial=0.0))),
            mishaps=state.mishaps + int((~finite).sum()),
        )
        if state.stage not in ("trial", "correction") or not finite[0]:
            return state
        if self._rank(state.ask[0], values[0]) < self._rank(state.best_x, state.best_values):
            return state._replace(best_x=state.ask[0], best_values=values[0])
        return state

    def _rank(self, x: Vector, values: Vector) -> tuple[float, float]:
        """Feasible points by F, before others by their violation."""
        if self.is_feasible(values):
            return 0.0, self._objective(x, values)
        return self.violation(values), 0.0


def updated(H: Matrix, s: Vector, y: Vector) -> Matrix:
    """Damped BFGS: H with the curvature y along s.

    >>> updated(np.eye(2), np.array([1.0, 0.0]), np.array([3.0, 0.0])).tolist()
    [[3.0, 0.0], [0.0, 1.0]]
    """
    Hs = H @ s
    sHs, sy = float(s @ Hs), float(s @ y)
    if not (sHs > 0.0 and math.isfinite(sy)):
        return H
    if sy < DAMPED * sHs:
        theta = (1.0 - DAMPED) * sHs / (sHs - sy)
        y = theta * y + (1.0 - theta) * Hs
        sy = float(s @ y)
    new = H - np.outer(Hs, Hs) / sHs + np.outer(y, y) / sy
    return np.asarray(0.5 * (new + new.T)) if np.isfinite(new).all() else H
