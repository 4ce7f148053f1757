"""The attack for the Adversarial Robustness Toolbox, in the real package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

art = pytest.importorskip("art", reason="ART is absent: make test-art")

from art.estimators.classification import (  # noqa: E402
    BlackBoxClassifier,
    BlackBoxClassifierNeuralNetwork,
    SklearnClassifier,
)
from sklearn.datasets import load_digits  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402

from zooadmm.applications import BlackBoxAttack  # noqa: E402
from zooadmm.integrations.art import ZooADMMAttack  # noqa: E402

X, Y = load_digits(return_X_y=True)
X = X / 16.0
MODEL = LogisticRegression(max_iter=1000).fit(X[:1200], Y[:1200])
RIGHT = 1200 + np.flatnonzero(MODEL.predict(X[1200:]) == Y[1200:])[:3]
IMAGES, LABELS = X[RIGHT], Y[RIGHT]


def rounded(points: Any) -> Any:
    """What an estimator of ART makes of points in double precision."""
    return MODEL.predict_proba(points.astype(np.float32)).astype(np.float32)


def scikit_learn() -> Any:
    return SklearnClassifier(MODEL, clip_values=(0.0, 1.0))


def attacked(estimator: Any, x: Any = IMAGES, y: Any = None, **given: Any) -> Any:
    return ZooADMMAttack(estimator, random_state=0, **{"max_queries": 300, **given}).generate(x, y)


@pytest.mark.parametrize(
    ("norm", "ours"), [(2, "L2"), (1, "L1"), (np.inf, "Linf"), ("inf", "Linf")]
)
def test_it_has_the_bits_of_the_application(norm: Any, ours: Any) -> None:
    attack = ZooADMMAttack(scikit_learn(), norm=norm, max_queries=300, random_state=0)
    found = attack.generate(IMAGES, LABELS)
    twin = BlackBoxAttack(rounded, distortion=ours, max_queries=300, random_state=0).attack(
        IMAGES, LABELS
    )
    np.testing.assert_array_equal(found, twin.images.astype(np.float32))
    assert attack.result is not None
    np.testing.assert_array_equal(attack.result.queries, twin.queries)
    assert (MODEL.predict(found) != LABELS).all()


def test_groups_of_pixels() -> None:
    rows = np.arange(64).reshape(8, 8).tolist()
    found = attacked(scikit_learn(), norm=rows)
    twin = BlackBoxAttack(rounded, distortion=rows, max_queries=300, random_state=0)
    expected = twin.attack(IMAGES, LABELS).images.astype(np.float32)
    np.testing.assert_array_equal(found, expected)


def test_labels_may_be_numbers_one_hot_or_the_estimators_own() -> None:
    expected = attacked(scikit_learn(), y=LABELS)
    np.testing.assert_array_equal(attacked(scikit_learn(), y=np.eye(10)[LABELS]), expected)
    np.testing.assert_array_equal(attacked(scikit_learn(), y=LABELS[:, None]), expected)
    np.testing.assert_array_equal(attacked(scikit_learn()), expected)


def test_targets() -> None:
    targets = (LABELS + 1) % 10
    attack = ZooADMMAttack(scikit_learn(), targeted=True, max_queries=1000, random_state=0)
    np.testing.assert_array_equal(MODEL.predict(attack.generate(IMAGES, targets)), targets)
    with pytest.raises(ValueError, match="needs y"):
        attack.generate(IMAGES)


def test_logits_give_the_same_images_as_probabilities() -> None:
    logits = BlackBoxClassifier(MODEL.decision_function, (64,), 10, clip_values=(0.0, 1.0))
    by_logits, by_probabilities = attacked(logits), attacked(scikit_learn())
    np.testing.assert_allclose(by_logits, by_probabilities, atol=0.01)


def test_images_in_single_precision_and_with_channels() -> None:
    def predict(images: Any) -> Any:
        return MODEL.predict_proba(np.asarray(images, dtype=np.float64).reshape(len(images), -1))

    estimator = BlackBoxClassifierNeuralNetwork(predict, (1, 8, 8), 10, clip_values=(0.0, 1.0))
    images = IMAGES.reshape(-1, 1, 8, 8).astype(np.float32)
    found = attacked(estimator, images)
    assert (found.dtype, found.shape) == (np.float32, images.shape)
    assert (predict(found).argmax(axis=1) != LABELS).all()
    assert found.min() >= 0
    assert found.max() <= 1
    precise = np.linalg.norm(attacked(scikit_learn()) - IMAGES, axis=1)
    sizes = np.linalg.norm((found - images).reshape(3, -1), axis=1)
    np.testing.assert_allclose(sizes, precise, rtol=0.01)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_lists_and_narrow_types_keep_their_success(dtype: Any) -> None:
    images = IMAGES.astype(dtype)
    found = attacked(scikit_learn(), images)
    assert found.dtype == np.promote_types(dtype, np.float32)
    assert (MODEL.predict(found.astype(np.float64)) != LABELS).all()
    np.testing.assert_array_equal(attacked(scikit_learn(), images.tolist()), found)


def test_an_image_that_cannot_be_changed_comes_back() -> None:
    tree = SklearnClassifier(
        DecisionTreeClassifier(max_depth=1).fit(X[:50], Y[:50]), clip_values=(0.0, 1.0)
    )
    found = attacked(tree, IMAGES[:1], max_queries=70)
    np.testing.assert_array_equal(found, IMAGES[:1])


def test_parameters_are_arts() -> None:
    attack = ZooADMMAttack(scikit_learn())
    attack.set_params(norm=np.inf, max_queries=10)
    assert "norm=inf" in repr(attack)
    assert attack.targeted is False
    with pytest.raises(ValueError, match="cannot be set"):
        attack.set_params(c=1)
    with pytest.raises(TypeError, match="no argument 'mask'"):
        attack.generate(IMAGES, mask=None)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"norm": 3}, "norm must be 1, 2"),
        ({"norm": "L2"}, "norm must be 1, 2"),
        ({"max_queries": 0}, "at least 1"),
        ({"batch_size": 0}, "at least 1"),
        ({"targeted": 1}, "True or False"),
    ],
)
def test_bad_parameters(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ZooADMMAttack(scikit_learn(), **given)


def test_an_estimator_without_a_range_or_classes_is_refused() -> None:
    with pytest.raises(ValueError, match="clip_values"):
        ZooADMMAttack(SklearnClassifier(MODEL))
    with pytest.raises(Exception, match="ClassifierMixin"):
        ZooADMMAttack(MODEL)
