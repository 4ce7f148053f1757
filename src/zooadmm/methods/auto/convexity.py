"""Whether values on a line show that a loss is not convex.

A convex f lies below its chords. A value above a chord between two others, by more than rounding,
is a hill between them and proves that f is not convex. The test uses values that were evaluated for
other reasons: the first ladder, trials of one line, the test for a kink, second differences.
"""

from __future__ import annotations

import numpy as np

from zooadmm.methods.auto.constants import COARSE, SEEN, ULPS
from zooadmm.problem.arrays import Matrix, Vector


def is_violated(t: Vector, values: Vector, eps: float, cell: float = 0.0) -> bool:
    """Whether one of these values lies above the chord between two others.

    t: where the points lie on their line. eps: how far a value may be off by rounding; larger ones
    may be off by as much of their size. Values that are not finite are left out.
    cell: how far t itself may be off by rounding: next to a steep kink values are off by more.

    >>> t = np.array([-1.0, 0.0, 2.0])
    >>> is_violated(t, t**2, 1e-16), is_violated(t, t, 1e-16), is_violated(t, np.cos(t), 1e-16)
    (False, False, True)
    """
    order = np.argsort(t, kind="stable")
    order = order[np.isfinite(values[order])]
    if len(order) <= 2:
        return False
    t, f = t[order], values[order].astype(np.float64)
    hull = [0]
    for i in range(1, len(t)):
        while len(hull) > 1 and _is_above(t, f, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(i)
    size = float(np.median(np.abs(f)))
    relative = max(eps / size if eps < COARSE * size else COARSE, ULPS * np.finfo(float).eps)
    slopes = np.abs(np.diff(f)) / np.maximum(np.diff(t), cell or np.finfo(float).tiny)
    steepest = np.maximum(np.append(slopes, 0.0), np.append(0.0, slopes))
    off = SEEN * np.maximum(np.maximum(eps, relative * np.abs(f)), cell * steepest)
    chords, ends = np.interp(t, t[hull], f[hull]), np.abs(f[hull])
    chord = np.searchsorted(t[hull][1:-1], t)
    rounded = ULPS * np.spacing(np.maximum(ends[:-1], ends[1:])[chord])  # of the chords themselves
    off = np.maximum(np.maximum(off, rounded), np.interp(t, t[hull], off[hull]))
    return bool((f - chords > off).any())


def _is_above(t: Vector, f: Vector, i: int, j: int, k: int) -> bool:
    """Whether the point j is not below the chord from i to k."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool((f[j] - f[i]) * (t[k] - t[i]) >= (f[k] - f[i]) * (t[j] - t[i]))


def on_line(x: Vector, loss: float, points: Matrix, values: Vector, eps: float) -> bool:
    """The same for x and the points on its line to the last of them; others are left out.

    >>> points = np.array([[1.0, 1.0], [5.0, 0.0], [2.0, 2.0]])
    >>> on_line(np.zeros(2), 0.0, points, np.array([1.0, 0.0, 1.5]), 1e-16)
    True
    """
    ways = points - x
    s = ways[-1]
    if not s.any():
        return False
    t = ways @ s / float(s @ s)
    off = np.abs(ways - t[:, None] * s)
    on = (off <= ULPS * np.spacing(np.maximum(np.abs(points), np.abs(x)))).all(axis=1)
    return is_violated(np.append(t[on], 0.0), np.append(values[on], loss), eps)
