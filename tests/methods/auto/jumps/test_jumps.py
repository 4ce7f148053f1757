"""Losses whose values repeat and jump: counts, ranks, rounded values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import LinearConstraint

import zooadmm as zoo
from zooadmm.methods.auto.constants import MANY
from zooadmm.methods.auto.jumps import Adaptation, JumpState
from zooadmm.methods.auto.jumps.adaptation import drawn, number

M = 8
generator = np.random.default_rng(0)
POSITIVE = generator.standard_normal((40, M)) + generator.uniform(0.0, 0.6, M)
NEGATIVE = generator.standard_normal((60, M))


class Seen:
    """A loss, with all points and values."""

    def __init__(self, loss):
        self.loss, self.points, self.values = loss, [], []

    def __call__(self, x):
        self.points.append(x.copy())
        self.values.append(self.loss(x))
        return self.values[-1]


def one_minus_auc(x):
    below = np.searchsorted(np.sort(NEGATIVE @ x), POSITIVE @ x)
    return 1.0 - float(below.mean()) / len(NEGATIVE)


def stairs(x):
    """A bowl whose least value is 0, in steps of a hundredth of that at 0."""
    return float(np.floor(100.0 * np.mean(np.square(x - 1.0))))


@pytest.mark.parametrize("seed", range(3))
def test_a_blend_by_ranks_uses_its_budget_inside_the_simplex(seed):
    loss, x0 = Seen(one_minus_auc), np.full(M, 1.0 / M)
    result = zoo.minimize(loss, x0, domain=zoo.Simplex(), max_evaluations=800, rng=seed)
    points = np.array(loss.points)
    assert points.min() >= 0.0
    np.testing.assert_allclose(points.sum(axis=1), 1.0, atol=1e-12)
    assert result.nfev > 780, "a run across jumps does not settle"
    assert "by the order of values" in result.learned
    assert one_minus_auc(result.x) == min(loss.values), "the best point seen is the answer"
    vertices = [one_minus_auc(vertex) for vertex in np.eye(M)]
    assert one_minus_auc(result.x) < min(one_minus_auc(x0), *vertices) - 0.02


@pytest.mark.parametrize("seed", range(3))
def test_the_lowest_step_of_stairs_is_found(seed):
    result = zoo.minimize(stairs, np.zeros(M), max_evaluations=1_200, rng=seed)
    assert stairs(result.x) == 0.0
    assert not result.success, "no gradient was measured there"


def test_a_regularizer_counts_in_the_order():
    loss = Seen(lambda x: round(float(np.square(x - np.eye(M)[0]).sum()), 1))
    few = zoo.L1(0.5)
    result = zoo.minimize(loss, np.full(M, 2.0), regularizer=few, max_evaluations=1_500, rng=0)
    found = [v + few(x) for x, v in zip(loss.points, loss.values, strict=True)]
    assert loss.loss(result.x) + few(result.x) == pytest.approx(min(found), abs=0.02)
    assert loss.loss(result.x) + few(result.x) < 0.6  # 0.4375 without rounding


def test_rows_are_satisfied_at_every_point_of_the_search():
    loss = Seen(lambda x: float(np.ceil(5.0 * np.abs(x - 1.0)).sum()))
    result = zoo.minimize(
        loss,
        np.full(M, 0.5),
        constraint=LinearConstraint(np.ones((1, M)), 3.0, 4.0),
        domain=zoo.Box(0.0, 2.0),
        max_evaluations=600,
        rng=0,
    )
    assert "by the order of values" in result.learned
    sums = np.array([*loss.points[-300:], result.x]).sum(axis=1)  # the search is longer
    assert sums.min() >= 3.0 - 1e-12
    assert sums.max() <= 4.0 + 1e-12
    assert loss.loss(result.x) < loss.values[0]


def test_more_than_1500_variables_are_left_to_steps():
    result = zoo.minimize(
        lambda x: float(np.floor(np.square(x - 1.0).mean() * 50.0)),
        np.zeros(1_501),
        max_evaluations=12_000,
        rng=0,
    )
    assert "by the order of values" not in result.learned


def test_a_resumed_run_is_the_unbroken_one(tmp_path):
    given = {"rng": 4, "domain": zoo.Simplex(), "settings": zoo.Auto(budget=700)}
    x0, saved = np.full(M, 1.0 / M), tmp_path / "run.zoo"
    for budget in (330, 341, 700):
        parts = zoo.minimize(one_minus_auc, x0, max_evaluations=budget, checkpoint=saved, **given)
    whole = zoo.minimize(one_minus_auc, x0, max_evaluations=700, **given)
    np.testing.assert_array_equal(parts.x, whole.x)
    assert parts.nfev == whole.nfev


def search(values, m, rounds, step=1.0):
    """A cloud that has seen so many rounds."""
    random, points = np.random.default_rng(1), number(m)
    adaptation = Adaptation.of(m, points)
    cloud = adaptation.first(np.full(m, 3.0), step)
    for _ in range(rounds):
        draws = drawn(cloud, random.standard_normal((points, m)))
        found = values(cloud.mean + cloud.step * draws)
        to = adaptation.mean(cloud, draws, found)
        cloud = adaptation.updated(cloud, draws, found, to)
    return cloud


def test_the_cloud_converges_and_takes_the_shape_of_the_loss():
    curvatures = 10.0 ** np.linspace(-1.0, 1.0, 5)
    cloud = search(lambda points: np.square(points) @ curvatures, 5, 300)
    assert np.abs(cloud.mean).max() < 1e-6
    shape = np.diagonal(cloud.C) * curvatures
    assert shape.max() < 5.0 * shape.min()  # 100 times without adaptation


def test_only_the_order_of_values_counts():
    one = search(lambda points: np.square(points).sum(axis=1), 4, 40)
    other = search(lambda points: -1.0 / (1.0 + np.square(points).sum(axis=1)), 4, 40)
    np.testing.assert_array_equal(one.mean, other.mean)


def test_points_go_apart_where_all_values_are_the_same_and_nearer_where_none_is_finite():
    assert search(lambda points: np.zeros(len(points)), 4, 3).step == 8.0
    assert search(lambda points: np.full(len(points), np.inf), 4, 3).step == 0.125


def test_a_search_that_finds_no_more_begins_anew_with_twice_as_many_points():
    optimizer = zoo.Optimizer(np.zeros(2), max_evaluations=6_000, rng=0)
    sizes = set()
    while (query := optimizer.ask()) is not None:
        if isinstance(optimizer.state.learned.state, JumpState):
            sizes.add(query.evaluations)
        values = [float(np.ceil(10 * np.abs(cell[1] - 0.3).sum())) for cell in query]
        optimizer.tell(query.id, np.array(values))
    assert {number(2), 2 * number(2)} <= sizes


def test_a_plateau_ends_a_search():
    optimizer = zoo.Optimizer(np.zeros(2), max_evaluations=3_000, rng=0)
    sizes = []
    while (query := optimizer.ask()) is not None:
        if isinstance(optimizer.state.learned.state, JumpState):
            sizes.append(query.evaluations)
        values = [float(np.ceil(10 * np.abs(cell[1] - 0.3).sum())) for cell in query]
        optimizer.tell(query.id, np.array(values))
    assert sizes.count(number(2)) < MANY, "without it a search goes on for MANY rounds at least"
