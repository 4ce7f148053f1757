"""A batch of slopes: the belief is Bayes' rule, the metric the covariance of slopes."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo
from twins.problems import make_problem
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.sampled import SampledDescent, evidence, judges
from zooadmm.methods.auto.sampled.differences import rounding
from zooadmm.methods.auto.sampled.state import NO_BATCH
from zooadmm.problem.constraint import Consensus
from zooadmm.problem.sets import WholeSpace

M = 3
GENERATOR = np.random.default_rng(5)


def sampling(D, P, v, nu=0.7, seen=6):
    problem = make_problem(np.zeros(M), zoo.regularizers.Zero(), WholeSpace(), Consensus())
    initial = SampledDescent(problem, 50).init(np.zeros(M), np.zeros(M), np.zeros(M), 1e-16)
    return initial._replace(first=D, H=np.diag(D), belief=Belief(v, P), nu=nu, seen=seen)


def test_the_belief_follows_bayes_rule_in_any_units():
    root = GENERATOR.standard_normal((M, M))
    P, v, D = root @ root.T, GENERATOR.standard_normal(M), np.array([0.1, 2.0, 50.0])
    g = GENERATOR.standard_normal((8, M)) * np.sqrt(D)
    batch = evidence.added(evidence.added(NO_BATCH, g[:5] / np.sqrt(D)), g[5:] / np.sqrt(D))
    after = evidence.conditioned(sampling(D, P, v)._replace(batch=batch), 50)
    spread = (g / np.sqrt(D)).var(axis=0, ddof=1).mean()
    nu = 0.7 + 8 / 14 * (spread - 0.7)
    R = nu * (1 / 8 - 1 / 50) * np.diag(D)
    precision = np.linalg.inv(P) + np.linalg.inv(R)
    mean = np.linalg.solve(precision, np.linalg.solve(P, v) + np.linalg.solve(R, g.mean(axis=0)))
    np.testing.assert_allclose(after.belief.v, mean, rtol=1e-8)
    np.testing.assert_allclose(after.belief.P, np.linalg.inv(precision), rtol=1e-7, atol=1e-10)
    assert (after.seen, after.counted) == (14, 8)


def test_the_metric_tends_to_the_covariance_of_slopes():
    root = GENERATOR.standard_normal((M, M))
    C = root @ root.T
    H = evidence.metric(np.ones(M), 10**6 * C, 10**6)
    np.testing.assert_allclose(H, C / np.diagonal(C).mean(), atol=1e-4)
    np.testing.assert_allclose(evidence.metric(np.full(M, 3.0), np.zeros((M, M)), 0), 3 * np.eye(M))


def test_observations_that_are_not_finite_are_dropped():
    g = np.ones((4, M))
    g[1, 2] = np.nan
    assert evidence.added(NO_BATCH, g).number == 3


def test_curvatures_without_slopes_and_slopes_without_curvature_have_units():
    D = evidence.diagonal(np.array([2.0, 0.0, 8.0]), np.array([1.0, 3.0, 4.0]), 5.0)
    np.testing.assert_allclose(D, [2.0, 3.0, 8.0])
    np.testing.assert_allclose(
        evidence.diagonal(np.zeros(2), np.array([1.0, 4.0]), 2.0), [0.25, 1.0]
    )


def test_paired_values_have_the_error_of_their_differences():
    here = 100.0 * GENERATOR.standard_normal(16)
    apart = GENERATOR.standard_normal(16) - 3.0
    change, error = judges.paired(np.stack([here, here + apart, np.full(16, np.inf)]))
    np.testing.assert_allclose(change[0], apart.mean())
    np.testing.assert_allclose(error[0], apart.std(ddof=1) / 4.0)
    assert change[1] == np.inf


def test_half_of_the_observations_judge_as_all():
    assert judges.number(10 * 40, 1_000) == 25
    assert judges.number(100 * 120, 1_000) == 1_000


def test_the_digits_of_a_large_x_are_the_rounding_of_a_small_loss():
    generator = np.random.default_rng(6)
    a, x = generator.standard_normal(8), 1e6 * generator.standard_normal(8)
    b = float(a @ x) + 1.0
    near = [
        (float(a @ (x * (1 + 1e-16 * generator.integers(-2, 3, 8)))) - b) ** 2 for _ in range(99)
    ]
    claimed = rounding(1.0, 2 * a**2, x)
    assert 0.1 * np.std(near) < claimed < 100 * np.std(near)


def test_multiples_of_one_loss_show_no_curvature():
    """Slopes that differ in a factor only: their products are those of the gradient."""
    factors, g = np.array([0.9, 1.0, 1.1, 1.0]), np.array([5.0, 1.0, 0.1])
    slopes = np.outer(factors, g)
    C = evidence.covariance(evidence.added(NO_BATCH, slopes))
    assert np.diagonal(C).mean() == pytest.approx(1.0)
    np.testing.assert_allclose(C, np.eye(3), atol=0.03)
    curvatures = np.ones(3)
    D = evidence.diagonal(curvatures, np.square(slopes).mean(axis=0), 1.0, chance=0.0)
    np.testing.assert_array_equal(D, curvatures)
