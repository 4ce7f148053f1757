"""From values alone, constant step, 100,000 evaluations: within 1e-3 of cvxpy."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
import scipy.io
import scipy.sparse

import zooadmm as zoo
from zooadmm.problem.regularizers import GraphLaplacian, NuclearNorm

BUDGET = 100_000


class Squares:
    """|D x - b|^2 / (2 n), many x at once."""

    def __init__(self, D: np.ndarray, b: np.ndarray) -> None:
        self.D, self.b = D, b
        self.step = 1 / np.linalg.eigvalsh(D.T @ D / len(b))[-1]

    def values(self, points: np.ndarray) -> np.ndarray:
        return np.square(points @ self.D.T - self.b).sum(axis=1) / (2 * len(self.b))

    def written(self, x: cp.Variable) -> cp.Expression:
        return cp.sum_squares(self.D @ x - self.b) / (2 * len(self.b))


class Logistic:
    """mean log(1 + exp(-b a'x)), many x at once."""

    def __init__(self, rows: np.ndarray, labels: np.ndarray) -> None:
        self.signed = rows * labels[:, None]
        self.step = 4 / np.linalg.eigvalsh(rows.T @ rows / len(rows))[-1]

    def values(self, points: np.ndarray) -> np.ndarray:
        return np.logaddexp(0, -points @ self.signed.T).mean(axis=1)

    def written(self, x: cp.Variable) -> cp.Expression:
        return cp.sum(cp.logistic(-self.signed @ x)) / len(self.signed)


def lasso() -> tuple:
    generator = np.random.default_rng(12)
    D = generator.standard_normal((80, 40))
    truth = np.where(np.arange(40) < 5, 2.0, 0.0)
    loss = Squares(D, D @ truth + 0.1 * generator.standard_normal(80))
    return loss, 40, {"regularizer": zoo.L1(0.1)}, lambda x: (0.1 * cp.norm1(x), [])


def simplex() -> tuple:
    generator = np.random.default_rng(12)
    D = generator.standard_normal((60, 30))
    loss = Squares(D, D @ generator.dirichlet(np.ones(30)))
    return loss, 30, {"domain": zoo.Simplex()}, lambda x: (0, [x >= 0, cp.sum(x) == 1])


def overlapping_groups() -> tuple:
    folder = Path(os.environ.get("ZOOADMM_DATA", "does/not/exist"))
    path = folder / "dataSample_overlapGroupLasso.mat"
    if not path.exists():
        pytest.skip(
            "needs dataSample_overlapGroupLasso.mat of the ZOO-ADMM authors' package in the folder "
            "named by ZOOADMM_DATA"
        )
    sample = scipy.io.loadmat(path)
    loss = Logistic(sample["an_matrix"].T, sample["cn_vec"].reshape(-1))
    grid = np.arange(100).reshape(10, 10)
    groups = [*grid, *grid.T]
    phi, constraint = zoo.overlapping_groups(100, groups, 0.025)
    return (
        loss,
        100,
        {"regularizer": phi, "constraint": constraint},
        lambda x: (0.025 * sum(cp.norm2(x[group]) for group in groups), []),
    )


def total_variation() -> tuple:
    generator = np.random.default_rng(12)
    clean = np.zeros((8, 8))
    clean[2:6, 3:7] = 1.0
    loss = Squares(np.eye(64), (clean + 0.2 * generator.standard_normal((8, 8))).ravel())
    phi, constraint = zoo.total_variation((8, 8), 0.002)

    def written(x: cp.Variable) -> tuple:
        image = cp.reshape(x, (8, 8), order="C")
        down, right = cp.diff(image, axis=0), cp.diff(image, axis=1)
        return 0.002 * (cp.sum(cp.abs(down)) + cp.sum(cp.abs(right))), []

    return loss, 64, {"regularizer": phi, "constraint": constraint}, written


def matrix_completion() -> tuple:
    generator = np.random.default_rng(12)
    truth = np.outer(generator.standard_normal(8), generator.standard_normal(7))
    seen = np.flatnonzero(generator.random(56) < 0.6)
    loss = Squares(np.eye(56)[seen], truth.ravel()[seen])

    def written(x: cp.Variable) -> tuple:
        return 0.02 * cp.normNuc(cp.reshape(x, (8, 7), order="C")), []

    return loss, 56, {"regularizer": NuclearNorm(0.02, (8, 7))}, written


def graph_recovery() -> tuple:
    generator = np.random.default_rng(12)
    places = generator.random((30, 2))
    near = np.linalg.norm(places[:, None] - places[None], axis=2) < 0.35
    adjacency = near & ~np.eye(30, dtype=bool)
    laplacian = np.diag(adjacency.sum(axis=1)) - adjacency.astype(float)
    seen = np.flatnonzero(generator.random(30) < 0.6)
    loss = Squares(np.eye(30)[seen], np.sin(3 * places[seen, 0]))
    return (
        loss,
        30,
        {"regularizer": GraphLaplacian(0.02, scipy.sparse.csr_array(laplacian))},
        lambda x: (0.01 * cp.quad_form(x, cp.psd_wrap(laplacian)), []),
    )


PROBLEMS = [lasso, simplex, overlapping_groups, total_variation, matrix_completion, graph_recovery]


@pytest.mark.parametrize("problem", PROBLEMS)
def test_within_a_thousandth_of_the_optimum(problem: Callable[[], tuple]) -> None:
    loss, m, structure, definition = problem()
    x = cp.Variable(m)
    penalty, conditions = definition(x)
    optimum = cp.Problem(cp.Minimize(loss.written(x) + penalty), conditions).solve(
        solver=cp.CLARABEL
    )
    result = zoo.minimize(
        loss,
        np.full(m, 1 / m) if "domain" in structure else np.zeros(m),
        settings="paper",
        gradient=zoo.paper.Smoothed(m, distribution=zoo.paper.Orthogonal()),
        step_size=loss.step,
        smoothing=1e-5,
        penalty=0.2 / loss.step,
        output="last",
        max_evaluations=BUDGET,
        rng=0,
        **structure,
    )
    assert result.nfev <= BUDGET
    # the objective at a feasible pair: y completed from x, and x in its domain
    assert result.residual < 1e-9
    assert result.x_violation < 1e-9
    start = loss.values(np.full((1, m), 1 / m) if "domain" in structure else np.zeros((1, m)))[0]
    assert optimum - 1e-6 <= result.fun <= optimum + 1e-3 * min(1.0, start - optimum)
