"""The authors' sample of overlapping groups, beside cvxpy."""

from __future__ import annotations

from functools import cache

import cvxpy as cp
import numpy as np

from benchmarks.applications.line import Figures, Limit, Line
from benchmarks.problem import Array
from zooadmm.applications import OverlappingGroupClassifier
from zooadmm.datasets import load_overlapping_groups

NEARLY_ZERO = 1e-6
"""What an interior-point method leaves of a coefficient that is zero."""


@cache
def judged(strength: float) -> Array:
    data = load_overlapping_groups()
    x = cp.Variable(data.features.shape[1])
    margins = cp.multiply(data.labels, data.features @ x)
    penalty = cp.sum(cp.hstack([cp.norm2(x[group]) for group in data.groups()]))
    loss = cp.sum(cp.logistic(-margins)) / len(data.labels)
    cp.Problem(cp.Minimize(loss + strength * penalty)).solve(solver="CLARABEL")
    return np.asarray(x.value)


def of_the_sample(case: str, seed: int, evaluations: int) -> Figures:
    data, strength = load_overlapping_groups(), float(case)
    model = OverlappingGroupClassifier(
        data.groups(),
        strength,
        fit_intercept=False,
        max_evaluations=evaluations,
        random_state=seed,
    ).fit(data.features, data.labels)
    x, judge = model.coef_[0], judged(strength)
    problem = model.formulation(data.features, data.labels)
    zeros = np.abs(judge) < NEARLY_ZERO
    return {
        "objective above cvxpy's": problem.objective(x) - problem.objective(judge),
        "coefficients zero in one only": float(((x == 0) != zeros).sum()),
        "zero in cvxpy": float(zeros.sum()),
        "evaluations used": float(model.result_.nfev),
    }


LINES = [
    Line(
        "groups",
        "The authors' 10 x 10 grid, strength (0.025 is theirs)",
        ("0.025", "0.05", "0.1"),
        of_the_sample,
        {
            "objective above cvxpy's": Limit("at most", 1e-3),
            "coefficients zero in one only": Limit("at most", 0),
        },
        30_000,
    ),
]
