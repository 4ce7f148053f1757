"""The first slopes and curvatures: two points along each variable, inside X.

Beside x, at x + d and x - d; where one of them lies outside X at x + d/2 and x + d, d being what X
leaves of a move twice as long. The second difference c = |d'f''d| that is aimed at is
sqrt(eps |f|), halfway between rounding and the size of the loss in orders of magnitude; a variable
whose c is lost in rounding, or far too large, is measured again at a radius sqrt(aim/c) times as
long, between the radii known to be too short and too long. So the units of the variables do not
matter. Where the loss is not finite on one side the other is taken, and then a shorter radius.
A loss that is straight up to one radius and curved far more just beyond it has a kink or a jump
between them: the slope is that of the shorter one.
A repair measures along the rows of a basis instead of the variables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import (
    FEW,
    FLATTEST,
    NARROW,
    ROUNDED,
    SEEN,
    SMALL_PART,
    SURE,
    TRIES,
)
from zooadmm.methods.auto.model import grid
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.model.state import NO_ROWS, Start
from zooadmm.problem.arrays import Matrix, Vector, norm
from zooadmm.problem.sets import ConvexSet

TOO_MUCH = 1e4
"""The largest c, in units of what is aimed at."""

CLOSE = 32.0
"""Radii of a kink or a jump, the longer by the shorter at most: between them c grows by 1e10 at
least for a loss of size 1, that of x^p by 32^p."""

MOST_CHANGE = 1e3
"""The radius changes by this factor at most, and grows at least tenfold where nothing was seen."""


def init(
    domain: ConvexSet,
    x: Vector,
    loss: float,
    eps: float,
    basis: Matrix = NO_ROWS,
    single: bool = False,
) -> Start:
    """Before anything is measured; along the rows of a basis of length 1 in H, where there is one.

    Without one radii begin at (eps / |f|)^1/4 max(1, |x_i|).
    """
    m = len(x)
    radii = np.full(m, math.sqrt(aim(loss, eps)))
    if len(basis) == 0:
        typical = min(math.sqrt(aim(loss, eps) / max(abs(loss), eps)), 1.0)
        radii = typical * np.maximum(1.0, np.abs(x))
    zero = np.zeros(m)
    start = Start(radii, zero, zero, zero, np.arange(m), 0, zero, np.full(m, math.inf), basis)
    start = start._replace(single=single, on_kinks=np.zeros(m, dtype=np.bool_))
    movable = np.array([both or bool(d.any()) for d, both in _moves(start, domain, x)])
    slopes = np.where(movable, np.nan, 0.0)
    return start._replace(slopes=slopes, todo=np.flatnonzero(movable))


def mostly(still: NDArray[np.bool_], domain: ConvexSet) -> bool:
    """Whether this holds for half or more of the variables that bounds do not fix.

    >>> from zooadmm.problem.sets import Box
    >>> mostly(np.array([True, True, False]), Box([0.0, 0.0, 1.0], [0.0, 0.0, 2.0]))
    False
    """
    bounds = domain.bounds()
    if bounds is not None:
        free = np.asarray(bounds[0]) < np.asarray(bounds[1])
        still = still[np.broadcast_to(free, still.shape)]
    return bool(still.sum() >= max(1.0, 0.5 * still.size))


def radii_for(curvatures: Vector, loss: float, eps: float) -> Vector:
    """Lengths at which second differences are what is aimed at."""
    return np.asarray(np.sqrt(aim(loss, eps) / curvatures))


def points(start: Start, domain: ConvexSet, x: Vector) -> Matrix:
    """Two for each variable that is to be measured, in X without the rounding of these sums."""
    made = np.empty((2 * len(start.todo), len(x)))
    for row, (d, both) in enumerate(_moves(start, domain, x)):
        made[2 * row] = x + d
        made[2 * row + 1] = x - d if both else x + 0.5 * d
    if domain.is_everything or len(made) == 0:
        return made
    return np.array([domain.project(point) for point in made])


def read(
    start: Start, domain: ConvexSet, x: Vector, loss: float, values: Vector, eps: float
) -> Start:
    """What the values show, and what is to be measured again."""
    radii, sides = start.radii.copy(), start.sides.copy()
    slopes, curvatures = start.slopes.copy(), start.curvatures.copy()
    low, high, on_kinks = start.low.copy(), start.high.copy(), start.on_kinks.copy()
    again: list[int] = []
    falling: list[tuple[float, Vector]] = []
    aimed = SEEN * eps if start.noisy else aim(loss, eps)
    least = SMALL_PART * aimed if start.noisy else SEEN * eps
    moved = _moves(start, domain, x)
    for i, (d, both), (far, other) in zip(start.todo, moved, values.reshape(-1, 2), strict=True):
        if not (math.isfinite(far) and math.isfinite(other)):
            if both and (math.isfinite(far) or math.isfinite(other)):
                sides[i] = 1.0 if math.isfinite(far) else -1.0
            else:
                high[i] = radii[i]
                radii[i] = max(SMALL_PART * radii[i], math.sqrt(low[i] * radii[i]))
            again.append(int(i))
            continue
        c = far + other - 2.0 * loss if both else (far + loss - 2.0 * other) / 0.5**2
        if c < -least:
            falling.append((c, d))
        too_long = abs(c) > TOO_MUCH * aimed
        if not (too_long and low[i] > 0.0):  # else that of the radius low stays
            half, whole = (other - loss) / 0.5, far - loss  # to x + d/2 and x + d
            slopes[i] = 0.5 * (far - other) if both else 2.0 * half - whole
        along = float(start.basis[i] @ start.basis[i]) if len(start.basis) > 0 else 1.0
        c = max(abs(c), SURE * eps) if start.noisy else abs(c)
        curvatures[i] = along * c / float(d @ d)
        on_kinks[i] = c >= least and _grows_like_a_kink(start, int(i), curvatures[i])
        factor = math.sqrt(aimed / max(c, eps))
        more = start.tries == 0 or (start.tries == 1 and far != other and not start.noisy)
        if c < least and (more or high[i] < math.inf):
            longer = radii[i] * min(max(factor, 1.0 / SMALL_PART), MOST_CHANGE)
            if start.noisy and _is_cut(start, domain, x, int(i), longer, d):
                continue
            low[i] = radii[i]
            radii[i] = longer if longer < high[i] else math.sqrt(low[i] * high[i])
            again.append(int(i))
        elif too_long:
            high[i] = radii[i]
            shorter = radii[i] * max(factor, 1.0 / MOST_CHANGE)
            radii[i] = shorter if shorter > low[i] else math.sqrt(low[i] * high[i])
            again.append(int(i))
    tries = start.tries + 1
    todo = np.array(again if tries < TRIES else [], dtype=np.intp)
    if tries == TRIES:
        known = np.array([i for i in again if np.isfinite(slopes[i])], dtype=np.intp)
        radii[known] = np.where(low > 0.0, low, start.radii)[known]  # where slopes were measured
    downward = _downward(start.downward, falling)
    return start._replace(
        radii=radii,
        sides=sides,
        slopes=slopes,
        curvatures=curvatures,
        todo=todo,
        tries=tries,
        low=low,
        high=high,
        downward=downward,
        on_kinks=on_kinks,
    )


def _grows_like_a_kink(start: Start, i: int, curvature: float) -> bool:
    """Whether a kink at x explains a curvature, beside the last one, at a longer radius.

    Second differences at the length t are q t^2 where the loss is smooth, k t at a kink and
    constant at a jump: at a radius r times shorter the curvature has grown by 1, r and r^2.
    """
    if start.noisy or not 0.0 < start.radii[i] < start.high[i] < math.inf:
        return False
    r = start.high[i] / start.radii[i]
    before = start.curvatures[i]
    return bool(math.sqrt(r) * before < curvature < r * math.sqrt(r) * before)


def _is_cut(start: Start, domain: ConvexSet, x: Vector, i: int, longer: float, d: Vector) -> bool:
    """Whether X leaves little more of a longer move along a variable than the move d it had."""
    radii = np.full(len(x), longer)
    move, _ = next(_moves(start._replace(radii=radii, todo=np.array([i])), domain, x))
    return bool(NARROW * norm(move) < norm(d))


def before_kinks(start: Start) -> Start:
    """Without a further measurement where a kink or a jump lies between two radii."""
    known = start.todo[_are_close(start)[start.todo]]
    radii = start.radii.copy()
    radii[known] = start.low[known]
    return start._replace(radii=radii, todo=np.setdiff1d(start.todo, known))


def _are_close(start: Start) -> NDArray[np.bool_]:
    """Whether a kink or a jump lies between the radii; noise hides which."""
    return (start.low > 0.0) & (start.high < CLOSE * start.low) & (not start.noisy)


def is_kinked(start: Start, domain: ConvexSet) -> bool:
    """Whether kinks, or jumps between slopes, were met along most variables."""
    return mostly(start.on_kinks | (_are_close(start) & (start.slopes != 0.0)), domain)


def across_kinks(start: Start) -> Vector:
    """Half of how much the slope along each variable jumps at x; 0 where it does not."""
    jumps = 0.5 * start.curvatures * start.radii
    return np.where(start.on_kinks, jumps, 0.0)


def _downward(known: Matrix, falling: list[tuple[float, Vector]]) -> Matrix:
    """The moves with the most negative second differences, before those known."""
    moves = [d for _, d in sorted(falling, key=lambda pair: pair[0])[:FEW]]
    return np.array([*moves, *known])[:FEW] if moves else known


def along_variables(start: Start, domain: ConvexSet, x: Vector) -> tuple[Vector, Vector]:
    """The gradient and the curvatures; in O(m) memory where each move is along a variable."""
    moves = (d for d, _ in _moves(start._replace(todo=np.arange(len(x))), domain, x))
    if domain.bounds() is None:
        return least_norm(np.array(list(moves)), start.slopes), usable_curvatures(start)
    lengths = np.array([d[i] for i, d in enumerate(moves)])
    g = np.divide(start.slopes, lengths, out=np.zeros(len(x)), where=lengths != 0.0)
    return g, usable_curvatures(start)


def least_norm(moves: Matrix, changes: Vector) -> Vector:
    """The g of least norm with <g, d> = change for each move d; moves of length 0 say nothing.

    >>> least_norm(np.array([[2.0, 0.0], [0.0, 0.0]]), np.array([6.0, 0.0])).round(9).tolist()
    [3.0, 0.0]
    """
    lengths = np.linalg.norm(moves, axis=1)
    moved = lengths > 0.0
    D, slopes = moves[moved] / lengths[moved, None], changes[moved] / lengths[moved]
    square = D.T @ D
    square[np.diag_indices(len(square))] += ROUNDED * len(square)
    return np.asarray(scipy.linalg.solve(square, D.T @ slopes, assume_a="pos"))


def usable_curvatures(start: Start) -> Vector:
    """Curvatures above zero: at least a part of the typical one, and that where f is straight.

    Where all is straight a step is as long as the longest move.
    """
    seen = start.curvatures[start.curvatures > 0.0]
    unit = float(np.abs(start.slopes).max()) / float(start.radii.max()) ** 2 or 1.0
    typical = float(np.median(seen)) if len(seen) > 0 else unit
    curvatures = np.maximum(start.curvatures, FLATTEST * typical)
    curvatures[(start.curvatures == 0.0) & (start.slopes != 0.0)] = typical  # straight
    return curvatures


def finished(start: Start, domain: ConvexSet, x: Vector, eps: float) -> tuple[Belief, Vector]:
    """The belief about the gradient, and the curvatures along the moves."""
    m = len(x)
    curvatures = usable_curvatures(start)
    D = np.array([d for d, _ in _moves(start._replace(todo=np.arange(m)), domain, x)])
    lengths = np.linalg.norm(D, axis=1)
    moved = lengths > 0.0
    D, slopes, lengths = D[moved], start.slopes[moved], lengths[moved]
    if np.count_nonzero(D) == len(D):  # along the variables themselves
        v = np.zeros(m)
        v[moved] = slopes / D[D != 0.0]
    else:
        v = np.linalg.lstsq(D / lengths[:, None], slopes / lengths, rcond=FLATTEST)[0]
    variances = 2.0 * np.square(eps / lengths)
    P = np.zeros((m, m))
    P[moved, moved] = variances
    if len(start.basis) > 0:
        back = np.linalg.pinv(D / lengths[:, None])
        P = (back * variances) @ back.T
    return Belief(v, P), curvatures


def metric(start: Start, curvatures: Vector) -> Matrix:
    """The metric with these curvatures along the moves."""
    if len(start.basis) == 0:
        return np.diag(curvatures)
    back = np.linalg.inv(start.basis)
    H = (back * curvatures) @ back.T
    return np.asarray(0.5 * (H + H.T))


def _moves(start: Start, domain: ConvexSet, x: Vector) -> Iterator[tuple[Vector, bool]]:
    """For each variable that is to be measured its move d, and whether x - d is a point too."""
    for i in start.todo:
        d = np.zeros(len(x))
        d[i] = grid.length(x[i], start.radii[i], start.dtype)
        if len(start.basis) > 0:
            d = start.radii[i] * start.basis[i]
        side = float(start.sides[i])
        both = side == 0.0 and (
            domain.is_everything or (_is_inside(domain, x + d) and _is_inside(domain, x - d))
        )
        if not both:
            ways = [domain.project(x + 2.0 * sign * d) - x for sign in (1.0, -1.0)]
            d = max(ways, key=lambda way: float(way @ way))
            if side != 0.0:
                d = ways[0] if side > 0.0 else ways[1]
        yield d, both


def _is_inside(domain: ConvexSet, point: Vector) -> bool:
    return bool(np.array_equal(domain.project(point), point))


def aim(loss: float, eps: float) -> float:
    """The second difference that is aimed at: at least ten times what shows a curvature."""
    return math.sqrt(eps) * math.sqrt(max(abs(loss), (SEEN / SMALL_PART) ** 2 * eps))
