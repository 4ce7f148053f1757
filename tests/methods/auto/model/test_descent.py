"""Whole runs on losses without noise: the optimum, structure that holds, units, resume, edges."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize

import zooadmm as zoo
from zooadmm.losses import Logistic

M = 12
GENERATOR = np.random.default_rng(5)
LOSS = Logistic(GENERATOR.standard_normal((80, M)), np.where(GENERATOR.random(80) < 0.5, -1.0, 1.0))


def loss(x):
    return float(LOSS.values(x[None])[0])


def run(given=None, x0=None, **more):
    x0 = np.zeros(M) if x0 is None else x0
    return zoo.minimize(loss, x0, max_evaluations=6_000, rng=0, **(given or {}), **more)


SETS = {
    "box": (zoo.Box(-0.1, 0.1), np.zeros(M)),
    "nonnegative": (zoo.Nonnegative(), np.zeros(M)),
    "simplex": (zoo.Simplex(), np.full(M, 1 / M)),
    "vertex": (zoo.Simplex(), np.eye(M)[0]),
    "budget": (zoo.Budget(0.0), np.zeros(M)),
    "box and budget": (zoo.BoxBudget(0.0, 0.3, 1.0), np.full(M, 1 / M)),
}


@pytest.mark.parametrize("scale", [1e-20, 1.0])
def test_a_loss_that_begins_at_zero_need_not_be_of_size_one(scale: float) -> None:
    """What rounding is, values near x0 tell: a small loss is not settled where it begins."""
    result = zoo.minimize(
        lambda x: scale * float(0.5 * x @ x - x.sum()), np.zeros(5), max_evaluations=500, rng=0
    )
    assert result.status == zoo.Status.SETTLED
    np.testing.assert_allclose(result.x, 1.0, rtol=1e-6)


@pytest.mark.parametrize("name", SETS)
def test_the_optimum_over_a_set_from_points_inside(name: str) -> None:
    domain, x0 = SETS[name]
    asked = []

    def watched(x):
        asked.append(x.copy())
        return loss(x)

    result = zoo.minimize(
        watched,
        x0,
        domain=domain,
        max_evaluations=6_000,
        rng=0,
        settings=zoo.Auto(probes="inside"),
    )
    assert result.status is zoo.Status.SETTLED
    assert result.success
    assert max(domain.distance(x) for x in asked) < 1e-15
    assert domain.distance(result.x) < 1e-15
    bounds = {
        "box": [(-0.1, 0.1)] * M,
        "budget": None,
        "box and budget": [(0, 0.3)] * M,
    }.get(name, [(0, None)] * M)
    total = {"simplex": 1.0, "vertex": 1.0, "budget": 0.0, "box and budget": 1.0}.get(name)
    judge = scipy_minimize(
        loss,
        x0,
        jac=LOSS.gradient,
        bounds=bounds,
        constraints=[] if total is None else [{"type": "eq", "fun": lambda x: x.sum() - total}],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert result.fun <= judge.fun + 1e-9


def test_the_lasso_conditions_hold_and_zeros_are_zeros() -> None:
    strength = 0.05
    result = run({"regularizer": zoo.L1(strength)})
    g = LOSS.gradient(result.x)
    zero = result.x == 0.0
    assert 0 < zero.sum() < M
    assert np.abs(g[zero]).max() <= strength + 1e-6
    np.testing.assert_allclose(g[~zero], -strength * np.sign(result.x[~zero]), atol=1e-6)


def test_without_structure_the_gradient_vanishes() -> None:
    result = run()
    assert result.status is zoo.Status.SETTLED
    assert np.abs(LOSS.gradient(result.x)).max() < 1e-6


def test_units_hardly_matter() -> None:
    units = 10.0 ** np.random.default_rng(1).uniform(-2, 2, M)
    own = run({"regularizer": zoo.L1(0.05)})
    other = zoo.minimize(
        lambda u: 1e4 * loss(u / units),
        np.zeros(M),
        regularizer=zoo.L1(1e4 * 0.05, weights=1 / units),
        max_evaluations=6_000,
        rng=0,
    )
    assert other.nfev < 2 * own.nfev
    np.testing.assert_allclose(other.x / units, own.x, atol=1e-5)
    np.testing.assert_array_equal(other.x == 0.0, own.x == 0.0)


PHI, CONSTRAINT = zoo.overlapping_groups(
    M, [[0, 1, 2, 3], [3, 4, 5], [6, 7, 8], [8, 9, 10, 11]], 0.1
)
RESUMED = {
    "L1": {"regularizer": zoo.L1(0.05)},
    "simplex": {"domain": zoo.Simplex(2.0)},
    "groups": {"regularizer": PHI, "constraint": CONSTRAINT},
}


@pytest.mark.parametrize("name", RESUMED)
def test_a_run_resumed_before_every_query_is_the_unbroken_run(name, tmp_path) -> None:
    x0 = np.full(M, 2 / M) if name == "simplex" else np.zeros(M)

    def make():
        return zoo.Optimizer(x0, max_evaluations=1_500, rng=3, **RESUMED[name])

    unbroken, broken, path = make(), make(), tmp_path / "run.zoo"
    while (query := unbroken.ask()) is not None:
        unbroken.tell(query.id, [loss(x) for x in query.points])
    while (query := broken.ask()) is not None:
        values = [loss(x) for x in query.points]
        broken.save(path)
        broken = make()
        broken.load(path)
        broken.ask()
        for cell in reversed(range(len(values))):
            broken.tell(query.id, {cell: values[cell]})
    assert broken.status is unbroken.status is zoo.Status.SETTLED
    assert broken.evaluations == unbroken.evaluations
    for one, other in zip(broken.recommended(), unbroken.recommended(), strict=True):
        assert one.tobytes() == other.tobytes()


def test_what_is_said_beforehand_wins() -> None:
    assert run(step_size=0.1).status is not zoo.Status.SETTLED
    assert run(settings=zoo.Auto(without=["model"])).status is not zoo.Status.SETTLED
    small = zoo.minimize(loss, np.zeros(M), max_evaluations=60, rng=0)
    assert small.status is zoo.Status.MAX_EVALUATIONS
    noisy = run(settings=zoo.Auto(noise=0.01))
    assert noisy.status is not zoo.Status.SETTLED
    with pytest.raises(ValueError, match="noise"):
        zoo.Auto(noise=-1.0)
    with pytest.raises(ValueError, match="probes"):
        zoo.Auto(probes="outside")


def test_the_mean_over_ample_samples_is_modeled() -> None:
    result = zoo.minimize(
        LOSS,
        np.zeros(M),
        observations=LOSS.observations,
        settings=zoo.Auto(without=["ridges"]),
        max_evaluations=40_000,
        rng=0,
    )
    assert result.status is zoo.Status.SETTLED
    assert "over all observations" in result.message
    assert np.abs(LOSS.gradient(result.x)).max() < 1e-6


def test_kinks_are_never_settled_far_from_the_optimum() -> None:
    target = np.random.default_rng(2).standard_normal((30, 5))
    bends = np.random.default_rng(4).standard_normal(30)

    def least_absolute(x):
        return float(np.abs(target @ x - bends).mean())

    result = zoo.minimize(least_absolute, np.zeros(5), max_evaluations=4_000, rng=0)
    lines = cp.Variable(5)
    best = cp.Problem(cp.Minimize(cp.norm1(target @ lines - bends) / 30)).solve()
    gap = (result.fun - best) / (least_absolute(np.zeros(5)) - best)
    assert gap < (0.01 if result.status is zoo.Status.SETTLED else 0.1)


@pytest.mark.parametrize(
    ("name", "loss_of", "best"),
    [
        ("one variable", lambda x: float((x[0] - 2) ** 2), 0.0),
        ("constant", lambda x: 3.0, 3.0),
        ("zero at the start", lambda x: float(np.square(x).sum() - 2 * x.sum()), -1.0),
        ("far", lambda x: float(1e6 * np.square(x - 1e3).sum()), 0.0),
        ("rounded", lambda x: float(np.round(np.square(x - 1).sum(), 3)), 0.0),
        ("single inside", lambda x: float(np.square(np.float32(x[0]) - np.float32(1.1))), 0.0),
    ],
)
def test_unusual_losses(name: str, loss_of, best: float) -> None:
    result = zoo.minimize(loss_of, np.zeros(1), max_evaluations=500, rng=0)
    assert result.fun <= best + 2e-3
    assert np.isfinite(result.x).all()


@pytest.mark.parametrize("start", [1e7, 1e9, 1e12])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_first_loss_that_is_huge_hides_no_gap(start: float, seed: int) -> None:
    """Rounding of F(x0) counted as rounding of F: runs settled with gaps of up to 4e7."""
    generator = np.random.default_rng(seed)
    A, b = generator.standard_normal((30, 8)), generator.standard_normal(30)

    def loss(x: np.ndarray) -> float:
        return float(np.square(A @ x - b).sum())

    result = zoo.minimize(loss, np.full(8, start), max_evaluations=1_000, rng=seed, progress=False)
    least = loss(np.linalg.lstsq(A, b, rcond=None)[0])
    assert result.success
    assert loss(result.x) - least < 1e-9 * least
