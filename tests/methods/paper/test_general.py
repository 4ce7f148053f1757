"""The general x-step (6) and y-step (3), against twins with explicit matrices and against cvxpy."""

from __future__ import annotations

from collections.abc import Callable

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.linalg import aslinearoperator

import zooadmm as zoo
from twins.problems import make_problem
from zooadmm.problem.regularizers import GraphLaplacian, as_regularizer
from zooadmm.structure.y_steps import IterativeStep, ProximalStep, QuadraticStep, y_step_for

M = 7
GENERATOR = np.random.default_rng(3)
DATA = GENERATOR.standard_normal((20, M))
TARGET = GENERATOR.standard_normal(20)
A = GENERATOR.standard_normal((6, M))
B = GENERATOR.standard_normal((6, 6)) + 2 * np.eye(6)
TALL = GENERATOR.standard_normal((6, 4))
C = GENERATOR.standard_normal(6)
PATH = np.diag([1.0, 2, 2, 1]) - np.diag(np.ones(3), 1) - np.diag(np.ones(3), -1)


def gradient(x: np.ndarray) -> np.ndarray:
    return DATA.T @ (DATA @ x - TARGET) / 20


def optimizer(**arguments: object) -> zoo.Optimizer:
    return zoo.Optimizer(
        np.full(M, 0.1),
        settings="paper",
        gradient=zoo.paper.Exact(),
        penalty=2.0,
        max_iterations=60,
        **arguments,
    )


def finish(run: zoo.Optimizer) -> list[zoo.methods.method.State]:
    states = [run.state]
    while (query := run.ask()) is not None:
        run.tell(query.id, gradient(run.state.x))
        states.append(run.state)
    return states


def argmin(quadratic: np.ndarray, linear: np.ndarray) -> np.ndarray:
    """Of u'Qu/2 - <b, u>."""
    return np.linalg.solve(quadratic, linear)


def twin(
    G: object, B_: np.ndarray, hessian: np.ndarray, x: np.ndarray, y: np.ndarray, steps: int
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(6), (3) and (4) by their normal equations, for phi(y) = y'Hy/2 and X = R^m."""
    rho, dual, history = 2.0, np.zeros(len(C)), []
    for t in range(1, steps + 2):
        history.append((x, y, dual))
        eta = 1 / np.sqrt(M * t)
        metric = G(eta) if callable(G) else G
        x = argmin(
            rho * A.T @ A + metric / eta,
            -gradient(x) + A.T @ dual - rho * A.T @ (B_ @ y - C) + metric @ x / eta,
        )
        y = argmin(hessian + rho * B_.T @ B_, B_.T @ dual - rho * B_.T @ (A @ x - C))
        dual = dual - rho * (A @ x + B_ @ y - C)
    return history


DENSE_G = np.diag(np.linspace(1, 3, M)) + 0.2
DIAGONAL = np.linspace(1, 4, M)
LAMBDA = float(np.linalg.eigvalsh(A.T @ A)[-1])

METRICS = {
    "linearized": (None, lambda eta: (2 * eta * LAMBDA + 1) * np.eye(M) - 2 * eta * A.T @ A),
    "linearized diagonal": (
        zoo.paper.LinearizedDiagonal(DIAGONAL),
        lambda eta: np.diag(DIAGONAL + 2 * eta * LAMBDA) - 2 * eta * A.T @ A,
    ),
    "identity": (zoo.paper.Fixed(), np.eye(M)),
    "a number": (zoo.paper.Fixed(2.5), 2.5 * np.eye(M)),
    "diagonal": (zoo.paper.Fixed(DIAGONAL), np.diag(DIAGONAL)),
    "dense": (zoo.paper.Fixed(DENSE_G), DENSE_G),
}


@pytest.mark.parametrize("shape", ["invertible B", "tall B"])
@pytest.mark.parametrize("name", METRICS)
def test_iterates_equal_the_twin(name: str, shape: str) -> None:
    metric, G = METRICS[name]
    B_ = B if shape == "invertible B" else TALL
    with pytest.warns(RuntimeWarning, match="neither A nor B") if B_ is TALL else no_warning():
        run = optimizer(
            regularizer=zoo.regularizers.SquaredL2(0.3),
            constraint=zoo.Linear(A, B_, C),
            metric=metric,
        )
    states = finish(run)
    expected = twin(G, B_, 0.3 * np.eye(B_.shape[1]), states[0].x, states[0].y, 60)
    assert len(states) == len(expected) == 61
    for state, (x, y, dual) in zip(states, expected, strict=True):
        np.testing.assert_allclose(state.x, x, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(state.y, y, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(state.dual, dual, rtol=1e-9, atol=1e-11)


class no_warning:  # noqa: N801 - reads as a word
    def __enter__(self) -> None: ...

    def __exit__(self, *exception: object) -> None: ...


FORMS = {
    "dense": lambda matrix: matrix,
    "sparse": scipy.sparse.csr_array,
    "operator": aslinearoperator,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("phi", "definition", "kind"),
    [
        (zoo.L1(0.4), lambda y: (0.4 * cp.norm1(y), []), IterativeStep),
        (
            zoo.GroupL2(0.5, [[0, 2], [1, 3]]),
            lambda y: (0.5 * (cp.norm2(y[[0, 2]]) + cp.norm2(y[[1, 3]])), []),
            IterativeStep,
        ),
        (zoo.Box(-0.2, 0.3), lambda y: (0, [y >= -0.2, y <= 0.3]), IterativeStep),
        (zoo.Simplex(), lambda y: (0, [y >= 0, cp.sum(y) == 1]), IterativeStep),
        (zoo.regularizers.SquaredL2(0.7), lambda y: (0.35 * cp.sum_squares(y), []), QuadraticStep),
        (None, lambda y: (0, []), QuadraticStep),
        (GraphLaplacian(0.6, PATH), lambda y: (0.3 * cp.quad_form(y, PATH), []), QuadraticStep),
    ],
    ids=["L1", "groups", "box", "simplex", "squared L2", "zero", "Laplacian"],
)
def test_y_step_for_any_B_is_the_minimizer(
    phi: object,
    definition: Callable[[cp.Variable], tuple[object, list[object]]],
    kind: type,
    form: str,
) -> None:
    """B tall with B'B != tau I, against cvxpy to 1e-8."""
    constraint = zoo.Linear(A, FORMS[form](TALL), C)
    problem = make_problem(np.zeros(M), as_regularizer(phi), zoo.sets.WholeSpace(), constraint)
    step = y_step_for(problem, 1.7)
    assert isinstance(step, kind)
    y = cp.Variable(4)
    value, conditions = definition(y)
    generator = np.random.default_rng(1)
    for _ in range(5):
        x, scaled_dual = generator.standard_normal(M), generator.standard_normal(6)
        fit = 0.85 * cp.sum_squares(A @ x + TALL @ y - C - scaled_dual)
        tight = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
        judge = cp.Problem(cp.Minimize(value + fit), conditions)
        optimum = judge.solve(solver=cp.CLARABEL, **tight)
        ours = step(x, scaled_dual, np.zeros(4))
        # a cone program is as flat as a square at its solution: there the judge sees less
        np.testing.assert_allclose(ours, y.value, atol=2e-6 if "GroupL2" in repr(phi) else 1e-8)
        y.value = ours
        assert judge.objective.value <= optimum + 1e-10


def test_orthogonal_columns_get_the_closed_form() -> None:
    Q = np.linalg.qr(TALL)[0]
    for form in FORMS.values():
        constraint = zoo.Linear(A, form(1.5 * Q), C)
        problem = make_problem(np.zeros(M), zoo.L1(1.0), zoo.sets.WholeSpace(), constraint)
        assert isinstance(y_step_for(problem, 1.0), ProximalStep)
        assert constraint.tau == pytest.approx(2.25)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [6, 700])
def test_completion_of_either_side(form: str, size: int) -> None:
    """By LU, sparse LU or LSMR: |A x + B y' - c| and |A x' + B y - c| at most 1e-10."""
    generator = np.random.default_rng(0)
    square = scipy.sparse.random_array((size, size), density=3 / size, rng=generator)
    square = (square + 3 * scipy.sparse.eye_array(size)).toarray()
    other, c = generator.standard_normal((size, size)) / size, np.ones(size)
    v = generator.standard_normal(size)
    y_side = zoo.Linear(other, FORMS[form](square), c)
    assert y_side.B_invertible
    assert np.abs(other @ v + square @ y_side.complete_y(v) - c).max() <= 1e-10
    x_side = zoo.Linear(FORMS[form](square), other, c)
    assert x_side.A_invertible
    assert np.abs(square @ x_side.complete_x(v) + other @ v - c).max() <= 1e-10


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [6, 700])
def test_singular_matrices_are_not_completed(form: str, size: int) -> None:
    singular = np.eye(size)
    singular[-1] = singular[0]
    nearly = np.eye(size)
    nearly[-1, -1] = 1e-15
    for matrix in (singular, nearly):
        constraint = zoo.Linear(np.zeros((size, 2)), FORMS[form](matrix))
        assert not constraint.B_invertible
        with pytest.raises(ValueError, match="y cannot be completed: B has no inverse"):
            constraint.complete_y(np.zeros(2))


def test_metrics_with_a_box_are_clipped_exactly() -> None:
    """A'A = I and G diagonal: each coordinate is a one-dimensional problem."""
    weights = np.linspace(1, 5, M)
    for metric, curvature in (
        (zoo.paper.Fixed(weights), 2.0),
        (zoo.paper.LinearizedDiagonal(weights), 2.0),
        (zoo.paper.Fixed(1.5), 2.0),
    ):
        run = optimizer(metric=metric, domain=zoo.Box(-0.15, 0.15), regularizer=zoo.L1(0.01))
        states = finish(run)
        x, y = states[0].x, states[0].y
        eta = 1 / np.sqrt(M)
        G = np.broadcast_to(getattr(metric, "weights", getattr(metric, "G", None)), M)
        d = -2.0 * (x - y) - gradient(x)
        expected = np.clip(x + d / (G / eta + curvature), -0.15, 0.15)
        np.testing.assert_allclose(states[1].x, expected, rtol=1e-12)


def test_a_number_as_metric_goes_with_any_set() -> None:
    run = zoo.minimize(
        zoo.Loss(gradient=gradient),
        np.full(M, 1 / M),
        domain=zoo.Simplex(),
        settings="paper",
        gradient=zoo.paper.Exact(),
        metric=zoo.paper.Fixed(),
        step_size=0.5,
        tolerance=1e-10,
        max_iterations=20_000,
    )
    x = cp.Variable(M)
    fit = cp.sum_squares(DATA @ x - TARGET) / 40
    cp.Problem(cp.Minimize(fit), [x >= 0, cp.sum(x) == 1]).solve(solver=cp.CLARABEL)
    assert run.success
    np.testing.assert_allclose(run.x_last, x.value, atol=1e-5)


@pytest.mark.parametrize(
    "metric", [zoo.paper.Fixed(DENSE_G), zoo.paper.LinearizedDiagonal(DIAGONAL)]
)
def test_general_metrics_and_B_reach_the_optimum(metric: object) -> None:
    """Lasso in y with y = -B^-1 (A x - c): the tolerance criterion knows the metric."""
    run = zoo.minimize(
        zoo.Loss(gradient=gradient),
        np.zeros(M),
        regularizer=zoo.L1(0.2),
        constraint=zoo.Linear(A, B, C),
        settings="paper",
        gradient=zoo.paper.Exact(),
        metric=metric,
        step_size=0.3,
        penalty=0.5,
        tolerance=1e-9,
        max_iterations=50_000,
        output="last",
    )
    x, y = cp.Variable(M), cp.Variable(6)
    objective = cp.sum_squares(DATA @ x - TARGET) / 40 + 0.2 * cp.norm1(y)
    cp.Problem(cp.Minimize(objective), [A @ x + B @ y == C]).solve(solver=cp.CLARABEL)
    assert run.success, run.message
    np.testing.assert_allclose(run.x_last, x.value, atol=1e-4)
    np.testing.assert_allclose(run.y_last, y.value, atol=1e-4)
