"""What a run says of a loss that is not convex: hills, saddles, lower values elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.auto.convexity import is_violated, on_line

LOCAL = "The loss is not convex: x is a local minimum at best."


def rastrigin(x: np.ndarray) -> float:
    return float(10 * len(x) + (x * x - 10 * np.cos(2 * np.pi * x)).sum())


def waves(x: np.ndarray) -> float:
    return float(np.sin(3.0 * x).sum() + 0.05 * x @ x)


def one_by_one(seed: int) -> tuple[np.ndarray, int]:
    generator = np.random.default_rng(seed)
    m = int(generator.integers(2, 7))
    return generator.uniform(-2.0, 2.0, m), m


# lines


@pytest.mark.parametrize("seed", range(20))
def test_a_convex_function_lies_below_its_chords_however_it_is_rounded(seed: int) -> None:
    generator = np.random.default_rng(seed)
    t = np.sort(generator.standard_normal(12) * 10.0 ** generator.uniform(-6, 3, 12))
    a, b = generator.standard_normal((2, 5)) * 10.0 ** generator.uniform(-3, 3)
    f = np.logaddexp(0.0, np.outer(t, a) + b).sum(axis=1) + (t - 1.0) ** 2
    assert not is_violated(t, f, float(np.spacing(np.abs(f)).max()))
    single = f.astype(np.float32).astype(np.float64)
    assert not is_violated(t, single, 1e-7 * float(np.median(np.abs(f))))
    hill = f + 1e-3 * np.exp(-np.square(t - t[5])) * np.ptp(f)
    hill[5] = f[[4, 6]].max() + 0.1 * np.ptp(f)
    assert is_violated(t, hill, float(np.spacing(np.abs(f)).max()))


def test_points_off_the_line_and_values_that_are_not_finite_count_for_nothing() -> None:
    x, s = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    points = x + np.array([0.5, 1.0])[:, None] * s
    assert on_line(x, 0.0, points, np.array([3.0, 1.0]), 1e-16)
    assert not on_line(x, 0.0, points, np.array([np.inf, 1.0]), 1e-16)
    points[0, 0] += 0.01
    assert not on_line(x, 0.0, points, np.array([3.0, 1.0]), 1e-16)


# runs


@pytest.mark.parametrize("loss", [rastrigin, waves])
@pytest.mark.parametrize("seed", range(6))
def test_a_hill_that_was_evaluated_is_said(loss: Any, seed: int) -> None:
    x0, m = one_by_one(seed)
    result = zoo.minimize(loss, x0, max_evaluations=300 * (m + 1), rng=seed)
    assert LOCAL in result.message
    assert result.optimum == "stationary, not convex"


def test_hills_on_the_way_are_said_where_the_start_bends_upwards() -> None:
    """A valley that turns: one in eight is seen at the start, another on the way."""
    said = 0
    for seed in range(8):
        generator = np.random.default_rng(seed)
        x0 = generator.uniform(-2, 2, int(generator.integers(2, 6)))
        result = zoo.minimize(
            lambda x: float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()),
            x0, max_evaluations=2_000, rng=seed,
        )  # fmt: skip
        assert result.success
        said += LOCAL in result.message
    assert said >= 2


@pytest.mark.parametrize("seed", range(8))
def test_a_lower_value_beyond_a_hill_is_said(seed: int) -> None:
    """The ladder of the first probe reaches 10 max(1, |x0|), beyond a hill."""

    def loss(x: np.ndarray) -> float:
        r = float(np.linalg.norm(x))
        return float(x @ x) if r < 1.0 else 1.0 - 5.0 * (1.0 - np.exp(1.0 - r))

    result = zoo.minimize(
        loss, np.full(3, 0.2), max_evaluations=500, rng=seed, domain=zoo.Box(-20, 20)
    )
    assert result.fun is not None
    if result.fun < -1.0:
        return
    assert "A lower value, -" in result.message
    assert LOCAL in result.message


def test_convex_losses_have_no_lower_value_elsewhere() -> None:
    for seed in range(8):
        x0, m = one_by_one(seed)
        A = np.random.default_rng(seed).standard_normal((2 * m, m))
        result = zoo.minimize(
            lambda x, A=A: float(np.logaddexp(0.0, A @ x).sum() + x @ x), x0,
            max_evaluations=300 * (m + 1), rng=seed,
        )  # fmt: skip
        assert result.success
        assert "elsewhere" not in result.message
        assert "not convex" not in result.message


# saddles


def ridge_of_saddle(seed: int) -> tuple[Any, np.ndarray]:
    """f = 5 + sum a_j u_j^2 - b_j v_j^2 (+ v^4), u, v = p + r n, p - r n, and a start with v = 0.

    Every number is a short binary fraction: rounding does not lead away from v = 0.
    """
    generator = np.random.default_rng(seed)
    J, extra = int(generator.integers(1, 5)), int(generator.integers(0, 3))
    a = 10.0 ** generator.uniform(-1, 1, J)
    b = a * 10.0 ** generator.uniform(-1, 0.5, J)
    e, r = 10.0 ** generator.uniform(-1, 1, extra), 2.0 ** generator.integers(-2, 3, J)
    quartic = 0.1 * float(seed % 2)

    def loss(x: np.ndarray) -> float:
        p, n, z = x[0 : 2 * J : 2], r * x[1 : 2 * J : 2], x[2 * J :]
        u, v = p + n, p - n
        return float(5 + (a * u * u - b * v * v).sum() + e @ (z * z) + quartic * (v**4).sum())

    x0 = np.zeros(2 * J + extra)
    x0[0 : 2 * J : 2] = generator.integers(-8, 9, J) / 4.0 + 0.125
    x0[1 : 2 * J : 2] = x0[0 : 2 * J : 2] / r
    x0[2 * J :] = generator.standard_normal(extra)
    return loss, x0


@pytest.mark.parametrize("seed", range(24))
def test_an_oblique_saddle_that_is_reached_along_its_ridge_is_left(seed: int) -> None:
    """One in six of these ended at the saddle with success where nothing was compared with H."""
    loss, x0 = ridge_of_saddle(seed)
    given: dict[str, Any] = {} if seed % 2 else {"domain": zoo.Box(-20.0, 20.0)}
    result = zoo.minimize(loss, x0, max_evaluations=300 * (len(x0) + 1), rng=seed, **given)
    assert result.fun is not None
    assert result.fun < 5.0 - 1e-3
    assert "not convex" in result.message


def test_an_unbounded_saddle_is_no_optimum() -> None:
    result = zoo.minimize(
        lambda x: float(2 * x[0] * x[1] + x[2] ** 2), np.ones(3), max_evaluations=1_000, rng=0
    )
    assert result.status is zoo.Status.UNBOUNDED
    assert not result.success
    assert result.optimum == ""


def test_a_paper_run_that_falls_and_falls_asks_whether_the_loss_is_bounded() -> None:
    result = zoo.minimize(
        lambda x: -float(np.sum(np.square(x - 1.0))),
        np.array([0.5, -0.3, 0.2]),
        settings="paper",
        max_evaluations=3_000,
        rng=0,
    )
    assert not result.success
    assert "bounded below? Else give a domain, or negate the loss" in result.message
