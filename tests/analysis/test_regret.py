"""The regret that is followed is the one that (8) defines."""

from __future__ import annotations

from pathlib import Path

import cvxpy as cp
import matplotlib as mpl
import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.analysis import plot
from zooadmm.analysis.offline import best_fixed

mpl.use("Agg")

M = 4
GENERATOR = np.random.default_rng(1)
W = GENERATOR.standard_normal((30, M)) + 0.5
A = GENERATOR.standard_normal((M, M)) + 2 * np.eye(M)


def value(x: np.ndarray, w: np.ndarray) -> float:
    return float(np.square(x - w).sum()) / 2


class Counting:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: np.ndarray, w: np.ndarray) -> float:
        self.calls += 1
        return value(x, w)


X_STAR = np.array([0.4, 0.3, 0.5, 0.2])

SOURCES = [
    zoo.paper.Smoothed(2),
    zoo.paper.Smoothed(2, 3),
    zoo.paper.Smoothed(2, difference="central"),
    zoo.paper.Smoothed(2, probes="inside"),
    zoo.paper.Paired(3),
]


@pytest.mark.parametrize("source", SOURCES, ids=str)
@pytest.mark.parametrize(
    "constraint", [zoo.problem.Consensus(), zoo.Linear(A)], ids=["x = y", "y = A x"]
)
def test_regret_is_the_definition(source: object, constraint: zoo.problem.Constraint) -> None:
    phi = zoo.L1(0.1)
    samples = zoo.Samples(W, order="in order")
    infos: list[zoo.run.Info] = []
    loss = Counting()
    result = zoo.minimize(
        loss,
        np.zeros(M),
        settings="paper",
        regularizer=phi,
        domain=zoo.Box(-1, 1),
        constraint=constraint,
        observations=samples,
        gradient=source,
        max_iterations=12,
        rng=0,
        regret=zoo.Regret(X_STAR),
        callback=infos.append,
    )
    y_star = constraint.complete_y(X_STAR)
    q = source.num_observations
    totals = np.zeros(3)
    for t, info in enumerate(infos, start=1):
        batch = samples.draw(t, q, (0, 0), ())
        star = np.mean([value(X_STAR, w) for w in batch]) + phi(y_star)
        f = np.mean([value(info.x, w) for w in batch])
        completed = constraint.complete_x(info.y)
        totals += (
            f + phi(info.y) - star,
            f + phi(constraint.complete_y(info.x)) - star,
            np.mean([value(completed, w) for w in batch]) + phi(info.y) - star,
        )
        measured = [
            result.regret[name][t - 1] for name in ("iterates", "completed_y", "completed_x")
        ]
        np.testing.assert_allclose(measured, totals / t, rtol=1e-9, atol=1e-12)
    residuals = np.cumsum([info.residual for info in infos]) / np.arange(1, 13)
    np.testing.assert_allclose(result.regret["residual"], residuals, rtol=1e-12)
    assert loss.calls == result.nfev + result.nfev_report + result.nfev_regret
    assert result.nfev == 12 * source.evaluations(q)


def test_the_gap_of_the_averages() -> None:
    """F(average, its completion) - F(x*, y*) over all observations, where it was looked at."""
    result = zoo.minimize(
        value,
        np.zeros(M),
        settings="paper",
        regularizer=zoo.L1(0.1),
        observations=W,
        max_iterations=30,
        rng=0,
        regret=zoo.Regret(X_STAR),
    )
    gaps = result.regret["averages"]
    assert np.isfinite(gaps[[0, 1]]).all()
    assert np.isnan(gaps).any()
    assert np.isfinite(gaps).sum() >= 10

    def F(x: np.ndarray) -> float:
        return np.mean([value(x, w) for w in W]) + 0.1 * np.abs(x).sum()

    last = int(np.flatnonzero(np.isfinite(gaps))[-1])
    again = zoo.minimize(
        value,
        np.zeros(M),
        settings="paper",
        regularizer=zoo.L1(0.1),
        observations=W,
        max_iterations=last + 1,
        rng=0,
    )
    assert gaps[last] == pytest.approx(F(again.x_average) - F(X_STAR), rel=1e-9)


def test_an_indicator_is_followed_at_its_nearest_point() -> None:
    ys: list[np.ndarray] = []
    result = zoo.minimize(
        lambda x: float(np.square(x - 2).sum()),
        np.full(M, 0.25),
        settings="paper",
        domain=zoo.Box(0, 1),
        regularizer=zoo.Budget(1),
        max_iterations=20,
        rng=0,
        regret=zoo.Regret(np.full(M, 0.25)),
        callback=lambda info: ys.append(info.y),
    )
    assert np.isfinite(result.regret.rows()[:, [1, 2, 3, 5, 6, 7]]).all()
    assert result.regret["y_violation"][-1] > 0
    x_violation = np.cumsum([np.linalg.norm(np.clip(y, 0, 1) - y) for y in ys]) / np.arange(1, 21)
    np.testing.assert_allclose(result.regret["x_violation"], x_violation, atol=1e-12)


def test_a_resumed_run_has_the_regret_of_the_unbroken_one(tmp_path: Path) -> None:
    def run(limit: int, **where: object) -> zoo.Result:
        return zoo.minimize(
            value,
            np.zeros(M),
            settings="paper",
            observations=W,
            gradient=zoo.paper.Smoothed(2, difference="central"),
            max_iterations=limit,
            rng=0,
            regret=zoo.Regret(X_STAR, max_rows=16),
            **where,
        )

    path = tmp_path / "run.zoo"
    run(37, checkpoint=path)
    resumed, unbroken = run(100, checkpoint=path), run(100)
    assert resumed.regret.rows().tobytes() == unbroken.regret.rows().tobytes()
    assert resumed.nfev_regret == unbroken.nfev_regret
    assert len(resumed.regret) <= 16


def test_a_checkpoint_without_regret_is_not_followed_from_the_middle(tmp_path: Path) -> None:
    arguments = dict(observations=W, rng=0, checkpoint=tmp_path / "run.zoo")  # noqa: C408
    zoo.minimize(value, np.zeros(M), settings="paper", max_iterations=3, **arguments)
    with pytest.raises(ValueError, match="the checkpoint has no regret"):
        zoo.minimize(
            value,
            np.zeros(M),
            settings="paper",
            max_iterations=6,
            regret=zoo.Regret(X_STAR),
            **arguments,
        )


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"regret: x has shape \(3,\); this problem needs \(4,\)"):
        zoo.minimize(
            value,
            np.zeros(M),
            settings="paper",
            observations=W,
            max_iterations=1,
            regret=zoo.Regret([1, 2, 3]),
        )
    plain = zoo.minimize(
        value, np.zeros(M), settings="paper", observations=W, max_iterations=1, rng=0
    )
    with pytest.raises(ValueError, match="no regret was followed"):
        plot.regret(plain.regret)


def test_plot_with_a_bound() -> None:
    result = zoo.minimize(
        value,
        np.zeros(M),
        settings="paper",
        observations=W,
        max_iterations=50,
        rng=0,
        regret=zoo.Regret(X_STAR),
    )
    figure = plot.regret(result.regret, bound=lambda T: 5 / np.sqrt(T))
    labels = [text.get_text() for text in figure.axes[0].texts]
    assert "bound" in labels
    assert len(labels) >= 2


@pytest.mark.parametrize("with_gradient", [True, False])
def test_best_fixed_is_the_best(with_gradient: bool) -> None:
    """Mean of squares with L1: the soft threshold of the mean."""
    loss = zoo.Loss(value, gradient=(lambda x, w: x - w) if with_gradient else None)
    x, y = best_fixed(loss, np.zeros(M), observations=W, regularizer=zoo.L1(0.3))
    mean = W.mean(axis=0)
    expected = np.sign(mean) * np.maximum(np.abs(mean) - 0.3, 0)
    np.testing.assert_allclose(x, expected, atol=1e-6)
    np.testing.assert_allclose(y, x, atol=1e-6)


def test_best_fixed_where_the_loss_is_straight_at_the_start() -> None:
    x, _ = best_fixed(
        zoo.Loss(gradient=lambda x: -1 + 4 * np.maximum(0, x - 0.5)), [0.0], domain=zoo.Box(0, 1)
    )
    np.testing.assert_allclose(x, 0.75, atol=1e-6)


@pytest.mark.parametrize("scale", [5e-10, 1.0, 1e6])
def test_best_fixed_does_not_mind_the_scale_of_the_loss(scale: float) -> None:
    x, _ = best_fixed(zoo.Loss(gradient=lambda x: scale * (x - 3)), np.zeros(2))
    np.testing.assert_allclose(x, 3, rtol=1e-6)


def test_best_fixed_against_cvxpy() -> None:
    generator = np.random.default_rng(2)
    data, target = generator.standard_normal((20, M)), generator.standard_normal(20)
    loss = zoo.Loss(gradient=lambda x: data.T @ (data @ x - target) / 20)
    constraint = zoo.Linear(A, c=np.ones(M))
    x, y = best_fixed(
        loss,
        np.zeros(M),
        regularizer=zoo.L1(0.2),
        domain=zoo.Box(-0.1, 0.3),
        constraint=constraint,
    )
    u = cp.Variable(M)
    objective = cp.sum_squares(data @ u - target) / 40 + 0.2 * cp.norm1(A @ u - 1)
    optimum = cp.Problem(cp.Minimize(objective), [u >= -0.1, u <= 0.3]).solve(solver=cp.CLARABEL)
    u.value = x
    assert objective.value == pytest.approx(optimum, abs=1e-6)
    np.testing.assert_allclose(y, A @ x - 1, atol=1e-9)


def test_a_regret_can_be_used_again() -> None:
    regret = zoo.Regret(X_STAR)
    runs = [
        zoo.minimize(
            value,
            np.zeros(M),
            settings="paper",
            observations=W,
            max_iterations=9,
            rng=0,
            regret=regret,
        )
        for _ in range(2)
    ]
    assert runs[0].regret.rows().tobytes() == runs[1].regret.rows().tobytes()
    assert runs[0].nfev_regret == runs[1].nfev_regret


def test_another_comparator_does_not_go_on_with_the_file(tmp_path: Path) -> None:
    arguments = dict(observations=W, rng=0, checkpoint=tmp_path / "run.zoo")  # noqa: C408
    zoo.minimize(
        value,
        np.zeros(M),
        settings="paper",
        max_iterations=3,
        regret=zoo.Regret(X_STAR),
        **arguments,
    )
    with pytest.raises(ValueError, match="regret of another comparator"):
        zoo.minimize(
            value,
            np.zeros(M),
            settings="paper",
            max_iterations=6,
            regret=zoo.Regret(X_STAR + 1),
            **arguments,
        )


def test_a_failure_while_following_is_noticed_on_resume(tmp_path: Path) -> None:
    def run(loss: object) -> zoo.Result:
        return zoo.minimize(
            loss,
            np.zeros(M),
            settings="paper",
            observations=W,
            gradient=zoo.paper.Smoothed(6),
            max_iterations=20,
            rng=0,
            regret=zoo.Regret(X_STAR),
            checkpoint=tmp_path / "run.zoo",
        )

    with pytest.raises(OSError):  # noqa: PT011 - it carries no message
        run(FailsAtStar())
    with pytest.raises(ValueError, match="the checkpoint has the regret of"):
        run(value)


class FailsAtStar:
    """Fails at the fifth evaluation of the comparator."""

    def __init__(self) -> None:
        self.seen = 0

    def __call__(self, x: np.ndarray, w: np.ndarray) -> float:
        self.seen += np.array_equal(x, X_STAR)
        if self.seen == 5:
            raise OSError
        return value(x, w)


@pytest.mark.parametrize(
    ("comparator", "message"),
    [
        (zoo.Regret(np.full(M, 2.0)), "x lies outside the domain"),
        (zoo.Regret(X_STAR, X_STAR + 1), "A x \\+ B y = c does not hold"),
    ],
)
def test_infeasible_comparators(comparator: zoo.Regret, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        zoo.minimize(
            value,
            np.zeros(M),
            settings="paper",
            observations=W,
            domain=zoo.Box(-1, 1),
            max_iterations=1,
            regret=comparator,
        )


def test_best_fixed_needs_all_observations() -> None:
    with pytest.raises(TypeError, match="can all be seen"):
        best_fixed(value, np.zeros(M), observations=iter(W))
