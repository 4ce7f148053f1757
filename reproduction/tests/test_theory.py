"""The experiment of the theory: its problems are what is said of them, and tiny pieces run."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.analysis import theory as bounds
from zooadmm_reproduction.rows import where
from zooadmm_reproduction.theory import (
    breaking,
    feasibility,
    iterations,
    lemma,
    minibatch,
    moments,
    ramp,
    rates,
    side_by_side,
    strategies,
    strong,
)
from zooadmm_reproduction.theory.curves import MEASURED, looks, settled_below
from zooadmm_reproduction.theory.kink import Kink

# The problems


def test_the_ramp_is_least_at_its_comparator_whatever_is_drawn() -> None:
    problem, phi = ramp.Ramp(5), ramp.NormInBall()
    rng = np.random.default_rng(0)
    points = rng.standard_normal((500, 5))
    points /= np.maximum(1.0, np.linalg.norm(points, axis=1, keepdims=True))
    points[:100] = -problem.g + 0.1 * (points[:100] + problem.g)  # near the comparator too
    regularized = np.array([phi(y) for y in points])[:, None]
    best = problem.values(-problem.g[None, :], ramp.WEIGHTS) + phi(-problem.g)
    assert np.all(problem.values(points, ramp.WEIGHTS) + regularized >= best - 1e-12)


def test_the_constants_of_the_ramp() -> None:
    problem = ramp.Ramp(5)
    points = [s * problem.g for s in np.linspace(-1, 1, 9)]
    L1, Lg = bounds.measured_constants(problem.gradient, points, list(ramp.WEIGHTS))
    assert 0.999 * ramp.KNOWN.L1 < L1 <= ramp.KNOWN.L1 + 1e-12
    assert Lg <= ramp.KNOWN.Lg
    step = 1e-6 * np.ones(5)
    ahead, behind = (problem.values((points[3] + s)[None, :], [1.5]) for s in (step, -step))
    slope = problem.gradient(points[3], 1.5) @ (2 * step)
    assert float(ahead[0, 0] - behind[0, 0]) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("size", [0.05, 0.5, 3.0])
def test_the_prox_of_the_norm_in_a_ball(size: float) -> None:
    phi, v, tau = ramp.NormInBall(), size * np.array([0.6, -0.8]), 2.0

    def height(y: np.ndarray) -> float:
        return phi(y) + float(np.square(y - v).sum()) / (2 * tau)

    y = phi.prox(v, tau)
    near = y + 0.01 * np.random.default_rng(1).standard_normal((200, 2))
    assert all(height(y) <= height(other) + 1e-12 for other in near)


@pytest.mark.parametrize("m", [5, 9])
def test_the_kink_is_least_at_zero_for_any_observations(m: int) -> None:
    problem = Kink(m, 0.7, 0.5, 0.1, zoo.paper.schedules.Power(1.0, 0.5), "constant")
    w = problem.observations
    assert np.allclose(w.mean(axis=0), 0.0)
    rng = np.random.default_rng(2)
    points = rng.uniform(-0.7, 0.7, (200, m))
    drawn = w[rng.integers(0, len(w), 3)]  # few, so that their mean is not zero
    phi = 0.7 * np.abs(points).sum(axis=1)
    assert np.all(problem.values(points, drawn).mean(axis=1) + phi >= 0.0)
    gradients = points[:, None] * 0.5 + w[None]
    squares = np.square(gradients).sum(axis=2).mean(axis=1)
    assert math.sqrt(squares.max()) <= problem.known.L1


SMALL = [breaking.KINK, breaking.VALLEY]


@pytest.mark.parametrize("of", SMALL, ids=lambda of: of.study)
def test_the_constants_of_the_problems_with_signs(of: breaking.Breaking) -> None:
    problem, rng = of.problem, np.random.default_rng(5)
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=problem.m)))
    points = np.concatenate([corners, rng.uniform(-1, 1, (300, problem.m))])
    gradients = problem.slope(points)[:, None] + corners[None]  # the w are corners too
    size = np.sqrt(np.square(gradients).sum(axis=2).mean(axis=1))
    assert size.max() == pytest.approx(problem.known.L1)
    means = np.linalg.norm(problem.slope(points), axis=1)
    assert means.max() == pytest.approx(problem.known.mean_gradient)
    assert np.linalg.norm(corners[0] - corners[-1]) == pytest.approx(problem.known.R)
    near = points + 0.003 * rng.standard_normal(points.shape)
    turns = np.linalg.norm(problem.slope(near) - problem.slope(points), axis=1)
    assert np.all(turns <= (problem.known.Lg + 1e-9) * np.linalg.norm(near - points, axis=1))
    ahead, behind = problem.bend(points + 1e-7), problem.bend(points - 1e-7)
    np.testing.assert_allclose(
        (ahead - behind) / 2e-7, problem.slope(points).sum(axis=1), atol=1e-6
    )
    assert np.all(problem.bend(points) + problem.phi(points) >= 0.0)  # 0 is best in expectation
    assert np.all(problem.phi(points) <= problem.known.L2 * np.linalg.norm(points, axis=1) + 1e-12)


@pytest.mark.parametrize("gradient", [side_by_side.TWO_POINT, side_by_side.EXACT])
@pytest.mark.parametrize("of", SMALL, ids=lambda of: of.study)
def test_runs_side_by_side_are_those_of_the_library(of: breaking.Breaking, gradient: str) -> None:
    T, methods = 150, [of.method(penalty) for penalty in (0.05, 2.0)]
    step_size = zoo.paper.schedules.general_step_size(of.problem.m)
    runs = [
        of.problem.optimizer(zoo.paper.Exact(), method.penalty, step_size, "constant", T)
        for method in methods
    ]
    for _, _, g, x, y in side_by_side.steps(of.problem, methods, T, 3, 7, gradient):
        for k, run in enumerate(runs):
            query = run.ask()
            assert query is not None
            np.testing.assert_allclose(run.state.x, x[k, 2], atol=1e-12)
            np.testing.assert_allclose(run.state.y, y[k, 2], atol=1e-12)
            run.tell(query.id, g[k, 2])


def test_the_estimate_by_hand_is_5() -> None:
    problem, rng = breaking.VALLEY.problem, np.random.default_rng(3)
    x, w, z = rng.uniform(-0.02, 0.02, 2), np.array([1.0, -1.0]), np.array([1.3, 0.2])

    def f(at: np.ndarray) -> float:
        return float(w @ at + problem.bend(at))

    wanted = (f(x + 0.01 * z) - f(x)) / 0.01 * z
    found = side_by_side.estimate(problem, x, w, z, 0.01, side_by_side.TWO_POINT)
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


def test_a_tiny_piece_of_the_counterexamples() -> None:
    for of in SMALL:
        rows = of.runs(60, 2, 0) + of.bounds(60) + of.exact_runs(60, 2, 0)
        assert rows == of.runs(60, 2, 0) + of.bounds(60) + of.exact_runs(60, 2, 0)
        assert [row["T"] for row in where(rows, study=of.study, trial=0)] == looks(60)
        assert set(of.along_penalties(rows)) == set(breaking.PENALTIES)
        assert of.end(rows) == looks(60)[-1]
        for row in where(rows, study=of.study):
            (bound,) = where(rows, study=f"{of.study}-bounds", T=row["T"])
            assert float(row[of.column]) < float(bound["sound_completed"])
            assert float(row["iterates"]) < float(bound["sound"])


def test_regret_by_hand_is_that_of_the_library() -> None:
    """The same columns from `zooadmm.Regret`, on the gradients of one run."""
    problem = Kink(5, 1.0, 0.0, 0.1, zoo.paper.schedules.general_step_size(5), "constant")
    end = looks(400)[-1]
    theirs = [problem.followed(end, seed) for seed in range(6)]
    ours = side_by_side.measured(breaking.KINK.problem, [breaking.KINK.method(0.1)], [end], 24, 0)
    for name, column_of in MEASURED.items():
        a = np.array([float(regret[column_of][-1]) for regret in theirs])
        b = np.array([float(row[name]) for row in ours])
        error = math.hypot(a.std(ddof=1) / math.sqrt(len(a)), b.std(ddof=1) / math.sqrt(len(b)))
        assert abs(a.mean() - b.mean()) < 4 * error, name


def test_rows_are_where_regret_looks_at_the_averages() -> None:
    regret = ramp.followed(
        3, 120, 0, zoo.paper.schedules.general_step_size(3), zoo.paper.Smoothed(1)
    )
    seen = regret["iteration"][np.isfinite(regret["averages"])]
    assert set(looks(120)) <= set(seen)


def test_settled_below() -> None:
    regret = ramp.followed(3, 60, 0, zoo.paper.schedules.Power(1.0, 0.5), zoo.paper.Exact())
    t = settled_below(regret, 0.2)
    assert regret["iterates"][int(t) - 2] > 0.2 >= regret["iterates"][int(t) - 1 :].max()
    assert settled_below(regret, -1.0) == 61  # not yet: it takes that many at least
    assert settled_below(regret, 1e9) == 1


def test_a_run_that_is_not_there_yet_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iterations, "LIMIT", 2)
    assert {row["reached"] for row in iterations.first_order((4,), 2, 0)} == {0}
    assert {row["T"] for row in iterations.first_order((4,), 2, 0)} == {3}
    monkeypatch.setattr(iterations, "LIMIT", 60)
    assert {row["reached"] for row in iterations.first_order((4,), 2, 0)} == {1}


# Real pieces, tiny


def test_a_tiny_piece_of_the_rates() -> None:
    rows = rates.runs(4, 40, 2, seed=3)
    assert rows == rates.runs(4, 40, 2, seed=3)
    assert rows != rates.runs(4, 40, 2, seed=4)
    curve = where(rows, study="rates", trial=0)
    assert [row["T"] for row in curve] == looks(40)
    bound = {row["T"]: float(row["sound"]) for row in where(rows, study="rates-bounds")}
    assert all(0 < float(row["iterates"]) < bound[row["T"]] for row in curve)


def test_every_batch_size_has_its_own_random_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def end_of(m: int, T: int, rngs: list[int], how: object, labels: object) -> list[object]:
        seen.extend(rngs)
        return []

    monkeypatch.setattr(minibatch, "end_of", end_of)
    minibatch.batches("paired", 5, 3, 16, 0)
    assert len(seen) == len(set(seen)) == 9  # three trials of q = 1, 4 and 16


def test_a_tiny_piece_of_the_second_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "PRODUCTS", (5, 50))
    for strategy in ("observations", "hybrid", "orthogonal"):
        for row in moments.measure(strategy, 120, 0):
            off = abs(float(row["mean"]) - float(row["exact"]))
            assert off <= 4 * float(row["error"]) + 1e-4 * float(row["exact"])
    printed = {row["q"]: row["printed"] for row in moments.measure("hybrid", 2, 0)}
    assert printed[50] == pytest.approx(6.06)


def test_a_tiny_piece_of_the_lemma() -> None:
    row = lemma.lemma("Rademacher", 60, 0)[0]
    assert float(row["bias"]) <= float(row["bias_bound"])
    known = {r["quantity"]: r for r in lemma.directions("Gaussian", 4, 60, 0)}
    assert known["s(m)"]["known"] == 6.0
    assert known["M(mu)^2"]["known"] == 4 * 6 * 8


def test_a_tiny_piece_of_the_selection() -> None:
    rows = feasibility.runs(30, 1, 0)
    assert max(float(row["residual"]) for row in rows) < 1e-12
    assert min(float(row["outside"]) for row in rows) > 0.01
    best = feasibility.Selection()
    y = best.constraint.complete_y(best.best)
    assert y.sum() == pytest.approx(feasibility.BUDGET)
    assert best.best.min() >= 0
    assert best.best.max() <= 1


def test_the_step_of_corollary_2() -> None:
    assert strong.printed_alpha(strong.SIGMA, strong.SIGMA) is None
    alpha = strong.as_printed(0.25).proximal_weight
    assert alpha == pytest.approx(0.25 * alpha / strong.SIGMA + 1)
    with pytest.raises(ValueError, match="penalties below sigma"):
        strong.as_printed(2.0)


def test_strategies() -> None:
    hybrid = strategies.source("hybrid", 20)
    assert isinstance(hybrid, zoo.paper.Smoothed)
    assert hybrid.num_directions * hybrid.num_observations == 20
    with pytest.raises(ValueError, match="there is no strategy"):
        strategies.source("none", 1)
