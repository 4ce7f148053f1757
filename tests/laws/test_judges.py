"""Optimality judged by cvxpy; operators of PyLops and PyProximal used as they are."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pylops
import pyproximal
import pytest

import zooadmm as zoo

GENERATOR = np.random.default_rng(5)
M = 12
DATA = GENERATOR.standard_normal((60, M))
TARGET = DATA @ np.repeat([1.0, 0.0, -0.5], 4) + 0.1 * GENERATOR.standard_normal(60)


def value(x: np.ndarray) -> float:
    return float(np.square(DATA @ x - TARGET).sum()) / 120


def gradient(x: np.ndarray) -> np.ndarray:
    return DATA.T @ (DATA @ x - TARGET) / 60


LOSS = zoo.Loss(value, gradient=gradient)
x = cp.Variable(M)
FIT = cp.sum_squares(DATA @ x - TARGET) / 120
DIFFERENCES = np.diff(np.eye(M), axis=0)

PROBLEMS = {
    "lasso": ({"regularizer": zoo.L1(0.1)}, FIT + 0.1 * cp.norm1(x), []),
    "simplex": ({"domain": zoo.Simplex()}, FIT, [x >= 0, cp.sum(x) == 1]),
    "box and budget, split": (
        {"domain": zoo.Box(0, 1), "regularizer": zoo.Budget(3)},
        FIT,
        [x >= 0, x <= 1, cp.sum(x) == 3],
    ),
    "total variation": (
        {"regularizer": zoo.L1(0.1), "constraint": zoo.Linear(DIFFERENCES)},
        FIT + 0.1 * cp.norm1(DIFFERENCES @ x),
        [],
    ),
    "overlapping groups": (
        {
            "regularizer": zoo.GroupL2(0.1, [range(4), range(4, 8), range(8, 12), range(12, 24)]),
            "constraint": zoo.Linear(np.vstack([np.eye(M), np.eye(M)])),
        },
        FIT + 0.1 * sum(cp.norm2(x[i : i + 4]) for i in (0, 4, 8)) + 0.1 * cp.norm2(x),
        [],
    ),
}


def start(arguments: dict[str, object]) -> np.ndarray:
    return np.full(M, 1 / M) if "domain" in arguments else np.zeros(M)


@pytest.mark.parametrize("name", PROBLEMS)
def test_o_admm_reaches_the_optimum_and_its_multipliers(name: str) -> None:
    arguments, objective, conditions = PROBLEMS[name]
    optimum = cp.Problem(cp.Minimize(objective), conditions).solve(solver=cp.CLARABEL)
    result = zoo.minimize(
        LOSS,
        start(arguments),
        settings="paper",
        gradient=zoo.paper.Exact(),
        step_size=0.3,
        penalty=1.0,
        tolerance=1e-9,
        max_iterations=100_000,
        output="last",
        **arguments,
    )
    assert result.success, result.message
    assert result.fun == pytest.approx(optimum, abs=1e-7)
    np.testing.assert_allclose(result.x_last, x.value, atol=1e-4)
    if "domain" not in arguments:  # grad f = A' lambda
        A = arguments["constraint"].A if "constraint" in arguments else np.eye(M)
        np.testing.assert_allclose(gradient(result.x_last), A.T @ result.dual, atol=1e-7)


@pytest.mark.parametrize("name", PROBLEMS)
def test_values_alone_come_close(name: str) -> None:
    arguments, objective, conditions = PROBLEMS[name]
    optimum = cp.Problem(cp.Minimize(objective), conditions).solve(solver=cp.CLARABEL)
    result = zoo.minimize(
        zoo.Loss(values=lambda points: np.square(points @ DATA.T - TARGET).sum(axis=1) / 120),
        start(arguments),
        settings="paper",
        gradient=zoo.paper.Smoothed(M, distribution=zoo.paper.Orthogonal()),
        step_size=0.3,
        smoothing=1e-4,
        penalty=1.0,
        max_evaluations=20_000,
        output="last",
        rng=1,
        **arguments,
    )
    assert result.fun == pytest.approx(optimum, abs=1e-4)


def test_pylops_operator_as_A() -> None:
    operator = pylops.FirstDerivative(M, kind="forward", dtype="float64")
    dense = operator @ np.eye(M)
    runs = [
        zoo.minimize(
            LOSS,
            np.zeros(M),
            regularizer=zoo.L1(0.1),
            constraint=zoo.Linear(A),
            settings="paper",
            gradient=zoo.paper.Exact(),
            max_iterations=100,
        )
        for A in (operator, dense)
    ]
    np.testing.assert_allclose(runs[0].x_last, runs[1].x_last, rtol=1e-10)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (pyproximal.L1(sigma=0.1), zoo.L1(0.1)),
        (pyproximal.Box(0.0, 0.5), zoo.Box(0.0, 0.5)),
        (pyproximal.L2(sigma=0.3), zoo.regularizers.SquaredL2(0.3)),
    ],
    ids=["L1", "Box, an indicator that returns a bool", "L2"],
)
def test_pyproximal_operator_as_regularizer(theirs: object, ours: object) -> None:
    runs = [
        zoo.minimize(
            LOSS,
            np.zeros(M),
            regularizer=phi,
            settings="paper",
            gradient=zoo.paper.Exact(),
            max_iterations=100,
        )
        for phi in (theirs, ours)
    ]
    np.testing.assert_allclose(runs[0].x_last, runs[1].x_last, rtol=1e-10)
    assert runs[0].fun == pytest.approx(runs[1].fun, rel=1e-10)
    np.testing.assert_allclose(
        runs[0].trace["regularizer"], runs[1].trace["regularizer"], atol=1e-12
    )
