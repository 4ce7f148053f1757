"""The model of a sample, its minimizers and cross-validation, against naive twins and cvxpy."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.auto.ridges.fit import STRENGTHS, Pulled, changes
from zooadmm.methods.auto.ridges.state import Along
from zooadmm.problem.constraint import Consensus
from zooadmm.problem.problem import Problem
from zooadmm.problem.regularizers import Indicator
from zooadmm.problem.sets import WholeSpace
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved

GENERATOR = np.random.default_rng(5)
N, M = 40, 7
DIRECTIONS = GENERATOR.standard_normal((N, M)) * np.geomspace(0.1, 10, M)
ALONG = Along(
    GENERATOR.standard_normal(N),
    GENERATOR.standard_normal(N),
    GENERATOR.random(N),
    np.arange(N) % 9 != 4,
)
CENTER = GENERATOR.standard_normal(M)
ANCHOR = np.zeros(M)


def pulled(phi, metric=True):
    problem = Problem(M, M, M, np.dtype(float), phi, WholeSpace(), Consensus())
    return Pulled(Minimizer(problem), metric)


def naive(x):
    """The mean of the ridges over those that are sound, one by one."""
    total, count = 0.0, 0
    for a, slope, curvature, sound in zip(DIRECTIONS, *ALONG[1:], strict=True):
        if sound:
            z = a @ (x - CENTER)
            total, count = total + slope * z + curvature * z**2 / 2, count + 1
    return total / count


def test_the_model_is_the_mean_of_the_ridges():
    model = pulled(zoo.L1(0.1)).quadratic(DIRECTIONS, ALONG)
    x = GENERATOR.standard_normal(M)
    s = x - CENTER
    assert model.g @ s + s @ model.H @ s / 2 == pytest.approx(naive(x))
    assert changes(DIRECTIONS, ALONG, s).mean() == pytest.approx(naive(x))


def test_weights_are_units_and_the_largest_eigenvalue_is_without_them():
    model = pulled(zoo.L1(0.1)).quadratic(DIRECTIONS, ALONG)
    assert np.exp(np.log(model.W).mean()) == pytest.approx(1.0)
    np.testing.assert_allclose(model.W / model.W[0], np.diagonal(model.H) / model.H[0, 0])
    scaled = pulled(zoo.L1(0.1)).quadratic(DIRECTIONS * np.geomspace(1, 1e4, M), ALONG)
    assert scaled.top / np.exp(np.log(np.diagonal(scaled.H)).mean()) == pytest.approx(
        model.top / np.exp(np.log(np.diagonal(model.H)).mean())
    )
    plain = pulled(zoo.L1(0.1), metric=False).quadratic(DIRECTIONS, ALONG)
    np.testing.assert_array_equal(plain.W, np.ones(M))
    assert plain.top == pytest.approx(np.linalg.eigvalsh(plain.H)[-1])


def test_nothing_bends_downwards():
    bent = ALONG._replace(curvature=-np.ones(N))
    assert not pulled(zoo.L1(0.1)).quadratic(DIRECTIONS, bent).H.any()


@pytest.mark.parametrize("strength", [1.0, 0.01, 1e-4])
@pytest.mark.parametrize("phi", [zoo.L1(0.3), Indicator(zoo.Box(-0.2, 0.5))], ids=["L1", "box"])
def test_the_minimizer_with_a_pull_is_that_of_cvxpy(phi, strength):
    solve = pulled(phi)
    model = solve.quadratic(DIRECTIONS, ALONG)
    center = Solved(CENTER, CENTER, np.zeros(M))
    found, _ = solve(model, model.pull(strength), center, ANCHOR, 0.0)
    x = cp.Variable(M)
    root = np.linalg.cholesky(model.H + 1e-12 * np.eye(M)).T
    away = cp.sum(cp.multiply(model.pull(strength), cp.square(x - ANCHOR))) / 2
    value = model.g @ (x - CENTER) + cp.sum_squares(root @ (x - CENTER)) / 2 + away
    rules = []
    if isinstance(phi, zoo.L1):
        value += 0.3 * cp.norm1(x)
    else:
        rules = [x >= -0.2, x <= 0.5]
    cp.Problem(cp.Minimize(value), rules).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(found.x, x.value, atol=1e-5)


def sample(n, signal):
    """Squares of a regression with noise, at 0."""
    generator = np.random.default_rng(8)
    a = generator.standard_normal((n, M))
    residual = -a @ (signal * np.ones(M)) + generator.standard_normal(n)
    directions = a * residual[:, None]
    along = Along(residual**2 / 2, np.ones(n), residual**-2.0, np.ones(n, dtype=bool))
    return directions, along


@pytest.mark.parametrize(("n", "signal", "weak"), [(400, 3.0, True), (10, 0.0, False)])
def test_a_large_sample_is_trusted_and_pure_noise_is_not(n, signal, weak):
    directions, along = sample(n, signal)
    start = Solved(np.zeros(M), np.zeros(M), np.zeros(M))
    strength = pulled(zoo.L1(0.0)).best_strength(directions, along, start, ANCHOR, 0.0)
    assert strength in (STRENGTHS[-2:] if weak else STRENGTHS[:3])
