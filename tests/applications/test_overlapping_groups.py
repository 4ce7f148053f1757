"""Groups that overlap, beside cvxpy."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from zooadmm.applications import OverlappingGroupClassifier
from zooadmm.applications.baselines import o_admm

GROUPS = [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7]]


def samples() -> tuple[np.ndarray, np.ndarray]:
    """Eight features; the first two matter, and the fifth a little."""
    generator = np.random.default_rng(2)
    X = generator.standard_normal((250, 8))
    margin = 1.5 * X[:, 0] - 1.5 * X[:, 1] + 0.2 * X[:, 4] + 0.5
    return X, np.where(generator.random(250) < 1 / (1 + np.exp(-margin)), "yes", "no")


def judged(strength: float, groups: list[list[int]] = GROUPS) -> tuple[np.ndarray, float]:
    X, y = samples()
    x, x_0 = cp.Variable(8), cp.Variable()
    margins = cp.multiply(np.where(y == "yes", 1.0, -1.0), X @ x + x_0)
    penalty = cp.sum(cp.hstack([cp.norm2(x[group]) for group in groups]))
    objective = cp.sum(cp.logistic(-margins)) / len(y) + strength * penalty
    cp.Problem(cp.Minimize(objective)).solve(solver="CLARABEL")
    return np.append(x.value, x_0.value), float(objective.value)


@pytest.mark.parametrize("strength", [0.02, 0.08])
def test_beside_cvxpy_with_exact_zeros_where_it_has_them(strength: float) -> None:
    X, y = samples()
    model = OverlappingGroupClassifier(GROUPS, strength, max_evaluations=4000, random_state=0)
    model.fit(X, y)
    judge, best = judged(strength)
    problem = model.formulation(X, np.where(y == "yes", 1.0, -1.0))
    x = np.append(model.coef_, model.intercept_)
    assert problem.objective(x) == pytest.approx(best, abs=1e-4)
    np.testing.assert_array_equal(model.coef_[0] == 0, np.abs(judge[:8]) < 1e-5)
    assert (np.count_nonzero(model.coef_) < 8) == (strength > 0.05)


def test_a_coefficient_is_zero_when_a_group_that_covers_it_is() -> None:
    X, y = samples()
    model = OverlappingGroupClassifier(GROUPS, 0.08, max_evaluations=4000, random_state=0)
    x = model.fit(X, y).coef_[0]
    vanished = [group for group in GROUPS if not model.coef_[0][group].any()]
    assert vanished
    assert x[0] != 0
    assert x[2] == 0  # it is in a group that lives and in one that does not


def test_without_groups_each_column_is_one() -> None:
    X, y = samples()
    model = OverlappingGroupClassifier(strength=0.05, max_evaluations=6000, random_state=0)
    model.fit(X, y)
    judge, _ = judged(0.05, [[j] for j in range(8)])
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), judge, atol=0.01)
    probabilities = 1 / (1 + np.exp(-(X @ judge[:8] + judge[8])))
    assert list(model.classes_) == ["no", "yes"]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], probabilities, atol=0.01)
    assert model.score(X, y) > 0.75


def test_weighted_groups_and_no_intercept() -> None:
    X, y = samples()
    weights = np.array([0.0, 5.0, 5.0, 5.0])
    model = OverlappingGroupClassifier(
        GROUPS, 0.1, weights=weights, fit_intercept=False, max_evaluations=4000, random_state=0
    ).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(model.coef_[0]), [0, 1])
    assert model.intercept_ == [0.0]


def test_sampled() -> None:
    X, y = samples()
    model = OverlappingGroupClassifier(
        GROUPS, 0.02, batch="sampled", max_evaluations=8_000, random_state=0
    ).fit(X, y)
    problem = model.formulation(X, np.where(y == "yes", 1.0, -1.0))
    best, x = judged(0.02)[1], np.append(model.coef_, model.intercept_)
    assert problem.objective(x) - best < 0.2 * (np.log(2) - best)


def test_o_admm_gets_there_with_gradients() -> None:
    X, y = samples()
    model = OverlappingGroupClassifier(GROUPS, 0.02)
    problem = model.formulation(X, np.where(y == "yes", 1.0, -1.0))
    assert problem.objective(o_admm(problem).x) == pytest.approx(judged(0.02)[1], abs=1e-4)
