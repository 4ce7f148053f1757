"""The belief about the gradient against the textbook: joint normal variables, conditioned."""

from __future__ import annotations

import numpy as np
import pytest

from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.model.belief import NO_CHANGE, Belief

M = 5


def spd(generator, m=M, spread=1.0):
    """A positive definite matrix, with variables of different units."""
    root = generator.standard_normal((m, m)) * 10.0 ** generator.uniform(-spread, spread, (m, 1))
    return root @ root.T + 0.1 * np.diag(np.square(root).sum(axis=1))


def conditional(mean, covariance, rows, values, variances):
    """The mean and covariance of a normal u given rows @ u + errors = values, entry by entry."""
    joint = covariance @ rows.T
    inverse = np.linalg.inv(rows @ joint + np.diag(variances))
    return mean + joint @ inverse @ (values - rows @ mean), covariance - joint @ inverse @ joint.T


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 3, M])
def test_slopes_are_conditioned_on_as_in_a_joint_normal_distribution(seed, k):
    generator = np.random.default_rng(seed)
    before = Belief(generator.standard_normal(M), spd(generator))
    Z, slopes = generator.standard_normal((k, M)), generator.standard_normal(k)
    variances = generator.uniform(0.1, 1.0, k)
    after, change = beliefs.conditioned(before, NO_CHANGE, Z, slopes, variances)
    v, P = conditional(*before, Z, slopes, variances)
    np.testing.assert_allclose(after.v, v, rtol=1e-6, atol=1e-6 * np.abs(v).max())
    np.testing.assert_allclose(after.P, P, rtol=1e-5, atol=1e-6 * np.abs(before.P).max())
    assert len(change.d) == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_change_over_a_step_is_told_from_what_v_had_wrong_before(seed):
    """The old gradient, its change and the slopes as one normal vector, in two looks."""
    generator = np.random.default_rng(seed)
    before, H = Belief(generator.standard_normal(M), spd(generator)), spd(generator)
    s, tau = generator.standard_normal(M), 0.7
    Hs = H @ s
    spread = tau**2 / 2 * (s @ Hs * H + np.outer(Hs, Hs))
    mean = np.concatenate([before.v, Hs])
    covariance = np.block([[before.P, np.zeros((M, M))], [np.zeros((M, M)), spread]])
    known, change = beliefs.moved(before, H, s, tau)
    np.testing.assert_allclose(known.v, before.v + Hs)
    for _ in range(2):
        Z, slopes = generator.standard_normal((2, M)), generator.standard_normal(2)
        variances = generator.uniform(0.1, 1.0, 2)
        known, change = beliefs.conditioned(known, change, Z, slopes, variances)
        mean, covariance = conditional(mean, covariance, np.hstack([Z, Z]), slopes, variances)
    scale = np.abs(covariance).max()
    np.testing.assert_allclose(known.v, mean[:M] + mean[M:], rtol=1e-5, atol=1e-6 * np.ptp(mean))
    np.testing.assert_allclose(change.d, mean[M:], rtol=1e-5, atol=1e-6 * np.ptp(mean))
    both = covariance[M:, :M] + covariance[M:, M:]
    np.testing.assert_allclose(change.C, both, atol=1e-6 * scale)
    total = covariance[:M, :M] + both + covariance[:M, M:]
    np.testing.assert_allclose(known.P, total, atol=1e-6 * scale)
    assert np.array_equal(known.P, known.P.T)


def test_where_the_old_gradient_was_known_the_change_is_what_v_changes_by():
    generator = np.random.default_rng(3)
    before, H = Belief(generator.standard_normal(M), np.zeros((M, M))), spd(generator)
    known, change = beliefs.moved(before, H, generator.standard_normal(M), 1.0)
    Z = generator.standard_normal((2, M))
    known, change = beliefs.conditioned(known, change, Z, np.ones(2), np.full(2, 1e-3))
    np.testing.assert_allclose(change.d, known.v - before.v, rtol=1e-12)


def test_the_doubt_after_a_step_is_that_of_a_random_symmetric_matrix():
    """Cov[E s] for E = tau H^1/2 W H^1/2, by Monte Carlo, within four standard errors."""
    generator = np.random.default_rng(0)
    n, tau, H, s = 20_000, 0.7, spd(generator, 3), np.array([1.0, -2.0, 0.5])
    parts, axes = np.linalg.eigh(H)
    root = axes @ np.diag(np.sqrt(parts)) @ axes.T
    normal = generator.standard_normal((n, 3, 3))
    W = (normal + normal.transpose(0, 2, 1)) / 2  # variance 1/2 off the diagonal, 1 on it
    changes = tau * (root @ W @ root) @ s
    products = changes[:, :, None] * changes[:, None, :]
    error = products.std(axis=0) / np.sqrt(n)
    known, change = beliefs.moved(Belief(np.zeros(3), np.zeros((3, 3))), H, s, tau)
    assert (np.abs(products.mean(axis=0) - known.P) < 4 * error).all()
    np.testing.assert_allclose(change.C, known.P)


@pytest.mark.parametrize("rank", [0, 2, 4])
def test_errors_are_drawn_with_the_covariance_of_the_belief(rank):
    """Also where it is singular, and its variables have very different units."""
    generator = np.random.default_rng(rank)
    units = 10.0 ** np.array([-6.0, 0.0, 5.0, 1.0])
    root = generator.standard_normal((4, rank)) * units[:, None]
    P, n = root @ root.T, 20_000
    errors = beliefs.draws(Belief(np.zeros(4), P), generator.standard_normal((n, 4)))
    products = errors[:, :, None] * errors[:, None, :]
    error = products.std(axis=0) / np.sqrt(n)
    assert (np.abs(products.mean(axis=0) - P) <= 4 * error).all()


def test_what_is_known_exactly_is_not_drawn():
    P = np.diag([1.0, 0.0, 4.0])
    errors = beliefs.draws(Belief(np.zeros(3), P), np.ones((2, 3)))
    np.testing.assert_allclose(np.abs(errors), [[1.0, 0.0, 2.0]] * 2)


def test_the_same_slope_twice_is_no_obstacle():
    """Z P Z' is singular, and the variances are nothing beside it."""
    known, _ = beliefs.conditioned(
        Belief(np.zeros(2), np.eye(2)), NO_CHANGE, np.ones((2, 2)), np.ones(2), np.full(2, 1e-30)
    )
    np.testing.assert_allclose(known.v, [0.5, 0.5], rtol=1e-6)


def test_a_belief_stays_one_when_it_was_too_wide_by_far():
    """Slopes known to rounding again and again, after a doubt that was as large as numbers go."""
    generator = np.random.default_rng(2)
    H = spd(generator)
    known = Belief(np.zeros(M), 1e12 * H)
    for _ in range(20):
        before, Z = known, generator.standard_normal((2, M))
        known, _ = beliefs.conditioned(known, NO_CHANGE, Z, Z @ np.ones(M), np.full(2, 1e-16))
        assert beliefs.is_sound(known, before, H)
    np.testing.assert_allclose(known.v, 1.0, rtol=1e-3)


def test_a_belief_that_rounding_has_broken_is_found_out():
    before = Belief(np.zeros(2), np.diag([1.0, 100.0]))
    units = np.diag([1.0, 100.0])
    assert beliefs.is_sound(Belief(np.zeros(2), np.diag([-1e-9, 1.0])), before, units)
    assert not beliefs.is_sound(Belief(np.zeros(2), np.diag([-0.5, 1.0])), before, units)
    assert not beliefs.is_sound(Belief(np.array([0.0, np.nan]), np.eye(2)), before, units)
    assert not beliefs.is_sound(Belief(np.zeros(2), np.full((2, 2), np.nan)), before, units)


@pytest.mark.parametrize("seed", range(20))
def test_slopes_are_believed_where_rounding_has_made_the_covariance_indefinite(seed):
    """A variable at a bound is not measured for long: its variance is 1e10 times the others."""
    generator = np.random.default_rng(seed)
    H = spd(generator)
    units = np.diag(1.0 / np.sqrt(np.diagonal(H)))
    P = 1e-17 * H
    P[-1, -1] = 1e-7 * H[-1, -1]
    i = generator.integers(M - 1)
    P[i, i] = -generator.uniform(0.1, 50.0) * P[i, i]
    before = Belief(1e-9 * generator.standard_normal(M), P)
    before.v[-1] = -3e-4 * np.sqrt(H[-1, -1])
    slopes, variances = 1e-9 * generator.standard_normal(M), np.full(M, 1e-17)
    slopes[-1] = 4e-4
    after, _ = beliefs.conditioned(before, NO_CHANGE, units, slopes, variances)
    np.testing.assert_allclose((units @ after.v)[-1], 4e-4, rtol=1e-3)
    assert after.P[-1, -1] < 1e-4 * P[-1, -1]


@pytest.mark.parametrize("seed", range(5))
def test_variances_that_slopes_do_not_show_stay_as_they_are(seed):
    """Slopes along a few variables, with an indefinite P: the others are not made up of 1 / 0."""
    generator = np.random.default_rng(seed)
    H = spd(generator)
    units = np.diag(1.0 / np.sqrt(np.diagonal(H)))[: M - 2]
    P = 1e-17 * H
    i = generator.integers(M - 2)
    P[i, i] = -20.0 * P[i, i]
    before = Belief(1e-9 * generator.standard_normal(M), P)
    slopes, variances = 1e-9 * generator.standard_normal(M - 2), np.full(M - 2, 1e-17)
    after, _ = beliefs.conditioned(before, NO_CHANGE, units, slopes, variances)
    assert np.abs(after.P).max() <= 2.0 * np.diagonal(P).max()
