"""The baselines are right by themselves, according to others."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.util import Surv

from zooadmm.applications import Blender, SensorSelector
from zooadmm.applications.baselines import (
    greedy,
    least_squares_weights,
    log_determinant_derivatives,
    o_admm,
    projected_gradient,
    second_order,
    strongest,
    univariate_scores,
)
from zooadmm.datasets import sensor_field
from zooadmm.losses import Cox, LogDeterminant


def field() -> np.ndarray:
    return sensor_field(num_sensors=15, num_locations=3, num_times=8, rng=5).vectors


def test_derivatives_of_the_log_determinant() -> None:
    A, x = field(), np.full(15, 0.3)
    gradient, hessian = log_determinant_derivatives(A, x)
    loss = LogDeterminant(A)
    np.testing.assert_allclose(gradient, loss.gradient(x))
    step = 1e-6 * np.eye(15)
    by_differences = [(loss.gradient(x + d) - loss.gradient(x - d)) / 2e-6 for d in step]
    np.testing.assert_allclose(hessian, by_differences, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("budget", [4, 9])
def test_newton_and_projected_gradients_agree_with_cvxpy(budget: int) -> None:
    A = field()
    x = cp.Variable(15)
    value = -sum(cp.log_det(A_t.T @ cp.diag(x) @ A_t) for A_t in A) / len(A)
    problem = cp.Problem(cp.Minimize(value), [x >= 0, x <= 1, cp.sum(x) == budget])
    problem.solve(solver="CLARABEL")
    loss = LogDeterminant(A)
    for weights in (second_order(A, budget), projected_gradient(A, budget)):
        assert problem.value - 1e-4 < loss(weights) < problem.value + 1e-6
        assert weights.sum() == pytest.approx(budget)
        assert 0 <= weights.min() <= weights.max() <= 1


@pytest.mark.parametrize("tolerance", [1e-2, 1e-5, 1e-8])
def test_newton_is_as_near_as_it_says(tolerance: float) -> None:
    A = field()
    x = second_order(A, 9, tolerance)
    gradient = LogDeterminant(A).gradient(x)
    least = np.sort(gradient)[:9].sum()  # of <gradient, v> over all feasible v, as f is convex
    assert -1e-12 < gradient @ x - least <= 1.01 * tolerance


def test_newton_ends_whatever_the_rounding_of_its_tolerance() -> None:
    rounded = [m for m in range(8, 40) if 2 * m * (1e-5 / (2 * m)) > 1e-5]
    A = sensor_field(num_sensors=rounded[0], num_locations=3, num_times=8, rng=5).vectors
    assert second_order(A, 6, 1e-5).sum() == pytest.approx(6)


def test_newton_with_all_sensors() -> None:
    np.testing.assert_array_equal(second_order(field(), 15), np.ones(15))


def test_o_admm_chooses_sensors() -> None:
    A = field()
    for splitting in ("projection", "box and budget"):
        problem = SensorSelector(4, splitting=splitting).formulation(A)
        reached = LogDeterminant(A)(o_admm(problem, max_iterations=1500).x)
        assert reached == pytest.approx(LogDeterminant(A)(second_order(A, 4)), rel=1e-3)


def test_greed_takes_the_best_next_one() -> None:
    A = np.array([[3.0, 0.0], [2.9, 0.0], [0.0, 1.0], [0.0, 0.9]])
    np.testing.assert_array_equal(greedy(A, 2), [True, False, True, False])
    np.testing.assert_array_equal(greedy(A, 3), [True, True, True, False])


@pytest.mark.parametrize("weights", ["simplex", "nonnegative", "box", "free"])
def test_least_squares_agrees_with_cvxpy(weights: str) -> None:
    generator = np.random.default_rng(6)
    P, b = generator.standard_normal((40, 6)), generator.standard_normal(40)
    x = cp.Variable(6)
    sets = {
        "simplex": [x >= 0, cp.sum(x) == 1],
        "nonnegative": [x >= 0],
        "box": [x >= -0.05, x <= 0.1],
        "free": [],
    }
    cp.Problem(cp.Minimize(cp.sum_squares(P @ x - b)), sets[weights]).solve(solver="CLARABEL")
    ours = least_squares_weights(P, b, weights, bounds=(-0.05, 0.1))
    np.testing.assert_allclose(ours, x.value, atol=1e-6)


def test_least_squares_with_fewer_rows_than_models() -> None:
    np.testing.assert_allclose(least_squares_weights([[2.0, 4.0]], [3.0]), [0.5, 0.5])


def test_univariate_scores_are_slope_and_curvature_at_zero() -> None:
    generator = np.random.default_rng(7)
    X = generator.standard_normal((80, 3)) + 5.0
    time, event = np.ceil(9 * generator.random(80)), generator.random(80) < 0.6
    scores = univariate_scores(X, Surv.from_arrays(event, time))
    for j in range(3):
        loss, d = Cox(X[:, [j]], time, event), 1e-5
        slope = -80 * loss.gradient([0.0])[0]
        bend = 80 * (loss.gradient([d])[0] - loss.gradient([-d])[0]) / (2 * d)
        assert scores[j] == pytest.approx(slope / np.sqrt(bend), rel=1e-5)


def test_univariate_scores_have_the_sign_of_the_fit() -> None:
    generator = np.random.default_rng(7)
    X = generator.standard_normal((100, 2))
    y = Surv.from_arrays(np.ones(100, bool), generator.exponential(np.exp(X @ [1.0, -0.8])))
    scores = univariate_scores(X, y)
    np.testing.assert_array_equal(np.sign(scores), np.sign(CoxPHSurvivalAnalysis().fit(X, y).coef_))
    np.testing.assert_array_equal(strongest(X, y, 2), scores)
    assert np.count_nonzero(strongest(X, y, 1)) == 1
    with pytest.raises(ValueError, match="count = 3"):
        strongest(X, y, 3)


def test_o_admm_needs_a_gradient() -> None:
    problem = Blender(lambda t, b: 0.0).formulation([[1.0, 2.0], [3.0, 1.0]], [1.0, 2.0])
    with pytest.raises(TypeError, match="gradient"):
        o_admm(problem)
