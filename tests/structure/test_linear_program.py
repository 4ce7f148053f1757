"""Linear programs: by duality, and as the models of linear losses at vertices of many rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import zooadmm as zoo
from zooadmm.problem.coordinates import coordinates
from zooadmm.structure.linear_program import linear_program
from zooadmm.structure.solution import Status


def degenerate(seed):
    """Rows of sizes 1e-2 to 1e3, of which more meet at the vertices than there are variables."""
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(4, 16)), int(rng.integers(2, 8))
    inside = rng.random(m) * (rng.random(m) < 0.5)
    A = np.round(rng.normal(size=(2 * k, m)), 1) * 10.0 ** rng.integers(-2, 4, (2 * k, 1))
    A[k:] *= rng.random((k, m)) < 0.5
    A[k:, 0] = 1.0
    b = A @ inside
    return rng.normal(size=m), A, np.r_[b[:k] - 0.0, np.full(k, -np.inf)], np.r_[b[:k], b[k:]]


@pytest.mark.parametrize("seed", range(30))
def test_slopes_vanish_but_for_bounds_and_rows_at_work(seed):
    g, A, low, high = degenerate(seed)
    box, rows = coordinates(len(g), 0.0, 1.0), coordinates(len(A), low, high)
    found = linear_program(g, box, A, rows)
    assert found.status is Status.SOLVED
    assert (found.u >= 0.0).all()
    assert (found.u <= 1.0).all()
    y, size = A @ found.u, np.abs(A).sum(axis=1)
    assert (np.maximum(low - y, y - high) <= 1e-9 * size).all()
    slope = g + A.T @ found.dual
    tight = 1e-7 * np.abs(A.T @ np.diag(found.dual)).sum(axis=1) + 1e-9
    assert (slope[found.u < 1.0] >= -tight[found.u < 1.0]).all()
    assert (slope[found.u > 0.0] <= tight[found.u > 0.0]).all()
    free = (y < high - 1e-7 * size) & (y > low + 1e-7 * size)
    np.testing.assert_allclose(found.dual[free], 0.0, atol=1e-9)
    assert (found.dual[y < high - 1e-7 * size] <= 1e-9).all()


@pytest.mark.parametrize("seed", range(30))
def test_linear_losses_are_solved_at_degenerate_vertices(seed):
    g, A, low, high = degenerate(seed)
    m, start = len(g), np.full(len(g), 0.5)
    least = scipy.optimize.milp(
        g,
        constraints=scipy.optimize.LinearConstraint(A, low, high),
        bounds=scipy.optimize.Bounds(0.0, 1.0),
    ).fun
    result = zoo.minimize(
        lambda x: float(g @ x),
        start,
        domain=zoo.Box(0.0, 1.0),
        constraint=zoo.Inequality(A, low, high),
        max_evaluations=300 * (m + 1),
        rng=seed,
    )
    assert result.fun == pytest.approx(least, abs=1e-6)
    assert result.nfev < 20 * (m + 1)


@pytest.mark.parametrize("slope", [1e4, 1e6, 1e9])
def test_a_steep_variable_leaves_the_curvature_of_others(slope):
    """One linear program of all variables would send the others to a vertex."""
    result = zoo.minimize(
        lambda x: slope * float(x[0]) + float((x[1] - 0.3) ** 2 + (x[2] - 0.4) ** 2),
        np.array([0.5, 0.9, 0.1]),
        domain=zoo.Box(0.0, [1e4, 1.0, 1.0]),
        constraint=zoo.Inequality([[0.0, 1.0, 1.0]], upper=1.5),
        max_evaluations=900,
        rng=0,
    )
    assert result.x[0] == 0.0
    np.testing.assert_allclose(result.x[1:], [0.3, 0.4], atol=1e-2)


@pytest.mark.parametrize("seed", range(40))
def test_linear_losses_of_some_of_the_variables_are_solved(seed):
    """Costs of 1e-2 to 1e2, or none; some variables without an upper bound; rows of any unit."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(4, 25))
    k = int(rng.integers(1, m))
    A = rng.normal(size=(k, m)) * (rng.random((k, m)) < rng.choice([0.2, 0.6, 1.0]))
    A[~A.any(axis=1), 0] = 1.0
    A *= 10.0 ** rng.uniform(-2, 2, (k, 1))
    b, equal = A @ rng.random(m), rng.random(k) < 0.5
    low, high = np.where(equal, b, -np.inf), np.where(equal, b, b + rng.random(k))
    cost = rng.normal(size=m) * 10.0 ** rng.uniform(-2, 2, m)
    cost *= rng.random(m) < rng.choice([0.3, 0.7, 1.0])
    upper = np.where(rng.random(m) < rng.choice([0.8, 1.0]), 1.0, np.inf)
    least = scipy.optimize.milp(
        cost,
        constraints=scipy.optimize.LinearConstraint(A, low, high),
        bounds=scipy.optimize.Bounds(0.0, upper),
    )
    if least.status != 0:
        pytest.skip("unbounded")
    result = zoo.minimize(
        lambda x: float(cost @ x) + 3.0,
        rng.random(m),
        domain=zoo.Box(0.0, upper),
        constraint=zoo.Inequality(A, low, high),
        max_evaluations=60 * (m + 1),
        rng=seed,
    )
    size = max(1.0, float(np.abs(cost).max()))
    assert result.fun == pytest.approx(least.fun + 3.0, abs=1e-6 * size)


@pytest.mark.parametrize("seed", range(12))
def test_a_linear_loss_on_a_simplex_beside_l1_is_solved(seed):
    """The kink of L1 lies at the bound: the regularizer is linear on the simplex."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 13))
    cost, simplex = 10.0 ** rng.uniform(-3, 3, m), zoo.Simplex(1.0)
    result = zoo.minimize(
        lambda x: float(cost @ x),
        simplex.project(0.5 * rng.normal(size=m)),
        domain=simplex,
        regularizer=zoo.L1(0.1),
        max_evaluations=200,
        rng=seed,
    )
    assert result.fun == pytest.approx(cost.min() + 0.1, abs=1e-6 * cost.max())
