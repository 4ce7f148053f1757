"""Whether there is a kink or a jump along a step, where trials keep failing.

The last refused step s shows what is between x and x + s: values at 32 equal parts of it, and at
eight more behind x where X allows them. J(k) is the largest second difference over k parts,
max_i |f_i+k - 2 f_i + f_i-k|. From k = 8 to k = 1 that of a smooth loss falls 64-fold, that of a
kink 8-fold, that of a jump not at all; the cuts k^1.5 and k^0.5 lie halfway in orders of magnitude.
J(1) is searched at least four parts from the ends, and where it is found nearer than eight, k is
that distance. Nearer to an end a second difference that is eight times as large as all but its
neighbors is that of a kink, unless they grow geometrically. s may have been refused at another x:
the line ends at the point of X nearest to x + s.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from zooadmm.methods.auto.constants import NEGLIGIBLE, ROUNDED, SEEN
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ConvexSet

BEHIND = 8
"""Parts of the step behind x, and k of the coarse differences."""

PARTS = 4 * BEHIND
"""Parts of the step."""

MARGIN = BEHIND // 2
"""Parts to an end of the line at least: over fewer, kinks and jumps cannot be distinguished."""


def points(domain: ConvexSet, x: Vector, s: Vector, slope: float, eps: float) -> Matrix:
    """The points of X whose values show a kink, in the order of the line; none where X ends at x.

    slope: <g, s>; s is made longer, where X allows it, until rounding hides no kink of that size.
    """
    longer = PARTS * SEEN * eps / max(abs(slope), eps) * s
    if PARTS * SEEN * eps > abs(slope) and _is_inside(domain, x + longer):
        s = longer
    if not _is_inside(domain, x + s):
        s = domain.project(x + s) - x
    if not s.any():
        return np.zeros((0, len(x)))
    first = -BEHIND if _is_inside(domain, x - BEHIND / PARTS * s) else 1
    parts = np.arange(first, PARTS + 1) / PARTS
    made = np.asarray(x + parts[parts != 0.0, None] * s)
    if domain.is_everything:
        return made
    return np.array([domain.project(point) for point in made])  # without the rounding of sums


def _is_inside(domain: ConvexSet, point: Vector) -> bool:
    return domain.is_everything or domain.distance(point) <= ROUNDED * float(np.abs(point).max())


def verdict(values: Vector, loss: float, eps: float) -> Literal["smooth", "kink", "jump"]:
    """What the values at these points show; loss: f(x).

    >>> t = np.delete(np.arange(-8, 33) / 32, 8)
    >>> verdict(t**2, 0.0, 1e-16), verdict(abs(t - 0.3), 0.3, 1e-16), verdict(t > 0.5, 0.0, 1e-16)
    ('smooth', 'kink', 'jump')
    """
    line = np.insert(np.asarray(values, dtype=np.float64), len(values) - PARTS, loss)
    if not np.isfinite(line).all():
        return "smooth"
    second = _second_differences(line, 1)
    if _stands_out(second, eps):
        return "kink"
    i = MARGIN - 1 + int(np.argmax(second[MARGIN - 1 : 1 - MARGIN]))
    k = min(BEHIND, i + 1, len(second) - i)
    fine, coarse = float(second[i]), float(_second_differences(line, k).max())
    if not (fine > NEGLIGIBLE * eps and k * math.sqrt(k) * fine > coarse):
        return "smooth"
    return "jump" if math.sqrt(k) * fine > coarse else "kink"


def _stands_out(second: Vector, eps: float) -> bool:
    """Whether the largest second difference is near an end, alone, and not that of steep growth.

    Growth is geometric there: successive ratios are alike.
    """
    second = np.maximum(second, NEGLIGIBLE * eps)
    if int(np.argmax(second)) > len(second) // 2:
        second = second[::-1]
    i = int(np.argmax(second))
    others = np.delete(second, np.arange(max(i - 1, 0), i + 2))
    if i >= MARGIN - 1 or not second[i] > BEHIND * others.max():
        return False
    ratios = second[1:MARGIN] / second[: MARGIN - 1]
    return bool(ratios.max() > MARGIN * ratios.min())


def _second_differences(line: Vector, k: int) -> Vector:
    return np.asarray(np.abs(line[2 * k :] - 2.0 * line[k:-k] + line[: -2 * k]))
