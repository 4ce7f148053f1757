"""The library against the paper, line for line."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import scipy.sparse

import zooadmm as zoo
from twins.paper import lambda_max, o_admm, soft_threshold

M = 12
ITERATIONS = 200
GENERATOR = np.random.default_rng(7)
DATA = GENERATOR.standard_normal((40, M))
TARGET = GENERATOR.standard_normal(40)
DENSE = GENERATOR.standard_normal((9, M))
SQUARE = GENERATOR.standard_normal((M, M)) + 3 * np.eye(M)
ORTHOGONAL = np.linalg.qr(GENERATOR.standard_normal((9, 9)))[0]
TALL = np.linalg.qr(GENERATOR.standard_normal((M, 5)))[0]
DIFFERENCES = np.diff(np.eye(M), axis=0)


def gradient(x: np.ndarray, w: int) -> np.ndarray:
    """Of f(x; w) = (a_w'x - b_w)^2 / 2."""
    return (DATA[w] @ x - TARGET[w]) * DATA[w]


# name: A for the library, A, B, c in full, B for the library, c for the library
CASES = {
    "A = I": (np.eye(M), np.eye(M), -np.eye(M), np.zeros(M), None, None),
    "A = [I; I]": (
        scipy.sparse.vstack([scipy.sparse.eye_array(M)] * 2),
        np.vstack([np.eye(M)] * 2),
        -np.eye(2 * M),
        np.zeros(2 * M),
        None,
        None,
    ),
    "sparse differences": (
        scipy.sparse.csr_array(DIFFERENCES),
        DIFFERENCES,
        -np.eye(M - 1),
        np.full(M - 1, 0.3),
        None,
        np.full(M - 1, 0.3),
    ),
    "operator": (
        scipy.sparse.linalg.aslinearoperator(DIFFERENCES),
        DIFFERENCES,
        -np.eye(M - 1),
        np.zeros(M - 1),
        None,
        None,
    ),
    "dense A": (DENSE, DENSE, -np.eye(9), np.ones(9), None, np.ones(9)),
    "dense A, orthogonal B": (
        DENSE,
        DENSE,
        2.5 * ORTHOGONAL,
        np.ones(9),
        2.5 * ORTHOGONAL,
        np.ones(9),
    ),
    "square A, tall B": (SQUARE, SQUARE, 0.5 * TALL, np.zeros(M), 0.5 * TALL, None),
}


@pytest.mark.parametrize("domain", [None, zoo.Box(-0.4, 0.4)], ids=["all of R^m", "box"])
@pytest.mark.parametrize("weight", ["varying", "constant"])
@pytest.mark.parametrize("case", CASES)
def test_iterates_equal_the_transcription(case: str, weight: str, domain: zoo.Box | None) -> None:
    A, A_full, B_full, c_full, B, c = CASES[case]
    rho, x0 = 10.0, np.full(M, 0.1)
    constraint = zoo.Linear(A, B, c)
    optimizer = zoo.Optimizer(
        x0,
        regularizer=zoo.L1(0.2),
        domain=domain,
        constraint=constraint,
        observations=zoo.Samples(np.arange(40), order="in order"),
        settings="paper",
        gradient=zoo.paper.Exact(),
        proximal_weight=weight,
        max_iterations=ITERATIONS,
    )

    def eta(t: int) -> float:
        return 1 / np.sqrt(M * t)

    bound = lambda_max(A_full)
    assert bound <= constraint.lambda_max <= bound * (1 + 1e-10)

    def alpha(t: int) -> float:
        return rho * eta(t if weight == "varying" else 1) * constraint.lambda_max + 1

    twin = o_admm(
        lambda t, x: gradient(x, (t - 1) % 40),
        A_full,
        B_full,
        c_full,
        lambda v, tau: soft_threshold(v, 0.2 * tau),
        x0,
        optimizer.state.y,
        rho=rho,
        eta=eta,
        alpha=alpha,
        project=None if domain is None else lambda v: np.clip(v, -0.4, 0.4),
    )
    expected = list(islice(twin, ITERATIONS + 1))
    for x, y, dual in expected:
        state = optimizer.state
        for ours, theirs in ((state.x, x), (state.y, y), (state.dual, dual)):
            assert np.linalg.norm(ours - theirs) <= 1e-12 * max(1.0, np.linalg.norm(theirs))
        if constraint.B_invertible:
            completed = constraint.complete_y(state.x)
            assert np.abs(A_full @ state.x + B_full @ completed - c_full).max() <= 1e-10
        else:
            completed = constraint.complete_x(state.y)
            assert np.abs(A_full @ completed + B_full @ state.y - c_full).max() <= 1e-10
        query = optimizer.ask()
        if query is not None:
            optimizer.tell(query.id, [gradient(state.x, w) for w in query.observations])
    assert optimizer.state.t == ITERATIONS + 1
    # the averages are those of x_1..x_T, without x_{T+1}
    np.testing.assert_allclose(
        optimizer.result().x_average, np.mean([x for x, _, _ in expected[:-1]], axis=0), atol=1e-13
    )


def test_consensus_is_the_linear_constraint_it_stands_for() -> None:
    runs = [
        zoo.minimize(
            lambda x: np.square(x - 0.7).sum(),
            np.zeros(5),
            settings="paper",
            regularizer=zoo.L1(0.3),
            constraint=constraint,
            max_iterations=50,
            rng=3,
        )
        for constraint in (
            zoo.problem.Consensus(),
            zoo.Linear(np.eye(5)),
            zoo.Linear(scipy.sparse.eye_array(5), -np.eye(5), np.zeros(5)),
            zoo.Linear(scipy.sparse.linalg.aslinearoperator(np.eye(5)), -1.0),
        )
    ]
    for other in runs[1:]:
        np.testing.assert_allclose(other.x_last, runs[0].x_last, rtol=1e-12)
        np.testing.assert_allclose(other.dual, runs[0].dual, rtol=1e-12)


def test_two_point_estimate_is_equation_5() -> None:
    """With one direction g_t = [f(x + beta z; w) - f(x; w)] / beta z, recomputed by hand."""
    optimizer = zoo.Optimizer(
        np.full(6, 0.2),
        settings="paper",
        gradient=zoo.paper.Smoothed(1),
        smoothing=0.01,
        rng=1,
        max_iterations=1,
    )
    query = optimizer.ask()
    assert query is not None
    x, probe = query.points
    f = np.array([np.sin(x).sum(), np.sin(probe).sum()])
    z = (probe - x) / 0.01
    assert np.linalg.norm(z) == pytest.approx(np.sqrt(6))
    g = (f[1] - f[0]) / 0.01 * z
    info = optimizer.tell(query.id, f)
    eta, alpha = 1 / np.sqrt(6), 10 / np.sqrt(6) + 1
    np.testing.assert_allclose(optimizer.state.x, x - eta / alpha * g, rtol=1e-9)
    assert info is not None
    assert info.gradient_norm == pytest.approx(np.linalg.norm(g), rel=1e-9)


def test_paper_settings_are_those_of_the_experiments() -> None:
    algorithm = zoo.Optimizer(np.zeros(100), settings="paper").algorithm
    for t in (1, 7, 1000):
        assert algorithm.step_size(t) == pytest.approx(1 / np.sqrt(100 * t), rel=1e-15)
        assert algorithm.smoothing(t) == pytest.approx(1 / (100**1.5 * t), rel=1e-15)
        assert algorithm.proximal_weight(t) == pytest.approx(10 / np.sqrt(100 * t) + 1, rel=1e-15)
    assert algorithm.penalty == 10.0
    sphere = zoo.paper.Sphere()
    assert algorithm.source == zoo.paper.Smoothed(30, 1, distribution=sphere, probes="anywhere")


def test_schedules_print_and_compare() -> None:
    assert repr(zoo.paper.schedules.general_step_size(100)) == "Power(scale=0.1, exponent=0.5)"
    assert zoo.paper.schedules.general_smoothing(4) == zoo.paper.schedules.Power(0.125, 1.0)
    assert zoo.paper.schedules.strongly_convex_step_size(2.0)(5) == pytest.approx(0.1)
    corrected = zoo.paper.schedules.minibatch_step_size(100, 50)
    printed = zoo.paper.schedules.printed_minibatch_step_size(100, 5, 10)
    assert corrected == printed == zoo.paper.schedules.Power(1 / np.sqrt(3), 0.5)
