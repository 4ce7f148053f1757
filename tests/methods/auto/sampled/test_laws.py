"""Laws of sampled losses: more budget helps, the budget sets the pace only, x0 is never lost."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo

N, M = 400, 20


def deviations(generator):
    """|y_i - X_i x|: kinks, and no observation is curved."""
    features = generator.standard_normal((N, M))
    outcome = features @ generator.standard_normal(M) + generator.standard_normal(N)
    return zoo.Loss(values=lambda points, w: np.abs(points @ features[w].T - outcome[w]))


def softmax(generator, classes=3, inputs=5):
    """Multinomial regression: an observation sees three combinations of the variables."""
    features = generator.standard_normal((N, inputs))
    scores = features @ generator.standard_normal((inputs, classes))
    labels = (scores + generator.gumbel(size=scores.shape)).argmax(axis=1)

    def values(points, w):
        scores = np.einsum("pij,wi->pwj", points.reshape(-1, inputs, classes), features[w])
        chosen = np.take_along_axis(scores, labels[w][None, :, None], axis=2)[:, :, 0]
        top = scores.max(axis=2)
        return top + np.log(np.exp(scores - top[:, :, None]).sum(axis=2)) - chosen

    return zoo.Loss(values=values)


def portfolio(generator, m=10):
    """Minus a return plus its square: the mean of returns is hidden by their spread."""
    returns = 0.01 * generator.standard_normal((N, m)) + 0.0005 * generator.standard_normal(m)

    def values(points, w):
        gained = points @ returns[w].T
        return 4.0 * np.square(gained) - gained

    return zoo.Loss(values=values)


def mean(loss, x):
    return float(loss.values(x[None], np.arange(N)).mean())


def answer(loss, m, budget, seed=0, announced=True, **given):
    """The answer after so many evaluations."""
    if announced:
        return zoo.minimize(
            loss,
            np.full(m, 1.0 / m) if "domain" in given else np.zeros(m),
            observations=np.arange(N),
            max_evaluations=budget,
            rng=seed,
            **given,
        ).x
    run = zoo.Optimizer(np.zeros(m), observations=np.arange(N), rng=seed, **given)
    while (query := run.ask()) is not None and run.evaluations + query.evaluations <= budget:
        tables = [loss.values(t.points, t.observations).reshape(-1) for t in query.tables()]
        run.tell(query.id, np.concatenate(tables))
    return run.recommended()[0]


def test_a_larger_budget_is_better_where_each_observation_has_a_kink():
    loss = deviations(np.random.default_rng(201))
    heights = [mean(loss, answer(loss, M, budget)) for budget in (3_000, 9_000, 39_000, 41_000)]
    assert heights[0] < 0.9 * mean(loss, np.zeros(M))
    assert heights[1] < heights[0]
    assert heights[2] < heights[1]
    assert heights[3] < heights[2] + 1e-3


@pytest.mark.parametrize(("make", "m"), [(deviations, M), (softmax, 15)])
@pytest.mark.parametrize("budget", [4_000, 12_000])
def test_an_announced_budget_is_worth_less_than_a_factor_of_two(make, m, budget):
    loss = make(np.random.default_rng(202))
    start = mean(loss, np.zeros(m))
    best = mean(loss, answer(loss, m, 60_000))
    told, silent = (
        (mean(loss, answer(loss, m, budget, announced=announced)) - best) / (start - best)
        for announced in (True, False)
    )
    assert told < 0.5
    assert silent < 2.0 * told + 1e-6
    assert told < 2.0 * silent + 1e-6


def test_a_small_sample_does_not_end_above_its_start():
    """A chance of 2 % each: of 16 runs three or more would be above x0 once in 300 times."""
    above = 0
    for seed in range(16):
        loss = portfolio(np.random.default_rng(300 + seed))
        x = answer(loss, 10, 500 + 100 * seed, seed, domain=zoo.Simplex())
        above += mean(loss, x) > mean(loss, np.full(10, 0.1))
    assert above <= 2


def test_all_observations_lead_to_the_optimum():
    loss = softmax(np.random.default_rng(203))
    result = zoo.minimize(
        loss, np.zeros(15), observations=np.arange(N), max_evaluations=60_000, rng=0
    )
    h = 1e-5
    sides = [loss.values(result.x + s * h * np.eye(15), np.arange(N)).mean(axis=1) for s in (1, -1)]
    assert np.abs(sides[0] - sides[1]).max() / (2 * h) < 1e-5


@pytest.mark.parametrize(("make", "m"), [(deviations, M), (softmax, 15)])
def test_a_saved_run_is_the_run_that_never_stopped(make, m, tmp_path):
    loss = make(np.random.default_rng(204))
    path = str(tmp_path / "run.zoo")
    given = {"observations": np.arange(N), "max_evaluations": 9_000, "rng": 0}
    for iterations in (3, 7, 16, 25):
        zoo.minimize(loss, np.zeros(m), checkpoint=path, max_iterations=iterations, **given)
    resumed = zoo.minimize(loss, np.zeros(m), checkpoint=path, **given)
    assert resumed.x.tobytes() == zoo.minimize(loss, np.zeros(m), **given).x.tobytes()


@pytest.mark.parametrize("settings", ["auto", zoo.Auto(without=["ridges", "sampled"])])
@pytest.mark.parametrize("ridges", [True, False])
def test_a_larger_limit_resumes_the_run_of_the_first_budget(settings, ridges, tmp_path):
    generator = np.random.default_rng(205)
    features, outcome = generator.standard_normal((N, 15)), generator.standard_normal(N)
    squares = zoo.Loss(values=lambda points, w: np.square(points @ features[w].T - outcome[w]))
    loss = squares if ridges else softmax(generator)
    path, given = str(tmp_path / "run.zoo"), {"observations": np.arange(N), "rng": 0}
    for limit in (1_500, 4_000):
        resumed = zoo.minimize(
            loss,
            np.zeros(15),
            checkpoint=path,
            max_evaluations=limit,
            settings=settings,
            **given,
        )
    without = () if settings == "auto" else settings.without
    whole = zoo.minimize(
        loss,
        np.zeros(15),
        max_evaluations=4_000,
        settings=zoo.Auto(budget=1_500, without=without),
        **given,
    )
    assert resumed.nfev == whole.nfev
    assert resumed.x.tobytes() == whole.x.tobytes()


@pytest.mark.parametrize("ratio", [1e5, 1e6])
@pytest.mark.parametrize("seed", range(3))
def test_a_distant_start_does_not_settle_a_run(ratio, seed):
    """Outcomes of 1e5 times their noise: what is left counts beside the noise, not the start."""
    generator = np.random.default_rng([206, seed])
    A = generator.standard_normal((40, 8))
    b = ratio * A @ generator.standard_normal(8) + generator.standard_normal(40)
    _settles_at_least_squares(A, b)


@pytest.mark.parametrize("seed", range(3))
def test_a_row_of_another_scale_does_not_settle_a_run(seed):
    generator = np.random.default_rng([207, seed])
    A, b = generator.standard_normal((40, 8)), generator.standard_normal(40)
    A[0], b[0] = 1e4 * A[0], 1e4 * b[0]
    _settles_at_least_squares(A, b)


def _settles_at_least_squares(A, b):
    loss = zoo.Loss(values=lambda points, w: np.square(points @ A[w].T - b[w]))
    result = zoo.minimize(
        loss, np.zeros(8), observations=np.arange(40), max_evaluations=20_000, rng=0
    )
    least = np.square(A @ np.linalg.lstsq(A, b)[0] - b).mean()
    gap = (np.square(A @ result.x - b).mean() - least) / least
    assert result.status is zoo.Status.SETTLED
    assert result.success
    assert abs(gap) < 1e-6


def test_a_simulator_with_steps_is_left_to_longer_differences():
    """Stock in whole units by seed: slopes by short differences are zero or those of a jump."""

    def cost(x, seed):
        demand = np.random.default_rng(int(seed)).poisson(10, size=4)
        stock = np.floor(np.abs(x))
        return float(np.where(demand > stock, 4.0 * (demand - stock), stock - demand).mean())

    for start in (3.0, 3.5):
        x = zoo.minimize(
            cost, np.full(4, start), observations=range(10**6), max_evaluations=3_000, rng=1
        ).x
        heights = [np.mean([cost(z, s) for s in range(200)]) for z in (x, np.full(4, start))]
        assert heights[0] < 0.5 * heights[1]


@pytest.mark.parametrize(
    "domain", [zoo.Simplex(), zoo.BoxBudget(0.0, 1.0, 3.0), zoo.sets.L2Ball(0.5)], ids=str
)
@pytest.mark.parametrize("seed", range(3))
def test_differences_inside_a_domain_lead_to_the_optimum(domain, seed):
    """An observation is three squares, so no ridge; no gradient step may be left at the answer."""
    generator = np.random.default_rng([208, seed])
    B = generator.standard_normal((120, 3, 12)) * generator.uniform(0.5, 2.0, (120, 1, 1))
    target = B @ domain.project(generator.standard_normal(12))
    target += 0.3 * generator.standard_normal(target.shape)

    def values(points, w):
        assert all(domain.distance(point) <= 1e-12 for point in points)
        return np.square(np.einsum("wkm,pm->pwk", B[w], points) - target[w]).sum(axis=2)

    x0 = domain.project(np.full(12, 0.1))
    result = zoo.minimize(
        zoo.Loss(values=values),
        x0,
        observations=np.arange(120),
        domain=domain,
        max_evaluations=40_000,
        rng=seed,
    )
    slope = 2.0 * np.einsum("wkm,wk->m", B, B @ result.x - target) / 120
    assert result.success
    assert np.abs(domain.project(result.x - 0.01 * slope) - result.x).max() < 1e-6
