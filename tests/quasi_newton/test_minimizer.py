"""S(g), the minimizer of a quadratic model over the structure, against cvxpy."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.problem import make_problem
from zooadmm.quasi_newton.minimizer import Minimizer
from zooadmm.quasi_newton.splitting import EXACT, Accuracy
from zooadmm.regularizers import LInf, as_regularizer
from zooadmm.sets import L2Ball, WholeSpace

M = 8
WEIGHTS = np.linspace(0.0, 2.0, M)
GROUPS = [[0, 1, 2], [3, 4], [5, 6, 7]]
DIFFERENCES = np.diff(np.eye(M), axis=0)


def groups(u):
    return sum(cp.norm(u[group]) for group in GROUPS)


CASES = {
    "free": ({}, lambda u: (0, [])),
    "box": ({"domain": zoo.Box(-0.2, 0.3)}, lambda u: (0, [u >= -0.2, u <= 0.3])),
    "nonnegative": ({"domain": zoo.Nonnegative()}, lambda u: (0, [u >= 0])),
    "L1": ({"regularizer": zoo.L1(0.7)}, lambda u: (0.7 * cp.norm1(u), [])),
    "weighted L1": (
        {"regularizer": zoo.L1(0.7, WEIGHTS)},
        lambda u: (0.7 * cp.norm1(cp.multiply(WEIGHTS, u)), []),
    ),
    "elastic net": (
        {"regularizer": zoo.ElasticNet(0.5, 2.0)},
        lambda u: (0.5 * cp.norm1(u) + cp.sum_squares(u), []),
    ),
    "L1 in a box": (
        {"regularizer": zoo.L1(0.3), "domain": zoo.Box(-0.1, 0.4)},
        lambda u: (0.3 * cp.norm1(u), [u >= -0.1, u <= 0.4]),
    ),
    "simplex": ({"domain": zoo.Simplex()}, lambda u: (0, [u >= 0, cp.sum(u) == 1])),
    "budget": ({"domain": zoo.Budget(2.0)}, lambda u: (0, [cp.sum(u) == 2])),
    "box and budget": (
        {"domain": zoo.Box(0, 1), "regularizer": zoo.Budget(3.0)},
        lambda u: (0, [u >= 0, u <= 1, cp.sum(u) == 3]),
    ),
    "groups": (
        {"regularizer": zoo.GroupL2(0.8, GROUPS)},
        lambda u: (0.8 * groups(u), []),
    ),
    "largest entry": ({"regularizer": LInf(0.9)}, lambda u: (0.9 * cp.norm_inf(u), [])),
    "total variation": (
        {"regularizer": zoo.L1(0.4), "constraint": zoo.Linear(DIFFERENCES)},
        lambda u: (0.4 * cp.norm1(DIFFERENCES @ u), []),
    ),
    "total variation in a box": (
        {
            "regularizer": zoo.L1(0.4),
            "constraint": zoo.Linear(DIFFERENCES),
            "domain": zoo.Box(-0.2, 0.2),
        },
        lambda u: (0.4 * cp.norm1(DIFFERENCES @ u), [u >= -0.2, u <= 0.2]),
    ),
    "a ball with a budget": (
        {"domain": L2Ball(1.0), "regularizer": zoo.Budget(1.0)},
        lambda u: (0, [cp.norm(u) <= 1, cp.sum(u) == 1]),
    ),
    "scaled B": (
        {"regularizer": zoo.L1(0.4), "constraint": zoo.Linear(DIFFERENCES, -2.0)},
        lambda u: (0.4 * cp.norm1(DIFFERENCES @ u / 2), []),
    ),
}
ACTIVE = ("free", "box", "nonnegative", "L1", "weighted L1", "elastic net", "L1 in a box")
TOTALS = ("simplex", "budget", "box and budget")


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_minimizer(case: str) -> None:
    given, judge = CASES[case]
    generator = np.random.default_rng(3)
    for _ in range(3):
        root = generator.standard_normal((M, M))
        H, g = root @ root.T + 0.1 * np.eye(M), 2 * generator.standard_normal(M)
        x = np.zeros(M) if "total" in case or case in ACTIVE else np.full(M, 1 / M)
        if case in TOTALS:
            x = np.full(M, {"simplex": 1, "budget": 2, "box and budget": 3}[case] / M)
        problem = make_problem(
            x,
            as_regularizer(given.get("regularizer")),
            given.get("domain", WholeSpace()),
            given.get("constraint", zoo.Consensus()),
        )
        S = Minimizer(problem)
        start = S.begun(*problem.start(x, None, None))
        found, _ = S(H, x, g, start, 0.0, Accuracy(1e-10, 20_000))
        u = cp.Variable(M)
        phi, constraints = judge(u)
        sharp = 1e-8 if "ball" in case else 1e-10  # the judge gets no further
        model = g @ (u - x) + cp.quad_form(u - x, cp.psd_wrap(H)) / 2
        cp.Problem(cp.Minimize(model + phi), constraints).solve(
            solver=cp.CLARABEL, tol_gap_abs=sharp, tol_gap_rel=sharp, tol_feas=sharp
        )
        np.testing.assert_allclose(found.x, u.value, atol=2e-5)


def test_zeros_of_overlapping_groups_are_zeros_of_x() -> None:
    phi, constraint = zoo.overlapping_groups(4, [[0, 1], [1, 2], [3]], 1.0)
    problem = make_problem(np.zeros(4), phi, WholeSpace(), constraint)
    S = Minimizer(problem)
    start = S.begun(*problem.start(np.zeros(4), None, None))
    found, _ = S(np.eye(4), np.zeros(4), np.array([0.1, 0.1, -3.0, 0.5]), start, 0.0, EXACT)
    x = S.exactly(found).x
    np.testing.assert_array_equal(x == 0.0, [True, True, False, True])
