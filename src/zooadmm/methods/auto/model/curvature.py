"""The metric H: what is known of the second derivatives of f.

It starts as their diagonal. After each step s, over which the gradient has changed by d, it becomes

    h H + d d'/(s'd) - h H s s'H / (s'H s),   h = min(1, s'd / s'H s)                        (BFGS)

in which H s = d. Curvatures along variables say too much of the others where variables do nearly
the same; h takes that back (self-scaling, Oren and Luenberger 1974; only downwards, Al-Baali 1998).
A loss that bends downwards along s says nothing of other directions: h = 1. It is the same in all
units of the variables.
"""

from __future__ import annotations

import numpy as np

from zooadmm.methods.auto.constants import SMALL_PART, TINY_PART
from zooadmm.problem.arrays import Matrix, Vector

DAMPED = SMALL_PART
"""s'd is made at least this part of s'H s (Powell 1978), so that H stays positive definite."""


def updated(H: Matrix, s: Vector, d: Vector) -> Matrix:
    """H with the secant d over the step s.

    h is TINY_PART at least; at 0.1 a start 1e6 away ends short of the optimum.
    """
    sHs = float(s @ H @ s)
    if not sHs > 0.0:
        return H
    sd = float(s @ d)
    h = min(1.0, max(sd / sHs, TINY_PART)) if sd > 0.0 else 1.0
    Hs, sHs = h * (H @ s), h * sHs
    if sd < DAMPED * sHs:
        part = (1.0 - DAMPED) * sHs / (sHs - sd)
        d = part * d + (1.0 - part) * Hs
        sd = float(s @ d)
    return h * H + np.outer(d, d / sd) - np.outer(Hs, Hs / sHs)


def has_grown(H: Matrix, first: Vector) -> bool:
    """Whether H is that of a kink, or of another place, and to be repaired before a run settles.

    It is where the largest curvature, in units of the diagonal that H began with, is more than two
    refused trials may make it, 1 / TINY_PART each.
    """
    units = 1.0 / np.sqrt(first)
    grown = np.linalg.eigvalsh(units[:, None] * H * units)[-1]
    return bool(grown > 1.0 / TINY_PART**2)


def raised(H: Matrix, s: Vector, curvature: float) -> Matrix:
    """The multiple of H with s'H s = curvature, within bounds.

    Minimizers of the model with multiples of H lie on an arc from x. Were H raised along s alone,
    they would go around the trial that failed, as far as bounds allow.
    """
    return multiple(H, s, curvature) * H


def multiple(H: Matrix, s: Vector, curvature: float) -> float:
    """How many times s'H s this curvature is, within bounds; the largest where it is not finite.

    How the loss bends far away says little of how it bends here, and the next trial is nearer.
    """
    sHs = float(s @ H @ s)
    if not sHs > 0.0:
        return 1.0
    ratio = curvature / sHs
    return max(ratio, DAMPED) if TINY_PART * ratio < 1.0 else 1.0 / TINY_PART
