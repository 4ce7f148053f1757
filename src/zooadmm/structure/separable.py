"""The minimizer of the model where phi is made of coordinates, by active sets.

    argmin_x  <g, x - x_0> + |x - x_0|_H^2 / 2 + sum_i (w_i |x_i| + k x_i^2 / 2)
    with  l <= x <= u  and, where there is a total,  1'x = total

At the solution x_i = prox_i(x_i - slope_i / c_i) for any c_i > 0, the slopes being those of the
Lagrangian. A guess of which x_i stand at l, 0 or u, and of the signs of the others, makes this a
linear system; its solution gives the next guess, and a guess that confirms itself is the exact
answer (Hintermueller, Ito and Kunisch 2002: a semismooth Newton method). It is not sure to end.
Where there is no total the variables then take turns, each to its own minimizer, which leads to
better guesses in whatever units they are; `None` says that none confirmed itself.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.constraint import Consensus
from zooadmm.problem.problem import Problem
from zooadmm.problem.regularizers import (
    L1,
    ElasticNet,
    Indicator,
    Regularizer,
    SquaredL2,
    Within,
    Zero,
)
from zooadmm.problem.sets import (
    Box,
    BoxBudget,
    Budget,
    ConvexSet,
    Nonnegative,
    Simplex,
    WholeSpace,
)

MAX_GUESSES = 30

TURNS = 10
"""How often the variables take turns before the next guess."""

MOST_TURNS = 50


class Coordinates(NamedTuple):
    """sum_i w_i |x_i| + k x_i^2 / 2 over l <= x <= u, and over 1'x = total if that is finite."""

    w: Vector
    k: float
    lower: Vector
    upper: Vector
    total: float


def coordinates(problem: Problem) -> Coordinates | None:
    """The parts of a problem with X = R^m and x = y whose phi is made of coordinates."""
    if not isinstance(problem.constraint, Consensus):
        return None
    phi: Any = problem.regularizer
    within: ConvexSet = WholeSpace()
    if isinstance(phi, Within):
        phi, within = phi.regularizer, phi.box
    elif isinstance(phi, Indicator):
        phi, within = Zero(), phi.convex_set
    strengths, bounds = _strengths(phi), _bounds(within)
    if strengths is None or bounds is None:
        return None
    ones = np.ones(problem.m)
    lower, upper, total = bounds
    return Coordinates(strengths[0] * ones, strengths[1], lower * ones, upper * ones, total)


def _bounds(within: ConvexSet) -> tuple[Vector | float, Vector | float, float] | None:
    """(l, u, total)"""
    if isinstance(within, WholeSpace):
        return -math.inf, math.inf, math.nan
    if isinstance(within, Box):
        return within.lower, within.upper, math.nan
    if isinstance(within, Nonnegative):
        return 0.0, math.inf, math.nan
    if isinstance(within, Budget):
        return -math.inf, math.inf, within.budget
    if isinstance(within, Simplex):
        return 0.0, math.inf, within.budget
    if isinstance(within, BoxBudget):
        return within.lower, within.upper, within.budget
    return None


def _strengths(regularizer: Regularizer) -> tuple[Vector | float, float] | None:
    """(w, k)"""
    if isinstance(regularizer, Zero):
        return 0.0, 0.0
    if isinstance(regularizer, L1):
        weights = 1.0 if regularizer.weights is None else regularizer.weights
        return regularizer.strength * weights, 0.0
    if isinstance(regularizer, SquaredL2):
        return 0.0, regularizer.strength
    if isinstance(regularizer, ElasticNet):
        return regularizer.l1_strength, regularizer.l2_strength
    return None


def minimizer(parts: Coordinates, H: Matrix, x0: Vector, g: Vector, start: Vector) -> Vector | None:
    """The argmin above, or None where the guesses go round in circles."""
    found = _guessed(parts, H, x0, g, start)
    turns = 0 if math.isnan(parts.total) else MOST_TURNS
    while found is None and turns < MOST_TURNS:
        start = _in_turn(parts, H, x0, g, start)
        found = _guessed(parts, H, x0, g, start)
        turns += TURNS
    return found


def _in_turn(parts: Coordinates, H: Matrix, x0: Vector, g: Vector, start: Vector) -> Vector:
    """Each variable to its own minimizer, the others standing still, TURNS times."""
    x = np.minimum(np.maximum(start, parts.lower), parts.upper)
    slope = g + H @ (x - x0)
    columns = [v.tolist() for v in (np.diagonal(H), parts.w, parts.lower, parts.upper)]
    variables = list(enumerate(zip(*columns, strict=True)))
    at = x.tolist()
    for _ in range(TURNS):
        for i, (c, w, lower, upper) in variables:
            if c + parts.k <= 0.0:
                continue
            pulled = c * at[i] - float(slope[i])
            to = math.copysign(max(0.0, abs(pulled) - w), pulled) / (c + parts.k)
            to = min(max(to, lower), upper)
            if to != at[i]:
                slope += (to - at[i]) * H[i]
                at[i] = to
    return np.array(at)


def _guessed(parts: Coordinates, H: Matrix, x0: Vector, g: Vector, start: Vector) -> Vector | None:
    """The argmin by guesses from a start, or None."""
    w, k, lower, upper, total = parts
    c = np.diagonal(H) + k
    threshold = w / c
    x, price = start, 0.0
    if math.isfinite(total):  # nearly right at the coordinates between their bounds
        inner = (lower < x) & (x < upper)
        slopes = g + H @ (x - x0) + k * x
        price = -float(np.mean(slopes[inner])) if inner.any() else 0.0
    before: NDArray[np.int8] | None = None
    for _ in range(MAX_GUESSES):
        slope = g + H @ (x - x0) + k * x + price
        t = x - slope / c
        wanted = t - np.minimum(np.maximum(t, -threshold), threshold)
        at_bound = (wanted <= lower) | (wanted >= upper)
        free = ~at_bound & ((wanted != 0.0) | (w == 0.0))
        signs = np.sign(wanted)
        guess = np.select(
            [wanted <= lower, wanted >= upper, ~free, w > 0.0], [2, 3, 4, signs], 0
        ).astype(np.int8)
        if before is not None and np.array_equal(guess, before):
            x = x if math.isnan(total) else _totaled(x, free, total)
            return np.minimum(np.maximum(x, lower), upper)  # rounding crosses no bound
        x = np.where(free, 0.0, np.minimum(np.maximum(wanted, lower), upper))
        if free.any():
            solved = _solved(parts, H, x0, g, x, free, signs)
            if solved is None:
                return None
            x[free], price = solved
        elif math.isfinite(total):
            return None
        before = guess
    return None


def _totaled(x: Vector, free: NDArray[np.bool_], total: float) -> Vector:
    """x with what rounding left of the total shared out among the free coordinates."""
    for _ in range(2):
        x[free] += (total - x.sum()) / np.count_nonzero(free)
    return x


def _solved(
    parts: Coordinates,
    H: Matrix,
    x0: Vector,
    g: Vector,
    x: Vector,
    free: NDArray[np.bool_],
    signs: Vector,
) -> tuple[Vector, float] | None:
    """The free coordinates and the price of the total, the others being given."""
    here = np.flatnonzero(free)
    rows = H[here]
    inner = rows[:, here]
    if parts.k > 0.0:
        inner[np.diag_indices(len(here))] += parts.k
    right = -g[here] - parts.w[here] * signs[here] - rows @ np.where(free, -x0, x - x0)
    factor, failed = scipy.linalg.lapack.dpotrf(inner, lower=1, overwrite_a=1)
    if failed != 0:
        return None
    columns = right if math.isnan(parts.total) else np.stack([right, np.ones(len(here))], axis=1)
    solution, _ = scipy.linalg.lapack.dpotrs(factor, columns, lower=1)
    if math.isnan(parts.total):
        return solution, 0.0
    # H x + price 1 = right with 1'x = what the others leave of the total
    price = float((solution[:, 0].sum() - parts.total + x.sum()) / solution[:, 1].sum())
    return solution[:, 0] - price * solution[:, 1], price
