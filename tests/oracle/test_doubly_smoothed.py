"""Double smoothing: its mean, its second moment at a kink, and the bound for losses with kinks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.analysis.theory import Assumptions, method_of, regret_bound, second_moment
from zooadmm.evaluation import InProcess
from zooadmm.oracle.randomness import key_from


def estimates(source: Any, loss: Any, x: np.ndarray, radius: float, rounds: int) -> np.ndarray:
    evaluate, key = InProcess(zoo.Loss(loss)), key_from(2)
    rows = []
    for t in range(1, rounds + 1):
        query = source.query(t, x, radius, key, None, zoo.sets.WholeSpace())
        rows.append(source.gradient(query, evaluate(query)))
    return np.array(rows)


def test_its_mean_is_the_gradient_of_the_smoothed_loss() -> None:
    x, radius = np.array([0.05, -0.2, 0.0]), 0.3
    g = estimates(zoo.paper.DoublySmoothed(2), lambda p: np.abs(p).sum(), x, radius, 3000)
    generator = np.random.default_rng(0)  # by sampling the ball in another way
    cube = generator.uniform(-1.0, 1.0, (400_000, 3))
    ball = cube[np.linalg.norm(cube, axis=1) <= 1.0] * np.sqrt(5.0)
    expected = np.sign(x + radius * ball).mean(axis=0)
    error = np.abs(g.mean(axis=0) - expected)
    assert (
        error < 4 * g.std(axis=0) / np.sqrt(len(g)) + 0.02
    ).all()  # 0.02: inner radius, sampling


def test_its_second_moment_at_a_kink() -> None:
    m = 20
    x = np.zeros(m)
    at_the_kink, beside = (
        np.square(estimates(source, np.linalg.norm, x, 0.1, 1000)).sum(axis=1).mean()
        for source in (zoo.paper.Smoothed(1), zoo.paper.DoublySmoothed(1))
    )
    assert at_the_kink == pytest.approx(m**2)
    assert beside < 2 * m


ROWS = np.random.default_rng(5).uniform(-0.5, 0.5, (200, 2))


def kinked(x: np.ndarray, w: np.ndarray) -> float:
    return float(np.abs(x - w).sum())


def run(**given: Any) -> zoo.Result:
    return zoo.minimize(
        kinked,
        np.ones(2),
        settings="paper",
        gradient=zoo.paper.DoublySmoothed(),
        regularizer=zoo.regularizers.Indicator(zoo.Box(-1.0, 1.0)),
        domain=zoo.Box(-1.0, 1.0),
        observations=zoo.Samples(ROWS),
        penalty=1.0,
        rng=0,
        progress=False,
        **given,
    )


def test_the_regret_and_its_bound() -> None:
    best = np.median(ROWS, axis=0)
    points: list[np.ndarray] = []
    T = 1500
    result = run(
        max_iterations=T,
        regret=zoo.Regret(best),
        callback=lambda info: points.append(info.x.copy()),
    )
    assert result.nfev == 2 * T
    optimizer = zoo.Optimizer(
        np.zeros(2), settings="paper", gradient=zoo.paper.DoublySmoothed(), penalty=1.0
    )
    known = Assumptions(R=2 * np.sqrt(2), L1=np.sqrt(2), L2=0.0, Lg=0.0)
    bound = regret_bound(T, method_of(optimizer.algorithm), known)
    regret = float(result.regret["iterates"][-1])
    assert 0.0 < regret < bound < 1.0
    first = np.mean([kinked(points[0], w) for w in ROWS])
    assert regret < 0.5 * (first - np.mean([kinked(best, w) for w in ROWS]))


def test_the_regret_is_at_the_iterates_and_not_at_the_shifted_points() -> None:
    result = zoo.minimize(
        lambda x: float(np.abs(x).sum()),
        np.ones(2),
        settings="paper",
        gradient=zoo.paper.DoublySmoothed(),
        max_iterations=1,
        rng=0,
        regret=zoo.Regret(np.zeros(2)),
    )
    assert float(result.regret["iterates"][0]) == 2.0


def test_the_bound_has_every_term() -> None:
    def bound(**smoothing: Any) -> float:
        optimizer = zoo.Optimizer(
            np.zeros(4), settings="paper", gradient=zoo.paper.DoublySmoothed(), **smoothing
        )
        known = Assumptions(R=1.0, L1=3.0, L2=0.0, Lg=0.0)
        return regret_bound(1, method_of(optimizer.algorithm), known)

    smoothed = 3.0 * (np.sqrt(6.0) + 2.0 / 16)  # L1 (sqrt(m + 2) + sqrt(m)/m^2)
    assert bound(smoothing=1.1) - bound(smoothing=0.1) == pytest.approx(smoothed)
    # alpha_1 R^2/(2 eta_1) + rho R^2/2 + (eta_1/2) m^2 L1^2 with eta_1 = 1/2, rho = 10, alpha_1 = 6
    assert bound(smoothing=1e-9) == pytest.approx(6.0 + 5.0 + 0.25 * 16 * 9.0)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="num_directions = 0"):
        zoo.paper.DoublySmoothed(0)
    with pytest.raises(TypeError, match="Smoothed and Paired"):
        second_moment(zoo.paper.DoublySmoothed(), 3, gradient=1.0)
