"""Runs on sampled losses whose observations are ridges, and on some that only look like it."""

from __future__ import annotations

import math

import cvxpy as cp
import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.losses import Cox, Logistic, Squares
from zooadmm.methods.auto.probe import radius

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


def test_hinges_that_are_flat_are_left_to_others():
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


@pytest.mark.parametrize("budget", [20_000, None])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 5), (3, 2), (8, 1), (30, 40)])
def test_few_observations_and_few_variables(n, m, budget):
    a, b = GENERATOR.standard_normal((n, m)), GENERATOR.standard_normal(n)
    loss = Squares(a, b)
    result = zoo.minimize(
        loss,
        np.zeros(m),
        observations=loss.observations,
        max_evaluations=budget,
        max_iterations=200,
        rng=0,
    )
    assert f"all {n} observations" in result.message
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


def test_a_target_is_held_against_the_answer():
    reached = run(SQUARES, x0=np.zeros(M), target=0.5)
    assert reached.status is zoo.Status.TARGET
    assert SQUARES(reached.x) < 0.5
    assert run(SQUARES, x0=np.zeros(M), target=0.1).status is not zoo.Status.TARGET


@pytest.mark.parametrize("budget", [600, 1_000, 1_500, 2_000, 2_500])
def test_a_limit_before_the_end_is_no_success(budget):
    result = run(SQUARES, x0=np.zeros(M), budget=budget)
    assert result.success == (result.status is zoo.Status.SETTLED)
    assert SQUARES(result.x) < 0.5 * SQUARES(np.zeros(M))


def settled_by_ridges(result):
    return result.status is zoo.Status.SETTLED and "one combination" in result.message


@pytest.mark.parametrize("seed", range(3))
def test_a_few_that_are_no_ridges_are_found_before_the_run_settles(seed):
    center = np.where(np.arange(M) % 2 == 0, 3.0, -3.0)
    bowls = np.random.default_rng(seed).choice(N, 1 + 4 * (seed % 2), replace=False)

    def values(points, i):
        away = 2_000 * np.square(points - center).sum(axis=1)[:, None]
        return np.where(np.isin(i, bowls), away, SQUARES.values(points, i))

    result = zoo.minimize(
        zoo.Loss(values=values),
        center - 0.5,
        observations=np.arange(N),
        max_evaluations=40_000,
        rng=seed,
    )
    rest = np.setdiff1d(np.arange(N), bowls)
    H = 2 * A[rest].T @ A[rest] + len(bowls) * 4_000 * np.eye(M)
    best = np.linalg.solve(H, 2 * A[rest].T @ TARGETS[rest] + len(bowls) * 4_000 * center)
    np.testing.assert_allclose(result.x, best, atol=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_squared_hinges_are_settled_at_their_optimum_or_not_at_all(seed):
    generator = np.random.default_rng(seed)
    a = generator.standard_normal((40, 4)) * 10.0 ** generator.uniform(-1, 1, (40, 1))
    labels = np.sign(generator.standard_normal(40))

    def values(points, i):
        return np.square(np.maximum(0.0, 1.0 - labels[i] * (points @ a[i].T)))

    result = zoo.minimize(
        zoo.Loss(values=values),
        np.zeros(4),
        observations=np.arange(40),
        max_evaluations=10_000,
        rng=seed,
    )
    x = cp.Variable(4)
    hinges = cp.pos(1 - cp.multiply(labels, a @ x))
    best = cp.Problem(cp.Minimize(cp.sum_squares(hinges) / 40)).solve(solver=cp.CLARABEL)
    found = float(values(result.x[None], np.arange(40)).mean())
    assert found < (best + 1e-5 if settled_by_ridges(result) else 1.0)


def test_an_observation_that_is_flat_at_first_is_not_forgotten():
    flat = np.arange(N) % 10 == 0

    def values(points, i):
        z = points @ A[i].T
        bent = 100 * np.square(np.maximum(0.0, np.abs(z) - 1.0))
        return np.where(flat[i], bent, np.square(z - TARGETS[i]))

    x = cp.Variable(M)
    outside = cp.pos(cp.abs(A[flat] @ x) - 1)
    squares = cp.sum_squares(A[~flat] @ x - TARGETS[~flat])
    total = (100 * cp.sum_squares(outside) + squares) / N
    best = cp.Problem(cp.Minimize(total)).solve(solver=cp.CLARABEL)
    for seed in range(3):
        result = zoo.minimize(
            zoo.Loss(values=values),
            np.zeros(M),
            observations=np.arange(N),
            max_evaluations=40_000,
            rng=seed,
        )
        found = float(values(result.x[None], np.arange(N)).mean())
        assert found < best * (1.0 + (1e-4 if result.status is zoo.Status.SETTLED else 0.2))


@pytest.mark.parametrize("constant", [1e6, 1e12])
def test_a_large_constant_hides_nothing(constant):
    def values(points, i):
        return SQUARES.values(points, i) + np.where(i == 7, constant, 0.0)

    result = run(zoo.Loss(values=values), x0=np.zeros(M))
    others = np.arange(N) != 7
    best = np.linalg.lstsq(A[others], TARGETS[others], rcond=None)[0]
    assert SQUARES(result.x) < SQUARES(best) + 0.05


def test_a_loss_that_is_zero_at_its_optimum_is_settled():
    for seed in range(3):
        loss = Squares(A, A @ TRUTH)
        result = zoo.minimize(
            loss, np.zeros(M), observations=np.arange(N), max_evaluations=20_000, rng=seed
        )
        assert result.status is zoo.Status.SETTLED
        np.testing.assert_allclose(result.x, TRUTH, atol=1e-5)


def cauchy(z):
    return np.log1p(np.square(z))


def huber(z):
    return np.where(np.abs(z) < 1, 0.5 * np.square(z), np.abs(z) - 0.5)


def welsch(z):
    return 1.0 - np.exp(-0.01 * np.square(z))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bend", [cauchy, huber, welsch])
def test_robust_losses(bend, seed):
    def values(points, i):
        return bend(points @ A[i].T - 5 * TARGETS[i])

    result = zoo.minimize(
        zoo.Loss(values=values),
        np.zeros(M),
        observations=np.arange(N),
        max_evaluations=20_000,
        rng=seed,
    )
    points = np.stack([result.x, 5 * TRUTH, np.zeros(M)])
    found, truth, start = values(points, np.arange(N)).mean(axis=1)
    assert found < (
        0.9 * start if bend is cauchy else 1.2 * truth
    )  # that one has no bowl so far out


@pytest.mark.parametrize("seed", range(3))
def test_observations_that_see_few_variables(seed):
    generator, m, n = np.random.default_rng(seed), 60, 250
    a = np.zeros((n, m))
    for row in a:
        row[generator.choice(m, 2, replace=False)] = generator.standard_normal(2)
    b = a.sum(axis=1) + 0.3 * generator.standard_normal(n)
    loss = Squares(a, b)
    result = zoo.minimize(
        loss, np.zeros(m), observations=np.arange(n), max_evaluations=30_000, rng=seed
    )
    assert loss(result.x) < loss(np.linalg.lstsq(a, b, rcond=None)[0]) + 1e-4


@pytest.mark.parametrize("seed", range(6))
def test_a_small_sample_of_counts_does_not_lead_astray(seed):
    """Poisson losses grow exponentially away from where they were fitted."""
    generator = np.random.default_rng(seed)
    a = 0.5 * generator.standard_normal((2_000, 10))
    counts = generator.poisson(np.exp(np.clip(a @ generator.standard_normal(10), -5, 5)))

    def values(points, i):
        z = points @ a[i].T
        return np.exp(np.minimum(z, 50.0)) - counts[i] * z

    result = zoo.minimize(
        zoo.Loss(values=values),
        np.zeros(10),
        observations=np.arange(2_000),
        max_evaluations=1_500,
        rng=seed,
    )
    found, start = values(np.stack([result.x, np.zeros(10)]), np.arange(2_000)).mean(axis=1)
    assert found <= start


def test_without_units_for_the_variables():
    result = run(SQUARES, settings=zoo.Auto(without=["metric"]), **STRUCTURES["few"])
    np.testing.assert_allclose(result.x, optimum(SQUARES, "few"), atol=1e-4)


def test_a_first_observation_that_is_the_same_everywhere():
    def values(points, i):
        return np.where(i < 40, 1.0, SQUARES.values(points, i))

    loss = zoo.Loss(values=values)
    for seed in range(3):
        result = zoo.minimize(
            loss, np.zeros(M), observations=np.arange(N), max_evaluations=20_000, rng=seed
        )
        best = np.linalg.lstsq(A[40:], TARGETS[40:], rcond=None)[0]
        np.testing.assert_allclose(result.x, best, atol=1e-3)


def test_a_test_that_fails_does_not_pay_for_the_first_probe_again():
    """Observations that depend on two combinations of the variables: no ridges."""
    rows = np.random.default_rng(0).standard_normal((60, 2, 4))
    asked = []

    def loss(x, w):
        return float(np.square(w @ x - 1.0).sum() + 0.1 * np.prod(w @ x))

    zoo.minimize(
        loss,
        np.zeros(4),
        observations=rows,
        max_evaluations=2_000,
        rng=0,
        callback=lambda info: asked.append(info.evaluations),
    )
    spent = np.diff([0, *asked])
    probe = 2 + 2 * len(radius.LADDER)
    assert spent[:2].tolist() == [probe, 5 * min(8, len(rows))]
    assert probe not in spent[2:6]
