"""What a look says about ridges, against the derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from zooadmm.losses import Cox, Logistic, Squares
from zooadmm.methods.auto.ridges import probes

GENERATOR = np.random.default_rng(3)
A = GENERATOR.standard_normal((30, 6))
X = GENERATOR.standard_normal(6)
V = GENERATOR.standard_normal(6)
V /= np.linalg.norm(V)
U = np.roll(V, 1)
H, D = 1e-4, 1e-7
LOSSES = {
    "squares": Squares(A, A @ np.ones(6) + GENERATOR.standard_normal(30)),
    "logistic": Logistic(A, np.where(GENERATOR.random(30) < 0.5, 1.0, -1.0)),
}


def slopes_at(loss, x):
    return np.stack([loss.gradient(x, w) for w in loss.observations])


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_a_wide_look_finds_directions_slopes_and_curvatures(loss):
    answer = loss.values(probes.sloped_points(X, np.eye(6), D, V, H), loss.observations)
    a = probes.slopes(answer, D, V, H)
    np.testing.assert_allclose(a, slopes_at(loss, X + H * V), rtol=1e-3, atol=1e-5)
    along = probes.along(answer, a @ V, H)
    np.testing.assert_allclose(along.value, loss.values(X[None], loss.observations)[0], rtol=1e-12)
    np.testing.assert_allclose(along.slope[:, None] * a, slopes_at(loss, X), rtol=1e-2, atol=1e-5)
    ahead, behind = slopes_at(loss, X + 1e-5 * U), slopes_at(loss, X - 1e-5 * U)
    curved = along.curvature[:, None] * a * (a @ U)[:, None]
    np.testing.assert_allclose(curved, (ahead - behind) / 2e-5, rtol=2e-2, atol=1e-3)
    assert along.sound.all()
    assert probes.agreeing(answer, a, V, H).all()


def test_an_observation_is_known_again_from_three_values():
    loss, there = LOSSES["logistic"], X + 1.0
    answer = loss.values(probes.sloped_points(X, np.eye(6), D, V, H), loss.observations)
    a = probes.slopes(answer, D, V, H)
    again = loss.values(probes.across_points(there, U[None], H), loss.observations)
    along = probes.along(again, a @ U, H)
    np.testing.assert_allclose(
        along.slope[:, None] * a, slopes_at(loss, there), rtol=2e-2, atol=1e-5
    )


def test_an_observation_that_is_fitted_exactly_has_a_direction():
    loss = Squares(A, np.zeros(30))
    answer = loss.values(
        probes.sloped_points(np.zeros(6), np.eye(6), 1e-8, V, H), loss.observations
    )
    a = probes.slopes(answer, 1e-8, V, H)
    along = probes.along(answer, a @ V, H)
    assert (along.sound & probes.agreeing(answer, a, V, H)).all()
    products = np.abs(np.sum(a * A, axis=1))
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(A, axis=1)
    np.testing.assert_allclose(products, lengths, rtol=1e-4)
    H_seen = (a.T * along.curvature) @ a / 30
    np.testing.assert_allclose(H_seen, 2 * A.T @ A / 30, rtol=1e-2, atol=1e-2)


def test_differences_are_made_straight():
    loss, d = Squares(A, np.zeros(30)), 1e-6
    answer = loss.values(probes.sloped_points(np.zeros(6), np.eye(6), d, V, H), loss.observations)
    true = slopes_at(loss, H * V)
    plain = (answer[1:-2] - answer[-2]).T / d
    errors = [np.linalg.norm(a - true, axis=1) for a in (probes.slopes(answer, d, V, H), plain)]
    assert np.median(errors[0]) < 1e-3 * np.median(errors[1])


def test_slopes_that_do_not_add_up_are_told_apart():
    answer = LOSSES["squares"].values(probes.sloped_points(X, np.eye(6), D, V, H), np.arange(30))
    answer[3, 4] += 1.0
    agree = probes.agreeing(answer, probes.slopes(answer, D, V, H), V, H)
    assert not agree[4]
    assert np.delete(agree, 4).all()


def test_values_that_are_not_finite_are_not_sound():
    answer = LOSSES["squares"].values(probes.sloped_points(X, np.eye(6), D, V, H), np.arange(30))
    answer[2, 7] = np.nan
    sound = probes.along(answer, probes.slopes(answer, D, V, H) @ V, H).sound
    assert not sound[7]
    assert np.delete(sound, 7).all()


def found_unlike(values):
    return probes.unlike(values(probes.across_points(X, np.stack([U, V]), H)), H)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_ridges_are_known_from_five_values(loss):
    assert found_unlike(lambda points: loss.values(points, loss.observations)) < 1e-3


def test_what_is_no_ridge_is_known_too():
    time, event = GENERATOR.exponential(size=30), np.ones(30)
    cox = Cox(A, time, event)
    assert found_unlike(lambda points: cox.values(points, cox.observations)) > 0.1
    squares = LOSSES["squares"]

    def with_decay(points):
        values = squares.values(points, squares.observations)
        return values + 0.5 * np.square(points).sum(axis=1)[:, None]

    assert found_unlike(with_decay) > 0.01


def test_where_nothing_is_curved_there_are_no_ridges_to_go_by():
    assert found_unlike(lambda points: np.maximum(points @ A.T, 0.0) + 1.0) > 0.5
    assert found_unlike(lambda points: np.full((len(points), 30), 2.0)) == 1.0
    assert found_unlike(lambda points: np.full((len(points), 30), np.nan)) == 1.0
