"""FISTA with gradients by forward differences, backtracking and restarts.

    x_k = prox(v_k - s g(v_k), s),  v_{k+1} = x_k + (t_k - 1)/t_{k+1} (x_k - x_{k-1}),

s halved until f(x_k) <= f(v_k) + <g, x_k - v_k> + |x_k - v_k|^2 / (2 s), a little longer each time
before that; the momentum starts again when it points uphill, and v_k is kept in C, where f is sure
to have values. The condition is relaxed by the rounding of f and twice its noise. The constant is
the relative step of the differences; on sampled observations, how many of them to hold on to.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.methods.forms import (
    difference_step,
    held,
    in_words,
    reach,
    steps_or_samples,
    too_dear,
    value_noise,
)
from benchmarks.methods.method import Method
from benchmarks.problem import Array, Problem
from benchmarks.trial import Trial

GROWTH = 1.25
SHORTEST = 1e-20


def proximal_step(
    trial: Trial, v: Array, f_v: float, g: Array, s: float, slack: float
) -> tuple[Array, float, float]:
    """x, f(x) and the s that satisfies the condition above, up to `slack`."""
    while True:
        x = trial.problem.structure.prox(v - s * g, s)
        f_x = float(trial.measure(x[None])[0])
        d = x - v
        if f_x <= f_v + g @ d + d @ d / (2.0 * s) + slack or s < SHORTEST:
            return x, f_x, s
        s /= 2.0


def run(trial: Trial, constant: float) -> None:
    """Where values repeat the answer is the iterate with the least F; otherwise the last."""
    problem, relative_step = trial.problem, difference_step(trial, constant)
    x = v = problem.nearest(problem.x0)
    trial.recommend(x)
    noise = value_noise(trial)
    s, t, least = 0.0, 1.0, math.inf
    while True:
        f_v, g = trial.forward_gradient(v, relative_step)
        longest = float(np.linalg.norm(reach(problem))) / max(float(np.linalg.norm(g)), 1e-300)
        before = x
        slack = 1e-14 * abs(f_v) + 2.0 * noise
        x, f_x, s = proximal_step(trial, v, f_v, g, GROWTH * s if s > 0 else longest, slack)
        value = f_x + problem.structure(x)
        if value < least or problem.regime == "noisy":
            least = value
            trial.recommend(x)
        uphill = (v - x) @ (x - before) > 0
        t_next = 1.0 if uphill else (1.0 + math.sqrt(1.0 + 4.0 * t * t)) / 2.0
        v = x if uphill else problem.nearest(x + (t - 1.0) / t_next * (x - before))
        t = t_next


def form(problem: Problem) -> str:
    return held(problem, in_words(problem, "projection", "prox of phi"))


FISTA = [Method("fista-fd", run, form, too_dear, steps_or_samples, random=False)]
