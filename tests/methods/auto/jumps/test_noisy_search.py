"""The search by order behind noise: where it serves, and what it answers."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.auto.jumps.state import OrderState

M = 6


def errors(seed):
    """The part of rows on the wrong side of a plane, its start, and noise of 1e-3 of F(x0)."""
    random = np.random.default_rng([seed, 31])
    A = random.standard_normal((20 * M, M)) * 10.0 ** random.uniform(-0.5, 0.5, M)
    truth = random.uniform(-0.5, 0.5, M)
    signs = np.sign(A @ truth + 0.3 * random.standard_normal(len(A)))
    x0 = np.clip(0.3 * truth + 0.2 * random.standard_normal(M), -1.0, 1.0)
    return lambda x: float(np.mean(signs * (A @ x) <= 0.0)), x0


def run(loss, x0, sigma, seed, **given):
    noise = np.random.default_rng([seed, 1])
    noisy = lambda x: loss(x) + sigma * noise.standard_normal()  # noqa: E731
    return zoo.minimize(noisy, x0, rng=seed, **{"max_evaluations": 200 * M, **given})


def test_counts_behind_noise_are_searched_by_their_order():
    left, handed = [], []
    for seed in range(4):
        loss, x0 = errors(seed)
        result = run(loss, x0, 1e-3 * loss(x0), seed, domain=zoo.Box(-1.0, 1.0))
        left.append(loss(result.x) / loss(x0))
        handed.append("by the order of values" in result.learned)
        assert np.abs(result.x).max() <= 1.0
    assert sum(handed) >= 3
    assert np.mean(left) < 0.5


@pytest.mark.parametrize("seed", range(4))
def test_a_smooth_bowl_behind_noise_stays_with_the_filter(seed):
    random = np.random.default_rng([seed, 32])
    curvatures, center = 10 ** random.uniform(-1, 1, M), random.standard_normal(M)
    bowl = lambda x: float(curvatures @ np.square(x - center))  # noqa: E731
    sigma = 10 ** random.uniform(-4, -1) * bowl(np.zeros(M))
    assert "by the order of values" not in run(bowl, np.zeros(M), sigma, seed).learned


@pytest.mark.parametrize("seed", range(4))
def test_a_curved_valley_behind_noise_stays_with_the_filter(seed):
    """Steps that lead up there are taken back, but the objective falls in between."""
    valley = lambda x: float(1 + np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (x[1:] - 1) ** 2))  # noqa: E731
    x0 = np.arange(1.0, 11.0) / 11.0
    result = run(valley, x0, 1e-3, seed, max_evaluations=2200)
    assert "by the order of values" not in result.learned


def played(optimizer, loss, evaluations, before_each=lambda optimizer: optimizer):
    """The run up to so many evaluations; noise is that of the query."""
    while optimizer.evaluations < evaluations and (query := optimizer.ask()) is not None:
        noise = 1e-3 * np.random.default_rng(query.id).standard_normal(query.evaluations)
        optimizer = before_each(optimizer)
        points = [p for table in query.tables() for p in table.points]
        values = np.array([loss(p) for p in points]).repeat(query.evaluations // len(points))
        optimizer.tell(query.id, (values + noise).reshape(query.shape))
    return optimizer


def test_a_resumed_run_is_the_unbroken_one(tmp_path):
    loss, x0 = errors(0)

    def begun():
        return zoo.Optimizer(x0, domain=zoo.Box(-1.0, 1.0), rng=4)

    def saved(optimizer):
        optimizer.save(tmp_path / "run.zoo")
        other = begun()
        other.load(tmp_path / "run.zoo")
        return other

    def run(before_each):
        return played(begun(), loss, 200 * M, before_each)

    parts, whole = run(saved), run(lambda optimizer: optimizer)
    assert isinstance(whole.state.learned.state, OrderState)
    assert parts.evaluations == whole.evaluations
    np.testing.assert_array_equal(parts.state.x, whole.state.x)
    np.testing.assert_array_equal(
        parts.state.learned.state.cloud.mean, whole.state.learned.state.cloud.mean
    )
    np.testing.assert_array_equal(parts.recommended()[0], whole.recommended()[0])
