"""Descent by a limited-memory model, beside matrices that are kept whole."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import zooadmm as zoo
from twins.problems import make_problem
from zooadmm.methods.auto.limited import limited_metric
from zooadmm.methods.auto.limited.step import LimitedStep
from zooadmm.problem import Consensus
from zooadmm.problem.sets import WholeSpace
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.model_step import Solved
from zooadmm.structure.splitting import EXACT

M = 1_501
"""One variable more than a matrix is kept for."""

LARGE = 4_097
"""One variable more than a matrix is made for."""


def pairs(m, k, seed=0):
    """Curvatures, steps, and the changes of the gradient of a quadratic over them."""
    generator = np.random.default_rng(seed)
    root = generator.standard_normal((m, m))
    H = root @ root.T / m + np.diag(generator.uniform(0.1, 10.0, m))
    S = generator.standard_normal((k, m)) * 10.0 ** generator.uniform(-4, 4, (k, 1))
    return np.diagonal(H).copy(), S, S @ H


def bfgs(curvatures, S, Y):
    """The matrix itself, pair by pair."""
    c, s, d = curvatures, S[-1], Y[-1]
    B = np.diag(c * float(np.sum(d * d / c)) / float(s @ d))
    for s, d in zip(S, Y, strict=True):
        Bs = B @ s
        B = B + np.outer(d, d) / float(s @ d) - np.outer(Bs, Bs) / float(s @ Bs)
    return B


@pytest.mark.parametrize(("m", "k"), [(1, 1), (7, 3), (30, 20), (6, 9)])
def test_the_metric_is_that_of_bfgs(m, k):
    given = pairs(m, k)
    metric, B = limited_metric(*given), bfgs(*given)
    s = np.random.default_rng(1).standard_normal(m)
    np.testing.assert_allclose(metric.times(s), B @ s, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(metric.solve(B @ s), s, rtol=1e-6, atol=1e-8)
    assert metric.square(s) == pytest.approx(float(s @ B @ s))
    scaled = np.linalg.eigvalsh(B / np.outer(metric.units, metric.units))
    assert metric.least == pytest.approx(min(1.0, scaled[0]), rel=1e-6)
    assert metric.largest == pytest.approx(max(1.0, scaled[-1]), rel=1e-6)


STRUCTURES = {
    "free": {},
    "box": {"domain": zoo.Box(-0.3, 0.2)},
    "l1": {"regularizer": zoo.L1(0.4)},
    "l1 in a box": {"regularizer": zoo.L1(0.2), "domain": zoo.Box(-0.3, 0.2)},
    "simplex": {"domain": zoo.Simplex()},
    "total variation": {
        "regularizer": zoo.L1(0.4),
        "constraint": zoo.Linear(np.diff(np.eye(24), axis=0)),
    },
    "groups": {"regularizer": zoo.regularizers.GroupL2(0.4, np.arange(24).reshape(6, 4))},
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_step_minimizes_the_model(name):
    m, (curvatures, S, Y) = 24, pairs(24, 5)
    given = {"regularizer": zoo.regularizers.Zero(), "domain": WholeSpace()}
    given |= {"constraint": Consensus(), **STRUCTURES[name]}
    problem = make_problem(given["domain"].project(np.zeros(m)), **given)
    step, g = LimitedStep(problem), np.random.default_rng(3).standard_normal(m)
    x0 = problem.domain.project(0.1 * np.random.default_rng(4).standard_normal(m))
    assert step.applies
    y0, dual = problem.constraint.complete_y(x0), np.zeros(problem.l)
    found = step(limited_metric(curvatures, S, Y), g, Solved(x0, y0, dual, 0.0))
    whole = Minimizer(problem)
    exact, _ = whole(bfgs(curvatures, S, Y), x0, g, whole.init(x0, y0, dual), 0.0, EXACT)
    np.testing.assert_allclose(found.x, exact.x, atol=1e-4 * np.abs(exact.x - x0).max())
    np.testing.assert_array_equal(found.x == 0.0, exact.x == 0.0)


def least_squares(m=M, rank=40, seed=0):
    """A dense quadratic of condition 1e3 with its gradient, and a start far from zero."""
    generator = np.random.default_rng(seed)
    U = np.linalg.qr(generator.standard_normal((m, rank)))[0] * np.sqrt(np.logspace(1, 3, rank))
    to = generator.uniform(-1.0, 1.0, m)

    def loss(x):
        return 0.5 * float(np.sum(((x - to) @ U) ** 2) + np.sum((x - to) ** 2))

    def gradient(x):
        return U @ ((x - to) @ U) + x - to

    return loss, gradient, generator.standard_normal(m)


def test_a_dense_loss_falls_as_fast_as_by_exact_gradients():
    loss, gradient, x0 = least_squares()
    result = zoo.minimize(loss, x0, max_evaluations=30 * M, rng=0)
    peer = minimize(loss, x0, jac=gradient, method="L-BFGS-B", options={"maxfun": 26})
    assert result.fun <= 1.5 * peer.fun < 0.1 * loss(x0)
    assert "by a limited-memory model of the loss" in result.learned
    assert result.fun == loss(result.x)


def test_units_of_the_variables_do_not_matter():
    loss, _, x0 = least_squares()
    units = 10.0 ** np.random.default_rng(5).uniform(-3, 3, M)
    one = zoo.minimize(loss, x0, max_evaluations=12 * M, rng=0)
    other = zoo.minimize(lambda x: loss(x * units), x0 / units, max_evaluations=12 * M, rng=0)
    assert 0.2 <= other.fun / one.fun <= 5.0


def test_every_point_lies_in_the_box_and_bounds_are_met_exactly():
    loss, _, x0 = least_squares(rank=3)
    outside = []

    def watched(x):
        outside.append(float(np.abs(x).max()) > 0.5)
        return loss(x)

    x0 = np.clip(x0, -0.5, 0.5)
    result = zoo.minimize(watched, x0, domain=zoo.Box(-0.5, 0.5), max_evaluations=12 * M, rng=0)
    assert not any(outside)
    assert np.count_nonzero(np.abs(result.x) == 0.5) > M // 8
    assert "limited-memory" in result.learned


def test_every_point_lies_on_the_simplex():
    m, outside = M, []
    to = np.random.default_rng(0).uniform(0.0, 2.0 / m, m)

    def loss(x):
        outside.append(abs(float(x.sum()) - 1.0) > 1e-12 or float(x.min()) < 0.0)
        return 0.5 * m * float(np.square(x - to).sum()) + float(np.arange(m) @ x) / m

    result = zoo.minimize(
        loss, np.full(m, 1.0 / m), domain=zoo.Simplex(), max_evaluations=15 * m, rng=0
    )
    assert not any(outside)
    assert "limited-memory" in result.learned
    exact = zoo.Simplex().project(to - np.arange(m) / m**2)
    np.testing.assert_allclose(result.x, exact, atol=1e-6 / m)


def test_slopes_are_measured_along_the_few_variables_that_are_not_zero():
    """A whole gradient for each step left 6e-2 of the gap."""
    generator = np.random.default_rng(6)
    to = np.zeros(M)
    to[generator.permutation(M)[:12]] = 1.0 / 12
    slope = np.where(to == 0.0, generator.uniform(0.0, 1.0, M), 0.0)
    rows = generator.standard_normal((100, M)) / 3.0

    def loss(x):
        return float(0.5 * np.square(rows @ (x - to)).sum() + slope @ x)

    x0 = np.full(M, 1.0 / M)
    result = zoo.minimize(loss, x0, domain=zoo.Simplex(), max_evaluations=6 * M, rng=0)
    assert "limited-memory" in result.learned
    assert result.fun <= 1e-3 * loss(x0)


def test_zeros_of_an_l1_norm_are_exact():
    to, x0 = np.random.default_rng(0).uniform(-1.0, 1.0, (2, M))
    result = zoo.minimize(
        lambda x: 0.5 * float(np.sum((x - to) ** 2) + np.sum(x) ** 2 / M),
        x0,
        regularizer=zoo.L1(0.5),
        max_evaluations=12 * M,
        rng=0,
    )
    assert "limited-memory" in result.learned
    assert result.success
    assert M // 4 < np.count_nonzero(result.x == 0.0) < 3 * M // 4


def test_a_run_that_is_stopped_goes_on_bit_for_bit(tmp_path):
    loss, _, x0 = least_squares()
    whole = zoo.minimize(loss, x0, max_evaluations=6 * M, rng=0)
    given = {"rng": 0, "settings": zoo.Auto(budget=6 * M), "checkpoint": tmp_path / "run.zoo"}
    for evaluations in (1_000, 4_000, 7_000, 6 * M):
        result = zoo.minimize(loss, x0, max_evaluations=evaluations, **given)
    assert result.x.tobytes() == whole.x.tobytes()
    assert result.nfev == whole.nfev


def test_where_the_loss_is_not_finite_steps_stay_shorter():
    m = M

    def loss(x):
        return float(np.sum(x - np.log(x))) if (x > 0.0).all() else np.inf

    result = zoo.minimize(loss, np.full(m, 0.02), max_evaluations=20 * m, rng=0)
    assert result.fun - m <= 1e-6 * (loss(np.full(m, 0.02)) - m)


@pytest.mark.parametrize(
    ("m", "given", "reason"),
    [
        (LARGE, {"domain": zoo.Simplex()}, "its steps would need a matrix, which is too large"),
        (M, {"max_evaluations": 4_000}, "the budget is too small: it needs"),
    ],
)
def test_it_says_why_it_is_not_used(m, given, reason):
    loss, _, _ = least_squares(m, rank=3)
    given = {"max_evaluations": 7_000, **given}
    result = zoo.minimize(loss, np.full(m, 1.0 / m), rng=0, **given)
    assert f"limited memory ({reason}" in result.learned.replace("model, ", "")


def test_a_loss_with_jumps_falls_all_the_same():
    loss = lambda x: float(np.round(np.square(x - 1.0).sum(), 1))  # noqa: E731
    result = zoo.minimize(loss, np.full(M, 3.0), max_evaluations=8 * M, rng=0)
    assert not result.success
    assert result.fun <= 0.01 * loss(np.full(M, 3.0))


def test_losses_with_straight_parts_fall_too():
    center = np.random.default_rng(2).standard_normal(M)

    def kinked(x):
        return float(np.abs(x - center).sum())

    def huber(x):
        t = np.abs(x - center)
        return float(np.where(t < 0.1, 5.0 * t * t, t - 0.05).sum())

    for loss, part in ((kinked, 0.5), (huber, 0.4)):
        result = zoo.minimize(loss, np.full(M, 3.0), max_evaluations=12 * M, rng=0)
        assert result.fun <= part * loss(np.full(M, 3.0))
        assert not result.success


def test_a_start_that_an_indicator_forbids_is_moved():
    result = zoo.minimize(
        lambda x: float(np.square(x - 2.0).sum()),
        np.full(M, 5.0),
        regularizer=zoo.regularizers.Indicator(zoo.Box(-1.0, 1.0)),
        max_evaluations=10 * M,
        rng=0,
    )
    assert result.fun == pytest.approx(M, rel=1e-6)


def test_a_narrow_box_is_not_left_by_rounding():
    center, width = np.random.default_rng(3).standard_normal(M), 5e-9
    outside = []

    def loss(x):
        outside.append(bool((np.abs(x) > width).any()))
        return float(np.square(1e8 * x - center).sum())

    result = zoo.minimize(
        loss, np.full(M, 1e-10), domain=zoo.Box(-width, width), max_evaluations=10 * M, rng=0
    )
    assert not any(outside)
    assert result.success
