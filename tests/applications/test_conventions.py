"""The estimators keep scikit-learn's conventions, by its own checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from zooadmm.applications import (
    Blender,
    OverlappingGroupClassifier,
    SensorSelector,
    SparseCox,
)

BUDGET = 100
"""Evaluations: the checks are about manners, not about optima."""

OUTCOME = [("event", "?"), ("time", "<f8")]


def outcome(times: Any) -> np.ndarray:
    """Times as a structured outcome without censoring."""
    y = np.zeros(len(times), dtype=OUTCOME)
    y["event"], y["time"] = True, np.real(times) - np.min(np.real(times))
    return y


class CoxOfTimes(SparseCox):
    """SparseCox for the plain y that the checks have: times, all of them of events."""

    def fit(self, X: Any, y: Any) -> CoxOfTimes:
        return super().fit(X, y if y is None else outcome(y))

    def score(self, X: Any, y: Any) -> float:
        return super().score(X, outcome(y))


INAPPLICABLE = {
    SensorSelector: {
        "check_n_features_in": "A has sensors and unknowns, no features",
        "check_n_features_in_after_fitting": "A has sensors and unknowns, no features",
        "check_fit2d_1sample": "a row is a sensor, no sample; a budget above m is what is wrong",
    },
}


@parametrize_with_checks(
    [
        Blender(max_evaluations=BUDGET, random_state=0),
        CoxOfTimes(max_evaluations=BUDGET, random_state=0),
        OverlappingGroupClassifier(max_evaluations=BUDGET, random_state=0),
        SensorSelector(max_evaluations=BUDGET, random_state=0),
    ],
    expected_failed_checks=lambda estimator: INAPPLICABLE.get(type(estimator), {}),
)
def test_scikit_learn_agrees(estimator: Any, check: Any) -> None:
    check(estimator)


def test_in_a_pipeline_and_a_search() -> None:
    generator = np.random.default_rng(0)
    X = 100.0 * generator.standard_normal((60, 3))
    y = X[:, 0] > 0
    model = OverlappingGroupClassifier(max_evaluations=300, random_state=0)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), model),
        {"overlappinggroupclassifier__strength": [0.05, 10.0]},
        cv=2,
    ).fit(X, y)
    assert search.best_params_ == {"overlappinggroupclassifier__strength": 0.05}


@pytest.mark.parametrize("random_state", [7, np.random.RandomState(7)], ids=["seed", "state"])
def test_a_clone_with_the_same_state_gives_the_same(random_state: Any) -> None:
    generator = np.random.default_rng(0)
    X, y = generator.standard_normal((30, 2)), generator.standard_normal(30)
    blender = Blender(batch="sampled", max_evaluations=500, random_state=random_state)
    other = clone(blender)
    np.testing.assert_array_equal(blender.fit(X, y).coef_, other.fit(X, y).coef_)
