"""Blending the real recommenders, beside least squares under the same constraint."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from benchmarks.applications.line import Figures, Limit, Line
from benchmarks.problem import Array
from zooadmm.applications import Blender
from zooadmm.applications.baselines import least_squares_weights
from zooadmm_reproduction.predictions import recommender_predictions

LEARNED = 2 / 3
"""The part of the ratings that weights are learned from; they come in random order."""


@cache
def ratings() -> tuple[Array, Array, Array, Array]:
    """Predictions and targets to learn from and to test on, without the one constant model."""
    known = recommender_predictions()
    X, y = known.predictions[:, np.ptp(known.predictions, axis=0) > 0], known.targets
    n = round(LEARNED * len(y))
    return np.ascontiguousarray(X[:n]), y[:n], X[n:], y[n:]


@cache
def least_squares(weights: Any) -> Array:
    X, y, _, _ = ratings()
    return least_squares_weights(X, y, weights)


def rmse(x: Array) -> float:
    _, _, X, y = ratings()
    return float(np.sqrt(np.mean(np.square(X @ x - y))))


def of_recommenders(case: str, seed: int, evaluations: int) -> Figures:
    weights, _, batch = case.partition(", ")
    X, y, X_test, y_test = ratings()
    blender = Blender(max_evaluations=evaluations, random_state=seed)
    blender.set_params(weights=weights, batch=batch or "full")
    x = blender.fit(X, y).coef_
    assert blender.result_ is not None
    m = len(x)
    best = float(np.sqrt(np.mean(np.square(X_test - y_test[:, None]), axis=0)).min())
    ours = rmse(x)
    return {
        "test RMSE above least squares', %": 100 * (ours / rmse(least_squares(weights)) - 1),
        "test RMSE / the best model's": ours / best,
        "test RMSE / the even average's": ours / rmse(np.full(m, 1 / m)),
        "evaluations used": float(blender.result_.nfev),
    }


LINES = [
    Line(
        "recommenders",
        "Blending 236 recommenders, weights",
        ("simplex", "nonnegative", "box", "free", "simplex, sampled"),
        of_recommenders,
        {
            "test RMSE above least squares', %": Limit("at most", 0.5),
            "test RMSE / the best model's": Limit("below", 1.0),
            "test RMSE / the even average's": Limit("below", 1.0),
        },
        300_000,
    ),
]
