"""Many runs on a problem with random signs side by side: the loop of Algorithm 1 by hand.

A test compares its iterates with those of the library. By hand, because twenty trials of 10^5
iterations for each of seven penalties take seconds this way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from zooadmm.analysis.theory import Method
from zooadmm_reproduction.experiment import trial_seed
from zooadmm_reproduction.rows import Row, short
from zooadmm_reproduction.theory.signs import Array, Signs

TWO_POINT, EXACT = "two-point", "exact"
"""How g_t is had: by (5), or as the gradient of f(.; w_t)."""

CHUNK = 1_000
"""Random numbers are drawn for so many iterations at once."""

Step = tuple[int, Array, Array, Array, Array]


def steps(
    problem: Signs, methods: Sequence[Method], T: int, trials: int, seed: int, gradient: str
) -> Iterator[Step]:
    """(t, w_t, g_t, x_t, y_t); arrays have an entry for each method and trial, w for each trial.

    methods: they have the same step sizes and constant proximal weights, and share w and z.
    """
    m = problem.m
    rng = np.random.default_rng(trial_seed(seed, m, trials))
    rho = np.array([method.penalty for method in methods])[:, None, None]
    alpha = np.array([float(method.proximal_weight(1)) for method in methods])[:, None, None]
    threshold = np.array(problem.kinks) / rho
    x, y, dual = np.zeros((3, len(methods), trials, m))
    for start in range(0, T, CHUNK):
        signs = rng.integers(0, 2, (CHUNK, trials, m)) * 2.0 - 1.0
        directions = rng.standard_normal((CHUNK, trials, m))
        directions *= math.sqrt(m) / np.linalg.norm(directions, axis=2, keepdims=True)
        for k in range(min(CHUNK, T - start)):
            t, w = start + k + 1, signs[k]
            g = estimate(problem, x, w, directions[k], float(methods[0].smoothing(t)), gradient)
            yield t, w, g, x, y
            eta = float(methods[0].step_size(t))
            x = np.minimum(np.maximum(x + eta / alpha * (dual - rho * (x - y) - g), -1), 1)
            v = x - dual / rho
            v = v - np.minimum(np.maximum(v, -threshold), threshold)
            y = np.minimum(np.maximum(v, -1), 1)
            dual = dual - rho * (x - y)


def estimate(
    problem: Signs, x: Array, w: Array, z: Array, smoothing: float, gradient: str
) -> Array:
    """g_t: the two-point estimate (5), or the gradient itself."""
    if gradient == EXACT:
        return np.asarray(w + problem.slope(x))
    along = (w * z).sum(axis=-1)
    rise = (problem.bend(x + smoothing * z) - problem.bend(x)) / smoothing
    return np.asarray((along + rise)[..., None] * z)


def measured(
    problem: Signs,
    methods: Sequence[Method],
    places: Sequence[int],
    trials: int,
    seed: int,
    gradient: str = TWO_POINT,
) -> list[Row]:
    """A row for each method, trial and T: what `curves.MEASURED` names, against x = y = 0.

    As A = I and B = -I, y' = x and x' = y. The averages are those of x, completed by y' = x.
    """
    names = ("iterates", "completed", "other_side", "residual")
    sums = {name: np.zeros((len(methods), trials)) for name in names}
    x_sum = np.zeros((len(methods), trials, problem.m))
    rows: list[Row] = []
    wanted = set(places)
    for t, w, _, x, y in steps(problem, methods, max(places), trials, seed, gradient):
        at_x, at_y = ((w * at).sum(axis=-1) + problem.bend(at) for at in (x, y))
        phi_x, phi_y = problem.phi(x), problem.phi(y)
        sums["iterates"] += at_x + phi_y
        sums["completed"] += at_x + phi_x
        sums["other_side"] += at_y + phi_y
        sums["residual"] += np.sqrt(np.square(x - y).sum(axis=-1))
        x_sum += x
        if t in wanted:
            found = {name: of / t for name, of in sums.items()}
            found["averages"] = problem.bend(x_sum / t) + problem.phi(x_sum / t)
            rows += _rows(problem, methods, t, found)
    return rows


def _rows(problem: Signs, methods: Sequence[Method], T: int, found: dict[str, Array]) -> list[Row]:
    return [
        {
            "m": problem.m,
            "penalty": method.penalty,
            "trial": trial,
            "T": T,
            **{name: short(float(of[k, trial])) for name, of in found.items()},
        }
        for k, method in enumerate(methods)
        for trial in range(len(found["iterates"][k]))
    ]
