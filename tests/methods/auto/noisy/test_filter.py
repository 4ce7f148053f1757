"""The filter for noisy values: its parts, and laws of runs on noisy losses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import zooadmm as zoo
from twins.problems import make_problem
from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.noisy import FilterState, directions
from zooadmm.methods.auto.noisy.value_filter import ValueFilter, _expected, tau
from zooadmm.methods.auto.probe import radius
from zooadmm.problem.sets import Box, Simplex, WholeSpace
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved

SIGMA = 1e-3


def metric(m, seed=0):
    A = np.random.default_rng(seed).standard_normal((m, m))
    return A @ A.T / m + np.eye(m)


def quadratic(m, seed=0):
    """f, its minimizer, and curvatures a factor of ten apart."""
    generator = np.random.default_rng(seed)
    curvatures, center = 10 ** generator.uniform(-0.5, 0.5, m), generator.standard_normal(m)
    return lambda x: 0.5 * float(curvatures @ np.square(x - center))


def run(loss, x0, budget, seed=0, sigma=SIGMA, **given):
    noise = np.random.default_rng([seed, 1])
    noisy = lambda x: loss(x) + sigma * noise.standard_normal()  # noqa: E731
    return zoo.minimize(noisy, x0, max_evaluations=budget, rng=seed, **given)


def test_directions_are_orthonormal_in_the_metric():
    H = metric(6)
    rows = np.random.default_rng(1).standard_normal((4, 6))
    Z = directions.orthonormal(np.vstack([rows, rows[:1]]), H)
    np.testing.assert_allclose(Z @ H @ Z.T, np.eye(4), atol=1e-8)


@pytest.mark.parametrize("domain", [WholeSpace(), Box(-0.05, 1.0)])
def test_slopes_are_those_of_a_quadratic_also_at_the_edge_of_the_domain(domain):
    """At the edge the two points of a pair are not as far away; H makes up for it."""
    H, x, g = metric(5), np.zeros(5), np.arange(5.0)
    asked = directions.points(domain, x, H, np.diag(1 / np.sqrt(np.diagonal(H))), 0.2)
    values = np.array([7.0 + g @ (p - x) + 0.5 * (p - x) @ H @ (p - x) for p in asked])
    seen = directions.read(x, asked, values, H, SIGMA)
    assert len(seen.values) == 5
    np.testing.assert_allclose(seen.values, seen.Z @ g, atol=1e-12)
    assert directions.level(x, asked, values, g, H, SIGMA)[0] == pytest.approx(7.0)


@pytest.mark.parametrize("seed", range(8))
def test_points_within_a_domain_are_no_further_away_in_the_metric(seed):
    """A projection may lead along a steep variable; there H and the level of f would be wrong."""
    generator = np.random.default_rng(seed)
    m, domain = 8, (Simplex(), Box(0.0, 0.3))[seed % 2]
    units = 10.0 ** generator.uniform(-3, 3, m)
    H = metric(m, seed) * np.sqrt(np.outer(units, units))
    x = domain.project(generator.standard_normal(m))
    Z = directions.orthonormal(generator.standard_normal((4, m)), H)
    asked = directions.points(domain, x, H, Z, 0.2)
    assert len(asked) > 1
    moves = asked - x
    assert (np.einsum("jm,jm->j", moves @ H, moves) <= (1 + 1e-9) * 0.2**2).all()
    assert max(domain.distance(point) for point in asked) < 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_the_metric_stays_in_proportion_on_a_face_of_the_simplex(seed, monkeypatch):
    """It once grew a hundredfold a round, without end: a wrong level raises H, H the level."""
    m, generator = 30, np.random.default_rng([seed, 7])
    A = generator.standard_normal((60, m)) * 10 ** generator.uniform(-0.5, 0.5, m)
    b = A[:, 0] + 0.3 * generator.standard_normal(60)  # the optimum is near a corner
    largest, update = [], ValueFilter.update

    def watched(self, known, answer, normals):
        after = update(self, known, answer, normals)
        largest.append(np.linalg.eigvalsh(after.H)[-1])
        return after

    monkeypatch.setattr(ValueFilter, "update", watched)
    loss = lambda x: 0.5 * float(np.square(A @ x - b).mean())  # noqa: E731
    x0 = np.full(m, 1 / m)
    result = run(loss, x0, 3_000, seed, 0.01 * loss(x0), domain=Simplex())
    assert max(largest) < 100 * np.linalg.eigvalsh(A.T @ A / 60)[-1]
    assert loss(result.x) < loss(x0)


@pytest.mark.parametrize("factor", [50.0, 0.5])
def test_second_differences_correct_the_metric_along_their_direction_only(factor):
    H, x = np.eye(4), np.zeros(4)
    asked = directions.points(WholeSpace(), x, H, np.eye(4), 0.5)
    values = 0.5 * np.square(asked) @ np.array([factor, 1.0, 1.0, 1.0])
    learned = directions.curved(x, asked, values, np.zeros(4), H, 1e-6, 1.0)
    np.testing.assert_allclose(learned, np.diag([factor, 1.0, 1.0, 1.0]), rtol=1e-3)
    doubted = directions.curved(x, asked, values, np.zeros(4), H, 1.0, 1.0)
    assert 0.0 < abs(doubted[0, 0] - 1.0) < 0.02 * abs(factor - 1.0)


def test_the_metric_maps_a_step_to_its_secant_and_errors_of_secants_cancel():
    H, s = metric(5), np.ones(5)
    d = np.arange(1.0, 6.0)
    np.testing.assert_allclose(_expected(H, s, d) @ s, d)
    error = np.random.default_rng(2).standard_normal(5)
    up, down = (_expected(H, s, H @ s + sign * error) for sign in (1.0, -1.0))
    np.testing.assert_allclose((up + down) / 2, H, atol=1e-12)


@pytest.mark.parametrize(
    ("m", "budget"), [(400, 2_000), (500, 2_500), (1_000, 4_200), (2_000, 6_000)]
)
def test_many_noisy_variables_improve(m, budget):
    loss, x0 = quadratic(m), np.zeros(m)
    assert loss(run(loss, x0, budget).x) < 0.9 * loss(x0)


def test_more_budget_is_not_worse_and_small_noise_leaves_a_small_gap():
    loss, x0 = quadratic(8), np.zeros(8)
    gaps = [loss(run(loss, x0, budget).x) for budget in (100, 300, 1_000, 3_000)]
    assert all(after <= before + SIGMA for before, after in itertools.pairwise(gaps))
    assert gaps[-1] < 0.05 * SIGMA  # what 3,000 values of noise sigma can show


def played(optimizer, loss, evaluations, before_each=lambda optimizer: optimizer):
    """The run up to so many evaluations; noise is that of the point and the query."""
    while optimizer.evaluations < evaluations and (query := optimizer.ask()) is not None:
        noise = SIGMA * np.random.default_rng(query.id).standard_normal(query.evaluations)
        optimizer = before_each(optimizer)
        points = [p for table in query.tables() for p in table.points]
        optimizer.tell(query.id, (np.array([loss(p) for p in points]) + noise).reshape(query.shape))
    return optimizer


@pytest.mark.parametrize("m", [150, 300])
def test_slopes_that_noise_leaves_in_doubt_are_not_measured_again_and_again(m):
    """Steep directions that are no variables: of a step of the model noise would never be sure."""
    generator = np.random.default_rng(m)
    U = np.linalg.qr(generator.standard_normal((m, 60)))[0] * np.logspace(0.0, 1.0, 60)
    to = generator.standard_normal(m)
    bowl = lambda x: float(np.square((x - to) @ U).sum() + np.square(x - to).sum())  # noqa: E731
    x0 = np.zeros(m)
    loss = lambda x: 100 * SIGMA * bowl(x) / bowl(x0)  # noqa: E731
    early = played(zoo.Optimizer(x0, rng=0), loss, 4 * m + 100)
    assert isinstance(early.state.learned.state, FilterState)
    later = played(zoo.Optimizer(x0, rng=0), loss, 20 * m)
    assert loss(later.recommended()[0]) < 0.8 * loss(early.recommended()[0]) < 0.8 * loss(x0)


@pytest.mark.parametrize(("m", "sigma"), [(4, 1e-6), (8, 1e-6), (8, 1e-4), (8, 1e-3)])
@pytest.mark.parametrize("seed", [1, 2])
def test_noise_does_not_stop_a_run_in_a_curved_valley(m, sigma, seed):
    """The model goes on while it promises more than noise; averages restart while F falls."""
    valley = lambda x: float(np.sum(16 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))  # noqa: E731
    x0 = np.full(m, -0.5) + 0.1 * np.random.default_rng([seed, 7]).standard_normal(m)
    found = run(valley, x0, 150 * (m + 1), seed, sigma)
    assert valley(found.x) < 0.1 * sigma


@pytest.mark.parametrize("seed", range(15, 25))
def test_a_first_sigma_that_is_too_small_is_corrected(seed):
    """By three degrees of freedom one in twenty is a third of sigma: steps seem to lead up."""
    generator = np.random.default_rng([seed, 5])
    curvatures, center = 10 ** generator.uniform(-0.5, 0.5, 4), generator.standard_normal(4)
    loss = lambda x: 0.5 * float(curvatures @ np.square(x - center))  # noqa: E731
    noisy = lambda x: loss(x) + 0.05 * generator.standard_normal()  # noqa: E731
    found = zoo.minimize(noisy, np.zeros(4), max_evaluations=800, rng=seed)
    assert loss(found.x) < 0.1 * 0.05


def settled_filter(m):
    """The filter after 40 sweeps of a quadratic, and its tools."""
    known = played(zoo.Optimizer(np.zeros(m), rng=0), quadratic(m), 40 * m).state.learned.state
    assert isinstance(known, FilterState)
    return known


def tools(m, phi):
    problem = make_problem(np.zeros(m), phi, zoo.sets.WholeSpace(), zoo.problem.Consensus())
    return ValueFilter(problem, Minimizer(problem))


def test_a_step_taken_back_shortens_steps_and_not_differences():
    """H is in doubt, and stays: pairs that are far too short show no slopes."""
    known = settled_filter(24)
    assert tau(known) < 0.5
    back = tools(24, zoo.regularizers.Zero())._taken_back(known, known.level[0] + 100.0 * SIGMA)
    assert back.damping > 2.0
    np.testing.assert_array_equal(back.H, known.H)
    assert tau(back) == 1.0


@pytest.mark.parametrize(("bent", "damping"), [(0.1, 4.0), (6.0, 6.0), (20.0, 8.0)])
def test_damping_is_halved_unless_the_last_step_shows_more_curvature(bent, damping):
    """Curvatures along the step in units of that of H; phi has a kink there, and no part in it."""
    known, descent = settled_filter(24), tools(24, zoo.L1(3.0))
    H, s, v = known.H, np.ones(24), known.belief.v
    ends = [Solved(x, x, 0.0 * x) for x in (-0.5 * s, 0.75 * s)]
    s = ends[1].x - ends[0].x
    known = known._replace(damping=8.0, step=s, before=ends[0], at=ends[1])
    rise = float((v - H @ s) @ s) + 0.5 * bent * float(s @ H @ s) + 3.0 * 24 * 0.25
    assert descent._eased(known, known.level[0] + rise) == pytest.approx(damping)


@pytest.mark.parametrize("seed", range(3))
def test_first_steps_that_lead_up_do_not_stop_a_run(seed):
    """A Poisson loss bends upward: noise hides it where second differences are 100 sigma.

    H was multiplied by 50 for shorter steps, which made pairs 7 times too short: x0 stayed.
    """
    generator, m = np.random.default_rng([seed, 11]), 30
    A = generator.standard_normal((120, m))
    A[:, 1:] = 0.8 * A[:, 1:] + 0.6 * A[:, :-1]
    A *= 10.0 ** generator.uniform(-0.5, 0.5, m) / np.sqrt(m)
    truth = np.where(np.arange(m) % 10 == 0, 1.0, 0.0)
    counts = generator.poisson(np.exp(A @ truth)).astype(float)
    loss = lambda x: float(np.mean(np.exp(A @ x) - counts * (A @ x)))  # noqa: E731
    phi = zoo.L1(0.1 * float(np.abs(A.T @ (1.0 - counts)).max()) / 120)
    whole = lambda x: loss(x) + phi(x)  # noqa: E731
    x0 = np.zeros(m)
    best = whole(run(loss, x0, 2_000, sigma=0.0, regularizer=phi, complete="x").x)
    depth = whole(x0) - best
    found = run(loss, x0, 40 * m, seed, 0.15 * depth, regularizer=phi, complete="x").x
    assert whole(found) - best < 0.3 * depth


def test_a_known_budget_changes_nothing():
    loss, x0 = quadratic(6), np.zeros(6)
    known = played(zoo.Optimizer(x0, max_evaluations=800, rng=0), loss, 800)
    unknown = played(zoo.Optimizer(x0, rng=0), loss, known.evaluations)
    np.testing.assert_array_equal(known.recommended()[0], unknown.recommended()[0])


def test_resumed_before_every_query_it_is_the_unbroken_run(tmp_path):
    loss, x0 = quadratic(5), np.zeros(5)
    path = tmp_path / "run.zoo"

    def make():
        return zoo.Optimizer(x0, max_evaluations=300, rng=3, regularizer=zoo.L1(0.1))

    def resumed(optimizer):
        optimizer.save(path)
        anew = make()
        anew.load(path)
        return anew

    whole, broken = played(make(), loss, 300), played(make(), loss, 300, resumed)
    for one, other in zip(whole.recommended(), broken.recommended(), strict=True):
        assert one.tobytes() == other.tobytes()
    assert isinstance(whole.state.learned.state, FilterState)


@pytest.mark.parametrize("seed", range(6))
def test_never_worse_than_the_start_beyond_the_stated_confidence(seed):
    """At the optimum, where every step leads up: four standard errors of the comparison."""
    loss = lambda x: float(np.square(x).sum())  # noqa: E731
    budget = 100 * 2 ** (seed % 3)
    result = run(loss, np.zeros(6), budget, seed=seed, sigma=1.0)
    assert loss(result.x) <= 4.0 * np.sqrt(2.0 / 16.0)


def test_zeros_of_a_regularizer_are_exact_behind_noise():
    center = np.concatenate([np.array([2.0, -1.5]), np.zeros(8)])
    loss = lambda x: 0.5 * float(np.square(x - center).sum())  # noqa: E731
    result = run(loss, np.ones(10), 1_500, regularizer=zoo.L1(0.1))
    np.testing.assert_array_equal(result.x[2:], 0.0)
    np.testing.assert_allclose(result.x[:2], [1.9, -1.4], atol=0.01)


def test_noisy_losses_are_evaluated_in_the_domain_after_the_first_query():
    seen = []

    def loss(x):
        seen.append(x.copy())
        return float(np.square(x - 2.0).sum())

    result = run(loss, np.full(5, 0.5), 600, domain=zoo.Box(0.0, 1.0))
    after = np.array(seen[26:])
    assert after.min() >= 0.0
    assert after.max() <= 1.0
    np.testing.assert_allclose(result.x, 1.0, atol=1e-2)


def test_the_message_states_noise_and_uncertainty():
    message = run(quadratic(5), np.zeros(5), 800).message
    assert "noise 0.001" in message or "noise 0.0009" in message
    assert "standard error" in message


def test_values_that_are_not_finite_now_and_then_are_survived():
    chance = np.random.default_rng(0)
    clean = quadratic(8)

    def loss(x):
        return np.nan if chance.random() < 0.05 else clean(x)

    assert clean(run(loss, np.zeros(8), 1_000, seed=1).x) < SIGMA


def test_noise_above_all_changes_of_the_loss_leaves_x0():
    result = run(quadratic(5), np.zeros(5), 400, sigma=1e4)
    np.testing.assert_array_equal(result.x, 0.0)
    assert "No improvement has stood out from the noise" in result.message


@pytest.mark.parametrize("domain", [WholeSpace(), Box(0.0, 2.0), Box(-1.0, 2.0)])
@pytest.mark.parametrize(("m", "sigma"), [(5, 0.05), (10, 0.01), (20, 0.05)])
def test_five_evaluations_a_variable_improve_in_the_median(m, sigma, domain):
    """The budget of 5 m includes the measurement of the noise; sigma is a part of f(x0) - f*."""
    left = []
    for seed in range(7):
        center = np.random.default_rng([seed, m]).uniform(0.1, 1.9, m)
        loss = lambda x, c=center: 0.5 * float(np.square(x - c).sum())  # noqa: E731
        x0 = np.full(m, 0.5)
        noise = sigma * loss(x0)
        result = run(loss, x0, 5 * m, seed=seed, sigma=noise, domain=domain)
        left.append(loss(result.x) / loss(x0))
    assert np.median(left) < 0.8


def test_noise_in_a_narrow_box_is_averaged_away():
    """Pairs are no longer than the box, so a noise of 0.3 (f(x0) - f*) does not lead to corners."""
    generator = np.random.default_rng(3)
    turn = np.linalg.qr(generator.standard_normal((8, 8)))[0]
    H, center = turn @ np.diag(np.geomspace(0.1, 10.0, 8)) @ turn.T, generator.uniform(-1, 1, 8)
    loss = lambda x: 0.5 * float((x - center) @ H @ (x - center))  # noqa: E731
    x0 = np.full(8, 0.5)
    result = run(loss, x0, 5_000, sigma=0.3 * loss(x0), domain=Box(-1.0, 2.0))
    assert loss(result.x) < 0.1 * loss(x0)


@pytest.mark.parametrize("budget", [60, 400])
def test_only_the_very_first_value_was_another(budget):
    """A cache that is filled by the first call is no noise, with the long and the short probe."""
    clean, calls = quadratic(5), itertools.count()
    loss = lambda x: clean(x) + (next(calls) == 0)  # noqa: E731
    result = zoo.minimize(loss, np.zeros(5), max_evaluations=budget, rng=0)
    assert "no noise in values" in result.message
    assert clean(result.x) < 1e-3 * clean(np.zeros(5))


@pytest.mark.parametrize("steep", [1.0, 1e3])
def test_the_ladder_shows_noise_and_how_far_to_go(steep):
    """Against the known sigma and curvature: second differences of 100 sigma."""
    noise = np.random.default_rng(0)
    x = np.zeros(4)
    made = radius.rungs(1, x, (0,), None)
    points = x + np.concatenate([[0.0, 0.0], made.steps])[:, None] * made.direction
    found = []
    for _ in range(50):
        values = [0.5 * steep * p @ p + p.sum() + SIGMA * noise.standard_normal() for p in points]
        found.append(radius.read_noisy(x, made, np.array(values[:2]), np.array(values[2:])))
    assert np.median([f.noise for f in found]) == pytest.approx(SIGMA, rel=0.2)
    aimed = np.sqrt(100 * SIGMA / steep)
    assert np.median([f.reach for f in found]) == pytest.approx(aimed, rel=0.2)
    assert min(f.freedom for f in found) >= 3


@pytest.mark.parametrize("seed", [21, 79, 81, 0, 1, 2])
def test_noisy_poisson_regressions_of_any_scale_end_without_an_error(seed):
    """With numpy set to raise. Values overflow a step away; the first three seeds once diverged."""
    g = np.random.default_rng(seed)
    m, n = 7, int(g.integers(20, 200))
    scale = 10 ** g.uniform(-2, 2.5, m) if seed % 2 else 10 ** g.uniform(-1, 2) * np.ones(m)
    X = g.standard_normal((n, m)) * scale
    w = g.standard_normal(m) / scale * 10 ** g.uniform(-1, 1)
    counts, sigma = g.poisson(np.exp(np.clip(X @ w / 2, -20, 8))), 10 ** g.uniform(-4, 1)

    def clean(x):
        with np.errstate(all="ignore"):
            return float((np.exp(X @ x) - counts * (X @ x)).mean())

    def loss(x):
        chance = g.standard_normal()
        return clean(x) * (1 + sigma * chance) if seed % 3 == 1 else clean(x) + sigma * chance

    x0 = g.standard_normal(m) / scale * 10 ** g.uniform(-2, 1)
    with np.errstate(all="raise"):
        result = zoo.minimize(loss, x0, max_evaluations=int(g.integers(60, 700)), rng=seed)
    assert np.isfinite(result.x).all()


def test_few_values_that_confirm_nothing_do_not_replace_the_best_pair() -> None:
    """A large promise is checked by one value a point: a mean that is not better is not taken."""
    m, generator = 20, np.random.default_rng(0)
    run = zoo.Optimizer(np.zeros(m), rng=0)
    found = []
    while (query := run.ask()) is not None and len(found) < 3:
        state = run.state.learned.state
        left = isinstance(state, FilterState) and not np.array_equal(state.best.at.x, np.zeros(m))
        if left and state.stage == "check" and len(state.ask) == 2:
            found.append(state)
        values = [float(np.square(x - 1.0).sum()) + 2.0 * generator.normal() for x in query.points]
        run.tell(query.id, np.array(values).reshape(query.shape))
    problem = make_problem(
        np.zeros(m), zoo.regularizers.Zero(), zoo.sets.WholeSpace(), zoo.problem.Consensus()
    )
    tools = ValueFilter(problem, Minimizer(problem))
    for state in found:
        sigma, value = state.spread.sigma, state.best.value
        for repeats, kept in ((1, True), (10, False)):
            known = state._replace(repeats=repeats, spent=800, averaged=2)
            luck = np.resize([sigma, -sigma], repeats) if repeats > 1 else np.zeros(1)
            answer = np.array([[value + 0.2 * sigma], [value]]) + luck
            after = tools.update(known, answer, lambda k: generator.standard_normal((k, m)))
            assert np.array_equal(after.best.at.x, state.best.at.x) == kept


@pytest.mark.parametrize("seed", range(4))
def test_loud_noise_on_a_simplex_does_not_end_the_model(seed):
    """A logistic loss; noise of a tenth of all there is to gain, 1,000 evaluations a variable."""
    generator, m = np.random.default_rng([seed, 5]), 5
    A, weights = generator.standard_normal((4 * m, m)), generator.dirichlet(np.full(m, 0.3))
    signs = np.sign(8 * A @ weights + generator.standard_normal(4 * m))
    loss = lambda x: float(np.mean(np.logaddexp(0, -8 * signs * (A @ x))))  # noqa: E731
    x0 = np.full(m, 1 / m)
    least = zoo.minimize(loss, x0, domain=Simplex(), max_evaluations=400 * m, rng=0).fun
    gain = loss(x0) - least
    result = run(loss, x0, 1_000 * m, seed, sigma=0.1 * gain, domain=Simplex())
    assert loss(result.x) - least < 0.1 * gain


def test_a_fall_along_a_step_is_conditioned_on_like_any_other_normal_number():
    """Beside the joint distribution of g before the step and of its change."""
    generator = np.random.default_rng(4)
    m, H, s, variance = 4, metric(4), generator.standard_normal(4), 0.3
    before = beliefs.Belief(generator.standard_normal(m), metric(m, 2))
    (v, P), change = beliefs.moved(before, H, s, 0.7)
    row = np.concatenate([s, s / 2])  # of (g, d) before the step: the mean slope along it
    joint = np.block([[before.P, np.zeros((m, m))], [np.zeros((m, m)), change.C]])
    mean = np.concatenate([before.v, change.d])
    gain = joint @ row / (row @ joint @ row + variance)
    expected, left = mean + gain * (1.5 - row @ mean), joint - np.outer(gain, joint @ row)
    known, seen = beliefs.fallen(beliefs.Belief(v, P), change, s, 1.5, variance)
    both = np.hstack([np.eye(m), np.eye(m)])  # g after the step
    np.testing.assert_allclose(known.v, both @ expected)
    np.testing.assert_allclose(known.P, both @ left @ both.T)
    np.testing.assert_allclose(seen.d, expected[m:])
    np.testing.assert_allclose(seen.C, left[m:] @ both.T)


@pytest.mark.parametrize(("length", "seen"), [(20.0, 0.02), (0.05, 1.0)])
def test_the_fall_of_a_long_step_shows_the_curvature_along_it(length, seen):
    """H is fifty times too large, as along the floor of a valley; of a short step noise hides it.

    length: |s|_H^2 in units of sigma.
    """
    known, descent = settled_filter(24), tools(24, zoo.regularizers.Zero())
    s = np.random.default_rng(0).standard_normal(24)
    s *= np.sqrt(length * known.spread.sigma / (s @ known.H @ s))
    ends = [Solved(x, x, 0.0 * x) for x in (known.at.x, known.at.x + s)]
    before = beliefs.Belief(-known.H @ s, 1e-6 * known.H * known.spread.sigma)
    belief, change = beliefs.moved(before, known.H, s, tau(known))
    known = known._replace(step=s, before=ends[0], at=ends[1], belief=belief, change=change)
    known = known._replace(level=(known.level[0], 0.1 * known.spread.sigma))
    level = known.level[0] - (1.0 - 0.5 * 0.02) * float(s @ known.H @ s)
    after = descent._with_fall(known, level, 0.1 * known.spread.sigma)
    assert s @ after.change.d / (s @ known.H @ s) == pytest.approx(seen, abs=0.35)


def test_a_small_unit_is_no_success_behind_noise():
    """How far F changes at the longest points of the first probe does not excuse a gap."""
    for seed in range(6):
        generator = np.random.default_rng(seed)
        A = generator.standard_normal((20, 4))
        counts = generator.poisson(np.exp(np.minimum(A @ (0.5 * generator.standard_normal(4)), 4)))

        def loss(x, A=A, counts=counts):
            return float(np.mean(np.exp(np.minimum(A @ x, 500)) - counts * (A @ x)))

        x0 = 0.5 * generator.standard_normal(4)
        results = [
            run(lambda x, s=unit: s * loss(x), x0, 1500, seed, sigma=0.1 * unit)
            for unit in (1.0, 2.0**-24, 2.0**-60)
        ]
        assert not any(result.success for result in results)  # standard errors are about 1e-2
