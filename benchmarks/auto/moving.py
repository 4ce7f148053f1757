"""Moving targets seen through random measurements, one for each tick t of time.

    f(x; t) = (a_t'(x - c_t) + noise_t)^2 / 2,   a_t ~ N(0, I),   noise_t ~ N(0, NOISE^2).

Its expectation is F_t(x) = |x - c_t|^2 / 2 + NOISE^2 / 2, so that the regret of standing at x in
place of c_t at time t is |x - c_t|^2 / 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.problem import Array
from zooadmm.oracle.observations import Batch

M = 20
RADIUS = math.sqrt(M)
"""How far targets are from the start, where they begin or come to."""
NOISE = 0.5
PERIOD, STAY, TREND = 1_000, 500, 2_000
"""Ticks of a rotation, between jumps, and until the trend has gone as far as RADIUS."""

Target = Callable[[int], Array]


def rotating(seed: int) -> Target:
    """Round a circle about the start, in a plane drawn at random."""
    u, v = np.linalg.qr(np.random.default_rng(seed).standard_normal((M, 2)))[0].T

    def at(t: int) -> Array:
        angle = 2 * math.pi * t / PERIOD
        return np.asarray(RADIUS * (math.cos(angle) * u + math.sin(angle) * v))

    return at


def jumping(seed: int) -> Target:
    """At a point of N(0, I) for some time, then at another."""
    return lambda t: np.random.default_rng([seed, t // STAY]).standard_normal(M)


def trending(seed: int) -> Target:
    """Straight away from the start at a constant speed."""
    drawn = np.random.default_rng(seed).standard_normal(M)
    way = RADIUS * drawn / np.linalg.norm(drawn)
    return lambda t: np.asarray(way * (t / TREND))


TARGETS: dict[str, Callable[[int], Target]] = {
    "rotating": rotating,
    "jumping": jumping,
    "trend": trending,
}


@dataclass(frozen=True)
class Tracking:
    """The loss f(x; t) of a target; its measurements are addressed by the seed and t."""

    target: Target
    seed: int

    def values(self, points: Array, times: Batch) -> Array:
        return np.stack([self._column(points, t) for t in times], axis=1)

    def _column(self, points: Array, t: int) -> Array:
        drawn = np.random.default_rng([self.seed, t, 1]).standard_normal(M + 1)
        a, noise = drawn[:M], NOISE * drawn[M]
        return np.asarray(np.square((points - self.target(t)) @ a + noise) / 2)

    def regret(self, x: Array, times: Batch) -> float:
        """F_t(x) - F_t(c_t), its mean over some t."""
        return float(np.mean([np.square(x - self.target(t)).sum() / 2 for t in times]))
