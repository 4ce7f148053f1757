"""Black boxes as they are: settings="auto" copes, or says what is wrong, and never answers nan."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import zooadmm as zoo

M = 8
CENTER = np.linspace(-1.0, 1.0, M)


def smooth(x):
    return float(np.square(x - CENTER).sum() + 0.1 * np.cos(3 * x).sum())


BEST = float(scipy.optimize.minimize(smooth, CENTER, tol=1e-12).fun)


def gap(x):
    return (smooth(x) - BEST) / (smooth(np.zeros(M)) - BEST)


def solved(loss, budget=8_000, **given):
    result = zoo.minimize(loss, np.zeros(M), max_evaluations=budget, rng=0, **given)
    assert np.isfinite(result.x).all()
    return result


def test_a_smooth_loss():
    assert gap(solved(smooth).x) < 0.01


def test_single_precision_values():
    assert gap(solved(lambda x: float(np.float32(smooth(x)))).x) < 0.01


def test_single_precision_variables():
    result = zoo.minimize(smooth, np.zeros(M, dtype=np.float32), max_evaluations=8_000, rng=0)
    assert result.x.dtype == np.float32
    assert gap(result.x) < 0.01


def test_values_rounded_to_three_digits():
    assert gap(solved(lambda x: round(smooth(x), 3)).x) < 0.05


def test_kinks():
    result = solved(lambda x: float(np.abs(x - CENTER).sum()))
    assert np.abs(result.x - CENTER).sum() < 0.05 * np.abs(CENTER).sum()


@pytest.mark.parametrize("outside", [np.nan, np.inf])
def test_a_domain_of_its_own_that_nobody_told(outside):
    """The optimum is inside, but steps and probes lead out of the ball |x| < 2.2."""

    def loss(x):
        return outside if np.linalg.norm(x) > 2.2 else smooth(x)

    assert gap(solved(loss).x) < 0.05


def test_probes_that_leave_the_domain_on_one_side():
    """log x with x_1 at the edge: only one side of a difference exists."""

    def loss(x):
        with np.errstate(all="ignore"):
            return float(np.sum(x - np.log(x - 0.5)))

    result = zoo.minimize(lambda x: loss(x), np.full(3, 0.5 + 1e-7), max_evaluations=6_000, rng=0)
    assert np.isfinite(loss(result.x))
    assert loss(result.x) < loss(np.full(3, 0.6))


def test_mishaps_are_told():
    generator = np.random.default_rng(0)

    def sometimes(x):
        return np.nan if generator.random() < 0.02 else smooth(x)

    result = solved(sometimes)
    assert "not finite" in result.message
    assert gap(result.x) < 0.05


def test_chance_failures_are_survived():
    """One value in a hundred is nan: a block of 16 fails every seventh time."""
    for seed in range(3):
        generator = np.random.default_rng(seed)

        def loss(x, generator=generator):
            if generator.random() < 0.01:
                return np.nan
            return smooth(x) + 0.02 * generator.standard_normal()

        result = zoo.minimize(loss, np.zeros(M), max_evaluations=10_000, rng=seed)
        assert gap(result.x) < 0.1


def test_broken_rows_are_passed_over():
    broken = set(np.random.default_rng(0).choice(300, 30, replace=False).tolist())

    def loss(x, i):
        shift = 0.3 * np.sin(np.arange(M) + i)
        return np.nan if i in broken else float(np.square(x - CENTER - shift).sum())

    result = zoo.minimize(loss, np.zeros(M), observations=range(300), max_evaluations=10_000, rng=1)
    assert np.square(result.x - CENTER).sum() < 0.02 * np.square(CENTER).sum()


def test_a_loss_that_is_not_finite_at_the_start_is_refused():
    with pytest.raises(ValueError, match="not finite at x0"):
        zoo.minimize(lambda x: np.nan, np.zeros(3), max_evaluations=100, rng=0)


def test_a_loss_that_raises_is_named_by_its_evaluation():
    def loss(x):
        if x[0] > 0.1:
            raise RuntimeError("the simulator broke")
        return smooth(x)

    with pytest.raises(RuntimeError, match="the simulator broke") as raised:
        solved(loss)
    assert any("evaluation" in note and "query" in note for note in raised.value.__notes__)


def test_noise_is_found_and_told():
    generator = np.random.default_rng(1)
    result = solved(lambda x: smooth(x) + 0.02 * generator.standard_normal(), budget=30_000)
    assert gap(result.x) < 0.02
    assert "noise 0.02" in result.message or "noise 0.01" in result.message


def test_noise_that_is_all_there_is():
    generator = np.random.default_rng(2)
    result = solved(lambda x: generator.standard_normal(), budget=5_000)
    assert np.isfinite(result.x).all()


def test_a_constant_loss_stays_where_it_is():
    result = solved(lambda x: 1.0, budget=2_000)
    np.testing.assert_allclose(result.x, 0.0, atol=1e-3)


def test_a_loss_that_takes_a_seed_is_compared_on_common_seeds():
    """The noise is large, but the same for all points of one seed."""

    def loss(x, seed):
        return smooth(x) + 100 * np.random.default_rng(seed).standard_normal()

    result = solved(loss, observations=range(10**6))
    assert gap(result.x) < 0.01
    assert "no noise" in result.message


def test_plateaus_are_crossed():
    """A share of correct signs, as a metric is: flat nearly everywhere."""
    generator = np.random.default_rng(3)
    features = generator.standard_normal((4000, 5))
    labels = np.sign(features @ [1.0, -1.0, 0.5, 0.0, 2.0])

    def error(x):
        return float(np.mean(np.sign(features @ x) != labels))

    start = np.ones(5)
    result = zoo.minimize(error, start, max_evaluations=4_000, rng=0)
    assert error(result.x) < 0.5 * error(start)


def test_stays_inside_when_asked():
    domain = zoo.Box(0.0, 1.0)

    def loss(x):
        assert x.min() >= 0.0
        assert x.max() <= 1.0
        return smooth(x)

    result = zoo.minimize(
        loss,
        np.full(M, 0.5),
        domain=domain,
        gradient=zoo.paper.Smoothed(M, distribution=zoo.paper.Rademacher(), probes="inside"),
        max_evaluations=8_000,
        rng=0,
    )
    best = np.clip(CENTER, 0, 1)
    assert smooth(result.x) - smooth(best) < 0.05 * (smooth(np.full(M, 0.5)) - smooth(best))


def test_the_optimum_at_the_edge_of_where_the_loss_exists():
    """The answer must be a point where the loss is finite."""

    def loss(x):
        return np.nan if x.max() > 1.0 else -float(x.sum())

    for seed in range(3):
        result = zoo.minimize(loss, np.zeros(4), max_evaluations=4_000, rng=seed)
        assert np.isfinite(loss(result.x))
        assert loss(result.x) < -1.0


def test_a_simulator_that_exists_in_its_box_only():
    """Coordinates at both bounds: each difference is taken to the inner side."""
    target = np.array([-1.0, 2.0, 0.6, 3.0])

    def loss(x):
        inside = x.min() >= 0.0 and x.max() <= 1.0
        return float(np.square(x - target).sum()) if inside else np.nan

    result = zoo.minimize(loss, np.full(4, 0.5), domain=zoo.Box(0, 1), max_evaluations=4_000, rng=0)
    np.testing.assert_allclose(result.x, np.clip(target, 0, 1), atol=0.01)


def test_a_noisy_loss_that_leaves_its_domain_comes_back():
    generator = np.random.default_rng(4)

    def loss(x):
        if np.abs(x).max() > 1.5:
            return np.nan
        return smooth(x) + 0.02 * generator.standard_normal()

    assert gap(solved(loss, budget=20_000).x) < 0.1


def test_a_simulator_that_dies_is_not_asked_for_ever():
    calls = 0

    def loss(x):
        nonlocal calls
        calls += 1
        return smooth(x) if calls < 60 else np.nan

    with pytest.raises(ValueError, match="not finite"):
        solved(loss, budget=100_000)
    assert calls < 5_000


def test_noise_on_top_of_observations():
    generator = np.random.default_rng(5)

    def loss(x, w):
        return float(np.square(x - 1.0 - 0.3 * w).sum() + 0.01 * generator.standard_normal())

    data = np.random.default_rng(6).standard_normal(200)
    result = zoo.minimize(loss, np.zeros(5), observations=data, max_evaluations=20_000, rng=0)
    assert np.abs(result.x - 1.0 - 0.3 * data.mean()).max() < 0.1


def test_noise_with_a_smoothing_that_was_given():
    generator = np.random.default_rng(7)
    result = solved(
        lambda x: smooth(x) + 0.02 * generator.standard_normal(), budget=20_000, smoothing=0.1
    )
    assert gap(result.x) < 0.1


def test_noise_with_probes_kept_inside():
    generator = np.random.default_rng(8)

    def loss(x):
        assert x.min() >= 0.0
        assert x.max() <= 1.0
        return float(x.sum() + 0.05 * generator.standard_normal())

    result = zoo.minimize(
        loss,
        np.full(M, 0.5),
        domain=zoo.Box(0.0, 1.0),
        gradient=zoo.paper.Smoothed(M, distribution=zoo.paper.Rademacher(), probes="inside"),
        max_evaluations=8_000,
        rng=0,
    )
    assert result.x.sum() < 0.5


def test_noise_in_proportion_to_the_loss_does_not_mislead_the_metric():
    center = np.random.default_rng(9).standard_normal(30)

    def loss(x, w):
        return float(np.square(x - center).sum()) * np.exp(0.2 * np.sin(7 * w))

    for seed in range(3):
        result = zoo.minimize(
            loss, np.zeros(30), observations=np.arange(100), max_evaluations=6_000, rng=seed
        )
        assert np.square(result.x - center).sum() < 1e-3 * np.square(center).sum()


@pytest.mark.parametrize(("m", "budget"), [(200, 1_000), (400, 1_600), (100, 2_000)])
def test_a_small_budget_is_used(m, budget):
    center = np.ones(m)
    result = zoo.minimize(
        lambda x: float(np.square(x - center).sum()), np.zeros(m), max_evaluations=budget, rng=0
    )
    assert np.square(result.x - center).sum() < 0.9 * m


def test_a_start_where_no_direction_leads_down():
    """10 |x_1 + x_2| + |x_1 - x_2| in the corner of its kink: slow, but not stuck for ever."""
    result = zoo.minimize(
        lambda x: float(10 * abs(x[0] + x[1]) + abs(x[0] - x[1])),
        np.array([1.3, -1.0]),
        max_evaluations=5_000,
        rng=0,
    )
    assert 10 * abs(result.x.sum()) + abs(result.x[0] - result.x[1]) < 1.0


def test_seeds_without_number():
    def loss(x, seed):
        return smooth(x) + np.random.default_rng(seed).standard_normal()

    assert gap(solved(loss, observations=range(10**9)).x) < 0.01


def test_an_intercept_that_is_far_away_freezes_nobody():
    """Its slope is the same in all first estimates of absolute deviations."""
    generator = np.random.default_rng(0)
    features = np.column_stack([generator.standard_normal((400, 3)), np.ones(400)])
    targets = features @ [3.0, -2.0, 1.0, 50.0] + generator.standard_normal(400)
    for seed in range(2):
        result = zoo.minimize(
            lambda x, i: abs(features[i] @ x - targets[i]),
            np.zeros(4),
            observations=np.arange(400),
            max_evaluations=10_000,
            rng=seed,
        )
        np.testing.assert_allclose(result.x, [3.0, -2.0, 1.0, 50.0], atol=0.5)


def test_goods_that_all_sell_out_at_first_freeze_nobody():
    def cost(stock, seed):
        demand = np.random.default_rng(seed).exponential([1.0, 2.0, 4.0])
        return np.sum(stock - 3 * np.minimum(stock, demand))

    for seed, start in ((2, 5.0), (3, 5.0), (0, 0.1)):
        result = zoo.minimize(
            cost,
            np.full(3, start),
            domain=zoo.Nonnegative(),
            observations=range(10**6),
            max_evaluations=6_000,
            rng=seed,
        )
        np.testing.assert_allclose(result.x, np.log(3) * np.array([1, 2, 4]), rtol=0.3)


def test_variables_that_few_observations_are_about():
    generator = np.random.default_rng(1)
    seen = [
        (int(j), j / 10 + 0.1 * generator.standard_normal())
        for j in generator.integers(20, size=4_000)
    ]
    result = zoo.minimize(
        lambda x, w: (x[w[0]] - w[1]) ** 2, np.zeros(20), observations=zoo.Stream(seen), rng=0
    )
    np.testing.assert_allclose(result.x, np.arange(20) / 10, atol=0.1)


def test_noise_on_top_of_observations_that_differ():
    generator = np.random.default_rng(2)
    features = generator.standard_normal((500, 30))
    labels = np.where(features[:, :3].sum(axis=1) > 0, 1.0, -1.0)

    def objective(x):
        return np.logaddexp(0.0, -labels * (features @ x)).mean() + 0.02 * np.abs(x).sum()

    for seed in range(3):
        result = zoo.minimize(
            lambda x, i: (
                np.logaddexp(0.0, -labels[i] * (features[i] @ x))
                + 0.05 * generator.standard_normal()
            ),
            np.zeros(30),
            regularizer=zoo.L1(0.02),
            observations=np.arange(500),
            max_evaluations=10_000,
            rng=seed,
        )
        assert objective(result.x) < 0.75 * objective(np.zeros(30))


def test_a_noisy_loss_in_a_box_is_not_looked_at_from_outside():
    means = np.array([1.0, 2.0, 4.0, 6.0, 8.0, 10.0])

    def expected(x):
        return float(np.sum(x - 3 * means * (1 - np.exp(-x / means))))

    start, best = np.full(6, 10.0), expected(np.log(3) * means)
    for seed in range(3):
        generator = np.random.default_rng(seed)
        result = zoo.minimize(
            lambda x: float(np.sum(x - 3 * np.minimum(x, generator.exponential(means)))),  # noqa: B023
            start,
            domain=zoo.Box(0, 40),
            max_evaluations=6_000,
            rng=seed,
        )
        assert expected(result.x) - best < 0.5 * (expected(start) - best)


def test_plateaus_are_never_settled_at_the_start():
    features = np.random.default_rng(3).standard_normal((300, 5))
    labels = features @ [1.0, -1.0, 0.5, 0.0, 2.0] > 0

    def error_rate(x):
        return float(np.mean((features @ x > 0) != labels))

    for seed in range(6):
        result = zoo.minimize(
            error_rate,
            np.ones(5),
            max_evaluations=2_000,
            rng=seed,
        )
        assert result.fun < 0.1 * error_rate(np.ones(5))


def test_a_plateau_inside_a_simplex():
    """Shares of pairs in the wrong order, never looked at outside."""
    generator = np.random.default_rng(0)
    truth = generator.random(200) < 0.5
    scores = truth[:, None] + np.array([1.0, 3.0, 3.0]) * generator.standard_normal((200, 3))

    def wrong(x):
        mixed = scores @ x
        return float(np.mean(mixed[truth][:, None] <= mixed[~truth]))

    start = np.full(3, 1 / 3)
    result = zoo.minimize(
        wrong,
        start,
        domain=zoo.Simplex(),
        max_evaluations=1_000,
        settings=zoo.Auto(probes="inside"),
        rng=0,
    )
    assert result.fun < wrong(start) - 0.02


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_a_noisy_optimum_near_a_bound_is_not_pushed_onto_it(seed):
    """Pairs that bounds cut off have their slopes at x, not further inside."""
    noise, best = np.random.default_rng(seed), np.array([0.3, 0.7, 0.1])
    result = zoo.minimize(
        lambda x: np.square(x - best).sum() + 0.05 * noise.standard_normal(),
        np.full(3, 0.5),
        domain=zoo.Box(0, 1),
        max_evaluations=5_000,
        rng=seed,
    )
    np.testing.assert_allclose(result.x, best, atol=0.05)
