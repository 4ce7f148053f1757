"""The minimizer of ridges with kinks, from the tangents that were measured.

Where f(x; w_i) = l_i(a_i'x) is convex and a_i is known, each point at which it was measured has two
tangents, one to each side, that lie below it everywhere. The highest of them is a model of the
observation that is exact wherever its straight pieces are known, and so is the mean

    q(x) = mean_i max_k l_ik + l_ik' a_i'(x - x_k).

Its minimum with phi and the structure costs no evaluation. The maximum is rounded by a barrier,

    max_k c_k  ~  min_t t - w sum_k log(t - c_k),

whose slope and curvature make a ridge again, so Newton's steps are those of smooth ridges while w
falls: an interior-point method, with the structure kept exactly in every step.

Two pulls keep x where lines are known: damping D to the center, as in a proximal bundle method
(Lemarechal 1975, Kiwiel 1990), and one to x_1 while observations are few, see `fit`. D has the mean
squared directions, so the steps are the same in any units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import (
    FACTOR,
    FEWEST,
    FLATTEST,
    HALF_DIGITS,
    MOST_ROUNDS,
    ROUNDED,
    SMALL_PART,
    TINY_PART,
    TRIES,
)
from zooadmm.methods.auto.ridges.fit import STRENGTHS, Pulled
from zooadmm.methods.auto.ridges.state import Along
from zooadmm.methods.auto.ridges.tangents import Tangents
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved


class Cuts(NamedTuple):
    """The tangents of some observations, and where their minimizers are pulled to."""

    tangents: Tangents
    directions: Matrix
    center: Solved
    anchor: Vector
    """x_1"""

    def part(self, which: NDArray[np.bool_]) -> Cuts:
        """The tangents of some observations."""
        return self._replace(tangents=self.tangents.part(which), directions=self.directions[which])


def scale(directions: Matrix) -> Vector:
    """D"""
    D = np.square(directions).mean(axis=0)
    return np.asarray(np.maximum(D, FLATTEST * D.max()))


class CutModel:
    """The minimizers of q for one problem."""

    def __init__(self, minimizer: Minimizer, pulled: Pulled) -> None:
        self._minimizer = minimizer
        self._pulled = pulled

    def change(self, cuts: Cuts, to: Solved) -> float:
        """q + phi there, less that at the center."""
        there, here = (
            float(cuts.tangents.highest(cuts.directions @ at.x)[0].mean()) + self._minimizer.phi(at)
            for at in (to, cuts.center)
        )
        return there - here

    def __call__(
        self,
        cuts: Cuts,
        damping: Vector,
        pull: Vector,
        start: Solved | None = None,
        accuracy: float = ROUNDED,
    ) -> Solved:
        """The minimizer with these diagonals of the pulls to the center and to x_1.

        accuracy: the last w, as a part of the first.
        """
        tangents, A, center, anchor = cuts
        both = damping + pull
        anchor = (damping * center.x + pull * anchor) / both
        values, slopes = tangents.highest(A @ center.x)
        first_step = A @ (slopes @ A / len(A) / both)
        w = min(float(np.abs(slopes * first_step).mean()), float(np.abs(values).mean()))
        at, rho, last = start or center, 0.0, accuracy * w
        while w > last:
            w /= FACTOR
            for _ in range(TRIES):
                low = self._height(cuts, at, both, anchor, w)
                along = rounded(tangents, A @ at.x, w)
                if not np.isfinite(along.curvature).all():
                    return at  # beyond the range of floats
                model = self._pulled.quadratic(A, along)
                to, rho = self._pulled(model, both, at, anchor, rho)
                high = self._height(cuts, to, both, anchor, w)
                for _ in range(FEWEST):
                    if high < low:
                        break
                    to = Solved(*(a + (b - a) / FACTOR for a, b in zip(at, to, strict=True)))
                    high = self._height(cuts, to, both, anchor, w)
                at = to if high < low else at
                if not low - high >= SMALL_PART * w:
                    break
        return at

    def _height(self, cuts: Cuts, at: Solved, pull: Vector, anchor: Vector, w: float) -> float:
        value = float(rounded(cuts.tangents, cuts.directions @ at.x, w).value.mean())
        away = float(pull @ np.square(at.x - anchor))
        return value + self._minimizer.phi(at) + 0.5 * away

    def best_strength(self, cuts: Cuts, damping: Vector, unit: Vector) -> float:
        """The pull to x_1 whose minimizers of some folds are the best on the others."""
        fold = np.arange(len(cuts.directions)) % FEWEST
        scores = np.zeros(len(STRENGTHS))
        for k in range(FEWEST):
            others, left_out, start = cuts.part(fold != k), cuts.part(fold == k), cuts.center
            for j, strength in enumerate(STRENGTHS):
                start = self(others, damping, strength * unit, start, TINY_PART)
                scores[j] += len(left_out.directions) * self.change(left_out, start)
        return float(STRENGTHS[int(np.argmin(scores))])


def rounded(tangents: Tangents, z: Vector, w: float) -> Along:
    """min_t t - w sum_k log(t - line_k) of each observation, with its slope and curvature in z.

    t solves w sum_k 1 / (t - line_k) = 1. Newton's steps on the reciprocal rise to it.

    >>> both = Tangents(np.zeros((2, 1)), np.array([[1.0], [-1.0]]))
    >>> rounded(both, np.zeros(1), w=0.1).slope
    array([0.])
    """
    lines = tangents.at(z)
    t = lines.max(axis=0) + w
    for _ in range(MOST_ROUNDS):
        inverse = 1.0 / (t - lines)
        total = inverse.sum(axis=0)
        change = (w * total - 1.0) * total / np.square(inverse).sum(axis=0)
        t = t + change
        if not float(change.max()) > HALF_DIGITS * w:
            break
    inverse = 1.0 / (t - lines)
    shares = inverse / inverse.sum(axis=0)  # they add up to 1
    weights = np.square(shares) / w
    mean = (weights * tangents.slopes).sum(axis=0) / weights.sum(axis=0)
    curvature = (weights * np.square(tangents.slopes - mean)).sum(axis=0)
    value = t + w * np.log(np.where(shares > 0.0, shares, 1.0)).sum(axis=0)
    return Along(value, (shares * tangents.slopes).sum(axis=0), curvature, np.isfinite(value))
