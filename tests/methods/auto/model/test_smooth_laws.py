"""Smooth losses without noise are solved whatever their units, and never taken for kinked."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize
from scipy.optimize import rosen, rosen_der

import zooadmm as zoo
from zooadmm.methods.auto.model import kink_search, rounding, second


def poisson(seed, m=8, n=80):
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((n, m)) / np.sqrt(m)
    counts = generator.poisson(np.exp(features @ generator.standard_normal(m)))

    def loss(x):
        with np.errstate(over="ignore"):  # the first points lie far away in small units
            return float(np.mean(np.exp(features @ x) - counts * (features @ x)))

    def gradient(x):
        return features.T @ (np.exp(features @ x) - counts) / n

    return loss, np.zeros(m), gradient


def quadratic(seed, m=8, condition=1e8):
    generator = np.random.default_rng(seed)
    Q = np.linalg.qr(generator.standard_normal((m, m)))[0]
    H, center = (Q * np.geomspace(1.0, condition, m)) @ Q.T, generator.standard_normal(m)
    return (
        lambda x: 0.5 * float((x - center) @ H @ (x - center)),
        np.zeros(m),
        lambda x: H @ (x - center),
    )


def valley(seed, m=8):
    return rosen, np.random.default_rng(seed).uniform(-4, 4, m), rosen_der


@pytest.mark.parametrize("kind", [poisson, quadratic, valley])
@pytest.mark.parametrize("seed", range(3))
def test_smooth_losses_are_solved_and_never_called_kinked(kind, seed) -> None:
    loss, x0, gradient = kind(seed)
    result = zoo.minimize(loss, x0, max_evaluations=6_000, rng=seed)
    options = {"gtol": 1e-12, "maxiter": 2_000}
    best = scipy_minimize(loss, result.x, jac=gradient, method="BFGS", options=options).fun
    assert result.status is zoo.Status.SETTLED
    assert result.fun - best < 1e-6
    assert "kinks" not in result.message


@pytest.mark.parametrize("kind", [poisson, lambda seed: quadratic(seed, condition=1e2)])
@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6])
def test_neither_units_of_variables_nor_of_the_loss_matter(kind, unit) -> None:
    loss, x0, _ = kind(0)
    own = zoo.minimize(loss, x0, max_evaluations=3_000, rng=0)
    for scale in (1.0, 1e3):
        other = zoo.minimize(
            lambda z, scale=scale: scale * loss(z / unit), unit * x0, max_evaluations=3_000, rng=0
        )
        assert other.status is own.status is zoo.Status.SETTLED
        assert loss(other.x / unit) - own.fun < 1e-6
        assert other.nfev < 2 * own.nfev


def test_a_run_within_bounds_that_starts_at_its_optimum_settles_at_once() -> None:
    x0 = np.array([0.0, 1.0, 0.0, 0.5])

    def loss(x):
        return float(x[0] - x[1] + 2.0 * x[2] + np.square(x[3] - 0.5))

    for probes in ("anywhere", "inside"):
        result = zoo.minimize(
            loss,
            x0,
            domain=zoo.Box(0, 1),
            max_evaluations=500,
            settings=zoo.Auto(probes=probes),
            rng=0,
        )
        assert result.status is zoo.Status.SETTLED
        assert result.nfev < 80
        np.testing.assert_allclose(result.x, x0, atol=1e-6)


def test_a_run_whose_loss_falls_to_zero_settles() -> None:
    result = zoo.minimize(rosen, np.full(4, 3.0), max_evaluations=3_000, rng=0)
    assert result.status is zoo.Status.SETTLED
    assert result.fun < 1e-12


def test_the_verdict_on_a_line() -> None:
    x, s = np.zeros(2), np.array([1.0, 0.0])
    points = kink_search.points(zoo.sets.WholeSpace(), x, s, -1.0, 1e-16)
    kinds = {"smooth": np.exp, "kink": lambda t: np.abs(t - 0.3), "jump": lambda t: t > 0.4}
    for name, f in kinds.items():
        assert kink_search.verdict(f(points[:, 0]), float(f(np.array(0.0))), 1e-16) == name
    ahead = kink_search.points(zoo.Box(0, 2), x, s, -1.0, 1e-16)
    assert len(ahead) == kink_search.PARTS
    assert kink_search.verdict(np.abs(ahead[:, 0] - 0.3), 0.3, 1e-16) == "kink"


def test_second_derivatives_are_those_of_a_quadratic() -> None:
    loss, x, gradient = quadratic(3, m=5, condition=1e3)
    H = np.diag([1.0, 10.0, 3.0, 100.0, 30.0])
    moves = second.block(H, loss(x), 1e-13)
    values = np.array([loss(p) for p in second.points(x, moves)])
    assert len(values) == second.cost(5)
    seen = second.read(H, moves, values - loss(x), 1e-13, 1.0)
    exact = np.array([gradient(e) - gradient(np.zeros(5)) for e in np.eye(5)])
    np.testing.assert_allclose(seen.H, exact, rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(seen.slopes, seen.Z @ gradient(x), rtol=1e-5)


def test_rounding_is_measured_and_plateaus_show_nothing() -> None:
    x, s, H = np.ones(3), np.full(3, 0.1), np.eye(3)
    points = rounding.points(x, s, float(np.sqrt(s @ H @ s)), 1e-8)
    smooth = np.array([float(p @ p) for p in points])
    assert rounding.read(3.0, smooth, 1e-8, 0.0) < 1e-12
    noise = 1e-10 * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    assert 1e-11 < rounding.read(3.0, smooth + noise, 1e-8, 0.0) < 1e-8
    assert rounding.read(3.0, np.full(6, 3.0), 1e-8, 0.0) == 1e-8
    assert rounding.read(3.0, smooth, 1e-8, 1e-9) == 1e-9


@pytest.mark.parametrize("short", [1, 20, 40])
def test_second_derivatives_that_exceed_the_budget_are_not_waited_for(short: int) -> None:
    def solved(budget: int) -> zoo.Result:
        return zoo.minimize(rosen, np.full(12, -1.0), max_evaluations=budget, rng=0)

    def sizes(result: zoo.Result) -> list[float]:
        return np.diff(result.trace["evaluations"], prepend=0.0).tolist()

    whole = sizes(solved(3_000))
    first = whole.index(second.cost(12))
    enough = sum(whole[: first + 1])
    assert second.cost(12) in sizes(solved(enough + 3))  # with what it takes to report the answer
    late = solved(enough - short)
    assert second.cost(12) not in sizes(late)
    assert enough - short - late.nfev < 2 * 12


@pytest.mark.parametrize("unit", [1.0, 1e-12, 1e-20, 1e-30, 1e12])
@pytest.mark.parametrize("width", [1.0, 1e6, 1e12])
def test_a_linear_loss_is_minimized_in_any_unit_also_from_zero(unit, width):
    """At zero second differences are zero to the last bit, and show no curvature at all."""
    for m in (1, 2, 5):
        c = np.random.default_rng(m).standard_normal(m)
        result = zoo.minimize(
            lambda x, c=c: unit * float(c @ x) / width,
            np.zeros(m),
            domain=zoo.Box(-width, width),
            max_evaluations=100 * (m + 1),
            rng=0,
        )
        np.testing.assert_array_equal(result.x, -width * np.sign(c))


def test_a_linear_loss_is_never_called_not_convex():
    """Near zero the rounding of a chord between far values is more than that of the values."""
    for seed in range(40):
        c = np.random.default_rng(seed).standard_normal(2 + seed % 9)
        given = {"domain": zoo.Box(-1e3, 1e3), "max_evaluations": 20 * len(c), "rng": seed}
        result = zoo.minimize(lambda x, c=c: float(c @ x), np.zeros(len(c)), **given)
        assert "not convex" not in result.message
