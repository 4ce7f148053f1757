"""The points that a problem allows: found to 1e-9, or a sentence says that there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, minimize

import zooadmm as zoo
from zooadmm.problem.coordinates import Floats
from zooadmm.problem.linear_constraints import Rows
from zooadmm.structure.polyhedron import Polyhedron
from zooadmm.structure.solution import Status

PROMISED = 1e-9


def system(seed: int, contradiction: float) -> tuple[Any, ...]:
    """Bounds and rows around a point, one of them large, and a pair that misses by so much."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 10))
    k = int(rng.integers(1, m + 2))
    x = rng.standard_normal(m)
    A = rng.standard_normal((k, m)) * 10.0 ** rng.integers(-2, 3, (k, 1))
    y = A @ x
    equations = rng.random(k) < 0.4
    low = np.where(equations, y, y - rng.exponential(size=k))
    high = np.where(equations, y, np.inf)
    size = 10.0 ** rng.integers(0, 9)
    e = rng.standard_normal(m) / np.sqrt(m)
    at = float(e @ x)
    A = np.vstack([A, size * np.eye(m)[0], e, e])
    low = np.append(low, [size * x[0] - size, at + contradiction * max(1.0, abs(at)), -np.inf])
    high = np.append(high, [np.inf, np.inf, at])
    reach = rng.choice([10.0, 1e4, 2e6])
    return np.full(m, -reach), np.full(m, reach), A, low, high, x + rng.standard_normal(m)


@pytest.mark.parametrize("seed", range(60))
def test_a_contradiction_is_not_hidden_by_a_large_bound(seed: int) -> None:
    missed = 10.0 ** np.random.default_rng(seed).uniform(-8, 0)
    *parts, v = system(seed, missed)
    found = Polyhedron(*parts).project(v)
    assert found.status in (Status.INFEASIBLE, Status.INEXACT)
    assert "no point " in found.message
    *parts, v = system(seed, 0.0)
    found = Polyhedron(*parts).project(v)
    assert found.status is Status.SOLVED
    rows = Rows(*parts[2:])
    missed_row = rows.missed(found.x)
    assert missed_row is None or missed_row.by_rounding


@pytest.mark.parametrize("missed", [1e-7, 1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("size", [1.0, 1e4, 1e6, 1e8])
def test_a_contradiction_beside_a_large_bound_is_refused_at_the_start(
    missed: float, size: float
) -> None:
    A = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 0]])
    between = [size, missed, -np.inf], [np.inf, np.inf, 0.0]
    equations = np.array([size, 0.0, missed])
    calls: list[Floats] = []

    def loss(x: Floats) -> float:
        calls.append(x)
        return float(np.square(x - 1.0).sum())

    for domain in (zoo.Box(-2 * size, 2 * size), None):
        for rows in (zoo.Inequality(A, *between), zoo.Equality(A, equations)):
            with pytest.raises(ValueError, match=r"allow no point|no solution"):
                zoo.minimize(loss, np.zeros(3), domain=domain, constraint=rows, rng=0)
    with pytest.raises(ValueError, match="allow no point"):
        minimize(
            loss,
            np.zeros(3),
            method=zoo.scipy_method,
            bounds=Bounds(-2 * size, 2 * size),
            constraints=LinearConstraint(A, equations, equations),
        )
    assert calls == []


@pytest.mark.parametrize("size", [1.0, 1e4, 1e8])
def test_a_large_entry_of_b_hides_no_contradiction_of_an_affine_set(size: float) -> None:
    M = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 0]])
    zoo.sets.AffineSet(M, np.array([size, 1e-5, 1e-5]))
    with pytest.raises(ValueError, match="no solution"):
        zoo.sets.AffineSet(M, np.array([size, 0.0, 1e-5]))
    generator = np.random.default_rng(0)
    for _ in range(20):  # b agrees up to its rounding
        A, x = generator.standard_normal((3, 6)), generator.standard_normal(6)
        x[0] *= size
        C = np.vstack([A, A[0] - A[1], A[0] + 3 * A[2]])
        zoo.sets.AffineSet(C, C @ x)


def ball_and_rows(seed: int, depth: float) -> tuple[float, Any, Floats]:
    """A ball, equations and inequalities whose least norm is the radius less a depth, and x0."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 9))
    k = int(rng.integers(1, m))
    A = rng.standard_normal((k, m))
    radius = 10.0 ** rng.integers(-1, 3)
    nearest = A.T @ rng.exponential(size=k)
    nearest *= radius * (1.0 - depth) / np.linalg.norm(nearest)
    rows: Any = zoo.Equality(A, A @ nearest)
    if seed % 2:
        rows = zoo.Inequality(A, lower=A @ nearest)  # multipliers of one sign: the same least norm
    x0 = rng.standard_normal(m)
    return radius, rows, 0.3 * radius * x0 / np.linalg.norm(x0)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("depth", [0.5, 1e-4, 1e-8, 0.0])
def test_a_ball_with_rows_is_left_nowhere(depth: float, seed: int) -> None:
    """Through the middle of the ball, through its rim, and touching it."""
    radius, rows, x0 = ball_and_rows(seed, depth)
    first: list[Floats] = []

    def loss(x: Floats) -> float:
        if not first:
            first.append(x.copy())
        return float(np.square(x - 3.0).sum())

    result = zoo.minimize(
        loss,
        x0,
        domain=zoo.sets.L2Ball(radius),
        constraint=rows,
        max_evaluations=40,
        settings="auto" if seed % 3 else "paper",
        rng=0,
    )
    for x in (result.x, first[0]) if seed % 3 else (result.x,):
        assert np.linalg.norm(x) <= radius * (1 + 1e-9)
        assert rows.rows.violation(x) <= PROMISED


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("apart", [1e-7, 1e-5, 1e-2, 1.0])
def test_rows_beyond_a_ball_are_refused(apart: float, seed: int) -> None:
    radius, rows, x0 = ball_and_rows(seed, -apart)
    for domain, phi in ((zoo.sets.L2Ball(radius), None), (None, zoo.sets.L2Ball(radius))):
        if phi is not None and seed % 2:
            continue  # inequalities with phi make no set of ours
        with pytest.raises(ValueError, match=r"the sets stay \S+ apart"):
            zoo.minimize(
                lambda x: pytest.fail("evaluated"),
                x0,
                domain=domain,
                regularizer=phi,
                constraint=rows,
                max_evaluations=400,
            )


class Disc(zoo.sets.ConvexSet):
    """A ball around a center, which has neither a form nor a closed form here."""

    def __init__(self, center: Floats) -> None:
        self.center = center

    def project(self, v: Floats) -> Floats:
        return self.center + zoo.sets.L2Ball(1.0).project(v - self.center)


@pytest.mark.parametrize("depth", [0.5, 1e-3, -1e-3])
def test_a_set_of_ones_own_with_rows(depth: float) -> None:
    """Dykstra's iteration alone ends 4e-3 outside where the two nearly touch."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(2, 5))
        row, center = rng.standard_normal(m), rng.standard_normal(m)
        row /= np.linalg.norm(row)
        rows = zoo.Equality(row, row @ center + 1.0 - depth)
        given: dict[str, Any] = {"domain": Disc(center), "constraint": rows, "settings": "paper"}

        def loss(x: Floats) -> float:
            return float(np.square(x - 3.0).sum())

        if depth < 0.0:
            with pytest.raises(ValueError, match=r"apart|no point"):
                zoo.minimize(loss, center, max_evaluations=60, rng=0, **given)
            continue
        result = zoo.minimize(loss, center, max_evaluations=60, rng=0, **given)
        assert result.x_violation <= PROMISED
        assert rows.rows.violation(result.x) <= PROMISED


class Restless(zoo.sets.ConvexSet):
    """A projection that moves points beyond 1/2 by 1e-6 more each time: no answer stays in it."""

    def project(self, v: Floats) -> Floats:
        return np.where(v > 0.5, np.minimum(v, 1.0) - 1e-6, np.maximum(v, 0.0))


def test_an_answer_outside_is_no_success_and_says_by_how_much() -> None:
    rows = Rows(np.eye(2), np.array([1e6, 0.0]), np.array([np.inf, 0.0]))
    assert rows.missed(np.array([1e6, 1e-10])) is None
    assert str(rows.missed(np.array([1e6, 1e-3]))) == "row 1 is missed by 0.001"
    result = zoo.minimize(
        lambda x: float(np.square(x - 3.0).sum()), np.zeros(2), domain=Restless(), rng=0,
        max_evaluations=300,
    )  # fmt: skip
    assert result.x_violation > 1e-9
    assert not result.success
    assert f"{result.x_violation:.3g} outside its set" in result.message


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_evaluated_beyond_bounds_from_a_start_outside_by_rounding(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 6))
    upper = 10.0 ** rng.integers(-3, 7, m) * rng.uniform(1, 2, m)
    box = (zoo.Box(0.0, upper), zoo.Simplex(), zoo.sets.L2Ball(1.0))[seed % 3]
    x0 = box.project(2.0 * upper)
    x0 = x0 + 5e-10 * x0 if seed % 3 != 1 else x0 - 1e-10 * (x0 == 0.0)
    points: list[Floats] = []

    def loss(x: Floats) -> float:
        points.append(x.copy())
        return float(np.square(x / upper - 2.0).sum())

    settings: Any = "paper" if seed % 6 == 0 else "auto"
    result = zoo.minimize(loss, x0, domain=box, settings=settings, max_evaluations=100, rng=0)
    for x in (*points, result.x):
        if seed % 3 != 2:
            assert (x >= 0.0).all()
        if seed % 3 != 1:
            assert box.distance(x) <= (0.0 if seed % 3 == 0 else 1e-12)


def test_a_large_entry_excuses_no_other() -> None:
    with pytest.raises(ValueError, match="x0 lies outside the domain"):
        zoo.minimize(
            lambda x: float(x @ x), np.array([1.0009, 1e6]), domain=zoo.Box([0, 0], [1, 1e7])
        )


@pytest.mark.parametrize("seed", range(24))
def test_float32_crosses_no_bound(seed: int) -> None:
    """Bounds that float32 rounds outwards, wherever they stand."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 6))
    lower, upper = -rng.uniform(0.1, 1.0, m), rng.uniform(0.1, 1.0, m)
    box = zoo.Box(lower, upper)
    settings: Any = "paper" if seed % 8 == 0 else "auto"
    given: dict[str, Any] = (
        {"domain": box},
        {"regularizer": zoo.regularizers.Within(zoo.L1(0.1), box), "domain": box},
        {"constraint": [Bounds(lower, upper), zoo.Inequality(np.ones(m), upper=0.05)]},
        {"domain": zoo.BoxBudget(lower, upper, 0.05)},
    )[seed % 4]
    signs = rng.choice([-1.0, 1.0], m)
    points: list[Floats] = []

    def loss(x: Floats) -> float:
        assert x.dtype == np.float32
        points.append(x.astype(float))
        return float(np.square(points[-1] - 2.0 * signs).sum())

    x0 = np.zeros(m, dtype=np.float32)
    if seed % 4 == 3:
        x0 = given["domain"].project(x0)
    result = zoo.minimize(loss, x0, settings=settings, max_evaluations=120, rng=0, **given)
    for x in (*points, result.x.astype(float)):
        assert (x >= lower).all()
        assert (x <= upper).all()


def test_float32_says_that_rows_are_rounded() -> None:
    row = zoo.Equality([1.0, 2.0, 3.0], 1.0)
    x0 = np.zeros(3, dtype=np.float32)
    result = zoo.minimize(
        lambda x: float(np.square(x.astype(float) - 3.0).sum()), x0, constraint=row, rng=0,
        max_evaluations=400,
    )  # fmt: skip
    assert row.rows.violation(result.x) > PROMISED
    assert "row 0 is missed by" in result.message
    assert "rounding in float32" in result.message


def test_float32_without_a_number_between_bounds_is_refused() -> None:
    box = zoo.Box(0.1, np.nextafter(0.1, 1.0))
    with pytest.raises(ValueError, match="no number of type float32 lies between"):
        zoo.minimize(lambda x: 0.0, np.full(2, 0.1, dtype=np.float32), domain=box)
