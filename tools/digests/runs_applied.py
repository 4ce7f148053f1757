"""The interface of scipy, ready losses and the estimators."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.optimize

from tools.digests import library as zoo
from tools.digests.losses import START, M, bowl
from tools.digests.table import entered


def _by_scipy(settings: str, **given: Any) -> Any:
    options = {"maxfev": 300, "rng": 1, "settings": settings, **given.pop("options", {})}
    return scipy.optimize.minimize(bowl, START, method=zoo.scipy_method, options=options, **given)


CONSTRAINTS: dict[str, dict[str, Any]] = {
    "free": {},
    "bounds": {"bounds": [(-0.3, 0.3)] * M},
    "budget": {
        "bounds": [(0.0, 1.0)] * M,
        "constraints": scipy.optimize.LinearConstraint(np.ones((1, M)), 1.2, 1.2),
    },
    "equations": {
        "constraints": {"type": "eq", "fun": lambda x: x[:2].sum() - 0.4},
    },
    "rows": {
        "bounds": [(-0.3, 0.5)] * M,
        "constraints": scipy.optimize.LinearConstraint(np.diff(np.eye(M), axis=0), -0.2, 0.2),
        "options": {"regularizer": zoo.L1(0.1)},
    },
}
for _name, _given in CONSTRAINTS.items():
    for _settings in ("paper", "auto"):
        entered(f"{_settings}/scipy/{_name}")(partial(_by_scipy, _settings, **_given))


def _survival() -> tuple[Any, Any, Any]:
    generator = np.random.default_rng(20)
    covariates = generator.normal(size=(40, 5))
    time = generator.exponential(np.exp(-covariates[:, 0]))
    return covariates, time, generator.random(40) < 0.7


@entered("auto/losses/Cox")
def _cox() -> Any:
    loss = zoo.Cox(*_survival())
    return zoo.minimize(loss, np.zeros(5), regularizer=zoo.L1(0.02), max_evaluations=300, rng=0)


@entered("paper/losses/Cox sampled")
def _sampled_cox() -> Any:
    loss = zoo.Cox(*_survival())
    return zoo.minimize(
        loss,
        np.zeros(5),
        regularizer=zoo.L1(0.02),
        observations=loss.observations,
        settings="paper",
        max_iterations=60,
        rng=0,
    )


@entered("auto/losses/LogDeterminant")
def _log_determinant() -> Any:
    loss = zoo.LogDeterminant(np.random.default_rng(21).normal(size=(10, 12, 3)))
    domain = zoo.BoxBudget(0.0, 1.0, 4.0)
    return zoo.minimize(loss, np.full(12, 1 / 3), domain=domain, max_evaluations=600, rng=0)


def _estimators() -> Any:
    return zoo.estimators()


@entered("auto/estimator/SensorSelector")
def _selector() -> Any:
    vectors = np.random.default_rng(22).normal(size=(6, 10, 3))
    both = []
    for splitting in ("projection", "box and budget"):
        selector = _estimators().SensorSelector(
            4, splitting=splitting, rounding="swaps", max_evaluations=400, random_state=0
        )
        both += [selector.fit(vectors).result_, selector.weights_, selector.support_]
    return both


@entered("auto/estimator/Blender")
def _blender() -> Any:
    generator = np.random.default_rng(23)
    truth = generator.normal(size=60)
    predictions = truth[:, None] + generator.normal(size=(60, 4)) * [0.2, 0.5, 1.0, 2.0]
    blender = _estimators().Blender(max_evaluations=400, random_state=0).fit(predictions, truth)
    return [blender.result_, np.asarray(blender.predict(predictions))]


@entered("auto/estimator/OverlappingGroupClassifier")
def _classifier() -> Any:
    generator = np.random.default_rng(24)
    features = generator.normal(size=(60, 6))
    labels = (features[:, :2].sum(axis=1) > 0).astype(int)
    classifier = _estimators().OverlappingGroupClassifier(
        [[0, 1, 2], [2, 3], [3, 4, 5]], 0.05, max_evaluations=600, random_state=0
    )
    fitted = classifier.fit(features, labels)
    return [fitted.result_, fitted.coef_, fitted.predict_proba(features)]
