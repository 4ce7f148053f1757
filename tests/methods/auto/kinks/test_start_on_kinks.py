"""A start that lies on kinks: holdings where trades cost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.optimize

import zooadmm as zoo
from zooadmm.methods.auto.kinks.descent import _moves
from zooadmm.methods.auto.model import start
from zooadmm.methods.auto.probe import radius
from zooadmm.problem.sets.whole_space import WholeSpace

Loss = Callable[[np.ndarray], float]


def holdings(seed: int, m: int) -> tuple[Loss, np.ndarray, float]:
    """Risk, less returns, and the cost of trades; what is held; and the least value.

    The judge splits trades into purchases and sales, and has gradients.
    """
    generator = np.random.default_rng(seed)
    A = generator.standard_normal((3 * m, m)) / np.sqrt(3 * m)
    S, mu, held = A.T @ A, 0.2 * generator.standard_normal(m), generator.dirichlet(np.ones(m))
    cost = 0.05

    def loss(x: np.ndarray) -> float:
        return float(x @ S @ x - mu @ x + cost * np.abs(x - held).sum())

    def of_trades(t: np.ndarray) -> tuple[float, np.ndarray]:
        x = held + t[:m] - t[m:]
        g = 2.0 * S @ x - mu
        return float(x @ S @ x - mu @ x + cost * t.sum()), np.r_[g + cost, cost - g]

    both = np.r_[np.ones(m), -np.ones(m)][None]
    found = scipy.optimize.minimize(
        of_trades, np.zeros(2 * m), jac=True, method="SLSQP",
        bounds=[(0.0, None)] * m + [(0.0, h) for h in held],
        constraints=[{"type": "eq", "fun": lambda t: both @ t, "jac": lambda t: both}],
        options={"ftol": 1e-14, "maxiter": 1_000},
    )  # fmt: skip
    return loss, held, float(found.fun)


def test_trades_from_what_is_held() -> None:
    """Where differences were projected on the simplex, and kinks counted as rounding: 1e-2."""
    left = []
    for seed in range(8):
        m = 5 + seed
        loss, held, least = holdings(seed, m)
        result = zoo.minimize(
            loss, held, domain=zoo.Simplex(), max_evaluations=200 * m, rng=seed, progress=False
        )
        assert loss(result.x) <= loss(held)
        left.append((loss(result.x) - least) / (loss(held) - least))
    assert np.median(left) < 1e-6, left
    assert np.mean(np.array(left) < 1e-4) >= 0.75, left


@pytest.mark.parametrize("kink", [1e-3, 1.0, 1e3])
def test_a_kink_at_the_start_is_not_rounding(kink: float) -> None:
    generator = np.random.default_rng(0)
    for _ in range(20):
        g, q = generator.standard_normal(), generator.uniform(0.1, 10.0)
        t = np.concatenate([[0.0, 0.0], radius.LADDER, -radius.LADDER])
        values = 1.0 + g * t + kink * np.abs(t) + q * np.square(t)
        found = radius.read(np.zeros(1), values)
        assert found.rounding < 1e-13 * max(1.0, kink)


def test_plateaus_are_rounding_still() -> None:
    t = np.concatenate([[0.0, 0.0], radius.LADDER, -radius.LADDER])
    for size in (1e-3, 1e-6):
        values = size * np.round((1.0 + 0.7 * t + np.square(t)) / size)
        assert radius.read(np.zeros(1), values).rounding > 0.1 * size


def test_differences_move_two_weights() -> None:
    x = np.random.default_rng(0).dirichlet(np.ones(6))
    moves = _moves(zoo.Simplex(), x, np.full(6, 1e-8))
    assert moves.shape == (5, 6)
    assert (np.count_nonzero(moves, axis=1) == 2).all()
    assert np.array_equal(moves.sum(axis=1), np.zeros(5))
    alone = _moves(zoo.Box(0.0, 1.0), x, np.full(6, 1e-8))
    assert np.array_equal(alone, np.diag(np.full(6, 1e-8)))


def test_sharp_kinks_at_the_start_are_left() -> None:
    """Steep beside what is left to gain: second differences promised nothing, and runs ended there.

    x0 minimizes the steep part |D (x - x*)|_1; F(x*) = 0.
    """
    left = []
    for seed in range(6):
        generator = np.random.default_rng([11, seed])
        m = int(generator.integers(2, 6))
        D, A = generator.standard_normal((m - 1, m)), generator.standard_normal((2 * m, m))
        to, steep = generator.standard_normal(m), 10.0 ** generator.uniform(2.0, 5.0)
        order = 1 + seed % 2

        def loss(x: np.ndarray, D=D, A=A, to=to, steep=steep, order=order) -> float:
            soft = float((np.abs(A @ (x - to)) ** order).sum())
            return steep * float(np.abs(D @ (x - to)).sum()) + soft

        x0 = to + np.linalg.svd(D)[2][m - 1]
        result = zoo.minimize(loss, x0, max_evaluations=400 * m, rng=0, progress=False)
        assert not (result.success and loss(result.x) > 1e-4 * loss(x0))
        assert "not convex" not in result.message
        left.append(loss(result.x) / loss(x0))
    assert np.median(left) < 1e-4, left
    assert max(left) < 1.0, left


def test_a_kink_at_the_first_x_does_not_hold_its_variables() -> None:
    """Others end before the model settles; x_1 and x_2 are at the kink, and move together."""
    outcome = np.arange(10.0)

    def loss(x: np.ndarray) -> float:
        return 1e4 * abs(x[0] - x[1]) + float(np.square(x - outcome).sum())

    result = zoo.minimize(loss, np.zeros(10), max_evaluations=4_000, rng=0, progress=False)
    assert loss(result.x) < 0.5 + 1e-3  # 1 where x_1 and x_2 stay


@pytest.mark.parametrize("factor", [1.0, 1e6])
def test_second_differences_tell_kinks_at_x_from_curvature_and_jumps(factor: float) -> None:
    def measured(f: Callable[[float], float]) -> bool:
        state = start.init(WholeSpace(), np.zeros(1), f(0.0), 1e-16)
        for _ in range(2):
            d = float(state.radii[0])
            state = start.read(
                state, WholeSpace(), np.zeros(1), f(0.0), np.array([f(d), f(-d)]), 1e-16
            )
        return bool(state.on_kinks[0])

    assert measured(lambda t: 1.0 + 1e3 * factor * abs(t))
    assert not measured(lambda t: 1.0 + 1e9 * factor * t * t)
    assert not measured(lambda t: 1.0 + float(t > 0.0))
