"""What `success` means: a gradient was measured at the answer and leaves almost nothing to gain."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import zooadmm as zoo
from zooadmm.methods.method import FirstOrder
from zooadmm.run import verdict
from zooadmm.run.limits import Limits, Status
from zooadmm.run.verdict import Evidence
from zooadmm.structure.allowed import Allowed
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT

SQUARE = zoo.Box(-1.0, 1.0)


def run(loss: Any, x0: Any, **given: Any) -> zoo.Result:
    given = {"max_evaluations": 1_000, "rng": 0} | given
    return zoo.minimize(lambda x, *w: float(loss(x, *w)), np.array(x0, dtype=float), **given)


# the rule


def test_a_large_measure_is_no_success_however_the_run_ended() -> None:
    small, large = FirstOrder(1e-3, 1e-4, 1.0), FirstOrder(0.05, 1e-6, 1.0)
    unsure = FirstOrder(1e-3, 0.05, 1.0)
    for status in verdict.JUDGED:
        assert verdict.is_success(status, Limits(), Evidence(small, 1.0, 1.0))
        for measured in (large, unsure, None):
            assert not verdict.is_success(status, Limits(), Evidence(measured, 1.0, 1.0))
            assert "not shown to be an optimum" in verdict.doubts(
                status, Evidence(measured, 1.0, 1.0), not_convex=False, unshown="unknown."
            )
        assert not verdict.is_success(status, Limits(), Evidence(small, 0.0, 1.0))
        assert not verdict.is_success(status, Limits(target=0.0), Evidence(small, 1.0, 1.0)) or (
            status is Status.CALLBACK
        )
    assert verdict.is_success(Status.TARGET, Limits(), Evidence(None, None, None))
    assert verdict.is_success(Status.TOLERANCE, Limits(), Evidence(None, 1.0, None))
    assert not verdict.is_success(Status.TOLERANCE, Limits(), Evidence(None, 0.0, None))
    assert not verdict.is_success(Status.TOLERANCE, Limits(), Evidence(large, 1.0, 1.0))


@pytest.mark.parametrize("loss", [lambda x: 1.0, lambda x: float(x[0] > 0.5)])
def test_a_tolerance_does_not_make_a_constant_a_success(loss: Callable[..., float]) -> None:
    result = run(loss, np.zeros(3), max_evaluations=2_000, tolerance=1e-6)
    assert not result.success


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_loss_that_is_finite_at_the_start_alone_is_unchanged(bad: float) -> None:
    result = run(lambda x: 1.0 if (x == 1.0).all() else bad, np.ones(3), max_evaluations=500)
    assert result.status is Status.UNCHANGED


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6, 1e12])
def test_what_is_unbounded_does_not_depend_on_the_unit_of_the_loss(unit: float) -> None:
    c = np.full(3, 2_000.0)
    given = {"x0": np.zeros(3), "max_evaluations": 600}
    bowl = run(lambda x: unit * float(np.square(x - c).sum() - np.square(c).sum()), **given)
    assert bowl.status is Status.SETTLED
    assert bowl.success
    falling = run(lambda x: -unit * float(np.sum((x - c) ** 4) - np.sum(c**4)), **given)
    assert falling.status is Status.UNBOUNDED


@pytest.mark.parametrize("seed", range(3))
def test_the_measure_is_the_decrease_that_is_left(seed: int) -> None:
    """(stationarity + 2 error)^2 / 2 beside F(x) - F*, for runs ended on their way."""
    generator = np.random.default_rng(seed)
    R, c = generator.standard_normal((9, 6)), generator.standard_normal(6)

    def loss(x: np.ndarray) -> float:
        return 1.0 + float(np.logaddexp(0.0, R @ (x - c)).sum() + np.square(x - c).sum())

    best = run(loss, np.zeros(6), max_evaluations=5_000)
    assert best.success
    assert best.status is Status.SETTLED
    for budget in (40, 60):
        early = run(loss, np.zeros(6), max_evaluations=budget)
        assert early.fun is not None
        assert best.fun is not None
        assert early.stationarity is not None
        assert early.stationarity_error is not None
        promised = 0.5 * (early.stationarity + 2.0 * early.stationarity_error) ** 2
        assert early.fun - best.fun <= 3.0 * promised + 1e-6
        assert not early.success or early.fun - best.fun < 1e-3


@pytest.mark.parametrize(
    ("strategy", "given"),
    [
        ("quadratic model", {}),
        ("quadratic model", {"domain": SQUARE}),
        ("variables were found to matter", {"regularizer": zoo.L1(0.3), "m": 1_600}),
        ("sees the variables through one", {"rows": 30}),
    ],
)
def test_every_strategy_that_settles_has_a_measure(strategy: str, given: dict[str, Any]) -> None:
    given = dict(given)
    m, rows = given.pop("m", 4), given.pop("rows", 0)
    center = np.zeros(m)
    center[:4] = [0.5, -0.4, 0.9, -0.7]
    if rows:
        A = np.random.default_rng(0).standard_normal((rows, m))
        pairs = [(a, float(a @ center) + 0.1 * (-1) ** i) for i, a in enumerate(A)]
        result = run(
            lambda x, w: (w[0] @ x - w[1]) ** 2, np.zeros(m), observations=pairs,
            max_evaluations=10_000,
        )  # fmt: skip
    else:
        result = run(
            lambda x: 2.0 + np.square(x - center).sum(), np.zeros(m),
            max_evaluations=20_000, **given,
        )  # fmt: skip
    assert strategy in result.message
    assert result.status is Status.SETTLED
    assert result.success, result.message
    assert result.stationarity is not None
    assert result.stationarity_error is not None
    assert result.stationarity < 1e-2
    assert result.optimum == "stationary"


def test_kinks_are_no_silent_success() -> None:
    result = run(lambda x: 1.0 + np.abs(x - 0.3).sum(), np.zeros(4))
    assert not result.success
    assert "not shown to be an optimum" in result.message


def test_noise_has_a_measure_with_its_uncertainty_and_says_what_may_be_left() -> None:
    noise = np.random.default_rng(0)
    result = run(lambda x: np.square(x - 0.3).sum() + 0.05 * noise.standard_normal(), np.zeros(4))
    assert not result.success
    assert result.stationarity_error is not None
    assert result.stationarity_error > 0.0
    assert "may be left" in result.message


@pytest.mark.parametrize("limit", ["max_evaluations", "max_iterations"])
def test_the_settings_of_the_paper_succeed_by_a_target_or_a_tolerance_only(limit: str) -> None:
    given: dict[str, Any] = {"settings": "paper", limit: 300}
    result = run(lambda x: x @ x, np.ones(3), **given)
    assert not result.success
    assert "no gradient was measured there" in result.message
    assert (result.stationarity, result.optimum) == (None, "")
    assert run(lambda x: x @ x, np.ones(3), target=1.0, **given).success


@pytest.mark.parametrize("start", [[0.0, 0.0], [0.3, 0.1]])
def test_a_loss_that_falls_without_limit_is_no_success_with_the_settings_of_the_paper(
    start: list[float],
) -> None:
    for step_size in (None, 0.5):
        given = {"settings": "paper", "step_size": step_size, "max_evaluations": 6_000}
        result = run(lambda x: -(x @ x), start, **given)
        assert not result.success


# saddles

SADDLES: dict[str, tuple[Any, list[float], dict[str, Any]]] = {
    "axes": (lambda x: x[0] ** 2 - x[1] ** 2, [0.0, 0.0], {"domain": SQUARE}),
    "reached on the way": (lambda x: 3 + x[0] ** 2 - x[1] ** 2, [0.7, 0.0], {"domain": SQUARE}),
    "oblique": (lambda x: x[0] * x[1], [0.0, 0.0], {"domain": SQUARE}),
    "monkey": (lambda x: x[0] ** 3 - 3 * x[0] * x[1] ** 2, [0.0, 0.0], {"domain": SQUARE}),
    "two wells": (lambda x: (x[0] ** 2 - 1) ** 2 + x[1] ** 2, [0.0, 0.5], {}),
    "a top": (lambda x: -(x @ x), [0.0, 0.0], {"domain": SQUARE}),
    "one way in ten": (
        lambda x: x @ x - 1.5 * len(x) * x.mean() ** 2 + (x @ x) ** 2,
        [0.0] * 10,
        {},
    ),
}


@pytest.mark.parametrize("name", SADDLES)
def test_a_saddle_is_left_or_said(name: str) -> None:
    loss, x0, given = SADDLES[name]
    result = run(loss, x0, **given)
    assert result.fun is not None
    if result.fun < loss(np.array([0.0] * len(x0))) - 1e-3:
        if result.status is Status.SETTLED:
            assert result.success
        return
    assert not result.success
    assert "not shown to be" in result.message
    assert result.message.startswith("The run ended no better than x0.")


@pytest.mark.parametrize("name", ["axes", "reached on the way", "two wells", "a top"])
def test_a_saddle_along_the_variables_is_left_and_the_answer_called_local(name: str) -> None:
    loss, x0, given = SADDLES[name]
    result = run(loss, x0, **given)
    assert result.success
    assert result.fun is not None
    assert result.fun < loss(np.zeros(len(x0))) - 0.5
    assert result.optimum == "stationary, not convex"
    assert "The loss is not convex: x is a local minimum at best." in result.message


def test_convex_losses_are_not_called_otherwise() -> None:
    for seed in range(4):
        generator = np.random.default_rng(seed)
        A = generator.standard_normal((12, 5))
        result = run(lambda x, A=A: np.exp(A @ x / 3).mean(), generator.standard_normal(5))
        assert result.success
        assert "not convex" not in result.message


def test_a_single_slope_that_rounding_hides_is_no_plateau() -> None:
    """With one or two variables all differences at an optimum may be zero by chance."""
    for seed in range(12):
        generator = np.random.default_rng(seed)
        m = 1 + seed % 2
        A = generator.standard_normal((6, m))
        result = run(
            lambda x, A=A: np.logaddexp(0, A @ x).mean() + 0.05 * x @ x,
            generator.standard_normal(m), max_evaluations=300, rng=seed,
        )  # fmt: skip
        assert result.success
        assert result.status is Status.SETTLED


# ADMM on the model


def test_the_penalty_survives_a_model_whose_minimizer_is_the_start() -> None:
    """At x = 0 with nothing to gain residuals are rounding, and rho must not follow them."""
    generator = np.random.default_rng(0)
    m = 12
    Q, _ = np.linalg.qr(generator.standard_normal((m, m)))
    H = (Q * np.logspace(0, 2, m)) @ Q.T
    groups = zoo.GroupL2(1.0, [range(k, k + 3) for k in range(0, m, 3)])
    problem = zoo.Optimizer(np.zeros(m), regularizer=groups, max_evaluations=1).method.problem
    minimizer, zero = Minimizer(problem), np.zeros(m)
    at, rho = minimizer.init(zero, zero, zero), 0.0
    for _ in range(3):
        at, rho = minimizer(H, zero, 1e-3 * np.ones(m), at, rho, EXACT)
        assert not at.x.any()
    assert 1e-9 < rho < 1e11
    g = 10.0 * generator.standard_normal(m)
    found, _ = minimizer(H, zero, g, at, rho, EXACT)
    fresh, _ = minimizer(H, zero, g, at, 0.0, EXACT)
    np.testing.assert_allclose(found.x, fresh.x, atol=1e-4)


@pytest.mark.parametrize("budget", [60, 80, 100, 240])
def test_a_regularizer_that_cancels_the_loss_hides_no_gap(budget: int) -> None:
    generator, m, weight = np.random.default_rng(2), 8, 1e4
    c, A = np.abs(generator.standard_normal(m)) + 1.0, generator.standard_normal((2 * m, m))

    def rest(x: np.ndarray) -> float:
        return float(np.square(A @ (x - c)).sum() + np.logaddexp(0.0, A @ (x - c)).sum())

    result = run(
        lambda x: rest(x) - weight * float(x.sum()),
        np.full(m, 0.1),
        regularizer=zoo.L1(weight),
        max_evaluations=budget,
    )
    best = minimize(rest, c, options={"gtol": 1e-10}).fun
    gap = (rest(result.x) - best) / max(1.0, abs(best))
    assert not result.success or gap <= 1e-4


def test_an_answer_far_from_where_the_gradient_was_measured_is_no_success(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A method that stands outside what is allowed has shown nothing of the nearest point."""

    def run() -> zoo.Result:
        return zoo.minimize(
            lambda x: float(np.sum(np.square(x - 1.0))), np.zeros(3), max_evaluations=500, rng=0
        )

    assert run().success
    monkeypatch.setattr(Allowed, "nearest", lambda self, x: 0.9 * x)
    displaced = run()
    assert not displaced.success
    assert displaced.stationarity is None
    assert "no gradient was measured there" in displaced.message


@pytest.mark.parametrize("seed", range(6))
def test_variables_that_bounds_fix_do_not_count_as_a_plateau(seed: int) -> None:
    """Most are fixed, and x0 is the optimum: that shows after a few evaluations a variable."""
    rng = np.random.default_rng(seed)
    m = 16
    root = rng.normal(size=(m, m))
    H, free = root @ root.T, rng.permutation(m)[:4]
    upper = np.zeros(m)
    upper[free] = 1.0
    slopes = np.abs(rng.normal(size=m)) + H.sum(axis=1).clip(0.0)
    result = run(
        lambda x: slopes @ x + 0.5 * x @ H @ x,
        np.zeros(m),
        domain=zoo.Box(0.0, upper),
        max_evaluations=3_000,
    )
    assert result.nfev < 20 * m
    assert "no quadratic model fits" not in result.message


@pytest.mark.parametrize("settings", ["auto", "paper"])
@pytest.mark.parametrize("seed", range(3))
def test_a_drift_is_told_from_noise(settings: str, seed: int) -> None:
    generator = np.random.default_rng(seed)
    center, way = generator.standard_normal(4), generator.standard_normal(4)
    calls: list[int] = []

    def moves(x: np.ndarray) -> float:
        calls.append(1)
        return float(np.square(x - center - 0.01 * len(calls) * way).sum())

    def sinks(x: np.ndarray) -> float:
        calls.append(1)
        return float(x @ x) - 0.01 * len(calls) + 0.001 * generator.standard_normal()

    def noisy(x: np.ndarray) -> float:
        return float(x @ x) + 0.1 * generator.standard_normal()

    for loss, drifts in ((moves, True), (sinks, True), (noisy, False)):
        result = zoo.minimize(loss, center, max_evaluations=400, settings=settings, rng=seed)
        assert ("the loss drifts" in result.message) == drifts


@pytest.mark.parametrize("seed", range(6))
def test_an_unbounded_loss_is_said_with_the_point_of_its_least_value(seed: int) -> None:
    x0 = np.random.default_rng(seed).standard_normal(1 + seed)
    result = zoo.minimize(lambda x: -float(x @ x), x0, max_evaluations=600, rng=0)
    assert result.status is zoo.Status.UNBOUNDED
    said = re.search(r"to (-\S+) while \|x\| grew to (\S+)\. ", result.message)
    assert said is not None
    assert -float(said[1]) == pytest.approx(float(said[2]) ** 2, rel=0.02)


@pytest.mark.parametrize(
    ("settings", "given"), [("follow", {}), ("paper", {"observations": [0.0, 0.1, 0.2]})]
)
@pytest.mark.parametrize("seed", range(3))
def test_a_loss_whose_first_value_is_missing_is_not_called_constant(settings, given, seed):
    center, calls = np.random.default_rng(seed).standard_normal(3), []

    def loss(x: np.ndarray, w: float = 0.0) -> float:
        calls.append(x)
        if len(calls) == 1 and given:
            raise RuntimeError("the first simulation crashed")
        return float("nan") if len(calls) == 1 else float(np.square(x - center - w).sum())

    result = zoo.minimize(
        loss, np.zeros(3), settings=settings, max_evaluations=400, rng=0, on_error="drop", **given
    )
    assert result.status is Status.MAX_EVALUATIONS
