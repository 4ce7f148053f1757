"""The program of a step, beside cvxpy."""

from __future__ import annotations

import cvxpy
import numpy as np
import pytest

from zooadmm.methods.evaluated.descent import updated
from zooadmm.methods.evaluated.program import solve
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import of_coordinates


@pytest.mark.parametrize("seed", range(12))
def test_steps_solve_the_program(seed: int) -> None:
    generator = np.random.default_rng(seed)
    m, k = 5, 4
    root = generator.standard_normal((m, m))
    H, J = root @ root.T + 0.1 * np.eye(m), generator.standard_normal((1 + k, m))
    limits, x = generator.standard_normal(k) + 0.5 * (seed % 3), generator.standard_normal(m)
    weights, box = np.exp(generator.standard_normal(k)), np.full(m, 0.7)
    form = of_coordinates(coordinates(m, below=-0.2, above=0.2))
    found = solve(form, x, H, J, limits, box, weights)
    assert found is not None
    d, slack = cvxpy.Variable(m), cvxpy.Variable(k, nonneg=True)
    rows = [J[1:] @ d <= limits + slack, cvxpy.abs(d) <= box]
    cost = J[0] @ d + 0.5 * cvxpy.quad_form(d, H) + 0.2 * cvxpy.norm1(x + d)
    hard = cvxpy.Problem(cvxpy.Minimize(cost), [*rows, slack == 0.0])
    hard.solve(solver=cvxpy.CLARABEL)
    assert found.elastic == (hard.status == "infeasible")
    if found.elastic:
        cvxpy.Problem(cvxpy.Minimize(cost + weights @ slack), rows).solve(solver=cvxpy.CLARABEL)
    assert d.value is not None
    assert np.abs(found.d - d.value).max() <= (1e-2 if found.elastic else 1e-5)


@pytest.mark.parametrize("seed", [104, 161, 164])
def test_rounding_leaves_no_curvature_below_zero(seed: int) -> None:
    generator, H = np.random.default_rng(seed), np.eye(3)
    for _ in range(40):
        s = generator.standard_normal(3) * 10.0 ** generator.uniform(-8, 8, 3)
        H = updated(H, s, s * 10.0 ** generator.uniform(-12, 12, 3))
        assert np.diagonal(H).min() > 0.0


def test_damping_keeps_h_positive() -> None:
    generator = np.random.default_rng(0)
    H = np.eye(4)
    for _ in range(10):
        s, y = generator.standard_normal((2, 4))
        H = updated(H, s, y)
        assert np.linalg.eigvalsh(H)[0] > 0.0
    s = generator.standard_normal(4)
    assert np.allclose(updated(H, s, 3.0 * H @ s) @ s, 3.0 * H @ s)
