"""The parts of settings="auto", each against a naive twin or a known answer."""

from __future__ import annotations

import itertools
import math

import cvxpy as cp
import numpy as np
import pytest

import zooadmm as zoo
from twins.problems import make_problem
from zooadmm.methods.auto.constants import FACTORS
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.probe.state import Radius
from zooadmm.methods.auto.steps import distance, means, scale, units
from zooadmm.methods.auto.steps.state import Gathered, Scale
from zooadmm.oracle.queries import LineQuery
from zooadmm.problem.constraint import Consensus
from zooadmm.problem.regularizers import as_regularizer
from zooadmm.structure.model_step import ModelStep, Solved

KEY = (3, 5)


# radius


def first_query(x):
    """Twice x_1, and both sides of it at every length."""
    made = radius.rungs(1, x, KEY)
    return LineQuery(1, x, made.direction, np.concatenate([[0.0, 0.0], made.steps]), None)


def ladder(f, x):
    query = first_query(x)
    return radius.read(x, np.array([float(f(p)) for p in query.points]))


@pytest.mark.parametrize("value", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("unit", [1e-2, 1.0, 1e2])
def test_the_length_suits_a_smooth_loss_in_any_units(value, unit):
    generator = np.random.default_rng(0)
    center = generator.standard_normal(20)
    found = ladder(
        lambda u: value * (np.square(u / unit - center).sum() + np.cos(u / unit).sum()),
        np.zeros(20),
    )
    assert found.noise == 0.0
    slope = np.zeros(20)
    for i, e in enumerate(np.eye(20)):
        ahead, here = found.length * e / unit, np.zeros(20)
        rise = np.square(ahead - center).sum() + np.cos(ahead).sum()
        slope[i] = (rise - np.square(here - center).sum() - 20.0) / found.length
    exact = -2 * center / unit
    assert np.abs(slope - exact).max() < 1e-4 * np.abs(exact).max()


def test_single_precision_and_rounded_values_need_longer_steps():
    def f(x):
        return np.square(x - 0.7).sum()

    exact = ladder(f, np.zeros(10)).length
    single = ladder(lambda x: np.float32(f(x)), np.zeros(10)).length
    rounded = ladder(lambda x: np.round(f(x), 4), np.zeros(10)).length
    assert exact < 1e-5 < single < 1e-1
    assert 1e-4 < rounded <= 1.0


def test_a_loss_that_is_flat_nearby_is_looked_at_from_afar():
    assert ladder(lambda x: float(np.floor(x.sum() / 2)), np.full(4, 0.25)).length >= 1.0


def test_the_length_avoids_where_the_loss_is_not_finite():
    found = ladder(
        lambda x: np.inf if np.abs(x).max() > 1e-3 else np.square(x - 1).sum(), np.zeros(4)
    )
    assert found.length < 1e-3


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e9])
def test_values_near_a_zero_of_the_loss_show_how_large_it_is(scale):
    """Along any direction of length 0.1 the bowl is 0.005 high, and infinite from 0.5 on."""
    found = ladder(
        lambda x: scale * 0.5 * np.square(x).sum() if np.abs(x).max() < 0.5 else np.inf, np.zeros(4)
    )
    assert found.change == pytest.approx(0.005 * scale)
    assert found.rounding < 1e-12 * scale


def test_noise_is_measured_and_curvature_seen_through_it():
    generator = np.random.default_rng(1)
    x, sigma, curvature = np.zeros(10), 0.05, 4.0

    def answers(query):
        exact = 0.5 * curvature * np.square(query.points - 0.3).sum(axis=1)
        return exact + sigma * generator.standard_normal(len(exact))

    known = radius.read(x, answers(first_query(x)))
    assert math.isnan(known.noise)
    known = radius.read_repeated(known, x, answers(radius.repeat(2, x, None)))
    assert known.noise == pytest.approx(sigma, rel=0.4)
    for t in itertools.count(3):
        values = answers(radius.pairs(t, x, known, KEY, None))
        known = radius.read_pairs(known, x, values, 1e3)
        if math.isfinite(known.length):
            break
    ideal = math.sqrt(radius.SURE * sigma / curvature)
    assert ideal / 2 < known.length < ideal * 2


def test_a_straight_noisy_loss_ends_the_search_for_curvature():
    generator = np.random.default_rng(1)
    known, x = Radius(noise=1.0, center=0.0, trial=1e-3), np.zeros(5)
    for t in range(1, 60):
        query = radius.pairs(t, x, known, KEY, None)
        values = query.points.sum(axis=1) + generator.standard_normal(query.evaluations)
        known = radius.read_pairs(known, x, values, 1e3)
        if math.isfinite(known.length):
            break
    assert known.length == 1.0


def test_points_of_a_noisy_loss_stay_well_within_a_box():
    x = np.zeros(4)
    most = radius.farthest(x, zoo.Box(np.array([-1.0, -2.0, 0.0, -np.inf]), [1.0, 2.0, 0.0, 1.0]))
    np.testing.assert_array_equal(most, [0.5, 1.0, 1.0, 1e3])
    np.testing.assert_array_equal(radius.farthest(x, zoo.sets.WholeSpace()), np.full(4, 1e3))
    straight = Radius(noise=1.0, center=0.0, trial=1.0)
    assert radius.read_pairs(straight, x, np.zeros(2 * radius.PAIRS), 0.5).length == 0.5


# moments and units


def gathered(estimates):
    m = estimates.shape[1]
    zeros = np.zeros(m), np.zeros(m)
    known = Gathered(0, 0, zeros, zeros)
    for g in estimates:
        known = known.plus(g)
    return known


def test_moments_are_those_of_the_estimates():
    estimates = np.random.default_rng(2).standard_normal((9, 4)) + np.arange(4)
    known, weights = gathered(estimates), np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(known.mean, estimates.mean(axis=0))
    variance = (estimates.var(axis=0, ddof=1) / weights).sum()
    assert known.noise(weights) == pytest.approx(variance)


def test_units_are_learned_where_variables_differ_and_left_alone_where_not():
    generator = np.random.default_rng(4)
    units_of = 10.0 ** generator.uniform(-2, 2, 60)
    estimates = generator.standard_normal((16, 60))
    alike, unlike = (
        units.learned(gathered(estimates)),
        units.learned(gathered(estimates * units_of)),
    )
    assert len(alike) == 1 or alike.max() / alike.min() < 3
    expected = units_of**2 / np.exp(np.log(units_of**2).mean())
    assert np.abs(np.log(unlike / expected)).mean() < 0.6
    assert np.exp(np.log(unlike).mean()) == pytest.approx(1.0)


def test_noise_in_proportion_to_the_slope_tells_no_units():
    generator = np.random.default_rng(5)
    slopes = 10.0 ** generator.uniform(-2, 2, 40)
    estimates = slopes * np.exp(0.2 * generator.standard_normal((16, 1)))
    assert len(units.learned(gathered(estimates))) == 1


def test_equal_slopes_are_no_small_variance_and_no_slope_is_no_unit():
    generator = np.random.default_rng(7)
    estimates = generator.standard_normal((16, 5)) * [1.0, 1.0, 10.0, 10.0, 1.0]
    estimates[:, 0] = 1.0  # the same in all of them
    estimates[:, 1] = 0.0
    estimates[3, 4] = 0.0
    learned = units.learned(gathered(estimates))
    assert learned.max() / learned.min() < 1e4
    assert learned[1] == 1.0
    rare = np.zeros((16, 20))
    rare[np.arange(16), generator.integers(20, size=16)] = 1.0  # one variable at a time
    learned = units.learned(gathered(rare))
    assert learned.max() / learned.min() < 10.0


def test_noise_that_was_only_the_first_value_is_none():
    known = radius.read_repeated(Radius(trial=1.0), np.zeros(3), np.ones(radius.PAIRS))
    assert known.noise == 0.0
    assert known.length > 0.0


def test_a_variable_without_slope_has_no_unit():
    estimates = np.random.default_rng(4).standard_normal((16, 5)) * [1, 1, 1, 1, 0]
    assert np.isfinite(units.learned(gathered(estimates))).all()
    assert len(units.learned(gathered(np.zeros((16, 5))))) == 1


# scale


def test_the_best_tau_is_that_of_the_lowest_mean_and_nan_is_the_worst():
    table = np.array([[1.0, 1.0, 1.0], [0.5, 0.4, 0.6], [-9.0, -9.0, np.nan], [0.7, 0.7, 0.7]])
    j, change, error = scale.best(table)
    assert (j, change) == (0, pytest.approx(-0.5))
    assert error == pytest.approx(0.1 / math.sqrt(3))


def test_the_longest_harmless_step():
    noise = np.array([-1.0, 1.0, -1.0, 1.0])
    table = np.stack([np.zeros(4), noise, 0.2 + noise, 5 + noise, np.full(4, np.nan)])
    assert scale.longest(table) == 1


def test_the_range_moves_where_its_best_is_at_an_end_and_something_is_seen():
    search, factors = Scale(tau=2.0), FACTORS
    last = len(factors) - 1
    assert scale.moved(search, factors, 3, -1.0, 0.1) is None
    assert scale.moved(search, factors, last, -1.0, 0.1).tau == 2.0 * factors[-1]
    assert scale.moved(search, factors, 0, -1.0, 0.1).tau == 2.0 * factors[0]
    assert scale.moved(search, factors, 0, 0.1, 0.1) is None  # noise: nothing to see further down
    ended = search._replace(rounds=scale.MOST_ROUNDS)
    assert scale.moved(ended, factors, last, -1.0, 0.1) is None


def test_where_far_points_cost_the_range_never_moves_up():
    search, last = Scale(tau=2.0), len(scale.WARY) - 1
    assert scale.moved(search, scale.WARY, last, -1.0, 0.1) is None
    assert scale.moved(search, scale.WARY, 0, -1.0, 0.1).tau == 2.0 * scale.WARY[0]


# distance


def test_the_step_size_is_distance_over_gradients():
    steps, r, tau, K, V = [0.3, 0.2, 0.7], 0.5, 0.1, 8, 2.0
    known = distance.init(r, tau, K, V)
    total, where = K * (V + (r / tau) ** 2), [0.4, 0.6, 0.9]
    for update, away in zip(steps, where, strict=True):
        eta = r / math.sqrt(total)
        assert distance.step_size(known) == pytest.approx(eta)
        known = distance.travelled(known, eta, update, away)
        total, r = total + (update / eta) ** 2, max(r, away)


# means


def test_means_weigh_the_iterates_like_t_cubed():
    points = np.random.default_rng(5).standard_normal((30, 3))
    known = means.init(points[0], points[0], 1.0, trusted=True)
    for x in points:
        known = means.averaged(known, x, 2 * x, math.inf)
    t = np.arange(1, 31)
    weights = (t * (t + 1) * (t + 2)).astype(float)  # sum_s<=t of which is ~ t^4/4
    expected = (weights[:, None] * points).sum(axis=0) / weights.sum()
    np.testing.assert_allclose(known.x, expected)
    np.testing.assert_allclose(known.gradient, 2 * expected)


def test_a_horizon_forgets():
    zero = np.zeros(1)
    known = means.init(zero, zero, 1.0, trusted=True)
    for t in range(1000):
        known = means.averaged(known, np.full(1, float(t >= 500)), np.zeros(1), horizon=50)
    assert known.x[0] > 0.999


# the step of structure


def problem_of(name, m=12):
    generator = np.random.default_rng(8)
    domain, constraint = zoo.sets.WholeSpace(), Consensus()
    if name == "l1":
        phi, model = zoo.L1(0.4), lambda x: 0.4 * cp.norm1(x)
    elif name == "l1 in a box":
        phi, domain = zoo.L1(0.4), zoo.Box(-0.2, 0.5)
        return phi, domain, constraint, lambda x: 0.4 * cp.norm1(x), lambda x: [x >= -0.2, x <= 0.5]
    elif name == "simplex":
        domain = zoo.Simplex()
        return None, domain, constraint, lambda x: 0, lambda x: [x >= 0, cp.sum(x) == 1]
    elif name == "groups":
        groups = [[0, 1, 2, 3], [3, 4, 5], [5, 6, 7, 8, 9], [9, 10, 11]]
        phi, constraint = zoo.overlapping_groups(m, groups, 0.5)
        model = lambda x: 0.5 * sum(cp.norm2(x[g]) for g in groups)  # noqa: E731
    elif name == "total variation":
        phi, constraint = zoo.total_variation(m, 0.3)
        model = lambda x: 0.3 * cp.norm1(cp.diff(x))  # noqa: E731
    else:
        B = np.eye(m) + 0.3 * generator.standard_normal((m, m))
        phi, constraint = zoo.L1(0.2), zoo.Linear(np.eye(m), B, np.ones(m))
        model = lambda x: 0.2 * cp.norm1(np.linalg.inv(B) @ (1 - x))  # noqa: E731
    return phi, domain, constraint, model, lambda x: []


@pytest.mark.parametrize(
    "name", ["l1", "l1 in a box", "simplex", "groups", "total variation", "general B"]
)
@pytest.mark.parametrize("unlike", [False, True])
def test_the_step_of_structure_is_the_minimum_of_its_model(name, unlike):
    m, generator = 12, np.random.default_rng(9)
    phi, domain, constraint, model, conditions = problem_of(name)
    if unlike and isinstance(domain, zoo.Simplex):
        pytest.skip("a projection that is Euclidean")
    x0 = domain.project(generator.standard_normal(m))
    problem = make_problem(x0, as_regularizer(phi), domain, constraint)
    g, eta = generator.standard_normal(m), 0.7
    weights = 10.0 ** generator.uniform(-0.5, 0.5, m) if unlike else np.ones(1)
    start = Solved(x0, np.zeros(problem.d), np.zeros(problem.l), 0.0)
    step = ModelStep(problem, None)
    for _ in range(30):  # the next step starts where this one ended
        start = step(x0, g, eta, weights, start)
    x = cp.Variable(m)
    W = np.broadcast_to(weights, m)
    value = g @ x + cp.sum(cp.multiply(W, cp.square(x - x0))) / (2 * eta) + model(x)
    cp.Problem(cp.Minimize(value), conditions(x)).solve(solver=cp.CLARABEL)
    assert np.linalg.norm(start.x - x.value) < 2e-2 * np.linalg.norm(x.value - x0)
    assert np.linalg.norm(constraint.residual(start.x, start.y)) < 1e-2
    assert domain.distance(start.x) < 1e-12


@pytest.mark.parametrize(
    "phi",
    [
        zoo.L1(0.3),
        zoo.ElasticNet(0.3, 0.5),
        zoo.regularizers.Within(zoo.L1(0.3), zoo.Box(-0.4, 0.2)),
    ],
)
def test_a_step_by_coordinates_against_trying_numbers(phi):
    m, generator, eta = 8, np.random.default_rng(3), 0.7
    weights = 10.0 ** generator.uniform(-2.0, 2.0, m)
    problem = make_problem(
        np.zeros(m), as_regularizer(phi), zoo.sets.WholeSpace(), zoo.problem.Consensus()
    )
    x0, g = 0.3 * generator.standard_normal(m), generator.standard_normal(m)
    start = Solved(x0, x0, np.zeros(m), 0.0)
    found = ModelStep(problem, None)(x0, g, eta, weights, start)
    np.testing.assert_array_equal(found.x, found.y)
    assert found.penalty == 0.0  # nothing was iterated
    for i in range(m):
        z = np.linspace(-60.0, 60.0, 1_200_001)
        tried = np.where(np.abs(z) <= 1e-9, 0.0, z)
        if isinstance(phi, zoo.regularizers.Within):
            tried = np.clip(tried, -0.4, 0.2)
        strength = 0.3 * np.abs(tried) + (0.25 * tried**2 if isinstance(phi, zoo.ElasticNet) else 0)
        value = g[i] * tried + weights[i] * np.square(tried - x0[i]) / (2 * eta) + strength
        assert abs(found.x[i] - tried[np.argmin(value)]) < 2e-4


@pytest.mark.parametrize("strength", [50.0, 500.0])
def test_the_penalty_does_not_run_away_where_y_stands_still(strength):
    """All differences are zero at the solution: x is constant, at the mean of the targets."""
    phi, constraint = zoo.total_variation(6, strength)
    result = zoo.minimize(
        lambda x: float(np.square(x - np.arange(6)).sum()),
        np.zeros(6),
        regularizer=phi,
        constraint=constraint,
        max_evaluations=3_000,
        rng=0,
    )
    np.testing.assert_allclose(result.x, 2.5, atol=0.02)


def test_a_penalty_that_was_given_is_kept():
    problem = make_problem(
        np.zeros(6), zoo.L1(0.3), zoo.sets.WholeSpace(), zoo.total_variation(6, 0.3)[1]
    )
    start = Solved(np.zeros(6), np.zeros(5), np.zeros(5), 0.0)
    solved = ModelStep(problem, 2.5)(np.zeros(6), np.arange(6.0), 0.1, np.ones(1), start)
    assert solved.penalty == 2.5
