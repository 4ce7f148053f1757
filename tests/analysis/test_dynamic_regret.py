"""The regret against a comparator that moves, and its bound in the path length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.analysis.theory import Assumptions, dynamic_regret_bound, method_of, regret_bound

M = 2
R = 2.0 * np.sqrt(M)
"""The diameter of the box."""


class Turning:
    """f_t(x) = s_t (x_1 + x_2), whose sign turns every `period` iterations."""

    def __init__(self, period: int) -> None:
        self.period = period

    def sign(self, t: int) -> float:
        return 1.0 if (t - 1) // self.period % 2 == 0 else -1.0

    def __call__(self, x: np.ndarray, t: int) -> float:
        return self.sign(t) * float(x.sum())

    def gradient(self, x: np.ndarray, t: int) -> np.ndarray:
        return np.full(M, self.sign(t))

    def best(self, t: int) -> np.ndarray:
        return np.full(M, -self.sign(t))


def run(loss: Turning, limit: int, regret: zoo.Regret, **given: Any) -> zoo.Result:
    return zoo.minimize(
        loss,
        np.zeros(M),
        settings="paper",
        regularizer=zoo.regularizers.Indicator(zoo.Box(-1.0, 1.0)),
        domain=zoo.Box(-1.0, 1.0),
        observations=zoo.Time(),
        gradient=zoo.paper.Exact(),
        penalty=1.0,
        max_iterations=limit,
        rng=0,
        progress=False,
        regret=regret,
        **given,
    )


def bounds(T: int, path: float) -> tuple[float, float]:
    """Against a point that stays, and against a path."""
    optimizer = zoo.Optimizer(
        np.zeros(M), settings="paper", gradient=zoo.paper.Exact(), penalty=1.0
    )
    known = Assumptions(R=R, L1=np.sqrt(M), L2=0.0, Lg=0.0)
    method = method_of(optimizer.algorithm)
    return regret_bound(T, method, known), dynamic_regret_bound(T, method, known, path)


def test_it_is_the_definition() -> None:
    loss = Turning(4)
    regret = zoo.Regret(loss.best)
    points: list[np.ndarray] = []
    result = run(loss, 30, regret, callback=lambda info: points.append(info.x.copy()))
    terms = [loss(x, t) - loss(loss.best(t), t) for t, x in enumerate(points, start=1)]
    means = np.cumsum(terms) / np.arange(1, 31)
    np.testing.assert_allclose(result.regret["iterates"], means, rtol=1e-12)
    assert np.isnan(result.regret["averages"]).all()
    assert regret.x_path == pytest.approx(7 * R)  # turns at 5, 9, ..., 29
    assert regret.y_path == regret.x_path


@pytest.mark.parametrize("period", [1, 10, 300])
def test_the_bound_holds_and_a_path_costs_what_it_must(period: int) -> None:
    T, loss = 600, Turning(period)
    regret = zoo.Regret(loss.best)
    result = run(loss, T, regret)
    fixed, moving = bounds(T, regret.x_path)
    assert result.regret["iterates"][-1] <= moving
    if period == 1:
        assert result.regret["iterates"][-1] > fixed  # nothing follows a sign that turns each time
    if period == 300:
        assert moving < 3 * fixed


def test_a_resumed_run_goes_on_with_the_path(tmp_path: Path) -> None:
    loss = Turning(3)
    file = tmp_path / "run.zoo"
    run(loss, 17, zoo.Regret(loss.best), checkpoint=file)
    resumed, unbroken = zoo.Regret(loss.best), zoo.Regret(loss.best)
    rows = run(loss, 40, resumed, checkpoint=file).regret.rows()
    assert rows.tobytes() == run(loss, 40, unbroken).regret.rows().tobytes()
    assert (resumed.x_path, resumed.y_path) == (unbroken.x_path, unbroken.y_path)
    for other in (zoo.Regret(Turning(40).best), zoo.Regret(loss.best(40))):
        with pytest.raises(ValueError, match="another comparator"):
            run(loss, 41, other, checkpoint=file)


def moving_target(t: int) -> np.ndarray:
    return np.array([np.cos(t / 50), np.sin(t / 50)])


def followed(limit: int, regret: zoo.Regret, **given: Any) -> tuple[zoo.Result, list[zoo.run.Info]]:
    """The default method, which looks at several times in one iteration early on."""
    infos: list[zoo.run.Info] = []
    result = zoo.minimize(
        lambda x, t: float(np.square(x - moving_target(t)).sum()),
        np.zeros(M),
        observations=zoo.Time(),
        settings=zoo.Auto(horizon=100),
        max_iterations=limit,
        regret=regret,
        rng=0,
        callback=infos.append,
        **given,
    )
    return result, infos


def test_loss_and_comparator_see_the_same_time() -> None:
    """The loss of the comparator is zero at every time: the regret is the loss at the iterates."""
    asked: list[int] = []

    def target(t: int) -> np.ndarray:
        asked.append(t)
        return moving_target(t)

    result, infos = followed(60, zoo.Regret(target))
    assert asked[1:] == list(range(1, max(asked) + 1))
    assert max(asked) > len(infos) == 60  # times, not iterations
    unmoved = followed(60, zoo.Regret(moving_target(1)))[0]
    at_iterates = result.regret["iterates"]
    assert (at_iterates >= 0.0).all()
    assert not np.allclose(at_iterates, unmoved.regret["iterates"])
    losses = np.array([info.loss for info in infos])
    known = np.isfinite(losses)
    terms = np.diff(at_iterates * np.arange(1, 61), prepend=0.0)
    np.testing.assert_allclose(terms[known], losses[known], rtol=1e-9, atol=1e-12)


def test_the_times_of_the_comparator_are_resumed(tmp_path: Path) -> None:
    file = tmp_path / "run.zoo"
    followed(30, zoo.Regret(moving_target), checkpoint=file)
    resumed, unbroken = zoo.Regret(moving_target), zoo.Regret(moving_target)
    rows = followed(60, resumed, checkpoint=file)[0].regret.rows()
    assert rows.tobytes() == followed(60, unbroken)[0].regret.rows().tobytes()
    assert resumed.x_path == unbroken.x_path


def test_a_comparator_must_be_feasible_at_every_t() -> None:
    with pytest.raises(ValueError, match="x lies outside the domain"):
        run(Turning(1), 5, zoo.Regret(lambda t: np.full(M, 0.4 * t)))


def test_the_path_must_be_a_length() -> None:
    with pytest.raises(ValueError, match="x_path = -1"):
        bounds(10, -1.0)
