"""A first belief from values at points: gradient, doubt, metric."""

import numpy as np
import pytest

from zooadmm.methods.auto.model.regression import Values, fitted

M = 6
GENERATOR = np.random.default_rng(5)
TURN = np.linalg.qr(GENERATOR.standard_normal((M, M)))[0]
H = TURN @ np.diag(np.geomspace(0.3, 3.0, M)) @ TURN.T
G = GENERATOR.standard_normal(M)
EPS = 1e-14


def f(x):
    return float(2.0 + G @ x + 0.5 * x @ H @ x)


def values(points):
    return Values(points, np.array([f(x) for x in points]))


def cloud(number, seed=0):
    return 0.5 * np.random.default_rng(seed).standard_normal((number, M))


def cosine(v):
    return float(v @ G) / float(np.linalg.norm(v) * np.linalg.norm(G))


def test_enough_values_show_the_gradient_and_the_metric():
    found = fitted(values(cloud(60)), np.zeros(M), f(np.zeros(M)), EPS)
    assert cosine(found.belief.v) > 0.999
    assert np.linalg.norm(found.H - H) < 0.3 * np.linalg.norm(H)


def test_more_values_make_a_better_direction():
    found = [
        np.mean(
            [
                cosine(fitted(values(cloud(n, seed)), np.zeros(M), 2.0, EPS).belief.v)
                for seed in range(8)
            ]
        )
        for n in (2, 6, 20)
    ]
    assert found[0] > 0.2
    assert found[0] < found[1] < found[2]
    assert found[2] > 0.9


def test_the_doubt_covers_the_error():
    """Mahalanobis' distance of the truth has a mean of M where the covariance is right."""
    off = []
    for seed in range(20):
        (v, P), _ = fitted(values(cloud(4, seed)), np.zeros(M), 2.0, EPS)
        off.append(float((G - v) @ np.linalg.solve(P, G - v)) / M)
    assert 0.2 < np.median(off) < 4.0


def test_units_of_the_variables_do_not_matter():
    units = 10.0 ** np.arange(-3.0, M - 3.0)
    points = cloud(200)
    plain = fitted(values(points), np.zeros(M), 2.0, EPS)
    known = values(points)._replace(points=units * points)
    scaled = fitted(known, np.zeros(M), 2.0, EPS)
    np.testing.assert_allclose(scaled.belief.v * units, plain.belief.v, rtol=0.05, atol=0.05)


def test_points_that_nearly_coincide_are_slopes():
    """Those of a history: differences of 1e-8 beside points that are far away."""
    near = 1e-8 * np.eye(M)
    found = fitted(values(np.vstack([cloud(5), near])), np.zeros(M), 2.0, EPS)
    np.testing.assert_allclose(found.belief.v, G, atol=1e-2)


def test_noise_makes_a_belief_less_sure():
    points = cloud(30)
    sure = fitted(values(points), np.zeros(M), 2.0, EPS)
    unsure = fitted(values(points), np.zeros(M), 2.0, 1.0)
    assert np.trace(unsure.belief.P) > 3.0 * np.trace(sure.belief.P)


def test_the_metric_is_positive_definite_where_the_loss_bends_downwards():
    points = cloud(40)
    known = Values(points, np.array([float(G @ x - x @ x) for x in points]))
    found = fitted(known, np.zeros(M), 0.0, EPS)
    assert np.linalg.eigvalsh(found.H).min() > 0.0


@pytest.mark.parametrize("points", [np.zeros((1, M)), np.zeros((0, M))])
def test_x_alone_shows_nothing(points):
    assert fitted(values(points), np.zeros(M), 2.0, EPS) is None


def test_a_constant_shows_nothing():
    assert fitted(Values(cloud(3), np.full(3, 2.0)), np.zeros(M), 2.0, EPS) is None
