"""Black boxes as they are: settings="auto" copes, or says what is wrong, and never answers nan."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo

M = 8
CENTER = np.linspace(-1.0, 1.0, M)


def smooth(x):
    return float(np.square(x - CENTER).sum() + 0.1 * np.cos(3 * x).sum())


def gap(x):
    best = min(smooth(CENTER + d) for d in np.zeros((1, M)))
    return (smooth(x) - best) / (smooth(np.zeros(M)) - best)


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
        return np.nan if generator.random() < 0.002 else smooth(x)

    result = solved(sometimes)
    assert "not finite" in result.message
    assert gap(result.x) < 0.05


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
        gradient=zoo.Smoothed(M, distribution=zoo.Rademacher(), probes="inside"),
        max_evaluations=8_000,
        rng=0,
    )
    best = np.clip(CENTER, 0, 1)
    assert smooth(result.x) - smooth(best) < 0.05 * (smooth(np.full(M, 0.5)) - smooth(best))
