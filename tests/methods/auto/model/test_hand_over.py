"""When a run goes by a model, when it does not, and when it leaves off: no false success."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import zooadmm as zoo

M = 6
CENTER = np.linspace(-1.0, 1.0, M)


def bowl(x):
    return float(np.square(x - CENTER).sum() + 0.1 * np.cos(3.0 * x).sum())


BEST = float(scipy.optimize.minimize(bowl, CENTER, tol=1e-12).fun)


def gap(x):
    return (bowl(x) - BEST) / (bowl(np.zeros(M)) - BEST)


def solved(loss=bowl, x0=None, budget=2_000, seed=0, **given):
    x0 = np.zeros(M) if x0 is None else x0
    result = zoo.minimize(loss, x0, max_evaluations=budget, rng=seed, **given)
    assert np.isfinite(result.x).all()
    return result


def by_a_model(result):
    return "quadratic model" in result.message and "no quadratic model" not in result.message


# --- who decides


def test_a_smooth_loss_goes_by_a_model():
    result = solved()
    assert by_a_model(result)
    assert result.status is zoo.Status.SETTLED
    assert gap(result.x) < 1e-12
    assert result.nfev < 200


@pytest.mark.parametrize("given", [{"step_size": 0.05}, {"smoothing": 1e-4}, {"penalty": 1.0}])
def test_what_is_given_by_name_wins(given):
    result = solved(budget=1_000, **given)
    assert not by_a_model(result)
    assert result.status is zoo.Status.MAX_EVALUATIONS


def test_what_is_said_of_the_noise_wins():
    assert by_a_model(solved(settings=zoo.Auto(noise=0.0)))
    result = solved(settings=zoo.Auto(noise=0.1), budget=1_000)
    assert "noise 0.1" in result.message


def test_the_model_can_be_left_out():
    result = solved(settings=zoo.Auto(without=["model"]), budget=1_000)
    assert not by_a_model(result)
    assert result.status is zoo.Status.MAX_EVALUATIONS
    assert gap(result.x) < 1e-2


@pytest.mark.parametrize("budget", [2 * M, 2 * M + 28])
def test_a_budget_for_the_probe_and_a_step_is_enough_to_measure_each_variable(budget):
    result = solved(budget=budget)
    few = f"With {2 * M + 28} evaluations each variable is measured."
    assert (few in result.message) == (budget < 2 * M + 28)
    assert "quadratic model" in result.message
    assert result.nfev <= budget


@pytest.mark.parametrize("start", [0.0, 0.3])
def test_single_precision_variables_have_a_model_too(start):
    x0 = np.full(M, start, dtype=np.float32)
    result = solved(lambda x: bowl(x.astype(np.float64)), x0=x0, budget=1_500)
    assert result.x.dtype == np.float32
    assert by_a_model(result)
    assert result.status is zoo.Status.SETTLED
    assert gap(result.x.astype(np.float64)) < 1e-11
    rough = solved(x0=x0, budget=1_500)  # cosines of float32
    assert gap(rough.x) < 1e-5


def test_without_a_budget_it_ends_by_itself():
    result = zoo.minimize(bowl, np.zeros(M), max_iterations=1_000, rng=0)
    assert result.status is zoo.Status.SETTLED
    assert gap(result.x) < 1e-12


# --- ends


def test_a_target_ends_the_run_where_it_is_met():
    result = solved(target=BEST + 1e-2)
    assert result.status is zoo.Status.TARGET
    assert result.success
    assert bowl(result.x) <= BEST + 1e-2
    assert result.nfev < solved().nfev


def test_a_target_out_of_reach_is_no_success():
    result = solved(target=BEST - 1.0)
    assert result.status is zoo.Status.SETTLED
    assert not result.success


def test_a_tolerance_ends_the_run_before_it_settles():
    result = solved(tolerance=1e-3)
    assert result.status is zoo.Status.TOLERANCE
    assert result.success
    assert gap(result.x) < 1e-4
    assert result.nfev < solved().nfev


# --- small and degenerate


def test_one_variable():
    result = solved(lambda x: float((x[0] - 2.0) ** 2), np.zeros(1))
    assert result.status is zoo.Status.SETTLED
    np.testing.assert_allclose(result.x, 2.0, atol=1e-7)


@pytest.mark.parametrize("value", [0.0, 3.0, -1e-300])
def test_a_constant_loss_ends_at_once_and_says_so(value):
    result = solved(lambda x: value)
    assert (result.status, result.success) == (zoo.Status.UNCHANGED, False)
    np.testing.assert_array_equal(result.x, 0.0)
    assert result.nfev < 100


def test_a_loss_that_is_zero_at_the_start():
    result = solved(lambda x: bowl(x) - bowl(np.zeros(M)))
    assert result.status is zoo.Status.SETTLED
    assert gap(result.x) < 1e-12


def test_a_loss_that_falls_to_zero_is_followed_down():
    """What was rounding beside the first values is much beside the last."""
    result = solved(lambda x: 1e6 * float(np.square(x - CENTER).sum()))
    assert result.status is zoo.Status.SETTLED
    assert np.abs(result.x - CENTER).max() < 1e-13


def test_a_loss_that_grows_without_losing_its_digits():
    """It begins near zero and ends at -1e8, where rounding is 1e8 times as large."""
    result = solved(lambda x: 1e8 * (bowl(x) - bowl(np.zeros(M))) + 1e-3)
    assert result.status is zoo.Status.SETTLED
    assert gap(result.x) < 1e-12


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_values_of_any_size(scale):
    result = solved(lambda x: scale * bowl(x))
    assert result.status is zoo.Status.SETTLED
    assert gap(result.x) < 1e-9


@pytest.mark.parametrize("domain", [zoo.Box(0.0, 0.0), zoo.Box(0.0, 1e-10), zoo.Box(-1e-11, 1e-10)])
def test_domains_that_leave_little(domain):
    result = solved(domain=domain)
    assert result.status is zoo.Status.SETTLED
    np.testing.assert_allclose(result.x, domain.project(CENTER), rtol=1e-1)
    assert result.nfev < 200


def test_a_simplex_of_one_variable():
    result = solved(lambda x: float(x[0] ** 2), np.ones(1), domain=zoo.Simplex())
    assert result.status is zoo.Status.SETTLED
    np.testing.assert_array_equal(result.x, 1.0)


@pytest.mark.parametrize(
    ("domain", "x0", "best"),
    [
        (zoo.Box(0.0, 1.0), np.full(3, 0.5), [0.0, 1.0, 0.0]),
        (zoo.Simplex(), np.full(3, 1 / 3), [0.0, 1.0, 0.0]),
        (zoo.BoxBudget(0.0, 0.6, 1.0), np.full(3, 1 / 3), [0.4, 0.6, 0.0]),
    ],
)
def test_linear_losses_end_in_a_vertex(domain, x0, best):
    result = solved(lambda x: float(x @ [1.0, -2.0, 3.0]), x0, domain=domain)
    assert result.status is zoo.Status.SETTLED
    np.testing.assert_allclose(result.x, best, atol=1e-9)


def test_a_loss_without_a_bound_below_is_no_success():
    result = solved(lambda x: float(x.sum()))
    assert not result.success
    assert "bounded below" in result.message


def test_a_loss_that_is_not_convex():
    """Rosenbrock's valley: trials far away bend much more than the loss does here."""
    for seed in range(2):
        result = solved(
            lambda x: float(100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2),
            np.array([-1.2, 1.0]),
            seed=seed,
        )
        assert result.status is zoo.Status.SETTLED
        np.testing.assert_allclose(result.x, 1.0, atol=1e-4)


# --- losses that are not what they seem


def absolute(seed, n, m):
    """Least absolute deviations, and its least value."""
    generator = np.random.default_rng(seed)
    A, b = generator.standard_normal((n, m)), generator.standard_normal(n)
    found = scipy.optimize.linprog(
        np.concatenate([np.zeros(m), np.ones(n)]),
        A_ub=np.block([[A, -np.eye(n)], [-A, -np.eye(n)]]),
        b_ub=np.concatenate([b, -b]),
        bounds=[(None, None)] * m + [(0, None)] * n,
    )
    return lambda x: float(np.abs(A @ x - b).sum()), found.fun


def largest(seed, n, m):
    """The largest deviation, and its least value."""
    generator = np.random.default_rng(seed)
    A, b = generator.standard_normal((n, m)), generator.standard_normal(n)
    found = scipy.optimize.linprog(
        np.concatenate([np.zeros(m), [1.0]]),
        A_ub=np.block([[A, -np.ones((n, 1))], [-A, -np.ones((n, 1))]]),
        b_ub=np.concatenate([b, -b]),
        bounds=[(None, None)] * (m + 1),
    )
    return lambda x: float(np.abs(A @ x - b).max()), found.fun


@pytest.mark.parametrize("kind", [absolute, largest])
@pytest.mark.parametrize("n", [8, 30])
def test_kinks_are_never_taken_for_the_optimum(kind, n):
    for seed in range(3):
        loss, best = kind(seed, n, m=3)
        result = solved(loss, np.zeros(3), budget=400, seed=seed)
        left = (loss(result.x) - best) / (loss(np.zeros(3)) - best)
        assert result.status is not zoo.Status.SETTLED or left < 0.01
        if "no quadratic model" in result.message:
            assert "kinks" in result.message


def counted(after, sigma, loss, seed=0):
    """A loss that has noise from some evaluation on."""
    generator, count = np.random.default_rng(seed), 0

    def noisy(x):
        nonlocal count
        count += 1
        return loss(x) + (sigma * generator.standard_normal() if count > after else 0.0)

    return noisy


@pytest.mark.parametrize("after", [20, 45, 90])
@pytest.mark.parametrize("sigma", [1e-8, 1e-3])
def test_noise_that_appears_later_does_no_harm(after, sigma):
    result = solved(counted(after, sigma, bowl), budget=1_500)
    assert bowl(result.x) - BEST < 20.0 * sigma
    assert "gives the same value every time" not in result.message or "noise" in result.message


@pytest.mark.parametrize("after", [20, 45, 60])
def test_noise_that_is_found_when_the_loss_is_looked_at_anew(after):
    """The loss falls to nothing, the probes are repeated, and find what was not there at first."""

    def falling(x):
        return 100.0 * float(np.square(x - CENTER).sum())

    result = solved(counted(after, 1e-4, falling), budget=1_500)
    assert falling(result.x) < 20.0 * 1e-4
    if result.status is not zoo.Status.SETTLED:
        assert "noise 0.0001" in result.message or "noise 9" in result.message


@pytest.mark.parametrize("digits", [3, 6])
def test_values_that_are_rounded(digits):
    result = solved(lambda x: round(bowl(x), digits))
    assert bowl(result.x) - BEST < 10.0 * 10.0**-digits


def test_single_precision_inside_the_loss():
    result = solved(lambda x: float(np.square((x - CENTER).astype(np.float32)).sum()))
    assert result.status is zoo.Status.SETTLED
    assert np.square(result.x - CENTER).sum() < 1e-9


def test_a_wall_beyond_the_optimum_is_gone_around():
    result = solved(lambda x: np.nan if x.max() > 2.0 else bowl(x))
    assert result.status is zoo.Status.SETTLED
    assert gap(result.x) < 1e-12
