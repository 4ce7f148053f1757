"""SPSA: simultaneous perturbation stochastic approximation with Spall's recommended gains.

    x <- P_C(x - a_k (F(x + c_k d) - F(x - c_k d)) / (2 c_k d)),  d of random signs,
    a_k = a / (k + 1 + K/10)^0.602,  c_k = c / (k + 1)^0.101,  K iterations in all.

Variables are measured in units of `reach`. c is the noise of a value, or 1e-5. a is such that the
first steps move a coordinate by constant / 100 on average, as Spall sets it.
"""

from __future__ import annotations

import numpy as np

from benchmarks.methods.forms import in_words, probe_radius, reach
from benchmarks.methods.method import Method
from benchmarks.problem import Array, Problem
from benchmarks.trial import Trial

ALPHA, GAMMA = 0.602, 0.101
FIRST_MOVE = 0.01
MOVES = tuple(10.0**k for k in range(-4, 5))
PILOTS = 10
"""Differences at x0 that set the scale of a."""


def slope(trial: Trial, x: Array, step: Array, radius: float) -> float:
    """(F(x + step) - F(x - step)) / (2 radius), on common observations."""
    problem = trial.problem
    ends = np.stack([problem.nearest(x + step), problem.nearest(x - step)])
    ahead, behind = trial.measure(ends) + [problem.structure(end) for end in ends]
    return float(ahead - behind) / (2.0 * radius)


def run(trial: Trial, constant: float) -> None:
    problem, scale = trial.problem, reach(trial.problem)
    trial.recommend(problem.x0)
    c = probe_radius(trial)
    total = trial.budget // (2 * problem.num_observations)
    stability = 0.1 * total

    def perturbation() -> Array:
        return trial.rng.choice([-1.0, 1.0], size=problem.m)

    x = problem.x0
    pilots = [abs(slope(trial, x, c * scale * perturbation(), c)) for _ in range(PILOTS)]
    a = constant * FIRST_MOVE * (1.0 + stability) ** ALPHA / max(float(np.mean(pilots)), 1e-300)
    k = 0
    while True:
        c_k, a_k = c / (k + 1) ** GAMMA, a / (k + 1 + stability) ** ALPHA
        d = perturbation()
        moved = problem.nearest(x - a_k * slope(trial, x, c_k * scale * d, c_k) * scale * d)
        if not np.isfinite(moved).all():
            return
        x, k = moved, k + 1
        trial.recommend(x)


def form(problem: Problem) -> str:
    return in_words(problem, "iterates and probes projected")


SPSA = [Method("spsa", run, form, grid=lambda problem: MOVES)]
