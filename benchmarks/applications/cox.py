"""Sparse Cox regression on the kidney cohort, beside scikit-survival's Coxnet."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from sksurv.linear_model import CoxnetSurvivalAnalysis

from benchmarks.applications.line import Figures, Limit, Line
from benchmarks.problem import Array
from zooadmm.applications import SparseCox
from zooadmm.applications.cox_path import concordance
from zooadmm.datasets import load_kirc

PARTS = np.geomspace(0.8, 0.05, 10)
"""The strengths of the path, as parts of gamma_max."""


@cache
def everybody() -> tuple[Array, Any]:
    """All 532 patients, standardized."""
    cohort = load_kirc()
    return cohort.standardized(), outcome(cohort.event, cohort.time)


@cache
def split() -> tuple[Array, Any, Array, Any]:
    """The authors' training and test patients, standardized by the training patients alone."""
    cohort = load_kirc()
    train = cohort.train
    mean, spread = (f(cohort.covariates[train], axis=0) for f in (np.mean, np.std))
    X, y = (cohort.covariates - mean) / spread, outcome(cohort.event, cohort.time)
    return X[train], y[train], X[~train], y[~train]


def outcome(event: Any, time: Any) -> Any:
    y = np.zeros(len(time), dtype=[("died", "?"), ("days", "<f8")])
    y["died"], y["days"] = event, time
    return y


def coxnet(X: Array, y: Any, strengths: Any) -> Array:
    """Coxnet's coefficients at the same penalties, (strengths, genes)."""
    judge = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=strengths, tol=1e-12, max_iter=10**6)
    coefficients: Array = judge.fit(X, y).coef_.T
    return coefficients


def one_strength(case: str, seed: int, evaluations: int) -> Figures:
    X, y = everybody()
    strength = float(case) * SparseCox().gamma_max(X, y)
    model = SparseCox(strength, max_evaluations=evaluations, random_state=seed).fit(X, y)
    judge, problem = coxnet(X, y, [strength])[0], model.formulation(X, y)
    ours, theirs = model.coef_ != 0, judge != 0
    return {
        "objective above Coxnet's": problem.objective(model.coef_) - problem.objective(judge),
        "F1 of the support": 2 * float((ours & theirs).sum()) / float(ours.sum() + theirs.sum()),
        "evaluations used": float(model.result_.nfev),
    }


def along_the_path(case: str, seed: int, evaluations: int) -> Figures:
    X, y, X_test, y_test = split()
    model = SparseCox(max_evaluations=evaluations, random_state=seed)
    path = model.path(X, y, PARTS * model.gamma_max(X, y))
    ours = path.score(X_test, y_test)
    theirs = [concordance(y_test, X_test @ x) for x in coxnet(X, y, path.strengths)]
    return {
        "largest difference of concordance": float(np.abs(ours - theirs).max()),
        "best concordance": float(ours.max()),
        "Coxnet's best concordance": max(theirs),
        "evaluations used": float(path.evaluations.sum()),
    }


LINES = [
    Line(
        "cox",
        "KIRC at parts of gamma_max, 532 patients, 160 genes",
        ("0.5", "0.2", "0.05"),
        one_strength,
        {
            "objective above Coxnet's": Limit("at most", 1e-4),
            "F1 of the support": Limit("at least", 0.95),
        },
        31_000,
    ),
    Line(
        "cox-path",
        "KIRC, test concordance along ten strengths, 372 patients to learn from, 160 to test",
        ("0.8 to 0.05",),
        along_the_path,
        {"largest difference of concordance": Limit("at most", 0.01)},
        31_000,
    ),
]
