"""Blends of classifiers, in scikit-learn's stacks and searches, and weights in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from zooadmm.applications import BlendingClassifier, blend


def probabilities(
    K: int = 2, n: int = 200, skills: tuple[float, ...] = (2.0, 1.0, 0.0)
) -> tuple[np.ndarray, np.ndarray]:
    """Three classifiers: by default good, fair and useless."""
    generator = np.random.default_rng(0)
    y = generator.integers(K, size=n)
    blocks = []
    for skill in skills:
        scores = skill * np.eye(K)[y] + generator.standard_normal((n, K))
        p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        blocks.append(p[:, 1:] if K == 2 else p)
    return np.column_stack(blocks), y


@pytest.mark.parametrize("K", [2, 3])
def test_the_weights_are_the_best_on_the_simplex(K: int) -> None:
    X, y = probabilities(K)
    model = BlendingClassifier(max_evaluations=2_000, random_state=0).fit(X, y)
    assert model.coef_.shape == (3,)
    assert model.coef_.min() >= 0
    assert model.coef_.sum() == pytest.approx(1.0)
    p = model.predict_proba(X)
    assert p.shape == (len(y), K)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    best = log_loss(y, p)
    assert model.result_.fun == pytest.approx(best, rel=1e-6)
    for j in range(3):
        for share in (0.01, 0.1):
            other = clone(model).set_params(max_evaluations=50).fit(X, y)
            other.coef_ = (1 - share) * model.coef_ + share * np.eye(3)[j]
            assert log_loss(y, other.predict_proba(X)) >= best - 1e-7
    assert model.score(X, y) > 1 / K + 0.2


def test_weights_of_samples_are_repetitions() -> None:
    X, y = probabilities(n=60, skills=(1.0, 1.0, 1.0))
    weight = np.random.default_rng(1).integers(0, 4, size=60)
    model = BlendingClassifier(max_evaluations=1_000, random_state=0)
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    assert np.abs(weighted.coef_ - clone(model).fit(X, y).coef_).max() > 1e-3
    with pytest.raises(ValueError, match="non-zero"):
        model.fit(X, y, sample_weight=np.zeros(60))


@pytest.mark.parametrize("K", [2, 3])
def test_it_is_the_last_step_of_a_stack(K: int) -> None:
    X, y = make_classification(
        150, 6, n_informative=4, n_redundant=0, n_classes=K, random_state=0, flip_y=0.1
    )
    names = np.array(["no", "yes", "maybe"])
    stack = StackingClassifier(
        [
            ("linear", LogisticRegression()),
            ("bayes", GaussianNB()),
            ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
        ],
        BlendingClassifier(max_evaluations=300, random_state=0),
        cv=2,
    ).fit(X, names[y])
    assert stack.final_estimator_.coef_.shape == (3,)
    assert set(stack.predict(X)) <= set(names[:K])
    assert stack.score(X, names[y]) > 0.6


def test_a_metric_in_a_search() -> None:
    X, y = probabilities()

    def one_minus_auc(y: Any, p: Any) -> float:
        return 1.0 - roc_auc_score(y, p)

    search = GridSearchCV(
        BlendingClassifier(max_evaluations=100, random_state=0),
        {"loss": ["log", one_minus_auc]},
        cv=2,
        scoring="roc_auc",
    ).fit(X, y)
    assert search.best_score_ > 0.7


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda X, y: (X * 3, y), "between 0 and 1"),
        (lambda X, y: (X, np.zeros_like(y)), "y has 1 class"),
        (lambda X, y: (X[:, :2], np.arange(len(y)) % 3), "2 columns for 3 classes"),
    ],
)
def test_mistakes_are_named(change: Any, said: str) -> None:
    X, y = change(*probabilities(n=30))
    with pytest.raises(ValueError, match=said):
        BlendingClassifier(max_evaluations=50).fit(X, y)


def test_weights_of_a_frame_in_one_call() -> None:
    X, y = probabilities()
    frame = pd.DataFrame(X, columns=["good", "fair", "useless"])
    found = blend(frame, y, roc_auc_score, direction="maximize", max_evaluations=600)
    assert list(found.index) == list(frame.columns)
    assert found["good"] > found["fair"] > found["useless"]
    assert roc_auc_score(y, frame @ found) >= roc_auc_score(y, frame["good"])
    by_name = blend(dict(frame.items()), y, "log", max_evaluations=600)
    assert by_name.keys() == set(frame.columns)
    with pytest.raises(TypeError, match="a DataFrame or a dictionary"):
        blend(X, y)
    with pytest.raises(ValueError, match="direction must be"):
        blend(frame, y, direction="up")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is a loss"):
        blend(frame, y, "log", direction="maximize")


def test_a_metric_sees_the_target_as_it_was_given() -> None:
    import pandas as pd

    from zooadmm.applications import blend

    generator = np.random.default_rng(0)
    target = generator.random(60) < 0.4
    frame = pd.DataFrame({n: target + s * generator.standard_normal(60) for n, s in RATES})

    def hits(seen: np.ndarray, blended: np.ndarray) -> float:
        assert seen.dtype == np.bool_
        return float((seen & (blended > 0.5)).sum())

    weights = blend(frame, target, hits, direction="maximize", max_evaluations=60)
    assert list(weights.index) == ["good", "bad"]


RATES = (("good", 0.3), ("bad", 2.0))
