"""The nearest adversarial point by cutting planes: margins are constraints, tangents are rows.

    minimize |x - x0|   subject to  margin(x) <= 0,  lower <= x <= upper

The tangent at x_k has the margin and its slope g_k there, so the row

    margin(x_k) + <g_k, x - x_k> <= 0

The next point is the nearest to x0 that satisfies the newest rows (Kelley 1960). For a convex
margin every row holds at every adversarial point; for others old rows may be wrong and are
dropped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zooadmm.applications.attack.black_box import BlackBox, Goal, Tangent, margin
from zooadmm.applications.attack.distortions import Floats

KEPT = 6
"""Looks whose rows are kept."""

ROUNDS = 30
"""Looks at most in one descent."""

GAIN = 1e-3
"""Relative decrease of the distortion that counts as one."""

FAILURES = 3
"""Steps without a gain after which rows are dropped, then a descent ends; each halves the next."""

BEYOND = 1e-6
"""How far beyond a row a point is placed, relative to the range of a pixel."""

SHARES = (1.0, 0.5, 0.1)
"""Parts of the margins that a step is to remove: the first that the bounds allow."""

OVERSHOOT = 1.1
"""Part of the remaining margin that a correction along the slope aims at; twice as much after each
that did not reach the goal."""


class Nearest(NamedTuple):
    """The nearest point of a goal that is known; None where there is none."""

    distortion: float
    x: Floats | None


def descent(box: BlackBox, goal: Goal, tangent: Tangent) -> Nearest:
    """The nearest point of the goal that is found from this tangent.

    After FAILURES steps without a gain the rows from before the best point are dropped, once for
    each gain: they are from farther away and may cut off better points.
    """
    tangents, best, at_best, failures, misses = [tangent], np.inf, None, 0, 0
    newer, dropped = 0, False  # tangents since the best point, that one included
    for _ in range(ROUNDS):
        step = _nearest(box, goal, tangents)
        if step is None:
            # rows of a margin that is not convex may contradict each other
            tangents = tangents[-1:]
            steps = (_nearest(box, goal, tangents, share) for share in SHARES)
            step = next((found for found in steps if found is not None), None)
        if step is None:
            break
        x = step if at_best is None else at_best + (step - at_best) * 0.5**failures
        x, logs = _corrected(box, goal, tangents[-1], x, misses)
        size = box.distortion(x - box.x0)
        reached = margin(logs, goal) < 0.0
        misses = 0 if reached else misses + 1
        if reached and size < best * (1 - GAIN):
            failures, dropped = 0, False
        elif at_best is not None:
            failures += 1
        newer += 1
        if reached and size < best:
            best, at_best, newer = size, x, 1
        if failures >= FAILURES and dropped:
            break
        tangents = [*tangents, box.tangent(x, logs)][-KEPT:]
        if failures >= FAILURES:
            tangents, failures, dropped = tangents[-newer:], 0, True
    return Nearest(best, at_best)


def linear_distance(box: BlackBox, goal: Goal, tangent: Tangent) -> float:
    """Distortion that reaches the goal if the margins were linear; inf where none does."""
    x = _nearest(box, goal, [tangent])
    return np.inf if x is None else box.distortion(x - box.x0)


def _nearest(
    box: BlackBox, goal: Goal, tangents: list[Tangent], share: float = 1.0
) -> Floats | None:
    """The point nearest to x0 that satisfies the rows of these tangents.

    share: the part of each positive margin that is to go.
    """
    rows, bounds = [], []
    beyond = BEYOND * float((box.upper - box.lower).max())
    for tangent in tangents:
        for pair in goal:
            slope = tangent.slope(pair)
            size = float(np.linalg.norm(slope))
            excess = tangent.margin(pair)
            if size > 0.0:
                fall = excess * share if excess > 0.0 else excess
                rows.append(slope / size)
                bounds.append((slope @ (tangent.x - box.x0) - fall) / size - beyond)
            elif excess >= 0.0:
                return None
    if not rows:
        return None
    lower, upper = box.lower - box.x0, box.upper - box.x0
    d = box.distortion.nearest(lower, upper, np.array(rows), np.array(bounds))
    return None if d is None else np.clip(box.x0 + d, box.lower, box.upper)


def _corrected(
    box: BlackBox, goal: Goal, tangent: Tangent, x: Floats, misses: int
) -> tuple[Floats, Floats]:
    """x and its values, or a point beyond it along the slope where only that is adversarial."""
    logs = box.logs([x])[0]
    pair = max(goal, key=lambda pair: float(logs[pair[0]] - logs[pair[1]]))
    missed, slope = float(logs[pair[0]] - logs[pair[1]]), tangent.slope(pair)
    squared = float(slope @ slope)
    if missed < 0.0 or squared == 0.0:
        return x, logs
    beyond = OVERSHOOT * 2.0**misses * missed + BEYOND * np.sqrt(squared)
    further = np.clip(x - slope * (beyond / squared), box.lower, box.upper)
    values = box.logs([further])[0]
    return (further, values) if margin(values, goal) < 0.0 else (x, logs)
