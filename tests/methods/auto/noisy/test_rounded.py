"""Values that are rounded or made by iterations, and noise that depends on x."""

from __future__ import annotations

import collections
import re

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.auto.noisy.comparison import pooled
from zooadmm.methods.auto.noisy.state import FilterState, Spread

M = 8
BOX = zoo.Box(-0.5, 0.5)


def valley(seed, m=M):
    """A convex loss in a box, curved by fourth powers, and its least value."""
    generator = np.random.default_rng([seed, m])
    A = generator.standard_normal((2 * m, m))
    b = A @ generator.uniform(-1, 1, m)

    def loss(x):
        return float(np.square(A @ x - b).sum() + 0.2 * np.square(4 * np.square(x)).sum())

    best = zoo.minimize(loss, np.zeros(m), domain=BOX, max_evaluations=200 * m, rng=0)
    assert best.success
    return loss, best.fun


def printed(loss, digits):
    return lambda x: float(f"%.{digits}g" % loss(x))


def part(loss, least, x):
    """What is left of the first gap."""
    start = np.zeros(len(x))
    return (loss(x) - least) / (loss(start) - least)


@pytest.mark.parametrize(("digits", "most"), [(5, 5e-5), (6, 1e-6), (8, 5e-7)])
def test_printed_digits_are_averaged(digits, most):
    """A single value shows 1e-5, 1e-6 and 1e-8 of the first gap; with 8 digits runs settle."""
    left = []
    for seed in range(3):
        loss, least = valley(seed)
        found = zoo.minimize(
            printed(loss, digits), np.zeros(M), domain=BOX, max_evaluations=100 * M, rng=seed
        )
        left.append(part(loss, least, found.x))
    assert np.median(left) < most


def test_an_iteration_that_stops_early_is_averaged():
    """Smooth beside errors of 1e-6 that repeat: they depend on the last digits of x."""
    loss, least = valley(0)

    def simulated(x):
        seed = np.ascontiguousarray(x).view(np.uint64) % np.uint64(2**31)
        return loss(x) * (1.0 + 1e-6 * np.random.default_rng(seed).standard_normal())

    found = zoo.minimize(simulated, np.zeros(M), domain=BOX, max_evaluations=100 * M, rng=0)
    assert part(loss, least, found.x) < 1e-7
    assert re.match(r"Learned: rounding \d.*averaged", found.learned)


def test_few_points_are_repeated_where_values_repeat():
    seen = collections.Counter()
    loss, _ = valley(1)
    five = printed(loss, 5)

    def counted(x):
        seen[x.tobytes()] += 1
        return five(x)

    found = zoo.minimize(counted, np.zeros(M), domain=BOX, max_evaluations=100 * M, rng=0)
    assert "averaged over" in found.learned
    assert sum(number - 1 for number in seen.values()) < 0.1 * found.nfev


def test_values_that_do_not_repeat_after_all_are_noise():
    """Noise begins when the filter is at work."""
    loss, least = valley(2)
    six, random, count = printed(loss, 6), np.random.default_rng(0), 0

    def later(x):
        nonlocal count
        count += 1
        return six(x) + (1e-3 * random.standard_normal() if count > 300 else 0.0)

    found = zoo.minimize(later, np.zeros(M), domain=BOX, max_evaluations=150 * M, rng=0)
    assert re.match(r"Learned: noise \d", found.learned)
    assert part(loss, least, found.x) < 1e-4


def test_an_exact_loss_settles_as_before():
    loss, _ = valley(0)
    found = zoo.minimize(loss, np.zeros(M), domain=BOX, max_evaluations=10_000, rng=0)
    assert found.status is zoo.Status.SETTLED
    assert found.nfev < 40 * M


def test_noise_that_is_a_part_of_the_value():
    """From 4 at x0 the value falls to hundreds below zero, and noise grows with it."""

    def loss(x):
        return float(
            np.exp(0.1 * x[:2] * x[1:3]).sum() - 10.0 * x @ np.arange(1, M + 1) + 6 * x @ x
        )

    box = zoo.Box(0.0, 10.0)
    least = zoo.minimize(loss, np.zeros(M), domain=box, max_evaluations=200 * M, rng=0).fun
    left = []
    for seed in range(3):
        random = np.random.default_rng(seed)

        def noisy(x, random=random):
            return loss(x) + 1e-4 * max(1.0, abs(loss(x))) * random.standard_normal()

        found = zoo.minimize(noisy, np.zeros(M), domain=box, max_evaluations=100 * M, rng=seed)
        left.append((loss(found.x) - least) / (loss(np.zeros(M)) - least))
    assert np.median(left) < 2e-5


def test_a_run_resumes_while_rounded_values_are_averaged(tmp_path):
    loss, _ = valley(0)
    six = printed(loss, 6)

    def begun():
        return zoo.Optimizer(np.zeros(M), domain=BOX, rng=0)

    def played(optimizer, until):
        while optimizer.evaluations < until and (query := optimizer.ask()) is not None:
            points = [p for table in query.tables() for p in table.points]
            optimizer.tell(query.id, np.reshape([six(p) for p in points], query.shape))
        return optimizer

    first = played(begun(), 40 * M)
    assert isinstance(first.state.learned.state, FilterState)
    first.save(tmp_path / "run.zoo")
    resumed = begun()
    resumed.load(tmp_path / "run.zoo")
    whole, again = played(first, 60 * M), played(resumed, 60 * M)
    np.testing.assert_array_equal(again.state.x, whole.state.x)
    assert again.evaluations == whole.evaluations


def grown(x):
    """From 2 at x0 = 0 to hundreds below zero."""
    return float(np.exp(0.1 * x[:2] * x[1:3]).sum() - 10.0 * x @ np.arange(1, M + 1) + 6 * x @ x)


@pytest.mark.parametrize("seed", range(6))
def test_a_missing_value_where_noise_is_measured_again_ends_no_run(seed):
    random = np.random.default_rng(seed)

    def noisy(x):
        value = grown(x) * (1.0 + 1e-4 * random.standard_normal())
        return value if random.uniform() > 0.1 or not x.any() else np.nan

    found = zoo.minimize(
        noisy, np.zeros(M), domain=zoo.Box(0.0, 10.0), max_evaluations=600, rng=seed
    )
    assert grown(found.x) < -800.0
    assert "No improvement" not in found.learned


def test_equal_values_of_rounding_meet_no_tolerance():
    loss, least = valley(0)
    found = zoo.minimize(
        printed(loss, 6), np.zeros(M), domain=BOX, max_evaluations=100 * M, tolerance=1e-12, rng=0
    )
    assert found.nfev > 90 * M
    assert part(loss, least, found.x) < 1e-6


def test_steps_that_lead_up_the_wall_of_a_valley_are_damped_until_they_do_not():
    def walled(x):
        return float(-x.sum() + 0.005 * x @ x + 1e6 * np.square(np.maximum(x - 2.0, 0.0)).sum())

    random = np.random.default_rng(0)
    found = zoo.minimize(
        lambda x: walled(x) + 1e-3 * random.standard_normal(),
        np.zeros(M),
        domain=zoo.Box(-5.0, 100.0),
        max_evaluations=1500,
        rng=0,
    )
    assert walled(found.x) < -12.0


def test_doubted_noise_counts_alone_where_it_is_another():
    before, random = Spread.of(1e-3, 20.0), np.random.default_rng(0)
    alike = before.sigma * random.standard_normal((2, 5))
    assert pooled(before, alike, doubted=True)[0].number == 28.0
    assert pooled(before, 100.0 * alike, doubted=True)[0].number == 8.0
    assert pooled(before, 100.0 * alike)[0].number == 28.0
    given = Spread.of(1e-3, np.inf)
    assert given.is_given
    assert pooled(given, 100.0 * alike, doubted=True)[0].sigma == pytest.approx(1e-3)
