"""Budgets below what it takes to measure each variable."""

import numpy as np
import pytest

import zooadmm as zoo

SIZES = (5, 20)
STRUCTURES = {
    "free": {},
    "box": {"domain": zoo.Box(-0.2, 1.0)},
    "simplex": {"domain": zoo.Simplex()},
    "sparse": {"regularizer": zoo.L1(0.1)},
    "budget": {"domain": zoo.sets.BoxBudget(0.0, 1.0, 1.0)},
}


def bowl(m, seed=0):
    generator = np.random.default_rng([m, seed])
    rows, center = generator.standard_normal((m + 5, m)), generator.uniform(0.0, 1.0, m)
    return lambda x: float(np.square(rows @ (x - center)).sum()) / m


def gain(loss, x0, given, budget, seed):
    """The part of F(x0) by which F falls."""
    phi = given.get("regularizer", lambda x: 0.0)
    result = zoo.minimize(loss, x0, max_evaluations=budget, rng=seed, progress=False, **given)
    assert result.nfev <= budget
    return 1.0 - (loss(result.x) + phi(result.x)) / (loss(x0) + phi(x0))


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("m", SIZES)
def test_two_evaluations_a_variable_lead_down(m, structure):
    given = STRUCTURES[structure]
    x0 = np.full(m, 1.0 / m)
    gains = [gain(bowl(m, seed), x0, given, 2 * m, seed) for seed in range(5)]
    assert min(gains) >= 0.0
    assert np.median(gains) > 0.1


@pytest.mark.parametrize("m", SIZES)
def test_noise_does_not_return_x0(m):
    """Of a hundredth of F(x0)."""
    gains = []
    for seed in range(5):
        loss, generator, x0 = bowl(m, seed), np.random.default_rng(seed), np.full(m, 1.0 / m)
        sigma = 0.01 * loss(x0)
        noisy = lambda x: loss(x) + sigma * float(generator.standard_normal())  # noqa: E731, B023
        result = zoo.minimize(noisy, x0, max_evaluations=3 * m, rng=seed, progress=False)
        gains.append(1.0 - loss(result.x) / loss(x0))
    assert np.median(gains) > 0.2


def test_a_budget_that_is_too_small_says_what_it_takes():
    result = zoo.minimize(bowl(5), np.zeros(5), max_evaluations=5, rng=0)
    np.testing.assert_array_equal(result.x, np.zeros(5))
    said = "needs at least 7 evaluations, and 38 to measure each variable"
    assert said in result.message


@pytest.mark.parametrize("m", [6, 8])
def test_without_a_plan_the_best_point_of_the_probe_is_the_answer(m):
    """After 5 m evaluations, before there is a step."""
    gains = []
    for seed in range(5):
        loss, x0 = bowl(m, seed), np.zeros(m)
        run = zoo.Optimizer(x0, rng=seed)
        while (query := run.ask()) is not None and run.evaluations + query.evaluations <= 5 * m:
            values = np.array([loss(x) for x in query.points])
            run.tell(query.id, values.reshape(query.shape))
        gains.append(1.0 - loss(run.recommended()[0]) / loss(x0))
    assert min(gains) >= 0.0
    assert np.median(gains) > 0.0


def test_more_evaluations_than_planned_go_on_to_the_optimum():
    """A run that is resumed after a small budget measures each variable in the end."""
    loss = bowl(6)
    result = zoo.minimize(
        loss, np.zeros(6), settings=zoo.Auto(budget=12), max_evaluations=2_000, rng=0
    )
    assert loss(result.x) < 1e-10


def test_many_sparse_variables_are_still_searched_in_groups():
    loss, x0 = bowl(200), np.zeros(200)
    result = zoo.minimize(loss, x0, regularizer=zoo.L1(3.0), max_evaluations=310, rng=0)
    assert "variables were found to matter" in result.learned


@pytest.mark.parametrize("unit", [1e-200, 1e-320])
def test_tiny_values_are_no_error(unit: float) -> None:
    result = zoo.minimize(
        lambda x: unit * float(np.square(x - 1.0).sum()), np.zeros(6), max_evaluations=14, rng=0
    )
    assert np.isfinite(result.x).all()
