"""Which program a step solves: how far inside the constraints it aims, and its radius.

"soft" aims inside by q_i = bend_i |d|^2 / 2, how far c_i rose above its slope on the last step,
carried over to this one. "safe" demands c_i + <a_i, d> + q_i <= 0, and shortens the step until it
holds.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from zooadmm.methods.evaluated.measures import Measures
from zooadmm.methods.evaluated.program import Programmed, solve
from zooadmm.methods.evaluated.slopes import LEAST_CURVED
from zooadmm.methods.evaluated.state import NO_STEP, SequentialState, Step
from zooadmm.problem.arrays import Vector

FORCE = 10.0
"""First weight of a violation, in units of the slope of f over that of the constraint, in H."""

FIRST_REACH, FIRST_SAFE_REACH = 100.0, 0.1
"""r of the first step, in units of the variables; the second for "safe"."""

PASSES, SAFE_PASSES = 4, 30
"""Programs for the q of one step at most."""

MORE = 1.25
"""Factor of q by which "safe" aims inside, so that its passes end."""

SHORTEST_STEP = 1e-14
"""Steps of "safe" at least, in units of x: shorter ones are rounding."""

CLOSE_ENOUGH = 0.1
"""Relative change of d at which q is good enough."""

LONGER = 2.0
"""Length of d at most, in units of its length without q."""


class Planned(NamedTuple):
    """The program of a step, solved."""

    found: Programmed | None
    """None where no step is allowed"""
    inside: Vector
    """Distance from the constraints, to their inner side, that the step aims at"""
    radius: float


class Planner:
    """Solves the program at x."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures

    def step(self, state: SequentialState) -> Planned:
        """The step, how far inside the constraints it aims, and the radius."""
        return self._safe_step(state) if self._measures.safe else self._soft_step(state)

    def _soft_step(self, state: SequentialState) -> Planned:
        measures, c = self._measures, state.values[1:]
        reserve = inside = measures.reserve(state)
        program = partial(solve, measures.form, state.x, state.raised, state.J)
        box = state.radius * measures.units
        found = program(-c - inside, box, state.weights)
        if found is None or found.elastic or not state.bends.any():
            return Planned(found, inside, state.radius)
        plain = measures.length(found.d)
        for _ in range(PASSES):
            aim = reserve + self._rise(state, min(measures.length(found.d), state.last))
            other = program(-c - aim, box, state.weights)
            if other is None or other.elastic or measures.length(other.d) > LONGER * plain:
                break
            if measures.is_feasible(state.values) and not measures.change(state, other.d) < 0.0:
                break
            close = measures.length(other.d - found.d) <= CLOSE_ENOUGH * measures.length(found.d)
            found, inside = other, aim
            if close:
                break
        return Planned(found, inside, state.radius)

    def _safe_step(self, state: SequentialState) -> Planned:
        """A step at whose end every constraint holds, curvature included."""
        measures, c, radius = self._measures, state.values[1:], state.radius
        reserve, q = measures.reserve(state), 0.0 * c
        least = SHORTEST_STEP * measures.size(state.x)
        for n in range(1, SAFE_PASSES + 1):
            box, aim = radius * measures.units, reserve + q
            found = solve(measures.form, state.x, state.raised, state.J, -c - aim, box)
            falls = found is not None and measures.change(state, found.d) < 0.0
            if found is not None and falls:
                rise = self._rise(state, measures.length(found.d))
                if (c + state.J[1:] @ found.d + rise <= -reserve).all():
                    return Planned(found, reserve, radius)
                q = MORE * rise
            if not falls or n % PASSES == 0:
                size = radius if found is None else measures.size(found.d)
                radius, q = 0.5 * min(radius, size), 0.0 * c
            if radius <= least:
                break
        return Planned(None, reserve, state.radius)

    def unconfined(self, state: SequentialState) -> SequentialState:
        """The step as if constraints had no curvature: what is left to gain at x."""
        c, box = state.values[1:], FIRST_REACH * self._measures.units
        found = solve(self._measures.form, state.x, state.raised, state.J, -c, box, state.weights)
        if found is None or found.elastic:
            return state._replace(step=NO_STEP)
        change = self._measures.change(state, found.d)
        promised = -(change + 0.5 * float(found.d @ state.raised @ found.d))
        step = Step(found.d, 0.0 * c, change, promised)
        return state._replace(step=step, multipliers=found.multipliers, of_rows=found.of_rows)

    def doubted(self, state: SequentialState) -> SequentialState:
        """With the largest decrease that H promises, or curvatures along the variables do.

        Refused steps raise H; where slopes jump they hide a decrease by it.
        """
        measures, reserve = self._measures, self._measures.reserve(state)
        H = np.diag(self.curvatures(state))
        box = FIRST_REACH * measures.units
        found = solve(measures.form, state.x, H, state.J, -state.values[1:] - reserve, box)
        if found is None:
            return state
        promised = -(measures.change(state, found.d) + 0.5 * float(found.d @ H @ found.d))
        step = state.step._replace(promised=max(state.step.promised, promised))
        return state._replace(step=step)

    def curvatures(self, state: SequentialState) -> Vector:
        """Curvature along each variable: by both sides of x where they were measured, or of H."""
        of_H, units = np.diagonal(state.H), self._measures.units
        if len(state.seen) == 0:
            return of_H
        least = LEAST_CURVED * self._measures.length(state.J[0] * units**2) / units**2
        seen = np.maximum(state.seen, least)
        return np.where(seen > 0.0, seen, of_H)

    def corrected(self, state: SequentialState, values: Vector) -> Vector | None:
        """x + d by the constraints measured at the end of the refused step."""
        d, J = state.step.d, state.J
        limits = J[1:] @ d - values[1:] - self._measures.reserve(state)
        box = LONGER * state.radius * self._measures.units
        found = solve(self._measures.form, state.x, state.raised, J, limits, box, state.weights)
        length = self._measures.length
        if found is None or found.elastic or length(found.d - d) > length(d):
            return None
        return np.asarray(state.x + found.d)

    def weights(self, state: SequentialState) -> Vector:
        """Weights, at least such that violated constraints outweigh f."""
        inverse = 1.0 / np.diagonal(state.H)
        force = math.sqrt(float(np.square(state.J[0]) @ inverse))
        sizes = np.sqrt(np.square(state.J[1:]) @ inverse)
        counts = (state.values[1:] > 0.0) & (sizes > 0.0)
        least = np.where(counts, FORCE * force / np.where(counts, sizes, 1.0), 0.0)
        return np.maximum(state.weights, least)

    def _rise(self, state: SequentialState, length: float) -> Vector:
        """How far constraints rise above their slopes along a step of this length."""
        return np.asarray(0.5 * state.bends * length**2)
