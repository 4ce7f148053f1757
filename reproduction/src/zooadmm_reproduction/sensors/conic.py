"""A conic solver on a part of the samples, for Fig. 2(b)."""

from __future__ import annotations

from functools import partial

from zooadmm_reproduction.rows import Row
from zooadmm_reproduction.sensors.selecting import field
from zooadmm_reproduction.sensors.task import Array
from zooadmm_reproduction.sensors.timing import BUDGET, row, timed

SAMPLES = 100
"""So few, as on 1000 of them modeling and solving takes minutes at m = 50 already."""

CONIC = f"conic solver, T = {SAMPLES}"


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
    solved(field(seed, trial, 2 * BUDGET, 1))  # what the first call loads is not its time
    rows: list[Row] = []
    for m in sizes:
        vectors = field(seed, trial, m, SAMPLES)
        seconds, _ = timed(partial(solved, vectors))
        rows.append(row("usual", m, trial, CONIC, seconds))
        if seconds > most_seconds:
            break
    return rows


def solved(vectors: Array) -> float:
    """The minimum of the relaxed problem, to the solver's own tolerance."""
    import cvxpy as cp

    T, m, _ = vectors.shape
    x = cp.Variable(m)
    value = -cp.sum([cp.log_det(a.T @ cp.diag(x) @ a) for a in vectors]) / T
    problem = cp.Problem(cp.Minimize(value), [x >= 0, x <= 1, cp.sum(x) == BUDGET])
    return float(problem.solve(solver="CLARABEL", ignore_dpp=True))
