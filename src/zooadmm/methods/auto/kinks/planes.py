"""Gradients of the descent across kinks as planes below the loss, and what they leave to gain.

A gradient by differences is one of f unless a kink lies between its points, which are l_i apart.
Near the optimum kinks lie everywhere: planes of points nearer to x than 100 l are left out, and so
are planes above a value that was evaluated, which no gradient of a convex f makes.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import HALF_DIGITS, ROUNDED, SEEN, TRIES
from zooadmm.methods.auto.kinks.state import KinkState
from zooadmm.methods.method import FirstOrder
from zooadmm.problem.arrays import Vector
from zooadmm.problem.form import Form
from zooadmm.structure.cutting_planes import Planes, decrease_left

APART = 100.0
"""Distance between two points with planes, and from x, in units of l_i at least."""

LARGEST_PROGRAM = 2**20
"""Numbers in all planes at most: 8 MB."""


def none(m: int) -> Planes:
    """Before the first gradient."""
    return Planes(np.zeros((0, m)), np.zeros(0), np.zeros((0, m)), np.zeros(0))


def remembered(m: int) -> int:
    """Steps whose planes and decreases are kept: twice the m + 1 planes of a vertex, and some."""
    return 2 * (m + TRIES)


def recent_decrease(state: KinkState) -> float:
    """delta; Delta again once a search has failed, to tell a smooth point by longer differences."""
    if state.failures > 0:
        return state.scale
    return min(state.scale, max(float(state.falls.sum()), SEEN * state.eps))


def is_metric_known(state: KinkState) -> bool:
    """Whether H has learned from steps, and the last search from x found one."""
    return len(state.H) > 0 and not state.fresh and state.failures == 0


def lengths(state: KinkState) -> Vector:
    """l: where H is known no longer than makes rounding and curvature alike."""
    longest = math.sqrt(state.eps * recent_decrease(state)) / state.steepest
    if not is_metric_known(state):
        return np.asarray(longest)
    return np.asarray(np.minimum(longest, np.sqrt(state.eps / np.diagonal(state.H))))


def appended(state: KinkState, x: Vector, loss: float, g: Vector) -> Planes:
    """The planes, with that of a point unless the last one lies almost there."""
    planes, m = state.planes, len(x)
    if len(planes.values) > 0 and _distance(state, x, planes.points[-1]) < APART:
        return planes
    most = min(remembered(m), LARGEST_PROGRAM // (2 * m + 1))
    added = _with(planes, x, loss, g, _error(state))
    return added.chosen(np.arange(len(added.values))[-most:])


def _error(state: KinkState) -> float:
    """2 eps / l_i, in units of s_i, the largest."""
    return float((2.0 * state.eps / (lengths(state) * state.steepest)).max())


def _with(planes: Planes, x: Vector, loss: float, g: Vector, error: float) -> Planes:
    return Planes(
        np.vstack([planes.points, x]),
        np.append(planes.values, loss),
        np.vstack([planes.slopes, g]),
        np.append(planes.errors, error),
    )


def agree(state: KinkState, g: Vector) -> bool:
    """Whether a gradient by differences to the other side shows no kink between them."""
    return bool((np.abs(g - state.g) <= ROUNDED**0.5 * state.steepest).all())


def _distance(state: KinkState, x: Vector, other: Vector) -> float:
    """The largest |x_i - other_i| / l_i, for the longest l."""
    length = math.sqrt(state.eps * state.scale)
    return float((np.abs(x - other) * state.steepest).max()) / length


def first_order(state: KinkState, form: Form, x0: Vector) -> FirstOrder | None:
    """The decrease that planes leave within the distance from x0, or Delta / s_i where it is more.

    None where there is no plane.
    """
    x, loss, Delta = state.at.x, state.loss, state.scale
    far = np.array([_distance(state, x, point) >= APART for point in state.planes.points])
    planes = state.planes.chosen(np.flatnonzero(far))
    known, values = np.vstack([planes.points, x]), np.append(planes.values, loss)
    above = (planes.at(known) - values).max(axis=1, initial=-math.inf)
    planes = planes.chosen(np.flatnonzero(above <= HALF_DIGITS * Delta + 2.0 * state.eps))
    if len(state.smooth_g) > 0:
        planes = _with(planes, x, loss, state.smooth_g, _error(state))
    if len(planes.values) == 0:
        return None
    reach = np.maximum(Delta / state.steepest, np.abs(x - x0))
    sure = planes.lowered(float(reach @ state.steepest))
    length, longest = (
        math.sqrt(2.0 * decrease_left(each, form, x, loss, reach, Delta)) for each in (planes, sure)
    )
    if not math.isfinite(longest):
        return None
    return FirstOrder(length, 0.5 * (longest - length), max(abs(loss), Delta))
