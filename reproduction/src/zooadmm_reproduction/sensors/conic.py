"""Conic solvers for Fig. 2(b): the mean over a part of the samples, and one pooled matrix."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from zooadmm_reproduction.rows import Row
from zooadmm_reproduction.sensors.selecting import field
from zooadmm_reproduction.sensors.task import Array
from zooadmm_reproduction.sensors.timing import BUDGET, row, timed

POOLED = "conic solver, one pooled log det"
"""What the authors' released program has as its second-order method."""

SAMPLES = 100
"""So few, as on 1000 of them modeling and solving takes minutes at m = 50 already."""

CONIC = f"conic solver, T = {SAMPLES}"

TOLERANCE = 1e-6
"""Of the pooled problem, for SCS: Clarabel fails on some of these fields with m >= 200."""


def require_conic_solver() -> None:
    """An ImportError with its remedy where there is no cvxpy."""
    try:
        import cvxpy  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "the conic solver of fig2b needs cvxpy: pip install zooadmm[reproduce]."
        ) from error


def conic_trial(seed: int, trial: int, sizes: tuple[int, ...], most_seconds: float) -> list[Row]:
    """cvxpy with Clarabel, modeling included; no larger m after one above `most_seconds`."""
    load()
    rows: list[Row] = []
    for m in sizes:
        vectors = field(seed, trial, m, SAMPLES)
        seconds, _ = timed(partial(solved, vectors))
        rows.append(row("usual", m, trial, CONIC, seconds))
        if seconds > most_seconds:
            break
    return rows


@cache
def load() -> None:
    """Solve a small problem once in a process: what the first call loads is not its time."""
    some = np.random.default_rng(0).standard_normal((2, 2 * BUDGET, 2))
    solved(some)
    pooled_weights(some)


def pooled_weights(vectors: Array) -> Array:
    """The weights that minimize -log det sum_i x_i P_i, P_i = sum_t a_{t,i} a_{t,i}'.

    The P_i are brought to coordinates in which their sum is the identity, which changes the value
    by a constant and helps the solver.
    """
    import cvxpy as cp

    _, m, n = vectors.shape
    by_sensor = vectors.transpose(1, 2, 0)
    pooled = by_sensor @ by_sensor.transpose(0, 2, 1)
    to_identity = np.linalg.inv(np.linalg.cholesky(pooled.sum(axis=0)))
    shares = (m / BUDGET) * (to_identity @ pooled @ to_identity.T)
    shares = (shares + shares.transpose(0, 2, 1)) / 2.0
    x = cp.Variable(m)
    information = cp.reshape(shares.reshape(m, n * n).T @ x, (n, n), order="F")
    value = -cp.log_det(information)
    problem = cp.Problem(cp.Minimize(value), [x >= 0, x <= 1, cp.sum(x) == BUDGET])
    problem.solve(solver="SCS", ignore_dpp=True, eps=TOLERANCE)
    weights: Array = np.asarray(x.value)
    return weights


def pooled_trial(seed: int, trial: int, sizes: tuple[int, ...], T: int) -> list[Row]:
    """Seconds on the fields of Fig. 2(b), pooling and modeling included."""
    load()
    rows: list[Row] = []
    for m in sizes:
        vectors = field(seed, trial, m, T)
        seconds, _ = timed(partial(pooled_weights, vectors))
        rows.append(row("usual", m, trial, POOLED, seconds))
    return rows


def solved(vectors: Array) -> float:
    """The minimum of the relaxed problem, to the solver's own tolerance."""
    import cvxpy as cp

    T, m, _ = vectors.shape
    x = cp.Variable(m)
    value = -cp.sum([cp.log_det(a.T @ cp.diag(x) @ a) for a in vectors]) / T
    problem = cp.Problem(cp.Minimize(value), [x >= 0, x <= 1, cp.sum(x) == BUDGET])
    return float(problem.solve(solver="CLARABEL", ignore_dpp=True))
