"""Cox regression beside scikit-survival."""

from __future__ import annotations

import numpy as np
import pytest
from sksurv.linear_model import CoxnetSurvivalAnalysis
from sksurv.util import Surv

from zooadmm.applications import SparseCox
from zooadmm.applications.baselines import o_admm


def patients(n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """Eight covariates of which three matter; ties and censoring."""
    generator = np.random.default_rng(4)
    X = generator.standard_normal((n, 8))
    time = np.ceil(20 * generator.exponential(np.exp(-X[:, :3] @ [1.0, -1.0, 0.5])))
    return X, Surv.from_arrays(generator.random(n) < 0.7, time)


def judged(X: np.ndarray, y: np.ndarray, strength: float) -> np.ndarray:
    judge = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=[strength], tol=1e-12, max_iter=10**6)
    return judge.fit(X, y).coef_[:, 0]


@pytest.mark.parametrize("part", [0.5, 0.2])
def test_beside_coxnet(part: float) -> None:
    X, y = patients()
    strength = part * SparseCox().gamma_max(X, y)
    model = SparseCox(strength, max_evaluations=6000, random_state=0).fit(X, y)
    judge, problem = judged(X, y, strength), model.formulation(X, y)
    assert problem.objective(model.coef_) == pytest.approx(problem.objective(judge), abs=1e-5)
    np.testing.assert_array_equal(model.coef_ != 0, judge != 0)
    assert 0 < np.count_nonzero(judge) < 8
    np.testing.assert_allclose(model.predict(X), X @ model.coef_)
    assert model.score(X, y) == pytest.approx(
        CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=[strength]).fit(X, y).score(X, y), abs=0.01
    )


def test_gamma_max_is_where_the_first_covariate_enters() -> None:
    X, y = patients()
    most = SparseCox().gamma_max(X, y)
    for strength, kept in ((1.01 * most, 0), (0.95 * most, 1)):
        model = SparseCox(strength, max_evaluations=3000, random_state=0).fit(X, y)
        assert np.count_nonzero(model.coef_) == kept


def test_events_sampled() -> None:
    X, y = patients()
    strength = 0.2 * SparseCox().gamma_max(X, y)
    model = SparseCox(strength, batch="sampled", max_evaluations=10_000, random_state=0).fit(X, y)
    problem = model.formulation(X, y)
    worst, best = (problem.objective(x) for x in (np.zeros(8), judged(X, y, strength)))
    assert problem.objective(model.coef_) - best < 0.2 * (worst - best)


def test_the_path() -> None:
    X, y = patients()
    model = SparseCox(max_evaluations=3000, random_state=0)
    path = model.path(X, y, num_strengths=4)
    most = model.gamma_max(X, y)
    np.testing.assert_allclose(path.strengths, most * np.geomspace(1, 0.05, 4))
    assert path.coef.shape == (4, 8)
    assert np.abs(path.coef[0]).max() < 1e-3
    for strength, x in zip(path.strengths[1:], path.coef[1:], strict=True):
        np.testing.assert_allclose(x, judged(X, y, strength), atol=0.01)
    assert path.predict(X[:5]).shape == (4, 5)
    scores = path.score(X, y)
    assert scores[-1] > 0.75
    assert not hasattr(model, "coef_")
    assert (path.evaluations <= 3000).all()


def test_a_path_over_given_strengths_is_in_falling_order() -> None:
    X, y = patients()
    path = SparseCox(max_evaluations=500, random_state=0).path(X, y, [0.1, 0.3])
    np.testing.assert_array_equal(path.strengths, [0.3, 0.1])


def test_a_path_goes_on_from_the_fit_before() -> None:
    X, y = patients()
    strength = 0.1 * SparseCox().gamma_max(X, y)
    model = SparseCox(strength, max_evaluations=100, random_state=0)
    problem = model.formulation(X, y)
    path = model.path(X, y, [strength] * 5)
    best = problem.objective(judged(X, y, strength))
    first, last = (problem.objective(x) - best for x in path.coef[[0, -1]])
    assert last < max(0.5 * first, 1e-8)


def test_o_admm_gets_there_with_gradients() -> None:
    X, y = patients()
    strength = 0.2 * SparseCox().gamma_max(X, y)
    problem = SparseCox(strength).formulation(X, y)
    best = problem.objective(judged(X, y, strength))
    assert problem.objective(o_admm(problem).x) == pytest.approx(best, abs=1e-5)
