"""Blending: every set of weights, every loss, near, remote and in a stream."""

from __future__ import annotations

import pickle
from typing import Any

import cvxpy as cp
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Lasso
from sklearn.metrics import roc_auc_score

from zooadmm.applications import Blender, plateaus
from zooadmm.applications.baselines import least_squares_weights, o_admm

ERRORS = np.array([0.6, 0.8, 1.0, 1.5, 2.0, 3.0])


def models(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """A truth and six models of it, the last of which are bad."""
    generator = np.random.default_rng(1)
    truth = generator.standard_normal(n)
    return truth[:, None] + ERRORS * generator.standard_normal((n, 6)), truth


@pytest.mark.parametrize("weights", ["simplex", "nonnegative", "box", "free"])
def test_beside_least_squares_under_the_same_constraint(weights: Any) -> None:
    X, y = models()
    bounds = (-0.1, 0.3)
    blender = Blender(weights=weights, bounds=bounds, max_evaluations=6000, random_state=0)
    x, judge = blender.fit(X, y).coef_, least_squares_weights(X, y, weights, bounds)
    loss = blender.formulation(X, y).loss
    assert loss(judge) * (1 - 1e-9) <= loss(x) <= loss(judge) * (1 + 1e-3)
    if weights != "free":
        low, high = bounds if weights == "box" else (0.0, np.inf)
        assert x.min() >= low
        assert x.max() <= high
    if weights == "simplex":
        assert x.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(blender.predict(X), X @ x)
    assert blender.score(X, y) > 0.7


def with_noise() -> tuple[np.ndarray, np.ndarray]:
    """The last two models know nothing."""
    X, y = models()
    X[:, 4:] -= y[:, None]
    return X, y


def test_few_weights() -> None:
    X, y = with_noise()
    strength = 0.5
    x = Blender(weights="free", strength=strength, max_evaluations=6000, random_state=0).fit(X, y)
    judge = Lasso(alpha=strength / 2, fit_intercept=False, tol=1e-12).fit(X, y)
    np.testing.assert_array_equal(x.coef_ != 0, judge.coef_ != 0)
    assert 0 < np.count_nonzero(x.coef_) < 6
    np.testing.assert_allclose(x.coef_, judge.coef_, atol=5e-3)


def test_few_nonnegative_weights() -> None:
    X, y = with_noise()
    model = Blender(weights="nonnegative", strength=0.5, max_evaluations=6000, random_state=0)
    judge = Lasso(alpha=0.25, fit_intercept=False, positive=True, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(model.fit(X, y).coef_, judge.coef_, atol=5e-3)


@pytest.mark.parametrize("name", ["squared", "absolute", "log"])
def test_named_losses_and_their_gradients(name: Any) -> None:
    X, y = models(50)
    if name == "log":
        X, y = 1 / (1 + np.exp(-X)), (y > 0).astype(float)
    loss = Blender(name).formulation(X, y).loss
    x = np.full(6, 1 / 6)
    blended = X @ x
    by_hand = {
        "squared": lambda: (blended - y) ** 2,
        "absolute": lambda: np.abs(blended - y),
        "log": lambda: -np.log(np.where(y == 1, blended, 1 - blended)),
    }[name]()
    assert loss(x) == pytest.approx(by_hand.mean())
    rows = np.array([3, 17])
    np.testing.assert_allclose(loss.values(x[None], rows), by_hand[None, rows])
    assert loss(x, 17) == pytest.approx(by_hand[17])
    step = 1e-6 * np.eye(6)
    differences = (loss.values(x + step) - loss.values(x - step)) / 2e-6
    np.testing.assert_allclose(loss.gradient(x), differences, atol=1e-6)
    at_17 = (loss.values(x + step, [17]) - loss.values(x - step, [17]))[:, 0] / 2e-6
    np.testing.assert_allclose(loss.gradient(x, 17), at_17, atol=1e-6)


def test_the_least_absolute_error() -> None:
    X, y = models()
    x = cp.Variable(6)
    error = cp.sum(cp.abs(X @ x - y)) / len(y)
    cp.Problem(cp.Minimize(error), [x >= 0, cp.sum(x) == 1]).solve(solver="CLARABEL")
    blender = Blender("absolute", max_evaluations=2000, random_state=0).fit(X, y)
    reached = np.abs(blender.predict(X) - y).mean()
    assert error.value - 1e-6 < reached < 1.01 * error.value


def test_sampled_rows() -> None:
    X, y = models()
    full, sampled = (
        Blender(batch=batch, max_evaluations=10_000, random_state=0).fit(X, y)
        for batch in ("full", "sampled")
    )
    errors = [np.sqrt(np.mean((model.predict(X) - y) ** 2)) for model in (full, sampled)]
    assert errors[1] == pytest.approx(errors[0], rel=1e-5)
    assert errors[1] < np.sqrt(np.mean((X[:, 0] - y) ** 2))


def test_any_metric_without_a_gradient() -> None:
    X, y = models()

    def worst_tenth(target: np.ndarray, blended: np.ndarray) -> float:
        return float(np.sort(np.abs(target - blended))[-40:].mean())

    blender = Blender(worst_tenth, max_evaluations=3000, random_state=0).fit(X, y)
    assert -blender.score(X, y) < worst_tenth(y, X[:, 0])
    assert -blender.score(X, y) < 0.6 * worst_tenth(y, X.mean(axis=1))


def first_change(loss: Any, problem: Any, directions: np.ndarray) -> float:
    """Naive twin: the first length at which half of the directions show another value."""
    here, unit = loss(problem.x0), np.abs(problem.x0).max()
    for length in plateaus.LENGTHS:
        points = [problem.domain.project(problem.x0 + unit * length * d) for d in directions]
        if 2 * sum(loss(point) != here for point in points) >= len(directions):
            return float(length * unit)
    return float(unit)


def test_a_metric_with_plateaus() -> None:
    X, truth = models()
    y = (truth > 0).astype(float)
    seen: list[np.ndarray] = []

    def one_minus_auc(target: np.ndarray, blended: np.ndarray) -> float:
        seen.append(np.linalg.lstsq(X, blended)[0])
        return 1.0 - float(roc_auc_score(target, blended))

    blender = Blender(one_minus_auc, max_evaluations=300, random_state=0)
    problem = blender.formulation(X, y)
    directions = np.random.default_rng(0).standard_normal((16, 6))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    plateau = first_change(problem.loss, problem, directions)
    radius, spent = plateaus.measure(problem, 300, 0)
    assert radius is not None
    assert radius * np.sqrt(6) == pytest.approx(min(100 * plateau, np.abs(problem.x0).max()))
    assert spent == 65
    seen.clear()
    blender.fit(X, y)
    assert spent + blender.result_.nfev <= 300
    assert len(seen) <= 301  # and the value that is reported
    weights = np.array(seen)
    assert weights.min() >= -1e-9
    assert np.abs(weights.sum(axis=1) - 1.0).max() < 1e-9
    assert -blender.score(X, y) < one_minus_auc(y, X[:, 0]) < one_minus_auc(y, X.mean(axis=1))
    assert blender.coef_.sum() == pytest.approx(1.0)


def test_plateaus_take_at_most_a_quarter_of_a_small_budget() -> None:
    X, truth = models()
    problem = Blender(lambda t, b: float(np.mean((b > 0) != t))).formulation(X, truth > 0)
    for budget in (3, 20, 60, 100, 1_000):
        assert plateaus.measure(problem, budget, 0).evaluations <= min(65, budget / 4)


def test_a_smooth_metric_is_left_to_the_method() -> None:
    X, y = models()
    problem = Blender(lambda t, b: float(np.mean((t - b) ** 2))).formulation(X, y)
    assert plateaus.measure(problem, 300, 0).smoothing is None


def test_the_predictions_stay_with_their_owner() -> None:
    X, y = models()
    asked: list[np.ndarray] = []

    def owner(weights: np.ndarray) -> float:
        asked.append(weights)
        return float(np.mean((X @ weights - y) ** 2))

    remote = Blender(max_evaluations=3000, random_state=0).fit_remote(owner, 6)
    near = Blender(max_evaluations=3000, random_state=0).fit(X, y)
    assert 50 < len(asked) <= 3002
    assert {weights.shape for weights in asked} == {(6,)}
    np.testing.assert_allclose(remote.coef_, near.coef_, atol=0.01)
    assert remote.predict(X).shape == (400,)


def test_a_remote_fit_forgets_the_names_of_models() -> None:
    X, y = models(50)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    blender = Blender(max_evaluations=300, random_state=0).fit(frame, y)
    assert list(blender.feature_names_in_) == list("abcdef")
    blender.fit_remote(lambda x: float(np.square(x - 0.1).sum()), 6)
    blender.predict(X)  # would warn of names


def test_a_remote_loss_on_observations() -> None:
    X, y = models()
    blender = Blender(max_evaluations=10_000, random_state=0).fit_remote(
        lambda x, i: float((X[i] @ x - y[i]) ** 2), 6, observations=np.arange(400)
    )
    assert np.mean((X @ blender.coef_ - y) ** 2) < 1.1 * np.mean(
        (X @ least_squares_weights(X, y) - y) ** 2
    )


@pytest.mark.parametrize("piece", [1, 70])
def test_a_stream(piece: int) -> None:
    X, y = models(2000)
    blender = Blender(random_state=0)
    for start in range(0, len(y), piece):
        blender.partial_fit(X[start : start + piece], y[start : start + piece])
    best = np.mean((X @ least_squares_weights(X, y) - y) ** 2)
    assert np.mean((blender.predict(X) - y) ** 2) < 1.1 * best
    assert blender.coef_.min() >= 0
    again = pickle.loads(pickle.dumps(blender))
    for model in (blender, again):
        model.partial_fit(X[:100], y[:100])
    np.testing.assert_array_equal(blender.coef_, again.coef_)


def test_fit_forgets_the_stream() -> None:
    X, y = models()
    blender = Blender(max_evaluations=500, random_state=0).partial_fit(X, y)
    blender.fit(X, y)
    assert not hasattr(blender, "stream_")
    assert blender.result_ is not None


def test_o_admm_gets_there_with_gradients() -> None:
    X, y = models()
    problem = Blender().formulation(X, y)
    judge = problem.loss(least_squares_weights(X, y))
    assert problem.loss(o_admm(problem).x) == pytest.approx(judge, rel=1e-4)
