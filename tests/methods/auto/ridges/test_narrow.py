"""A narrow look: the span, and what its slopes make of the model."""

from __future__ import annotations

import numpy as np
import pytest

from zooadmm.methods.auto.ridges import narrow
from zooadmm.methods.auto.ridges.fit import Quadratic
from zooadmm.methods.auto.ridges.state import Along

GENERATOR = np.random.default_rng(6)
M, K, N = 8, 3, 5_000
W = np.geomspace(0.01, 100, M)
POINTS = GENERATOR.standard_normal((K, M)) / np.sqrt(W)
CENTER = GENERATOR.standard_normal(M) / np.sqrt(W)
BASIS = narrow.spanned(POINTS, CENTER, W)
TRUE_H = np.diag(np.sqrt(W)) @ np.cov(GENERATOR.standard_normal((M, 40))) @ np.diag(np.sqrt(W))


def test_the_basis_spans_the_ways_and_is_orthogonal_in_the_metric():
    assert BASIS.shape == (M, K)
    np.testing.assert_allclose(np.linalg.norm(BASIS, axis=0), 1.0)
    gram = BASIS.T @ (W[:, None] * BASIS)
    np.testing.assert_allclose(gram - np.diag(np.diagonal(gram)), 0.0, atol=1e-12 * gram.max())
    for way in POINTS - CENTER:
        scaled, columns = way * np.sqrt(W), BASIS * np.sqrt(W)[:, None]
        left = scaled - columns @ np.linalg.lstsq(columns, scaled, rcond=None)[0]
        assert np.linalg.norm(left) < 1e-9 * np.linalg.norm(scaled)


def test_the_same_way_twice_and_no_way_count_once_and_not_at_all():
    again = np.concatenate([POINTS, POINTS[:1], CENTER[None]])
    assert narrow.spanned(again, CENTER, W).shape == (M, K)
    assert narrow.spanned(CENTER[None], CENTER, W).shape == (M, 0)


def ridges(mean):
    """Squares (a'x - b)^2/2 whose slopes at the center have about that mean along the basis."""
    a = GENERATOR.multivariate_normal(np.zeros(M), TRUE_H, N)
    pull = np.linalg.lstsq(BASIS.T @ TRUE_H, mean, rcond=None)[0]
    residual = a @ pull + 0.1 * GENERATOR.standard_normal(N)
    slopes = (a * residual[:, None]) @ BASIS
    along = Along(residual**2 / 2, np.ones(N), residual**-2.0, np.ones(N, dtype=bool))
    return a, residual, slopes, along


def model():
    return Quadratic(np.zeros(M), np.zeros((M, M)), W, 2.0)


def test_the_model_has_the_slopes_and_curvatures_of_the_look_in_the_span():
    a, residual, slopes, along = ridges(np.array([1.0, -2.0, 0.5]))
    balanced = GENERATOR.standard_normal(M) * np.sqrt(W)
    g, H = narrow.refined(BASIS, slopes, along, model(), balanced)
    seen = BASIS.T @ (a.T * residual).mean(axis=1)
    np.testing.assert_allclose(BASIS.T @ g, seen, rtol=0.02, atol=0.02 * np.abs(seen).max())
    np.testing.assert_allclose(BASIS.T @ H @ BASIS, (a @ BASIS).T @ (a @ BASIS) / N, rtol=1e-6)
    across = np.linalg.svd((BASIS * np.sqrt(W)[:, None]).T)[2][K:].T / np.sqrt(W)[:, None]
    np.testing.assert_allclose(across.T @ g, across.T @ balanced, atol=1e-9)  # untouched
    np.testing.assert_allclose(across.T @ H @ across, 10.0 * 2.0 * np.eye(M - K), atol=1e-8)


def test_what_may_be_luck_moves_nothing():
    generator = np.random.default_rng(0)
    slopes = generator.standard_normal((N, K))
    slopes -= slopes.mean(axis=0)
    along = Along(np.zeros(N), np.ones(N), np.ones(N), np.ones(N, dtype=bool))
    balanced = np.zeros(M)
    g, _ = narrow.refined(BASIS, slopes + 0.1 / np.sqrt(N), along, model(), balanced)
    np.testing.assert_array_equal(g, balanced)
    g, _ = narrow.refined(BASIS, slopes + 10.0 / np.sqrt(N), along, model(), balanced)
    assert g.any()


def test_observations_that_are_not_sound_do_not_count():
    _, _, slopes, along = ridges(np.ones(K))
    spoilt = slopes.copy()
    spoilt[::7] = np.nan
    sound = np.arange(N) % 7 != 0
    some = Along(*(field[sound] for field in along))
    one = narrow.refined(BASIS, spoilt, along._replace(sound=sound), model(), np.zeros(M))
    other = narrow.refined(BASIS, slopes[sound], some, model(), np.zeros(M))
    for mine, its in zip(one, other, strict=True):
        assert mine == pytest.approx(its)
