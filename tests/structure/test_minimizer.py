"""The minimizer of a model, by active sets and by ADMM, against an interior-point method."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
import pytest

import zooadmm as zoo
from twins.structured import MIXED, STRUCTURES, M
from zooadmm.problem.problem import make_problem
from zooadmm.problem.regularizers import Within, as_regularizer
from zooadmm.problem.sets import WholeSpace
from zooadmm.structure import separable
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.one_sided import one_sided
from zooadmm.structure.splitting import EXACT, Accuracy, Solved, Splitting

FINE = Accuracy(1e-9, 20_000)
TALL = np.random.default_rng(1).standard_normal((12, 6))
TALL_A = np.random.default_rng(2).standard_normal((12, M))


def problem_of(given, x0):
    return make_problem(
        np.asarray(x0, dtype=float),
        as_regularizer(given.get("regularizer")),
        given.get("domain") or WholeSpace(),
        given.get("constraint") or zoo.problem.Consensus(),
    )


def model(seed):
    """H, x0 and g of a random quadratic model, in variables of unlike units."""
    generator = np.random.default_rng(seed)
    root = generator.standard_normal((M, M)) * 10.0 ** generator.uniform(-0.5, 0.5, M)
    return (
        root.T @ root + 0.1 * np.eye(M),
        0.3 * generator.standard_normal(M),
        3 * generator.standard_normal(M),
    )


def solution(H, x0, g, phi, conditions):
    x = cp.Variable(M)
    s = x - x0
    value = g @ s + 0.5 * cp.quad_form(s, cp.psd_wrap(H)) + phi(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-12)
        cp.Problem(cp.Minimize(value), conditions(x)).solve(solver=cp.CLARABEL, **tight)
    return x.value


BY_COORDINATES = [
    "none",
    "box",
    "box as regularizer",
    "bounds of each",
    "l1",
    "weighted l1",
    "ridge",
    "elastic net",
    "l1 in a box",
    "elastic net, nonnegative",
    "l1 within two boxes",
    "nonnegative",
    "budget",
    "simplex",
    "box and budget",
    "simplex in a box",
    "box on a budget",
]


@pytest.mark.parametrize("name", STRUCTURES)
def test_active_sets_are_for_what_is_made_of_coordinates(name):
    structure = STRUCTURES[name]
    parts = separable.coordinates(one_sided(problem_of(structure.given, structure.x0)))
    made_of_them = name in BY_COORDINATES or name == "simplex from a vertex"
    assert (parts is not None) == made_of_them


@pytest.mark.parametrize("name", BY_COORDINATES)
def test_active_sets_find_the_minimum_exactly(name):
    structure, found = STRUCTURES[name], 0
    problem = one_sided(problem_of(structure.given, structure.x0))
    parts = separable.coordinates(problem)
    for seed in range(4):
        H, x0, g = model(seed)
        x0 = problem.regularizer.prox(x0, 1e-9)
        x = separable.minimizer(parts, H, x0, g, x0)
        best = solution(H, x0, g, structure.phi, structure.conditions)
        if x is None:  # ADMM is there for what does not end
            S = Minimizer(problem_of(structure.given, structure.x0))
            there, _ = S(H, x0, g, Solved(x0, x0, np.zeros(M)), 0.0, FINE)
            np.testing.assert_allclose(there.x, best, atol=1e-6)
            continue
        found += 1
        np.testing.assert_allclose(x, best, atol=1e-6)
        assert np.isfinite(problem.regularizer(x))
        near = np.isclose(best, 0.0, atol=1e-7) & (parts.w > 0.0)
        assert (x[near] == 0.0).all()
        assert (x >= parts.lower).all()
        assert (x <= parts.upper).all()
        if np.isfinite(parts.total):
            assert abs(x.sum() - parts.total) <= 1e-14
    assert found >= 2


def test_a_minimum_at_a_bound_by_chance_does_not_cross_it():
    """The free minimum lies on the bound itself, so that rounding decides."""
    for seed in range(200):
        generator = np.random.default_rng(seed)
        root = generator.standard_normal((4, 4))
        H, x0, at = (
            root @ root.T + np.eye(4),
            generator.standard_normal(4),
            generator.standard_normal(4),
        )
        parts = separable.Coordinates(np.zeros(4), 0.0, at, np.full(4, np.inf), np.nan)
        x = separable.minimizer(parts, H, x0, -H @ (at - x0), x0)
        if x is not None:
            assert (x >= at).all()
            np.testing.assert_allclose(x, at, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in STRUCTURES if name not in BY_COORDINATES])
def test_splitting_finds_the_minimum_too(name):
    structure = STRUCTURES[name]
    S = Minimizer(problem_of(structure.given, structure.x0))
    H, x0, g = model(1)
    start = S.begun(*S.problem.start(structure.x0, None, None))
    found, rho = S(H, x0, g, start, 0.0, FINE)
    best = solution(H, x0, g, structure.phi, structure.conditions)
    exact = S.exactly(found)
    np.testing.assert_allclose(exact.x, best, atol=2e-6)
    assert S.problem.domain.distance(exact.x) <= 1e-12
    assert rho >= 0.0
    x, y, dual = S.pair(exact)
    assert (len(x), len(y), len(dual)) == (M, S.problem.d, S.problem.l)


def test_where_both_ways_are_open_they_agree():
    problem = one_sided(problem_of(STRUCTURES["l1 in a box"].given, np.zeros(M)))
    H, x0, g = model(2)
    start = Solved(np.zeros(M), np.zeros(M), np.zeros(M))
    split, _ = Splitting(problem)(H, x0, g, start, 1.0, FINE)
    x = separable.minimizer(separable.coordinates(problem), H, x0, g, np.zeros(M))
    np.testing.assert_allclose(split.y, x, atol=1e-7)
    np.testing.assert_allclose(split.dual, g + H @ (x - x0), atol=1e-5)


@pytest.mark.parametrize("B", ["invertible", "tall", "orthonormal"])
def test_splitting_with_any_b(B):
    """A x + B y = c with y left to phi: the dual is the slope of the model."""
    A, B = {
        "invertible": (np.eye(M), MIXED),
        "tall": (TALL_A, TALL),
        "orthonormal": (TALL_A, np.linalg.qr(TALL)[0]),
    }[B]
    c = 0.1 * np.arange(len(B)) if len(B) == M else np.zeros(len(B))
    problem = problem_of(
        {"regularizer": zoo.L1(0.5), "constraint": zoo.Linear(A, B, c)}, np.zeros(M)
    )
    H, x0, g = model(3)
    H = H + np.eye(M)
    S = Minimizer(problem)
    start = S.begun(*problem.start(np.zeros(M), None, None))
    found, _ = S(H, x0, g, start, 0.0, Accuracy(1e-7, 3_000))
    x, y = cp.Variable(M), cp.Variable(B.shape[1])
    s = x - x0
    value = g @ s + 0.5 * cp.quad_form(s, cp.psd_wrap(H)) + 0.5 * cp.norm1(y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cp.Problem(cp.Minimize(value), [A @ x + B @ y == c]).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(found.x, x.value, atol=1e-5)
    np.testing.assert_allclose(g + H @ (found.x - x0), A.T @ found.dual, atol=1e-3)


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_one_sided_problem_is_the_same(name):
    """phi and X in one, at points of X and outside, and no domain is left."""
    structure = STRUCTURES[name]
    problem = problem_of(structure.given, structure.x0)
    other = one_sided(problem)
    assert isinstance(other.domain, WholeSpace)
    assert (other.d, other.l) == other.constraint.sizes(M)
    generator = np.random.default_rng(0)
    for x in (
        structure.x0,
        problem.domain.project(generator.standard_normal(M)),
        generator.standard_normal(M),
    ):
        y = problem.constraint.complete_y(x)
        inside = problem.domain.distance(x) <= 1e-12
        expected = problem.regularizer(y) if inside else np.inf
        y_there = y if other.d == problem.d else np.concatenate([y, x])
        np.testing.assert_allclose(other.constraint.residual(x, y_there), 0.0, atol=1e-12)
        assert other.regularizer(y_there) == pytest.approx(expected)


COMMON = {
    "nonnegative budget": (
        zoo.regularizers.Indicator(zoo.Budget(2.0)),
        zoo.Nonnegative(),
        0.0,
        9.0,
    ),
    "simplex in a box": (
        zoo.regularizers.Indicator(zoo.Simplex(2.0)),
        zoo.Box(-1.0, 0.7),
        0.0,
        0.7,
    ),
    "two bounds": (
        zoo.regularizers.Indicator(zoo.BoxBudget(0.1, 1.0, 2.0)),
        zoo.Box(0.2, 3.0),
        0.2,
        1.0,
    ),
    "turned": (
        zoo.regularizers.Indicator(zoo.Box(0.2, 3.0)),
        zoo.BoxBudget(0.1, 1.0, 2.0),
        0.2,
        1.0,
    ),
    "boxes": (zoo.regularizers.Indicator(zoo.Box(0.2, 3.0)), zoo.Nonnegative(), 0.2, 3.0),
    "l1": (Within(zoo.L1(1.0), zoo.Box(-1.0, 0.5)), zoo.Nonnegative(), 0.0, 0.5),
}


@pytest.mark.parametrize("name", COMMON)
def test_what_two_sets_have_in_common(name):
    """The prox over both, against an interior-point method."""
    phi, domain, lower, upper = COMMON[name]
    v, x = np.array([3.0, -1.0, 0.4, 0.3]), cp.Variable(4)
    merged = one_sided(
        make_problem(domain.project(np.full(4, 0.5)), phi, domain, zoo.problem.Consensus())
    )
    assert merged.d == 4
    conditions = [x >= lower, x <= upper]
    if name not in ("boxes", "l1"):
        conditions.append(cp.sum(x) == 2.0)
    value = 0.5 * cp.sum_squares(x - v) + (cp.norm1(x) if name == "l1" else 0.0)
    cp.Problem(cp.Minimize(value), conditions).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(merged.regularizer.prox(v, 1.0), x.value, atol=1e-3)


def test_accuracy_is_what_is_asked_for():
    structure = STRUCTURES["total variation"]
    S = Minimizer(problem_of(structure.given, structure.x0))
    H, x0, g = model(1)
    start = S.begun(*S.problem.start(np.zeros(M), None, None))
    best = solution(H, x0, g, structure.phi, structure.conditions)
    errors = [
        np.linalg.norm(S(H, x0, g, start, 0.0, accuracy)[0].x - best) for accuracy in (EXACT, FINE)
    ]
    assert errors[1] < errors[0] < 1e-3 * np.linalg.norm(best - x0)
