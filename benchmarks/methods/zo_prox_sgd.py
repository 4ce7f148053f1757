"""Zeroth-order proximal stochastic gradient descent.

    x <- prox(x - s_t g_t, s_t),  s_t = constant |reach| / (|g_1| sqrt(t)),
    g_t = (1/q) sum_j (f(x + r z_j; w_t) - f(x; w_t)) / r  z_j,  |z_j| = sqrt(m),

with q = min(30, ceil(sqrt m)) directions on the same observations w_t, and the prox of phi(A x)
over C. The answer is the iterate with the least F where values repeat, else an average of the later
ones.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.methods.forms import in_words, probe_radius, reach
from benchmarks.methods.method import Method
from benchmarks.problem import Array, Problem
from benchmarks.trial import Trial

DECAY = 3.0
"""Of the average m_t = m_{t-1} + (DECAY + 1)/(t + DECAY) (x_t - m_{t-1}): most of its weight is on
the last half, without knowing when the run ends."""


CONSTANTS = tuple(10.0**k for k in range(-6, 3))


def estimate(trial: Trial, x: Array, radius: float) -> tuple[float, Array]:
    """f(x) and g_t: q + 1 evaluations per observation."""
    m = len(x)
    q = min(30, math.ceil(math.sqrt(m)))
    z = trial.rng.standard_normal((q, m))
    z *= math.sqrt(m) / np.linalg.norm(z, axis=1, keepdims=True)
    values = trial.measure(np.vstack([x, x + radius * z]))
    gradient: Array = (values[1:] - values[0]) @ z / (q * radius)
    return float(values[0]), gradient


def run(trial: Trial, constant: float) -> None:
    problem = trial.problem
    x = average = problem.nearest(problem.x0)
    trial.recommend(x)
    radius = probe_radius(trial) * float(np.median(reach(problem)))
    far = float(np.linalg.norm(reach(problem)))
    t, scale, least = 1, 0.0, math.inf
    while True:
        f, g = estimate(trial, x, radius)
        if problem.regime != "full":
            trial.recommend(average)
        elif f + problem.structure(x) < least:
            least = f + problem.structure(x)
            trial.recommend(x)
        scale = scale or far / max(float(np.linalg.norm(g)), 1e-300)
        step = constant * scale / math.sqrt(t)
        v = x - step * g
        if not np.isfinite(v).all():
            return
        x = problem.structure.prox(v, step)
        average = average + (DECAY + 1) / (t + DECAY) * (x - average)
        t += 1


def form(problem: Problem) -> str:
    return in_words(problem, "projection", "prox of phi")


ZO_PROX_SGD = [Method("zo-prox-sgd", run, form, grid=lambda problem: CONSTANTS)]
