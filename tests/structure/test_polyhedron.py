"""The projection on a polyhedron against an interior-point method."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

from structure.instances import polyhedron
from zooadmm.problem.coordinates import Floats
from zooadmm.structure.polyhedron import Polyhedron
from zooadmm.structure.semismooth import nearest
from zooadmm.structure.solution import Status


def missed(body: Polyhedron, x: Floats) -> float:
    """Largest violation of a row, relative to max(1, |b|)."""
    y = body.A @ x
    sides = [np.where(np.isfinite(b), np.abs(b), 0.0) for b in (body.row_lower, body.row_upper)]
    gap = np.maximum(np.maximum(body.row_lower - y, y - body.row_upper), 0.0)
    return float((gap / np.maximum(1.0, np.maximum(*sides))).max(initial=0.0))


@pytest.mark.parametrize("seed", range(50))
def test_projection_is_exact(seed: int) -> None:
    *parts, v = polyhedron(seed)
    body = Polyhedron(*parts)
    found = body.project(v)
    assert found.status is Status.SOLVED
    assert (body.lower <= found.x).all()
    assert (found.x <= body.upper).all()
    assert missed(body, found.x) <= 1e-11
    again = body.project(v)
    assert again.x.tobytes() == found.x.tobytes()


@pytest.mark.parametrize("seed", [s for s in range(30) if s % 3])
def test_projection_is_the_nearest_point(seed: int) -> None:
    lower, upper, A, row_lower, row_upper, v = polyhedron(seed)
    found = Polyhedron(lower, upper, A, row_lower, row_upper).project(v)
    x = cp.Variable(len(v))
    constraints = []
    for at, low, high in ((x, lower, upper), (A @ x, row_lower, row_upper)):
        below, above = np.flatnonzero(np.isfinite(low)), np.flatnonzero(np.isfinite(high))
        constraints += [at[below] >= low[below]] if len(below) else []
        constraints += [at[above] <= high[above]] if len(above) else []
    cp.Problem(cp.Minimize(cp.sum_squares(x - v)), constraints).solve(solver="CLARABEL")
    assert np.linalg.norm(found.x - x.value) <= 1e-5 * (1 + np.linalg.norm(v))


def test_a_point_inside_keeps_its_bits() -> None:
    body = Polyhedron(np.zeros(3), np.ones(3), np.ones((1, 3)), np.zeros(1), np.array([3.0]))
    v = np.array([0.1, 0.2, 0.3])
    assert body.project(v).x.tobytes() == v.tobytes()


def test_contradictory_rows_are_named() -> None:
    A = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [2.0, 2.0, 0.0]])
    row_lower = np.array([-5.0, 1.0, -9.0, -np.inf])
    row_upper = np.array([5.0, np.inf, 9.0, -2.0])
    found = Polyhedron(np.full(3, -9.0), np.full(3, 9.0), A, row_lower, row_upper).project(
        np.ones(3)
    )
    assert found.status is Status.INFEASIBLE
    assert "rows 1, 3 " in found.message


@pytest.mark.parametrize(
    ("lower", "row", "low", "high", "word"),
    [
        (2.0, [1.0], -1.0, 1.0, "row 0 within the bounds"),
        (0.0, [0.0], 1.0, 2.0, "no entries"),
        (0.0, [1.0], 2.0, 1.0, "its lower bound"),
        (9.0, [1.0], 0.0, 1.0, "lower is above upper"),
    ],
)
def test_plain_contradictions(
    lower: float, row: list[float], low: float, high: float, word: str
) -> None:
    rows = np.array([row]), np.array([low]), np.array([high])
    found = Polyhedron(np.array([lower]), np.array([3.0]), *rows).project(np.zeros(1))
    assert found.status is Status.INFEASIBLE
    assert word in found.message


@pytest.mark.parametrize("seed", range(3))
def test_sparse_newton_finds_the_same_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, k = 300, 120
    A = sp.random_array((k, m), density=0.02, rng=rng, format="csr")
    x = rng.normal(size=m)
    low, high = A @ x - rng.exponential(size=k), A @ x + rng.exponential(size=k)
    lower, upper = x - rng.exponential(size=m), x + rng.exponential(size=m)
    v = x + 2 * rng.normal(size=m)
    exact = Polyhedron(lower, upper, A, low, high).project(v)
    found = nearest(v, lower, upper, A, low, high)
    assert np.abs(found - exact.x).max() <= 1e-7


def test_large_terms_leave_a_row_satisfied_to_its_bound() -> None:
    """Terms of 1e6 and a bound of 0: the gap counts beside 1, not beside the terms."""
    for seed in range(5):
        generator = np.random.default_rng(seed)
        A = generator.standard_normal((6, 20))
        inside = 1e6 * generator.random(20)
        b = np.zeros(6)
        A[:, 0] -= A @ inside / inside[0]
        body = Polyhedron(np.zeros(20), np.full(20, np.inf), A, b, b)
        x = body.project(inside + generator.standard_normal(20)).x
        assert np.abs(A @ x).max() <= 4.0 * np.spacing(np.abs(A) @ np.abs(x)).max()


def test_rows_without_a_common_point_are_named_whatever_a_solver_returns() -> None:
    generator = np.random.default_rng(0)
    lower = np.where(np.arange(30) % 3 == 1, 3.0, -1.0)
    upper = np.where(np.arange(30) % 3 == 0, 0.0, np.inf)
    A = np.vstack([generator.random((10, 30)), np.eye(30)[:20]])
    b = np.full(30, -50.0)
    found = Polyhedron(lower, upper, A, b, b).project(np.zeros(30))
    assert found.status is Status.INFEASIBLE
    assert "no point satisfies" in found.message


@pytest.mark.parametrize("seed", [2, 3, 15, 20, 29, 32, 44])
def test_the_face_is_found_from_a_rough_point(seed: int) -> None:
    """A solver that stops early leaves constraints to find: one round finds a part of them."""
    *parts, v = polyhedron(seed)
    body = Polyhedron(*parts)
    rough = np.clip(v, body.lower, body.upper)
    assert missed(body, rough) > 1e-3
    assert missed(body, body._polished(v, rough)) <= 1e-10


def test_nearly_parallel_rows_with_large_terms_hold_to_their_bound() -> None:
    """Terms of 1e4 and bounds of 0: 1e-13 of the terms is 1e-9, and steps must repeat below it."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        A = rng.standard_normal((6, 20))
        for i in (1, 3, 5):
            A[i] = A[i - 1] + 1e-7 * A[i]
        inside = 1e4 * rng.random(20)
        b = A @ inside
        sizes = np.maximum(1.0, np.abs(b))
        rows = np.hstack([A, -np.diag(sizes)])
        body = Polyhedron(np.full(26, -2e4), np.full(26, np.inf), rows, np.zeros(6), np.zeros(6))
        v = np.append(inside, b / sizes) + 1e4 * rng.standard_normal(26)
        assert missed(body, body.project(v).x) <= 1e-10


def tight(seed: int) -> tuple[Polyhedron, Floats]:
    """Large numbers, narrow bounds and two nearly parallel rows, and a point to project."""
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(5, 40)), int(rng.integers(3, 30))
    A = rng.standard_normal((k, m))
    A[-1] = A[0] + 10.0 ** rng.uniform(-9, -3) * A[-1]
    size = 10.0 ** rng.uniform(0, 7)
    x, kind = size * rng.standard_normal(m), rng.random(k)
    low = A @ x - np.where(kind < 0.5, 0.0, 1e-3 * size * rng.random(k))
    above = np.where((kind < 0.3) | (kind > 0.7), 0.0, 1e-7 * size * rng.random(k))
    lower = x - 10.0 ** rng.uniform(-8, 0) * size * rng.random(m)
    upper = x + 10.0 ** rng.uniform(-8, 0) * size * rng.random(m)
    v = x + size * 10.0 ** rng.uniform(-6, 2) * rng.standard_normal(m)
    return Polyhedron(lower, upper, A, low, A @ x + above), v


@pytest.mark.parametrize("seed", [19, 351, 371, 509])
def test_projection_where_the_first_solver_or_the_first_active_set_is_wrong(seed: int) -> None:
    """With the first solver alone rows are missed by 4e-3 to 0.2, with one round by 1e-10."""
    body, v = tight(seed)
    found = body.project(v)
    assert found.status is Status.SOLVED
    assert missed(body, found.x) <= 1e-12
