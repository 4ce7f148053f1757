"""What comparisons say about f near a center: a Gaussian belief about its slope and curvature.

In coordinates u = (x - c) / (R units) the loss is, in log odds,

    f(x) = <g, u> + u'Hu / 2,    g ~ N(0, (a s)^2 / m),   H = a (h I + b / sqrt(m) S),

where h ~ N(1, SIGMA^2) and S is symmetric with N(0, 1) on its diagonal and N(0, 1/2) beside it.
The first point of a pair is preferred with probability 1 / (1 + exp(-d)) (Bradley and Terry 1952),

    d = f(second) - f(first) + e,    e ~ N(0, (MISFIT a (|u_1|^3 + |u_2|^3))^2),

and e stands for the third derivatives of f, so that pairs far from c count little. d is Gaussian
before the answers, so the belief after them is that of a Gaussian process: its mode is found by
Newton's method in as many unknowns as there are pairs, and its width by Laplace's approximation
(Rasmussen and Williams 2006, Algorithms 3.1 and 5.1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, log_expit

Floats = NDArray[np.floating[Any]]

SIGMA = 0.5
"""Standard deviation of the mean eigenvalue of H, in units of its expectation."""

MISFIT = 0.1
"""What third derivatives do to f at |u| = 1, in units of the amplitude."""

LEAST_WEIGHT = 1e-6
"""Least curvature of the likelihood of a vote: answers that are all but certain keep a weight."""

MOST_STEPS = 30
HALVINGS = 10
"""Newton's method ends after this many steps, or where this many halvings of one do not help: by
answers that contradict an almost certain belief. The next fit starts from there."""

CONVERGED = 1e-2
"""Change of the log posterior at which Newton's method ends, in nats."""


class Scale(NamedTuple):
    """The coordinates, and how large f is in them."""

    center: Floats
    """c, a point of X"""
    radius: float
    """R"""
    units: Floats
    """Units of the variables"""
    amplitude: float
    """a, in log odds"""
    steepness: float
    """s, about how far the minimizer is from the center, in radii"""
    spread: float
    """b: half the range of the eigenvalues of H, in units of their mean, over sqrt(2)"""

    def of(self, points: Floats) -> Floats:
        """The coordinates u of points, one a row."""
        return np.asarray((points - self.center) / (self.radius * self.units))


class Comparisons(NamedTuple):
    """Pairs with their answers."""

    firsts: Floats
    seconds: Floats
    shares: Floats
    """Shares of votes for the first"""
    votes: int

    def log_likelihood(self, d: Floats) -> float:
        s = self.shares
        return float(self.votes * (s * log_expit(d) + (1.0 - s) * log_expit(-d)).sum())

    def slope_and_weight(self, d: Floats) -> tuple[Floats, Floats]:
        """The first derivative of the log likelihood, and the second with a minus."""
        p = expit(d)
        weight = np.maximum(p * (1.0 - p), LEAST_WEIGHT)
        return self.votes * (self.shares - p), self.votes * weight


class Quadratic(NamedTuple):
    """f in the coordinates u, without its constant."""

    slope: Floats
    curvature: Floats

    def __call__(self, u: Floats) -> Floats:
        """f at each row."""
        return np.asarray(u @ self.slope + 0.5 * ((u @ self.curvature) * u).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Belief:
    """The belief about f after some comparisons.

    start: where Newton's method starts, in terms of `weights`; zeros where nothing is known.
    """

    scale: Scale
    seen: Comparisons
    start: Floats

    @cached_property
    def _coordinates(self) -> tuple[Floats, Floats]:
        return self.scale.of(self.seen.firsts), self.scale.of(self.seen.seconds)

    @cached_property
    def _misfit(self) -> Floats:
        """Standard deviations of e."""
        cubes = [np.square(u).sum(axis=1) ** 1.5 for u in self._coordinates]
        return np.asarray(MISFIT * self.scale.amplitude * (cubes[0] + cubes[1]))

    @cached_property
    def _rise(self) -> Floats:
        """(|u_2|^2 - |u_1|^2) / 2"""
        first, second = self._coordinates
        return np.asarray(0.5 * (np.square(second).sum(axis=1) - np.square(first).sum(axis=1)))

    @cached_property
    def _covariance(self) -> Floats:
        """The covariance of d before the answers."""
        first, second = self._coordinates
        moved, rise, m = second - first, self._rise, first.shape[1]
        bends = (second @ second.T) ** 2 - (second @ first.T) ** 2
        bends += (first @ first.T) ** 2 - (first @ second.T) ** 2
        K = self.scale.steepness**2 / m * (moved @ moved.T) + self.scale.spread**2 / (4 * m) * bends
        K += SIGMA**2 * np.outer(rise, rise)
        K *= self.scale.amplitude**2
        K[np.diag_indices(len(K))] += self._misfit**2
        return np.asarray(K)

    @cached_property
    def _mode(self) -> tuple[Floats, Floats]:
        """(weights, d) at the mode: d = mean + K weights."""
        K, mean, seen = self._covariance, self.scale.amplitude * self._rise, self.seen
        weights: Floats = self.start
        d: Floats = mean + K @ weights
        now = seen.log_likelihood(d) - 0.5 * float(weights @ (d - mean))
        if now < seen.log_likelihood(mean):
            weights, d, now = np.zeros_like(d), mean, seen.log_likelihood(mean)
        for _ in range(MOST_STEPS):
            slope, W = seen.slope_and_weight(d)
            pull, root = W * (d - mean) + slope, np.sqrt(W)
            step = pull - root * cho_solve(self._factor(W), root * (K @ pull)) - weights
            before = now
            for length in 0.5 ** np.arange(HALVINGS + 1):
                trial = weights + length * step
                to = mean + K @ trial
                now = seen.log_likelihood(to) - 0.5 * float(trial @ (to - mean))
                if now >= before:
                    weights, d = trial, to
                    break
            if now - before < CONVERGED:
                break
        return weights, d

    def _factor(self, W: Floats) -> tuple[Floats, bool]:
        """The factor of I + sqrt(W) K sqrt(W)."""
        root = np.sqrt(W)
        B = root[:, None] * self._covariance * root
        B[np.diag_indices(len(B))] += 1.0
        factor, lower = cho_factor(B, lower=True, overwrite_a=True)
        return factor, bool(lower)

    @property
    def chances(self) -> Floats:
        """Probability that the first of each pair is preferred, at the mode."""
        return np.asarray(expit(self._mode[1]))

    def misfit(self, x: Floats) -> float:
        """Standard deviation of what third derivatives do to f at x."""
        return float(MISFIT * self.scale.amplitude * np.linalg.norm(self.scale.of(x)) ** 3)

    @property
    def weights(self) -> Floats:
        """What each comparison adds to slope and curvature, at the mode."""
        return self._mode[0]

    @cached_property
    def _width(self) -> tuple[Floats, Floats, tuple[Floats, bool]]:
        """(slope, sqrt(W), factor) of the likelihood at the mode."""
        slope, W = self.seen.slope_and_weight(self._mode[1])
        return slope, np.sqrt(W), self._factor(W)

    @cached_property
    def evidence(self) -> float:
        """Log probability of the answers under the prior, by Laplace's approximation."""
        weights, d = self._mode
        fit = self.seen.log_likelihood(d)
        fit -= 0.5 * float(weights @ (d - self.scale.amplitude * self._rise))
        return fit - float(np.log(np.diagonal(self._width[2][0])).sum())

    def _added(self, weights: Floats) -> tuple[Floats, Floats]:
        """What weighted comparisons add to slope and curvature."""
        first, second = self._coordinates
        m, power = first.shape[1], self.scale.amplitude**2
        curved = 0.5 * ((second.T * weights) @ second - (first.T * weights) @ first)
        rise = SIGMA**2 * float(weights @ self._rise)
        slope = self.scale.steepness**2 / m * power * (weights @ (second - first))
        return slope, power * (self.scale.spread**2 / m * curved + rise * np.eye(m))

    @cached_property
    def mean(self) -> Quadratic:
        """f at the mode."""
        slope, curvature = self._added(self.weights)
        return Quadratic(slope, curvature + self.scale.amplitude * np.eye(len(slope)))

    def draw(self, random: np.random.Generator) -> Quadratic:
        """f drawn from the belief: one from the prior, corrected by what it misses (Matheron)."""
        a, m = self.scale.amplitude, len(self.scale.center)
        square = random.standard_normal((m, m))
        slope = self.scale.steepness * a / math.sqrt(m) * random.standard_normal(m)
        curvature = self.scale.spread / math.sqrt(m) * 0.5 * (square + square.T)
        curvature[np.diag_indices(m)] += 1.0 + SIGMA * random.standard_normal()
        drawn = Quadratic(slope, a * curvature)
        if len(self.seen.shares) == 0:
            return drawn
        first, second = self._coordinates
        pull, root, factor = self._width
        d = drawn(second) - drawn(first) + self._misfit * random.standard_normal(len(pull))
        missed = root * (self._mode[1] - d) + pull / root - random.standard_normal(len(pull))
        more = self._added(root * cho_solve(factor, missed))
        return Quadratic(drawn.slope + more[0], drawn.curvature + more[1])
