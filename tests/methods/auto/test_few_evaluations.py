"""Budgets below what it takes to measure each variable."""

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.auto.probe import radius

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


@pytest.mark.parametrize("m", [2, 3, 4])
@pytest.mark.parametrize("structure", ["simplex", "budget"])
def test_the_first_direction_lies_in_a_set_whose_sum_is_fixed(m, structure):
    """Of signs that are drawn half, a quarter and an eighth are all alike: they leave the set."""
    for seed in range(8):
        made = radius.rungs(1, np.full(m, 1.0 / m), (0, seed), STRUCTURES[structure]["domain"])
        assert len(made.steps) > 0
        assert abs(made.direction.sum()) < 1e-12


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


def piecewise(m, seed):
    """The mean absolute deviation of 4 m rows from noisy outcomes."""
    generator = np.random.default_rng([m, seed])
    A = generator.standard_normal((4 * m, m))
    b = A @ generator.standard_normal(m) + generator.standard_normal(4 * m)
    return lambda x: float(np.abs(A @ x - b).mean())


@pytest.mark.parametrize("m", [15, 30])
def test_a_kink_on_the_ladder_is_seen_and_no_smooth_loss_is_said_to_have_one(m):
    for seed in range(6):
        random = np.random.default_rng(seed)
        rows = random.standard_normal((m, m)) * 10.0 ** random.uniform(-2.0, 2.0, m)
        smooth = [
            bowl(m, seed),
            lambda x, rows=rows: float(np.exp(rows @ x / 300.0).sum()),
            lambda x, rows=rows: float(np.logaddexp(0.0, rows @ x).sum()),
            lambda x: float(np.power(x - 0.5, 4).sum()),
            lambda x: float(np.cos(x).sum() + x.sum()),
        ]
        for loss, kinked in [(piecewise(m, seed), True), *((f, False) for f in smooth)]:
            x0 = np.zeros(m)
            made = radius.rungs(1, x0, (0, seed))
            answer = np.array([loss(s * made.direction) for s in (0.0, 0.0, *made.steps)])
            assert radius.read(x0, answer).kinked == kinked


@pytest.mark.parametrize("m", [15, 30])
def test_runs_across_kinks_begin_alike_and_go_on(m):
    """Told a budget of 3 m, of 12 m, and not told: the run at 6 m is as far as that of 3 m."""
    few, more, silent = [], [], []
    for seed in range(5):
        loss, x0 = piecewise(m, seed), np.zeros(m)
        few.append(gain(loss, x0, {}, 3 * m, seed))
        more.append(gain(loss, x0, {}, 12 * m, seed))
        run = zoo.Optimizer(x0, rng=seed)
        while (query := run.ask()) is not None and run.evaluations + query.evaluations <= 6 * m:
            run.tell(query.id, np.array([loss(x) for x in query.points]).reshape(query.shape))
        silent.append(1.0 - loss(run.recommended()[0]) / loss(x0))
    assert (np.array(more) > np.array(few)).all()
    assert np.median(silent) >= np.median(few)


@pytest.mark.parametrize("budget", [30, 36, 60, 103])
def test_stairs_are_no_optimum(budget):
    """Slopes of a loss with steps are zero nearly everywhere: that is no reason to settle."""
    ends = []
    for seed in range(12):
        x0 = np.random.default_rng(seed).normal(size=3)
        stairs = lambda x: float(np.floor(20.0 * np.square(x - 0.3).sum()))  # noqa: E731
        result = zoo.minimize(stairs, x0, max_evaluations=budget, rng=seed)
        assert not result.success
        ends.append(result.fun)
    assert budget < 60 or np.median(ends) <= 1.0


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
