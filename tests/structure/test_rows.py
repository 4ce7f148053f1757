"""Rows by the dual, rows with coordinates, and quadratic programs, against each other and cvxpy."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from structure.instances import definite
from zooadmm.problem.coordinates import Coordinates, Floats, coordinates
from zooadmm.structure.composite import Composite
from zooadmm.structure.factor import Hessian
from zooadmm.structure.quadratic_program import Limits, QuadraticProgram
from zooadmm.structure.rows import Rows, conjugate
from zooadmm.structure.solution import Status


def program(seed: int) -> tuple[Floats, Floats, Floats, Coordinates, Coordinates]:
    """(H, g, A, rows, box) with a common point; some H are singular, some rows repeat."""
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(3, 20)), int(rng.integers(2, 7))
    H = definite(m, 10.0 ** rng.uniform(0, 6), rng, m - 1 if seed % 3 == 0 else None)
    A = rng.normal(size=(k, m))
    if seed % 4 == 0:
        A[-1] = A[0]
    x = rng.normal(size=m)
    c = A @ x
    width = rng.exponential(size=k) * (rng.random(k) < 0.6)
    low = np.where(rng.random(k) < 0.8, c - width, -np.inf)
    rows = coordinates(k, low, np.where(rng.random(k) < 0.5, c, np.inf))
    box = coordinates(m, x - rng.exponential(size=m), x + rng.exponential(size=m))
    return H, rng.normal(size=m), A, rows, box


def twin(
    H: Floats, g: Floats, A: Floats, phi: Coordinates, psi: Coordinates
) -> tuple[float, cp.Problem]:
    """The optimal value by cvxpy."""
    u = cp.Variable(len(g))
    value = g @ u + cp.quad_form(u, cp.psd_wrap(H)) / 2
    constraints = []
    for part, at in ((phi, u), (psi, A @ u)):
        gap = at - part.kink
        value += part.above @ cp.pos(gap) - part.below @ cp.neg(gap)
        low, high = np.flatnonzero(np.isfinite(part.lower)), np.flatnonzero(np.isfinite(part.upper))
        constraints += [at[low] >= part.lower[low]] if len(low) else []
        constraints += [at[high] <= part.upper[high]] if len(high) else []
    problem = cp.Problem(cp.Minimize(value), constraints)
    problem.solve(solver="CLARABEL")
    return float(problem.value), problem


def value(H: Floats, g: Floats, A: Floats, phi: Coordinates, psi: Coordinates, u: Floats) -> float:
    y = A @ u
    assert (y >= psi.lower - 1e-9 * (1 + np.abs(y))).all()
    assert (y <= psi.upper + 1e-9 * (1 + np.abs(y))).all()
    return float(g @ u + u @ H @ u / 2) + phi.value(u) + psi.value(psi.clip(y))


@pytest.mark.parametrize("seed", [s for s in range(30) if s % 3])
def test_rows_by_the_dual(seed: int) -> None:
    H, g, A, rows, _ = program(seed)
    found = Rows(Hessian(H), A)(g, rows)
    free = coordinates(len(g))
    assert found.status is Status.SOLVED
    best = twin(H, g, A, free, rows)[0]
    assert value(H, g, A, free, rows, found.u) == pytest.approx(best, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("m", [2, 10, 60])
def test_total_variation_by_the_dual(m: int) -> None:
    rng = np.random.default_rng(m)
    H, D = definite(m, 1e4, rng), np.diff(np.eye(m), axis=0)
    g = -H @ np.repeat(rng.normal(size=m), 5)[:m] + 0.001 * rng.normal(size=m)
    phi, psi = coordinates(m), coordinates(m - 1, below=-0.01, above=0.01)
    found = Rows(Hessian(H), D)(g, psi)
    assert found.status is Status.SOLVED
    best = twin(H, g, D, phi, psi)[0]
    assert value(H, g, D, phi, psi, found.u) == pytest.approx(best, rel=1e-6, abs=1e-8)


def test_rows_that_contradict_each_other_are_infeasible() -> None:
    A = np.array([[1.0, 1.0], [1.0, 1.0]])
    apart = coordinates(2, np.array([0.0, 2.0]), np.array([1.0, 3.0]))
    assert Rows(Hessian(np.eye(2)), A)(np.ones(2), apart).status is Status.INFEASIBLE
    program = QuadraticProgram(Hessian(np.eye(2)), A)
    found = program(np.ones(2), coordinates(2), Limits(apart.lower, apart.upper))
    assert found.status is Status.INFEASIBLE


@pytest.mark.parametrize("seed", range(30))
def test_conjugate_is_the_supremum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bounded = rng.random() < 0.5
    low, high = -rng.exponential(), rng.exponential()
    psi = coordinates(1, low, high) if bounded else coordinates(1, kink=low, below=-1.0, above=high)
    star = conjugate(psi)
    assert star is not None
    grid = np.linspace(-30.0, 30.0, 60001)
    grid = np.concatenate([grid, [low, high]])
    if bounded:
        values = np.where((grid >= low) & (grid <= high), 0.0, np.inf)
    else:
        values = np.where(grid < low, -1.0, high) * (grid - low)
    some = np.concatenate([rng.choice(len(grid), size=200), [len(grid) - 2, len(grid) - 1]])
    written = [psi.value(np.array([y])) for y in grid[some]]
    np.testing.assert_allclose(written, values[some], rtol=1e-12, atol=1e-12)
    at = rng.uniform(-0.9, min(0.9, high), size=4)
    exact = np.array([(t * grid - values).max() for t in at])
    ours = np.array([star.value(np.array([t])) for t in at])
    assert np.ptp(exact - ours) <= 1e-3  # equal up to a constant


@pytest.mark.parametrize("seed", range(60))
def test_quadratic_programs_and_multipliers_agree(seed: int) -> None:
    H, g, A, rows, box = program(seed)
    first = QuadraticProgram(Hessian(H), A)(g, box, Limits(rows.lower, rows.upper))
    second = Composite(Hessian(H), A)(g, box, rows)
    assert first.status is Status.SOLVED
    assert second.status is Status.SOLVED
    a, b = (value(H, g, A, box, rows, found.u) for found in (first, second))
    assert a == pytest.approx(b, rel=1e-8, abs=1e-8)
    if seed % 6 == 0:
        assert a == pytest.approx(twin(H, g, A, box, rows)[0], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", [s for s in range(30) if s % 4 and s % 3])
def test_the_active_set_method_alone_gives_point_and_multipliers_in_any_units(seed: int) -> None:
    H, g, A, rows, box = program(seed)
    rng = np.random.default_rng(seed)
    d, scale = 10.0 ** rng.uniform(-5, 5, len(g)), 10.0 ** rng.uniform(-5, 5, len(A))
    box = coordinates(len(g), box.lower / d, box.upper / d)
    limits = Limits(rows.lower * scale, rows.upper * scale)
    solver = QuadraticProgram(Hessian(H * d * d[:, None]), A * d * scale[:, None])
    found = solver.active_set(g * d, box, limits)
    assert found.status is Status.SOLVED
    assert found.residual <= 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_kinks_bounds_and_rows_together(seed: int) -> None:
    H, g, A, rows, box = program(seed)
    phi = box._replace(below=0.0 * g - 0.3, above=0.0 * g + 0.3)
    found = Composite(Hessian(H), A)(g, phi, rows)
    assert found.status is Status.SOLVED
    best = twin(H, g, A, phi, rows)[0]
    assert value(H, g, A, phi, rows, found.u) == pytest.approx(best, rel=1e-6, abs=1e-6)


def test_the_same_bits_twice() -> None:
    for seed in range(8):
        H, g, A, rows, box = program(seed)
        limits = Limits(rows.lower, rows.upper)
        for solve in (
            lambda H=H, A=A, g=g, rows=rows: Rows(Hessian(H), A)(g, rows),
            lambda H=H, A=A, g=g, rows=rows, box=box: Composite(Hessian(H), A)(g, box, rows),
            lambda H=H, A=A, g=g, box=box, limits=limits: QuadraticProgram(Hessian(H), A)(
                g, box, limits
            ),
        ):
            assert solve().u.tobytes() == solve().u.tobytes()
