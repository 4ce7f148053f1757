"""The committed optima: complete, checked, and found again by a short run with true gradients."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

import zooadmm as zoo
from benchmarks.optima import optima
from benchmarks.problem import Problem, SplitStructure
from benchmarks.problems import SUITE, unsolved
from benchmarks.solve.__main__ import support
from benchmarks.solve.certificates import cheapest, gap
from benchmarks.solve.exact import accelerated

KNOWN_TO = 1e-6
QUICK = [
    "lasso",
    "portfolio",
    "total-variation",
    "completion",
    "quadratic-1",
    "quadratic-1e2",
    "quadratic-1e4",
    "noisy-0.1",
    "sensors-colorado",
    "sensors-sample",
    "groups-sample",
    "cox-kirc-0.5",
    "cox-kirc-0.2",
]


TO_TEN_DIGITS = {
    "groups": {"solver": cp.SCS, "eps": 1e-11, "max_iters": 100_000},
    "total variation": {"solver": cp.CLARABEL, "tol_gap_abs": 1e-13, "tol_gap_rel": 1e-13},
}
"""Interior points stop short of 1e-8 with cones, SCS with absolute values."""


def filed_under(name: str) -> str:
    return "noisy" if name.startswith("noisy") else name.removesuffix("-stochastic")


def built(name: str) -> Problem:
    try:
        return unsolved(name)[0]
    except (ImportError, FileNotFoundError) as missing:
        pytest.skip(f"the data of {name} is not here: {missing}")


@pytest.mark.parametrize("name", SUITE)
def test_every_problem_has_an_optimum_that_was_checked(name):
    entry = optima()[filed_under(name)]
    assert entry["optimum"] < entry["start"]
    assert entry["apart"] <= KNOWN_TO
    assert -1e-12 <= entry["bound"] <= KNOWN_TO
    scale = entry["start"] - entry["optimum"]
    assert abs(entry["judge"] - entry["optimum"]) == pytest.approx(entry["apart"] * scale)
    assert entry["how"]


@pytest.mark.parametrize("name", QUICK)
def test_a_short_exact_run_finds_it_again(name):
    problem, entry = built(name), optima()[filed_under(name)]
    start = problem.objective(problem.nearest(problem.x0))
    assert start == pytest.approx(entry["start"], rel=1e-12)
    x = accelerated(problem, accuracy=1e-10, max_steps=5000)
    scale = start - entry["optimum"]
    assert abs(problem.objective(x) - entry["optimum"]) <= KNOWN_TO * scale
    assert gap(problem, x) <= KNOWN_TO * scale
    if problem.sparse:
        assert support(x) == entry["support"]


@pytest.mark.parametrize(
    "feasible", [zoo.Box(-1.0, 2.0), zoo.Simplex(), zoo.BoxBudget(0.0, 1.0, 3)], ids=repr
)
def test_no_feasible_point_is_cheaper_than_the_cheapest(feasible):
    generator = np.random.default_rng(0)
    g = generator.standard_normal(8)
    best = cheapest(feasible, g)
    assert feasible.distance(best) < 1e-12
    others = [feasible.project(3 * generator.standard_normal(8)) for _ in range(500)]
    assert all(g @ best <= g @ other + 1e-12 for other in [*others, feasible.project(-1e3 * g)])
    assert g @ feasible.project(-1e3 * g) == pytest.approx(g @ best)


@pytest.mark.parametrize("name", ["lasso", "completion", "total-variation", "quadratic-1e2"])
def test_the_certificate_covers_the_true_gap(name):
    problem, optimum = built(name), optima()[name]["optimum"]
    for steps in (1, 5, 20):
        x = accelerated(problem, max_steps=steps)
        assert problem.objective(x) - optimum <= gap(problem, x) + 1e-9


@pytest.mark.parametrize("tau", [0.5, 5.0, 20.0])
@pytest.mark.parametrize("kind", ["total variation", "groups"])
def test_the_prox_of_a_split_structure_is_what_cvxpy_finds(kind, tau):
    v = np.random.default_rng(1).standard_normal(25).cumsum()
    grid = np.arange(25).reshape(5, 5)
    if kind == "groups":
        phi, constraint = zoo.overlapping_groups(25, [*grid, *grid.T], 0.05)
    else:
        phi, constraint = zoo.total_variation(25, 0.05)
    structure = SplitStructure(phi, constraint.A, constraint.lambda_max)
    x = cp.Variable(25)
    y = constraint.A @ x
    norms = [cp.norm2(y[list(g)]) for g in phi.groups] if kind == "groups" else [cp.norm1(y)]
    size = tau * phi.strength * cp.sum(cp.hstack(norms)) + cp.sum_squares(x - v) / 2
    cp.Problem(cp.Minimize(size)).solve(**TO_TEN_DIGITS[kind])
    cold = structure.prox(v, tau)
    structure.prox(v[::-1].copy(), tau)
    np.testing.assert_allclose(cold, x.value, atol=1e-8)
    np.testing.assert_allclose(structure.prox(v, tau), x.value, atol=1e-8)
