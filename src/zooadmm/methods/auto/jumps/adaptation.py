"""Adaptation of a normal distribution by ranks: CMA-ES (Hansen 2016) inside X.

Each round evaluates points u_k = P(mean + s y_k), y_k ~ N(0, C), with the projection P on X. With
the better half in the order of F, and weights w_k that fall like log(k) and add up to 1,

    mean+ = P(mean + s sum_k w_k y_k),    d = (mean+ - mean) / s,    mu = 1 / sum_k w_k^2,
    p_s <- (1 - c_s) p_s + sqrt(c_s (2 - c_s) mu) C^-1/2 d
    p_c <- (1 - c_c) p_c + h sqrt(c_c (2 - c_c) mu) d
    C   <- (1 - c_1 - c_mu) C + c_1 p_c p_c' + c_mu sum_k w_k y_k y_k'
    s   <- s exp(c_s / d_s (|p_s| / E|N(0, I)| - 1)).

Only the order of values counts, so jumps do no harm that noise of their size would not do. C is
that of points before the projection: those on a face of X would flatten it for good. Where all
values of a round are the same nothing was seen, and s doubles.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.linalg

from zooadmm.methods.auto.constants import FEW
from zooadmm.methods.auto.jumps.state import Cloud
from zooadmm.problem.arrays import Matrix, Vector, norm


def number(m: int) -> int:
    """Points of a round at first.

    >>> number(5), number(50)
    (10, 13)
    """
    return FEW + int(math.log2(m))


class Adaptation(NamedTuple):
    """The weights and rates for m variables and a number of points a round."""

    m: int
    weights: Vector
    """Weights of the better half of the points"""
    mass: float
    """mu"""
    turning: float
    """c_s"""
    moving: float
    """c_c"""
    rank_one: float
    """c_1"""
    rank_many: float
    """c_mu"""

    @classmethod
    def of(cls, m: int, points: int) -> Adaptation:
        """The rates of Hansen 2016, without his small corrections."""
        half = points // 2
        falling = math.log((points + 1) / 2) - np.log(np.arange(1, half + 1))
        weights = falling / falling.sum()
        mass = 1.0 / float(np.square(weights).sum())
        one = 2.0 / ((m + 1) ** 2 + mass)
        many = min(1.0 - one, 2.0 * (mass - 2.0 + 1.0 / mass) / ((m + 2) ** 2 + mass))
        return cls(m, weights, mass, (mass + 2) / (m + mass + 2), 2.0 / (m / 2 + 2), one, many)

    def first(self, mean: Vector, step: float) -> Cloud:
        """Before the first round."""
        zero = np.zeros(self.m)
        return Cloud(mean, step, np.eye(self.m), zero, zero, 0)

    def updated(self, cloud: Cloud, draws: Matrix, values: Vector, to: Vector) -> Cloud:
        """After the values of F at the points of a round.

        to: mean+, see `mean`.
        """
        finite = np.isfinite(values)
        if not finite.any():
            return cloud._replace(step=0.5 * cloud.step, rounds=cloud.rounds + 1)
        d, rounds, keeps = (to - cloud.mean) / cloud.step, cloud.rounds + 1, 1.0 - self.turning
        L = scipy.linalg.cholesky(cloud.C, lower=True)
        plain = scipy.linalg.solve_triangular(L, d, lower=True)
        turned = keeps * cloud.turned + math.sqrt((1.0 - keeps**2) * self.mass) * plain
        expected = 1.0 - keeps ** (2 * rounds)
        steady = float(turned @ turned) / expected < 2.0 * (1.0 + 2.0 / (self.m + 1)) * self.m
        c = self.moving
        moved = (1.0 - c) * cloud.moved + steady * math.sqrt(c * (2.0 - c) * self.mass) * d
        better = draws[np.argsort(values, kind="stable")[: len(self.weights)]]
        old = 1.0 - self.rank_one * (1.0 if steady else 1.0 - c * (2.0 - c)) - self.rank_many
        C = old * cloud.C + self.rank_one * np.outer(moved, moved)
        C = C + self.rank_many * (better.T * self.weights) @ better
        pace = self.turning / (1.0 + self.turning) * (norm(turned) / math.sqrt(self.m - 0.5) - 1.0)
        factor = 2.0 if finite.all() and np.ptp(values) == 0.0 else math.exp(min(1.0, pace))
        return Cloud(to, factor * cloud.step, 0.5 * (C + C.T), turned, moved, rounds)

    def mean(self, cloud: Cloud, draws: Matrix, values: Vector) -> Vector:
        """The mean that the values suggest, before its projection on X."""
        order = np.argsort(values, kind="stable")[: len(self.weights)]
        return np.asarray(cloud.mean + cloud.step * (self.weights @ draws[order]))


def drawn(cloud: Cloud, normals: Matrix) -> Matrix:
    """y = L z with C = L L', for the rows z of standard normals; none where C has no factor."""
    factor, failed = scipy.linalg.lapack.dpotrf(cloud.C, lower=1, clean=1)
    usable = failed == 0 and np.isfinite(factor).all() and math.isfinite(cloud.step)
    return np.asarray(normals @ factor.T) if usable else normals[:0]
