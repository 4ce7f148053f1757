"""Losses with kinks and steep starts: a success is true, and no point leaves its bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar

import zooadmm as zoo

PROMISED = 1e-4
INF = np.inf


class Judged(NamedTuple):
    loss: Callable[[np.ndarray], float]
    x0: np.ndarray
    best: float
    given: dict[str, Any]


def least(c: Any, A: Any, b: Any, lower: Any, upper: Any) -> float:
    """The judge: a linear program."""
    found = linprog(c, A, b, bounds=np.column_stack([lower, upper]), method="highs")
    assert found.status == 0
    return float(found.fun)


def deviations(generator: np.random.Generator, m: int, boxed: bool) -> Judged:
    """Least absolute deviations."""
    n, x0 = 2 * m + 2, generator.standard_normal(m)
    A, b = generator.standard_normal((n, m)), generator.standard_normal(n)
    lower, upper = (x0 - 1.0, x0 + 1.0) if boxed else (np.full(m, -INF), np.full(m, INF))
    rows = np.block([[A, -np.eye(n)], [-A, -np.eye(n)]])
    best = least(
        np.r_[np.zeros(m), np.ones(n) / n], rows, np.r_[b, -b],
        np.r_[lower, np.zeros(n)], np.r_[upper, np.full(n, INF)],
    )  # fmt: skip
    given = {"domain": zoo.Box(lower, upper)} if boxed else {}
    return Judged(lambda x: float(np.abs(A @ x - b).mean()), x0, best, given)


def largest(generator: np.random.Generator, m: int, boxed: bool) -> Judged:
    """The largest of affine functions."""
    k, x0 = 3 * m + 3, 3.0 * generator.standard_normal(m)
    A, b = generator.standard_normal((k, m)), generator.standard_normal(k)
    A -= A.mean(axis=0)
    lower, upper = (x0 - 1.0, x0 + 1.0) if boxed else (np.full(m, -INF), np.full(m, INF))
    rows = np.column_stack([A, -np.ones(k)])
    best = least(np.r_[np.zeros(m), 1.0], rows, -b, np.r_[lower, -INF], np.r_[upper, INF])
    given = {"domain": zoo.Box(lower, upper)} if boxed else {}
    return Judged(lambda x: float((A @ x + b).max()), x0, best, given)


def penalty(generator: np.random.Generator, m: int, boxed: bool) -> Judged:
    """|x - c|^2 + P sum max(0, x_i - b_i): an exact penalty, variable by variable."""
    c, b = generator.standard_normal((2, m))
    P, x0 = 10.0 ** generator.uniform(1, 4), 2.0 * generator.standard_normal(m)
    nearest = np.where(c > b, np.maximum(b, c - 0.5 * P), c)
    Q, _ = np.linalg.qr(generator.standard_normal((m, m)))

    def loss(x: np.ndarray) -> float:
        z = Q @ x
        return float(np.square(z - c).sum() + P * np.maximum(0.0, z - b).sum())

    return Judged(loss, x0, loss(Q.T @ nearest), {})


def quartic(generator: np.random.Generator, m: int, boxed: bool) -> Judged:
    """From far away: F(x0) is 1e10 times F*."""
    one = minimize_scalar(lambda t: t**4 + 1e-3 * (t - 1) ** 2, bracket=(0, 1), tol=1e-14).fun
    x0 = np.full(m, 10.0 ** generator.uniform(0, 2))
    return Judged(lambda x: float((x**4).sum() + 1e-3 * np.square(x - 1).sum()), x0, m * one, {})


def entropy(generator: np.random.Generator, m: int, boxed: bool) -> Judged:
    """Steep at the boundary of the simplex."""
    c = generator.uniform(0, 10.0 ** generator.uniform(0, 1.3), m + 1)
    best = -float(np.log(np.exp(-c).sum()))
    return Judged(
        lambda x: float((x * np.log(np.maximum(x, 1e-300))).sum() + c @ x),
        np.full(m + 1, 1.0 / (m + 1)), best, {"domain": zoo.Simplex()},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "seeds", "successes"),
    [(deviations, 10, 4), (largest, 10, 1), (penalty, 10, 1), (quartic, 8, 3), (entropy, 8, 3)],
)
def test_no_success_has_a_gap_above_what_it_promises(kind: Any, seeds: int, successes: int) -> None:
    """Runs end at some budget; `successes` of them at least are shown to be optima."""
    true = 0
    for seed in range(seeds):
        generator = np.random.default_rng(seed)
        m = int(generator.integers(1, 5))
        loss, x0, best, given = kind(generator, m, bool(seed % 2))
        for budget in (30, 100):
            result = zoo.minimize(loss, x0, max_evaluations=budget * (m + 1), rng=seed, **given)
            gap = (loss(result.x) - best) / max(1.0, abs(best))
            assert not result.success or gap <= PROMISED, (seed, budget, gap)
        true += result.success
    assert true >= successes


@pytest.mark.parametrize("seed", range(6))
def test_deviations_in_a_box_are_never_evaluated_outside(seed: int) -> None:
    """The test for a kink follows a step that was refused, perhaps at another x."""
    m, generator = 15, np.random.default_rng(seed)
    A, b = generator.standard_normal((2 * m + 2, m)), generator.standard_normal(2 * m + 2)
    x0 = generator.standard_normal(m)
    lower, upper = x0 - 1.0, x0 + 1.0
    outside = []

    def loss(x: np.ndarray) -> float:
        outside.append(float(np.maximum(lower - x, x - upper).max()))
        return float(np.abs(A @ x - b).sum())

    zoo.minimize(loss, x0, domain=zoo.Box(lower, upper), max_evaluations=800, rng=0)
    assert max(outside) <= 0.0


def test_entropy_is_never_evaluated_outside_the_simplex() -> None:
    for seed in range(4):
        generator = np.random.default_rng(seed)
        m = int(generator.integers(5, 14))
        c, lowest = generator.uniform(0, 20, m), []

        def loss(x: np.ndarray, c: Any = c, lowest: Any = lowest) -> float:
            lowest.append(float(x.min()))
            return float((x * np.log(np.maximum(x, 1e-300))).sum() + c @ x)

        zoo.minimize(loss, np.full(m, 1.0 / m), domain=zoo.Simplex(), max_evaluations=800, rng=0)
        assert min(lowest) >= 0.0


# values that are not finite


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_answer_is_finite_where_x0_is() -> None:
    for seed in range(8):
        x0 = np.abs(np.random.default_rng(seed).standard_normal(2)) + 0.1
        loss = lambda x: float(np.sqrt(x).sum())  # noqa: E731
        result = zoo.minimize(loss, x0, max_evaluations=400, rng=0)
        assert loss(result.x) <= loss(x0)
        assert result.fun is not None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["exp", "sinh", "exp exp"])
def test_a_loss_that_falls_to_minus_infinity_is_unbounded(name: str) -> None:
    losses: dict[str, Callable[[np.ndarray], Any]] = {
        "exp": lambda x: -np.exp(x).sum(),
        "sinh": lambda x: np.sinh(x).sum(),
        "exp exp": lambda x: -np.exp(np.exp(x)).sum(),
    }
    for x0 in (np.zeros(2), np.ones(3)):
        result = zoo.minimize(lambda x: float(losses[name](x)), x0, max_evaluations=600, rng=0)
        assert result.status is zoo.Status.UNBOUNDED
        assert not result.success
        assert "Give a domain" in result.message


@pytest.mark.parametrize("seed", [552, 3, 4, 5])
def test_a_median_by_observations_is_no_false_success(seed: int) -> None:
    """Between the points of a difference a kink has a curvature that forgives any slope."""
    generator = np.random.default_rng(seed)
    generator.integers(1, 9)
    count = int(generator.integers(10, 50))
    a = generator.standard_normal(count)
    b = a * generator.standard_normal() + generator.standard_normal(count)

    def mean(x: float) -> float:
        return 0.5 * float(np.abs(b - a * x).mean())

    given: dict[str, Any] = {
        "observations": np.arange(count),
        "max_evaluations": 1_000,
        "rng": seed,
    }
    result = zoo.minimize(lambda x, i: 0.5 * abs(float(b[i] - a[i] * x[0])), np.zeros(1), **given)
    gap = mean(float(result.x[0])) - min(map(mean, b / a))
    assert gap <= 1e-4 or not result.success
    squares = zoo.minimize(lambda x, i: 0.5 * float(b[i] - a[i] * x[0]) ** 2, np.zeros(1), **given)
    assert squares.success  # without kinks the same data are shown to be solved
    assert squares.x[0] == pytest.approx((a @ b) / (a @ a), abs=1e-6)
