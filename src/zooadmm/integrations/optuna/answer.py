"""The answer of a study: what the run recommends, and what its trials say of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from zooadmm.integrations.optuna.claim import POINT, claim_of
from zooadmm.integrations.optuna.space import Space
from zooadmm.problem.arrays import Vector
from zooadmm.run.result import FunStatus, Report, Result

ANSWER = "answer"
"""The user attribute of a study that has its answer"""


def report(trials: Sequence[FrozenTrial], x: Vector, space: Space, sign: float) -> Report:
    """What the trials at exactly x say of the loss there.

    Trials that measure an answer come first: the value that made x the answer is a lucky one.
    """
    at_x = [t for t in trials if _is_at(t, x, space)]
    measured = [t for t in at_x if (claim := claim_of(t)) is not None and claim.cell is None]
    values = sign * np.array([t.value for t in measured or at_x], dtype=np.float64)
    if len(values) == 0:
        return Report(remark="No trial has evaluated the loss at x.")
    if not np.isfinite(values).all():
        return Report(remark="The loss is not finite at x.")
    error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None
    status: FunStatus = "exact" if error == 0.0 else "estimated"
    return Report(float(values.mean()), status, error, len(measured))


def _is_at(trial: FrozenTrial, x: Vector, space: Space) -> bool:
    if trial.state is not TrialState.COMPLETE:
        return False
    x = space.values(x)
    if POINT in trial.user_attrs:
        stored = trial.user_attrs[POINT]
        return bool(len(stored) == len(x) and stored[0] == x[0] and np.array_equal(stored, x))
    params = trial.params
    return all(params.get(name) == value for name, value in zip(space.names, x, strict=True))


def published(found: Result, sign: float) -> dict[str, Any]:
    """The answer as an attribute of the study; the objective in the study's own direction."""
    named = {"named": found.named} if isinstance(found.named, dict) else {}
    negated = " Values here are of the negated objective, which is minimized." if sign < 0 else ""
    return named | {
        "x": [float(v) for v in found.x],
        "objective": None if found.fun is None else sign * found.fun,
        "uncertainty": found.fun_error,
        "stationarity": found.stationarity,
        "evaluations": found.nfev,
        "status": str(found.status),
        "message": found.message + negated,
    }
