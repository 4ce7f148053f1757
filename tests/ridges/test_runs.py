"""Runs on sampled losses whose observations are ridges, and on some that only look like it."""

from __future__ import annotations

import math

import cvxpy as cp
import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.losses import Cox, Logistic, Squares

GENERATOR = np.random.default_rng(7)
N, M = 150, 12
A = GENERATOR.standard_normal((N, M))
TRUTH = np.where(np.arange(M) < 3, 2.0, 0.0)
TARGETS = A @ TRUTH + 0.5 * GENERATOR.standard_normal(N)
LABELS = np.where(GENERATOR.random(N) < 1 / (1 + np.exp(-A @ TRUTH)), 1.0, -1.0)
SQUARES, LOGISTIC = Squares(A, TARGETS), Logistic(A, LABELS)
GRID = [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9, 10, 11]]
GROUPS = dict(
    zip(("regularizer", "constraint"), zoo.overlapping_groups(M, GRID, 0.05), strict=True)
)
STRUCTURES = {
    "nothing": {},
    "few": {"regularizer": zoo.L1(0.1), "complete": "x"},
    "box": {"domain": zoo.Box(-0.5, 1.0)},
    "simplex": {"domain": zoo.Simplex()},
    "groups": GROUPS,
    "sparse and bounded": {"domain": zoo.Nonnegative(), "regularizer": zoo.L1(0.1)},
}


def run(loss, observations=None, x0=None, budget=20_000, **given):
    return zoo.minimize(
        loss,
        np.full(M, 1 / M) if x0 is None else x0,
        observations=np.arange(N) if observations is None else observations,
        max_evaluations=budget,
        rng=0,
        **given,
    )


def optimum(loss, structure):
    x = cp.Variable(M)
    if isinstance(loss, Squares):
        value = cp.sum_squares(A @ x - TARGETS) / N
    else:
        value = cp.sum(cp.logistic(-cp.multiply(LABELS, A @ x))) / N
    rules = []
    if structure in ("few", "sparse and bounded"):
        value += 0.1 * cp.norm1(x)
    if structure == "groups":
        value += 0.05 * sum(cp.norm(x[group]) for group in GRID)
    if structure == "box":
        rules = [x >= -0.5, x <= 1.0]
    if structure == "simplex":
        rules = [x >= 0, cp.sum(x) == 1]
    if structure == "sparse and bounded":
        rules = [x >= 0]
    cp.Problem(cp.Minimize(value), rules).solve(solver=cp.CLARABEL)
    return np.asarray(x.value)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("loss", [SQUARES, LOGISTIC], ids=["squares", "logistic"])
def test_all_observations_are_fitted_to_the_optimum(loss, structure):
    result = run(loss, **STRUCTURES[structure])
    np.testing.assert_allclose(result.x, optimum(loss, structure), atol=2e-4)
    assert result.status is zoo.Status.SETTLED
    assert f"all {N} observations" in result.message
    assert result.nfev < 2.5 * N * (M + 3)  # a gradient of the mean alone takes N (M + 1)


def test_a_small_budget_is_spent_and_not_overdrawn():
    for budget in (600, 1_000, 2_000):
        result = run(SQUARES, budget=budget, **STRUCTURES["few"])
        assert 0.7 * budget < result.nfev <= budget
    assert "one combination" in result.message


def test_the_answer_gets_better_with_the_budget():
    best = optimum(SQUARES, "few")
    objective = lambda x: SQUARES(x) + 0.1 * np.abs(x).sum()  # noqa: E731
    gaps = [
        objective(run(SQUARES, x0=np.zeros(M), budget=budget, **STRUCTURES["few"]).x)
        - objective(best)
        for budget in (600, 2_000, 6_000)
    ]
    assert gaps[0] < 0.3 * (objective(np.zeros(M)) - objective(best))
    assert gaps[1] < 0.5 * gaps[0]
    assert gaps[2] < 1e-8


def test_cox_is_no_ridge_and_handed_over():
    cox = Cox(A, GENERATOR.exponential(size=N), np.ones(N))
    result = zoo.minimize(
        cox, np.zeros(M), observations=cox.observations, max_evaluations=40_000, rng=0
    )
    assert "one combination" not in result.message
    assert np.abs(cox.gradient(result.x)).max() < 1e-4


@pytest.mark.parametrize("decay", [0.5, 0.01, 1e-4])
def test_a_penalty_within_the_loss_is_never_settled_without(decay):
    """It is no ridge; where the test does not see it, the slopes at the end do, or none can."""

    def values(points, observations):
        return SQUARES.values(points, observations) + decay * np.square(points).sum(axis=1)[:, None]

    result = run(zoo.Loss(values=values), budget=40_000)
    best = np.linalg.solve(A.T @ A / N + decay * np.eye(M), A.T @ TARGETS / N)
    np.testing.assert_allclose(result.x, best, atol=2e-3)


def test_kinks_are_left_to_steps():
    def hinge(x, i):
        return max(0.0, 1.0 - LABELS[i] * float(A[i] @ x))

    result = run(hinge, x0=np.zeros(M), budget=10_000)
    assert result.status is not zoo.Status.SETTLED
    assert np.mean([hinge(result.x, i) for i in range(N)]) < 0.5


def test_values_that_are_not_finite_here_and_there_do_no_harm():
    def broken(x, i):
        return math.nan if i == 17 else (float(A[i] @ x) - TARGETS[i]) ** 2

    result = run(broken, x0=np.zeros(M))
    keep = np.arange(N) != 17
    best = np.linalg.lstsq(A[keep], TARGETS[keep], rcond=None)[0]
    assert np.isfinite(result.x).all()
    assert result.status is not zoo.Status.SETTLED
    assert np.linalg.norm(result.x - best) < 0.2 * np.linalg.norm(best)
    assert "not finite" in result.message


def test_what_is_fitted_exactly_at_the_start_counts():
    half = np.where(np.arange(N) % 2 == 0, 0.0, TARGETS)
    loss = Squares(A, half)
    result = run(loss, x0=np.zeros(M))
    np.testing.assert_allclose(result.x, np.linalg.lstsq(A, half, rcond=None)[0], atol=1e-4)


def test_units_do_not_matter():
    units = 10.0 ** GENERATOR.uniform(-2, 2, M)
    for budget in (1_000, 6_000):
        scaled = zoo.Loss(values=lambda points, w: 1e3 * SQUARES.values(points / units, w))
        phi = zoo.L1(1e3 * 0.1, weights=1 / units)
        one = run(SQUARES, x0=np.zeros(M), budget=budget, **STRUCTURES["few"])
        other = run(scaled, x0=np.zeros(M), budget=budget, regularizer=phi, complete="x")
        np.testing.assert_allclose(other.x / units, one.x, atol=0.05)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 5), (3, 2), (8, 1), (30, 40)])
def test_few_observations_and_few_variables(n, m):
    a, b = GENERATOR.standard_normal((n, m)), GENERATOR.standard_normal(n)
    loss = Squares(a, b)
    result = zoo.minimize(
        loss, np.zeros(m), observations=loss.observations, max_evaluations=20_000, rng=0
    )
    assert loss(result.x) <= loss(np.linalg.lstsq(a, b, rcond=None)[0]) + 1e-6


def test_observations_that_nothing_depends_on():
    def loss(x, i):
        return 1.0 if i % 2 else (float(A[i] @ x) - TARGETS[i]) ** 2

    result = run(loss, x0=np.zeros(M))
    np.testing.assert_allclose(
        result.x, np.linalg.lstsq(A[::2], TARGETS[::2], rcond=None)[0], atol=1e-4
    )


def test_it_is_left_out_where_something_is_given_by_name():
    for given in ({"step_size": 0.01}, {"settings": zoo.Auto(without=["ridges"])}):
        assert "one combination" not in run(SQUARES, budget=3_000, **given).message
    drawn = zoo.Samples(np.arange(N), "with replacement")
    assert "one combination" not in run(SQUARES, drawn, budget=3_000).message


def test_an_iteration_stays_small_without_a_budget():
    optimizer = zoo.Optimizer(np.zeros(M), observations=np.arange(N), rng=0)
    query = optimizer.ask()
    while query is not None:
        assert query.evaluations <= 512
        values = [SQUARES.values(t.points, t.observations).reshape(-1) for t in query.tables()]
        optimizer.tell(query.id, np.concatenate(values))
        query = optimizer.ask()
    assert optimizer.evaluations < 2.5 * N * (M + 3)
