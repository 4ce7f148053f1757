"""A general convex problem whose constants do not depend on m: what rates in m are measured on.

    f(x; a) = a h(<g, x>),  h(u) = sqrt(1 + (u + 2)^2),  a = 0.5 or 1.5 at random,  |g| = 1
    phi(y) = 0.1 |y|_2,  x = y,  X = Y = the unit ball

For every a the best point is x* = -g: <g, x> >= -|x|, and a h(-s) + 0.1 s falls for 0 <= s <= 1, as
a h' >= 0.5/sqrt 2 there. So x* is the best batch solution whatever was drawn, and y' = x never
leaves Y.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo
from zooadmm.analysis import theory
from zooadmm_reproduction.rows import Row, short
from zooadmm_reproduction.theory.curves import curve, looks

STRENGTH = 0.1
WEIGHTS = np.array([0.5, 1.5])
MEAN_SQUARE = math.sqrt(1.25)
STEEPEST = 3 / math.sqrt(10)  # h'(1), at x = g
PENALTY = 0.1
"""So small that alpha = rho eta_1 + 1 is about 1 for every m."""

C2 = 1.0

KNOWN = theory.Assumptions(
    R=2.0, L1=MEAN_SQUARE * STEEPEST, L2=STRENGTH, Lg=MEAN_SQUARE, mean_gradient=STEEPEST
)
"""|grad f| = a h' with h' <= STEEPEST on X and h'' <= 1 everywhere."""


class NormInBall:
    """phi(y) = STRENGTH |y|_2 on the unit ball: shrink y towards 0, then back into the ball."""

    def __call__(self, y: NDArray[np.float64]) -> float:
        size = float(np.linalg.norm(y))
        return STRENGTH * size if size <= 1 + 1e-9 else math.inf

    def prox(self, v: NDArray[np.float64], tau: float) -> NDArray[np.float64]:
        """argmin phi(y) + |y - v|^2/(2 tau), which has the direction of v."""
        size = float(np.linalg.norm(v))
        wanted = min(1.0, max(0.0, size - tau * STRENGTH))
        return np.asarray(v * (wanted / size if size > 0 else 0.0))


class Ramp:
    """f of the problem; the length of x is that of g."""

    def __init__(self, m: int) -> None:
        self.g = np.full(m, 1 / math.sqrt(m))

    def values(self, points: NDArray[np.float64], weights: Any) -> NDArray[np.float64]:
        """A row a point, a column an observation."""
        heights = np.sqrt(1 + np.square(points @ self.g + 2))
        return np.asarray(heights[:, None] * np.asarray(weights)[None, :])

    def gradient(self, x: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """For O-ADMM."""
        u = float(x @ self.g) + 2
        return np.asarray(weight * u / math.sqrt(1 + u * u) * self.g)


def settings(m: int, step_size: Any, source: Any) -> dict[str, Any]:
    """What a run of ZOO-ADMM on it is given, apart from the loss and the start."""
    return {
        "settings": "paper",
        "domain": zoo.sets.L2Ball(1.0),
        "regularizer": NormInBall(),
        "observations": WEIGHTS,
        "gradient": source,
        "step_size": step_size,
        "smoothing": zoo.paper.schedules.general_smoothing(m, C2),
        "penalty": PENALTY,
        "proximal_weight": "constant",
    }


def followed(
    m: int, T: int, rng: int, step_size: Any, source: Any, start: float = 0.0
) -> zoo.Regret:
    """The regret of a run of T iterations from x_1 = start g."""
    ramp = Ramp(m)
    regret = zoo.Regret(-ramp.g, max_rows=None)
    zoo.minimize(
        ramp,
        start * ramp.g,
        **settings(m, step_size, source),
        max_iterations=T,
        max_trace_rows=0,
        rng=rng,
        regret=regret,
        progress=False,
    )
    return regret


def method(m: int, step_size: Any, source: Any) -> theory.Method:
    """Its parameters, for the bounds."""
    run = zoo.Optimizer(np.zeros(m), **settings(m, step_size, source))
    return theory.method_of(run.algorithm)


def bounds(m: int, T: int, C1: float, step_size: Any, labels: Row) -> list[Row]:
    """Theorem 1, (12) and the sound bounds for the two-point estimate, a row for each T."""
    of = method(m, step_size, zoo.paper.Smoothed(1))
    return [
        {
            **labels,
            "m": m,
            "T": t,
            "theorem_1": short(theory.printed_theorem_1(t, of, KNOWN)),
            "rate_12": short(theory.printed_regret_rate(t, of, KNOWN, C1, C2)),
            "sound": short(theory.regret_bound(t, of, KNOWN)),
            "sound_averages": short(theory.average_gap_bound(t, of, KNOWN)),
        }
        for t in looks(T)
    ]


def trials(
    m: int,
    T: int,
    rngs: list[int],
    step_size: Any,
    source: Any,
    labels: Row,
    start: float = 0.0,
) -> list[Row]:
    """Curves of runs that differ in their random numbers only."""
    rows: list[Row] = []
    for trial, rng in enumerate(rngs):
        regret = followed(m, T, rng, step_size, source, start)
        rows += curve(regret, {**labels, "m": m, "trial": trial})
    return rows
