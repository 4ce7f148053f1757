"""F(answer) <= F(x0): always for exact losses, in 95 of 100 runs for noisy and sampled ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo

RUNS, ABOVE = 100, 5
"""A run leaves x0 for a pair that is better by two standard errors, a chance of 2 % each, or by
three of a noisy loss, which is compared more often."""

HELD_OUT = 1_000
"""The first seed of the noisy and sampled runs. The two standard errors were chosen on seeds 0 to
99; these are others. When they were first run 0 noisy and 1 sampled run of 100 ended above x0: at
most 3 % and 4.7 % with a confidence of 95 %."""

Loss = Callable[..., float]


def bowl(generator: np.random.Generator) -> tuple[Loss, np.ndarray]:
    """A random bowl, and a start as near to its optimum as a thousandth, or three away."""
    m = int(generator.integers(1, 7))
    R, c = generator.standard_normal((m + 2, m)), generator.standard_normal(m)
    x0 = c + 10.0 ** generator.uniform(-3, 0.5) * generator.standard_normal(m)
    return lambda x: float(np.square(R @ (x - c)).mean()), x0


def rise(F: Loss, x0: np.ndarray, x: np.ndarray) -> bool:
    return F(x) > F(x0) + 1e-12 * max(1.0, abs(F(x0)))


def test_an_exact_loss_never_ends_above_its_start() -> None:
    for seed in range(RUNS):
        generator = np.random.default_rng(seed)
        F, x0 = bowl(generator)
        kinks = seed % 3 == 0
        loss = (lambda x, F=F: F(x) + float(np.abs(x).sum())) if kinks else F
        budget = int(generator.integers(5, 120))
        result = zoo.minimize(loss, x0, max_evaluations=budget, rng=seed)
        assert not rise(loss, x0, result.x)
        assert result.decrease is None or result.decrease >= 0.0
        assert not result.success or result.decrease > 0.0


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"regularizer": zoo.L1(0.3)},
        {"constraint": zoo.Inequality([[1.0, 2.0, 3.0], [1.0, 0.0, -1.0]], -0.5, 1.3)},
        {"domain": zoo.Box(-1.0, 1.0)},
    ],
)
def test_a_descent_that_ends_above_its_start_gives_x0_back(given: dict[str, Any]) -> None:
    """The start lies in a pit that no probe sees, below all else: the last iterate is above it."""
    x0 = np.full(3, 0.2)

    def pit(x: np.ndarray) -> float:
        depth = 5.0 if np.abs(x - x0).max() < 1e-12 else 0.0
        return float(np.square(x - 1.0).sum()) - depth

    result = zoo.minimize(pit, x0, max_evaluations=160, output="last", rng=0, **given)
    assert pit(result.x_last) > pit(x0)
    assert result.x.tobytes() == x0.tobytes()
    assert result.decrease == 0.0
    assert not result.success
    assert result.message.startswith("The run ended no better than x0.")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"gradient": zoo.paper.Smoothed(4, difference="central")},
        {"domain": zoo.Box(0.0, 5.0)},
        {"gradient": zoo.paper.Residual(), "smoothing": 0.1},
    ],
    ids=["forward", "central", "at a corner", "residual"],
)
def test_algorithm_1_keeps_its_answer_and_says_that_x0_is_better(given: dict[str, Any]) -> None:
    """Where the first query had f(x0) it costs nothing to know, elsewhere one evaluation."""
    for seed in range(6):
        generator = np.random.default_rng(seed)
        x0 = np.zeros(3)
        c = generator.uniform(0.01, 0.02, 3)
        steep = 10.0 ** generator.uniform(-1, 3)
        F = lambda x, c=c, steep=steep: float(steep * np.square(x - c).sum())  # noqa: E731
        result = zoo.minimize(F, x0, settings="paper", max_iterations=3, rng=seed, **given)
        assert result.decrease == pytest.approx(F(x0) - F(result.x), rel=1e-9)
        assert result.nfev_report == (2 if not given else 3)
        assert result.message.startswith("The run ended no better than x0.") == (
            F(result.x) >= F(x0)
        )
        assert not result.success


def noisy(seed: int) -> tuple[Loss, np.ndarray, np.ndarray]:
    generator, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1_000)
    F, x0 = bowl(generator)
    sigma = 10.0 ** generator.uniform(-3, 0.5)
    budget = int(generator.integers(50, 400))
    result = zoo.minimize(
        lambda x: F(x) + sigma * noise.standard_normal(), x0, max_evaluations=budget, rng=seed
    )
    return F, x0, result.x


def sampled(seed: int) -> tuple[Loss, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    F, x0 = bowl(generator)
    W = generator.standard_normal((200, len(x0))) * 10.0 ** generator.uniform(-1, 1)
    W -= W.mean(axis=0)
    kinks = float(seed % 2)

    def loss(x: np.ndarray, w: Any) -> float:
        return F(x) + float(w @ x) + kinks * float(np.abs(x - x0 - w).sum())

    budget = int(generator.integers(50, 600))
    result = zoo.minimize(loss, x0, observations=W, max_evaluations=budget, rng=seed)
    whole = lambda x: F(x) + kinks * float(np.abs(x - x0 - W).sum(axis=1).mean())  # noqa: E731
    return whole, x0, result.x


@pytest.mark.parametrize("run", [noisy, sampled])
def test_noise_and_samples_end_above_their_start_once_in_twenty_at_most(run: Any) -> None:
    above = sum(rise(*run(seed)) for seed in range(HELD_OUT, HELD_OUT + RUNS))
    assert above <= ABOVE


def test_noise_does_not_keep_a_run_at_x0_where_there_is_much_to_gain() -> None:
    noise = np.random.default_rng(0)
    result = zoo.minimize(
        lambda x: float(x @ x) + 0.3 * noise.standard_normal(), np.full(4, 0.6),
        max_evaluations=1_500, rng=0,
    )  # fmt: skip
    assert result.x @ result.x < 0.3


class Shifted:
    """strength |y|_1 - <c, y> - constant: negative where the constant is large."""

    def __init__(self, strength: float, c: np.ndarray, constant: float) -> None:
        self.strength, self.c, self.constant = strength, c, constant

    def __call__(self, y: np.ndarray) -> float:
        return float(self.strength * np.abs(y).sum() - self.c @ y) - self.constant

    def prox(self, v: np.ndarray, tau: float) -> np.ndarray:
        v = v + tau * self.c
        return np.sign(v) * np.maximum(np.abs(v) - tau * self.strength, 0.0)


def test_a_constant_in_phi_changes_nothing() -> None:
    """A regularizer of the user may be negative; few evaluations, kinked losses and smooth ones."""
    for seed in range(60):
        generator = np.random.default_rng([60, seed])
        m = int(generator.choice([2, 5, 12]))
        A, b = generator.standard_normal((2 * m, m)), generator.standard_normal(2 * m)
        power, strength = (1.0, 2.0)[seed % 2], 10.0 ** generator.uniform(-2, 0.5)
        c, x0 = 0.8 * strength * generator.uniform(-1, 1, m), 3.0 * generator.standard_normal(m)
        budget = int(generator.choice([6, m + 3, 2 * m + 5, 4 * m + 20]))

        def loss(x: np.ndarray, A: np.ndarray = A, b: np.ndarray = b, p: float = power) -> float:
            return float((np.abs(A @ x - b) ** p).mean())

        at_zero, shifted = (
            zoo.minimize(
                loss,
                x0,
                regularizer=Shifted(strength, c, constant),
                max_evaluations=budget,
                rng=seed,
            )
            for constant in (0.0, 1024.0)
        )
        assert shifted.fun + 1024.0 <= at_zero.fun + 1e-3 * (at_zero.decrease or 0.0) + 1e-9, seed


@pytest.mark.parametrize("m", [2, 5, 12])
def test_a_streamed_loss_that_grows_exponentially_does_not_run_away(m: int) -> None:
    """Poisson regressions; a first step once was harmless by one value far above all others."""
    for seed in range(8):
        generator = np.random.default_rng([61, seed])
        A = generator.standard_normal((3 * m + 8, m)) / (3.0 * np.sqrt(m))
        A *= 10.0 ** generator.uniform(-1.0, 1.0, m)
        counts = generator.poisson(np.exp(np.clip(A @ generator.standard_normal(m), -3, 3))) + 0.1
        x0 = 2.0 * generator.standard_normal(m)

        def loss(x: np.ndarray, w: int, A: np.ndarray = A, b: np.ndarray = counts) -> float:
            return float(np.exp(min(A[w] @ x, 700.0)) - b[w] * (A[w] @ x))

        def drawn(seed: int = seed, number: int = len(A)) -> Iterator[int]:
            order = np.random.default_rng(seed)
            while True:
                yield int(order.integers(number))

        found = zoo.minimize(loss, x0, observations=drawn(), max_evaluations=600 * m, rng=seed)
        start, end = (np.mean([loss(x, w) for w in range(len(A))]) for x in (x0, found.x))
        assert end <= start + 0.1 * max(1.0, abs(start)), seed
