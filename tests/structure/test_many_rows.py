"""Few variables and rows by the thousand: the step is exact, with the rows that matter alone."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

import zooadmm as zoo
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form
from zooadmm.structure.exact import ExactStep
from zooadmm.structure.solution import Status

SIZES = [(2, 1_000), (3, 10_000), (5, 2_000), (10, 5_000)]


def polytope(m: int, rows: int, seed: int) -> tuple[Matrix, Vector]:
    """Rows around 0 in units that differ by a million, half of them parallel to others."""
    random = np.random.default_rng([seed, m, rows])
    R = random.standard_normal((rows, m))
    R[rows // 2 :] = R[: rows - rows // 2]
    limits = np.linalg.norm(R, axis=1) * random.uniform(1.0, 1.2, rows)
    units = 10.0 ** random.uniform(-3.0, 3.0, rows)
    return R * units[:, None], limits * units


def step(R: Matrix, limits: Vector, bounded: bool) -> ExactStep:
    """S for R x <= limits, within [-0.9, 2] where bounded."""
    m = R.shape[1]
    box = coordinates(m, -0.9, 2.0) if bounded else coordinates(m)
    return ExactStep(Form(box, scipy.sparse.csr_array(R), coordinates(len(R), -np.inf, limits)))


def least_of(g: Vector, R: Matrix, limits: Vector) -> float:
    """min <g, x> over R x <= limits, by HiGHS with all rows."""
    exactly = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = scipy.optimize.linprog(g, A_ub=R, b_ub=limits, bounds=(None, None), options=exactly)
    return float(found.fun)


@pytest.mark.parametrize(("m", "rows"), SIZES)
@pytest.mark.parametrize("bounded", [False, True])
def test_a_quadratic_step_satisfies_the_conditions_of_a_minimizer(
    m: int, rows: int, bounded: bool
) -> None:
    for seed in range(3):
        R, limits = polytope(m, rows, seed)
        random = np.random.default_rng(seed)
        root = random.standard_normal((m, m)) * 10.0 ** random.uniform(-1.0, 1.0, m)
        H, g = root @ root.T + 0.01 * np.eye(m), 100.0 * random.standard_normal(m)
        x, found = step(R, limits, bounded)(H, np.zeros(m), g, np.zeros(m))
        missed = (R @ x - limits) / limits
        assert found.status is Status.SOLVED
        assert missed.max() <= 1e-10
        assert found.dual.min() >= -1e-9 * found.dual.max()
        assert np.abs(found.dual * missed * limits).max() <= 1e-8 * np.abs(g).max()
        slope = g + H @ x + R.T @ found.dual
        free = (x > -0.9) & (x < 2.0) if bounded else np.ones(m, dtype=bool)
        assert np.abs(slope[free]).max(initial=0.0) <= 1e-8 * np.abs(g).max()


@pytest.mark.parametrize(("m", "rows"), SIZES)
def test_a_step_whose_curvature_is_nothing_ends_at_the_vertex_of_the_linear_program(
    m: int, rows: int
) -> None:
    for seed in range(3):
        R, limits = polytope(m, rows, seed)
        g = np.random.default_rng(seed).standard_normal(m)
        x, found = step(R, limits, False)(1e-22 * np.eye(m), np.zeros(m), g, np.zeros(m))
        assert found.status is Status.SOLVED
        assert ((R @ x - limits) / limits).max() <= 1e-9
        assert g @ x == pytest.approx(least_of(g, R, limits), rel=1e-8)


def test_a_step_takes_a_small_part_of_what_all_rows_at_once_take() -> None:
    """Of ten variables and 5,000 rows, whose dual alone is a matrix of 200 MB."""
    R, limits = polytope(10, 5_000, 0)
    S, g = step(R, limits, False), 100.0 * np.ones(10)
    began = time.process_time()
    S(np.eye(10), np.zeros(10), g, np.zeros(10))
    assert time.process_time() - began < 0.2


@pytest.mark.parametrize("seed", range(4))
def test_a_linear_loss_with_rows_by_the_thousand_is_solved(seed: int) -> None:
    """The best approximation by a polynomial in the largest error, at 1,000 points."""
    random = np.random.default_rng(seed)
    t = np.sort(random.uniform(0.0, 1.0, 1_000))
    V, target = np.vander(t, 3), np.exp(random.standard_normal() * t)
    ones = np.ones((len(t), 1))
    A, b = np.vstack([np.hstack([V, -ones]), np.hstack([-V, -ones])]), np.append(target, -target)
    least = least_of(np.eye(4)[3], A, b)
    found = zoo.minimize(
        lambda x: float(x[3]),
        np.array([0.0, 0.0, 0.0, 10.0]),
        constraint=zoo.Inequality(A, -np.inf, b),
        max_evaluations=500,
        rng=seed,
    )
    assert (A @ found.x - b).max() <= 1e-9
    assert found.x[3] <= least + 1e-8
