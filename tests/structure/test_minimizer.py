"""The minimizer of a model, exactly and by ADMM, against an interior-point method."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
import pytest
from scipy.sparse import csr_array

import zooadmm as zoo
from twins.problems import make_problem
from twins.structured import MIXED, STRUCTURES, M
from zooadmm.problem.assembly import assembled
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form, of_coordinates
from zooadmm.problem.regularizers import Within, as_regularizer
from zooadmm.problem.sets import WholeSpace
from zooadmm.structure.canonical import canonical
from zooadmm.structure.exact import ExactStep, Nearby
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.model_step import ModelStep
from zooadmm.structure.model_step import Solved as Step
from zooadmm.structure.one_sided import one_sided
from zooadmm.structure.splitting import EXACT, ROUGH, Accuracy, Solved, Splitting

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


BY_ADMM = {
    "groups",
    "groups in a box",
    "nuclear norm",
    "nuclear norm, nonnegative",
    "nuclear ball",
    "largest entry",
    "l2 ball",
    "l1 ball",
    "l1 in an l2 ball",
    "overlapping groups",
    "overlapping groups in a simplex",
}
EXACTLY = [name for name in STRUCTURES if name not in BY_ADMM]


@pytest.mark.parametrize("name", STRUCTURES)
def test_only_what_is_not_made_of_coordinates_and_rows_is_left_to_admm(name):
    structure = STRUCTURES[name]
    found = canonical(problem_of(structure.given, structure.x0))
    assert (found is None) == (name in BY_ADMM)


@pytest.mark.parametrize("name", EXACTLY)
def test_the_minimum_is_exact(name):
    structure = STRUCTURES[name]
    problem = problem_of(structure.given, structure.x0)
    S, form = Minimizer(problem), canonical(problem).form
    for seed in range(4):
        H, x0, g = model(seed)
        start = S.init(*problem.start(structure.x0, None, None))
        found, _ = S(H, x0, g, start, 0.0, FINE)
        x, y, dual = S.pair(found)
        best = solution(H, x0, g, structure.phi, structure.conditions)
        np.testing.assert_allclose(x, best, atol=1e-6)
        near = np.isclose(best, 0.0, atol=1e-7) & form.phi.kinked
        assert (x[near] == 0.0).all()
        assert (x >= form.phi.lower).all()
        assert (x <= form.phi.upper).all()
        rows = form.rows @ x
        assert (rows >= form.psi.lower - 1e-13).all()
        assert (rows <= form.psi.upper + 1e-13).all()
        np.testing.assert_allclose(problem.constraint.residual(x, y), 0.0, atol=1e-13)
        if problem.domain.is_everything:  # else the normals of X are missing
            slope = g + H @ (x - x0)
            np.testing.assert_allclose(problem.constraint.adjoint(dual), slope, atol=1e-8)


@pytest.mark.parametrize("name", EXACTLY)
def test_what_was_solved_before_does_not_matter_after_renewal(name):
    structure = STRUCTURES[name]
    problem = problem_of(structure.given, structure.x0)
    H, x0, g = model(1)
    results = []
    for before in (0, 5):
        S = Minimizer(problem)
        start = S.init(*problem.start(structure.x0, None, None))
        for seed in range(before):
            S(H, x0, g + model(seed)[2], start, 0.0, FINE)
        S.renew()
        results.append(S(H, x0, g, start, 0.0, FINE)[0].x.tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize("rows", [0, 5])
def test_what_was_solved_before_does_not_matter_in_many_variables(rows):
    """With factors that are bordered from solve to solve, and multipliers that start warm."""
    m, generator = 100, np.random.default_rng(0)
    root = generator.standard_normal((m, m))
    H, zero = root @ root.T + 0.1 * np.eye(m), np.zeros(m)
    form = of_coordinates(coordinates(m, lower=-0.3, below=-5.0, above=5.0))
    if rows:
        A = generator.standard_normal((rows, m))
        limits = coordinates(rows, lower=-1.0, upper=0.5)
        form = form.plus(Form(coordinates(m), csr_array(A), limits))
    slopes = 30.0 * generator.standard_normal((6, m))
    S, found = ExactStep(form), []
    for before in (0, 5):
        for g in slopes[:before]:
            S(H, zero, g, zero)
        kept = S(H, zero, slopes[5], zero)[0].tobytes()
        S.renew()
        found.append((kept, S(H, zero, slopes[5], zero)[0].tobytes()))
        S.renew()
    assert found[0][1] == found[1][1]
    assert found[0][0] == found[0][1]
    assert rows == 0 or found[1][0] != found[1][1]  # renewal has something to do


def test_a_flat_model_is_measured_by_itself():
    """One variable is nearly linear, the other is not: its own curvature decides."""
    S = ExactStep(
        Form(
            coordinates(2, lower=-1.0, upper=1.0),
            csr_array(np.ones((1, 2))),
            coordinates(1, lower=-9.0, upper=9.0),
        )
    )
    zero = np.zeros(2)
    x, found = S(np.diag([1e3, 1e-3]), zero, np.array([-1e3, -5e-4]), zero)
    np.testing.assert_allclose(x, [1.0, 0.5], atol=1e-9)
    assert found.solved
    x, found = S(np.diag([1e-12, 1.0]), zero, np.array([-1.0, -0.5]), zero)
    np.testing.assert_allclose(x, [1.0, 0.5], atol=1e-9)
    assert found.solved


def test_a_constraint_that_says_x_is_y_has_zeros_too():
    given = {"regularizer": zoo.L1(2.0), "constraint": zoo.Linear(np.eye(M))}
    for domain in (WholeSpace(), zoo.Box(-5.0, 5.0)):
        S = Minimizer(problem_of({**given, "domain": domain}, np.zeros(M)))
        H, x0, g = model(1)
        start = S.init(np.zeros(M), np.zeros(M), np.zeros(M))
        x, y, _ = S.pair(S.exactly(S(H, x0, g, start, 0.0, FINE)[0]))
        assert np.count_nonzero(x == 0.0) > 0
        np.testing.assert_array_equal(x == 0.0, y == 0.0)


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
        S = ExactStep(of_coordinates(coordinates(4, lower=at)))
        x, _ = S(H, x0, -H @ (at - x0), x0)
        assert (x >= at).all()
        np.testing.assert_allclose(x, at, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-18, 1e-9, 1.0, 1e9])
@pytest.mark.parametrize("domain", [zoo.Simplex(), zoo.BoxBudget(0.0, 0.6, 1.0), zoo.Box(0.0, 1.0)])
def test_a_model_as_good_as_linear_ends_in_a_vertex(domain, scale):
    """The slopes decide, however small the curvature is beside them."""
    problem = problem_of({"domain": domain}, np.full(3, 1 / 3))
    best = {"Simplex": [0, 1, 0], "BoxBudget": [0.4, 0.6, 0], "Box": [0, 1, 0]}
    S = Minimizer(problem)
    start = S.init(*problem.start(np.full(3, 1 / 3), None, None))
    H, g = scale * 1e-9 * np.diag([2.0, 1.0, 3.0]), scale * np.array([1.0, -2.0, 3.0])
    found, _ = S(H, np.full(3, 1 / 3), g, start, 0.0, FINE)
    np.testing.assert_allclose(found.x, best[type(domain).__name__], atol=1e-12)


def test_no_point_at_all_is_said_before_any_work():
    A = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    given = {
        "regularizer": zoo.regularizers.Indicator(zoo.Box([1.0, 3.0], [2.0, 4.0])),
        "constraint": zoo.Linear(A),
    }
    S = Minimizer(problem_of(given, np.zeros(3)))
    with pytest.raises(ValueError, match="allow no point"):
        S.feasible(np.zeros(3), np.zeros(2))


@pytest.mark.parametrize("name", sorted(BY_ADMM))
def test_splitting_finds_the_minimum_too(name):
    structure = STRUCTURES[name]
    S = Minimizer(problem_of(structure.given, structure.x0))
    H, x0, g = model(1)
    start = S.init(*S.problem.start(structure.x0, None, None))
    found, rho = S(H, x0, g, start, 0.0, FINE)
    best = solution(H, x0, g, structure.phi, structure.conditions)
    exact = S.exactly(found)
    np.testing.assert_allclose(exact.x, best, atol=2e-6)
    assert S.problem.domain.distance(exact.x) <= 1e-12
    assert rho >= 0.0
    x, y, dual = S.pair(exact)
    assert (len(x), len(y), len(dual)) == (M, S.problem.d, S.problem.l)


@pytest.mark.parametrize("name", ["l1", "weighted l1", "elastic net", "total variation"])
def test_where_both_ways_are_open_they_agree(name):
    structure = STRUCTURES[name]
    problem = problem_of(structure.given, structure.x0)
    H, x0, g = model(2)
    S, start = Minimizer(problem), Solved(*problem.start(np.zeros(M), None, None))
    split, _ = Splitting(problem)(H, x0, g, start, 1.0, FINE)
    exact, _ = S(H, x0, g, start, 0.0, FINE)
    np.testing.assert_allclose(split.y, exact.y, atol=1e-7)
    np.testing.assert_allclose(split.dual, exact.dual, atol=1e-5)


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
    start = S.init(*problem.start(np.zeros(M), None, None))
    found, _ = S(H, x0, g, start, 0.0, Accuracy(1e-7, 3_000))
    x, y = cp.Variable(M), cp.Variable(B.shape[1])
    s = x - x0
    value = g @ s + 0.5 * cp.quad_form(s, cp.psd_wrap(H)) + 0.5 * cp.norm1(y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cp.Problem(cp.Minimize(value), [A @ x + B @ y == c]).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(found.x, x.value, atol=1e-5)
    np.testing.assert_allclose(g + H @ (found.x - x0), A.T @ found.dual, atol=1e-3)


@pytest.mark.parametrize("name", sorted(BY_ADMM))
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
    """The step over both in a diagonal metric, against an interior-point method."""
    phi, domain, lower, upper = COMMON[name]
    v, x, W = np.array([3.0, -1.0, 0.4, 0.3]), cp.Variable(4), np.array([1.0, 2.0, 0.5, 3.0])
    start = domain.project(np.full(4, 0.5))
    problem = make_problem(start, phi, domain, zoo.problem.Consensus())
    conditions = [x >= lower, x <= upper]
    if name not in ("boxes", "l1"):
        conditions.append(cp.sum(x) == 2.0)
    value = 0.5 * cp.sum(cp.multiply(W, cp.square(x - v))) + (cp.norm1(x) if name == "l1" else 0.0)
    cp.Problem(cp.Minimize(value), conditions).solve(solver=cp.CLARABEL)
    step = ModelStep(problem, None)
    found = step(v, np.zeros(4), 1.0, W, Step(start, start, np.zeros(4), 0.0))
    np.testing.assert_allclose(found.x, x.value, atol=1e-4)
    assert found.penalty == 0.0  # in closed form


def test_accuracy_is_what_is_asked_for():
    structure = STRUCTURES["overlapping groups"]
    S = Minimizer(problem_of(structure.given, structure.x0))
    H, x0, g = model(1)
    start = S.init(*S.problem.start(np.zeros(M), None, None))
    best = solution(H, x0, g, structure.phi, structure.conditions)
    errors = [
        np.linalg.norm(S(H, x0, g, start, 0.0, accuracy)[0].x - best) for accuracy in (EXACT, FINE)
    ]
    assert errors[1] < errors[0] < 1e-3 * np.linalg.norm(best - x0)


def test_changes_of_the_minimizer_are_those_of_single_solves() -> None:
    """On the face of S(g) one factor serves all errors; beyond it each is solved by itself."""
    generator = np.random.default_rng(3)
    root = generator.standard_normal((8, 8))
    H, x0, g = root @ root.T + np.eye(8), generator.standard_normal(8), generator.standard_normal(8)
    for given in ({"regularizer": zoo.L1(0.5)}, {"domain": zoo.Box(-0.5, 1.0)}, {}):
        S = Minimizer(problem_of(given, np.zeros(8)))
        start = S.init(x0, x0, np.zeros(8))
        now, rho = S(H, x0, g, start, 0.0, EXACT)
        errors = np.concatenate([1e-3 * np.eye(8), 3.0 * generator.standard_normal((8, 8))])
        changes = S.changes(H, x0, g, errors, now, Nearby(True, len(errors), rho))
        for e, change in zip(errors, changes, strict=True):
            alone, _ = S(H, x0, g + e, now, rho, EXACT)
            np.testing.assert_allclose(now.x + change, alone.x, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("regularizer", [None, zoo.L1(0.2)], ids=["", "L1"])
def test_rows_in_other_units_beside_a_ball_change_nothing(regularizer, seed):
    """ADMM solves it; with rows as they are given it ended anywhere in units of 1e6 or 1e-6."""
    H, x0, g = model(seed)
    A = np.random.default_rng([7, seed]).standard_normal((2, M))
    b = 0.3 * A.sum(axis=1)
    found = []
    for unit in (1.0, 3e-7, 2e6):
        rows = np.array([[unit], [1.0]])
        ours = assembled(
            regularizer,
            zoo.problem.sets.L2Ball(1.0),
            zoo.Inequality(rows * A, unit * np.array([b[0], -np.inf]), [unit * b[0], b[1]]),
            M,
            np.dtype(float),
        )
        problem = ours.problem
        S = Minimizer(problem)
        assert S.iterates
        start = S.init(x0, np.zeros(problem.d), np.zeros(problem.l))
        to, _ = S(H, x0, g, start, 0.0, FINE)
        x, y, dual = S.pair(S.exactly(to))
        np.testing.assert_allclose(problem.constraint.residual(x, y)[-2], 0.0, atol=1e-5 * unit)
        again = S.init(x, y, dual)
        np.testing.assert_allclose(again.y[: problem.d], to.y[: problem.d], rtol=1e-12)
        found.append(x)
    strength = 0.0 if regularizer is None else 0.2
    expected = solution(
        H,
        x0,
        g,
        lambda x: strength * cp.norm1(x),
        lambda x: [cp.norm2(x) <= 1.0, A[0] @ x == b[0], A[1] @ x <= b[1]],
    )
    for x in found:
        np.testing.assert_allclose(x, expected, atol=1e-4)


@pytest.mark.parametrize("seed", [21, 52, 155, 251, *range(12)])
def test_a_nearly_singular_metric_leaves_no_row_missed(seed):
    generator = np.random.default_rng(seed)
    m = int(generator.integers(3, 25))
    axes = np.linalg.qr(generator.standard_normal((m, m)))[0]
    H = (axes * 10.0 ** generator.uniform(-16, 2, m)) @ axes.T
    units = 10.0 ** generator.uniform(-4, 0, m) if seed % 2 else np.ones(m)
    H = 0.5 * (H + H.T) * np.outer(units, units)
    x0 = generator.dirichlet(np.full(m, 0.3))
    g = generator.standard_normal(m) * 10.0 ** generator.uniform(-3, 1)
    S = Minimizer(problem_of({"domain": zoo.Simplex()}, x0))
    found, _ = S(H, x0, g, S.init(x0, x0, np.zeros(m)), 0.0, FINE)
    assert zoo.Simplex().distance(found.x) <= 1e-11


@pytest.mark.parametrize("name", sorted(BY_ADMM & set(STRUCTURES)))
@pytest.mark.parametrize("accuracy", [ROUGH, EXACT], ids=["rough", "exact"])
def test_the_doubt_covers_what_the_iteration_leaves(name, accuracy):
    """The model at S(g) is above its minimum by no more than `doubt`."""
    structure = STRUCTURES[name]
    S = Minimizer(problem_of(structure.given, structure.x0))
    assert S.iterates
    start = S.init(*S.problem.start(structure.x0, None, None))
    for seed in range(3):
        H, x0, g = model(seed)
        to, _ = S(H, x0, g, start, 0.0, accuracy)
        found, best = S.exactly(to).x, solution(H, x0, g, structure.phi, structure.conditions)

        def value(x):
            s, at = x - x0, cp.Constant(x)  # noqa: B023
            phi = structure.phi(at)
            return g @ s + 0.5 * s @ H @ s + float(getattr(phi, "value", phi))  # noqa: B023

        assert value(found) - value(best) <= S.doubt + 1e-7


def test_steps_in_single_precision_end_where_rounding_does() -> None:
    """Rows in a box: a residual that rounding keeps up once doubled the penalty to 1e38."""
    for seed in range(20):
        generator = np.random.default_rng([824, seed])
        A = generator.standard_normal((3, 6))
        b = A @ generator.uniform(-0.8, 0.8, 6)
        x = np.clip(generator.standard_normal(6), -1.0, 1.0).astype(np.float32)
        problem = make_problem(x, as_regularizer(zoo.Box(b, b)), zoo.Box(-1.0, 1.0), zoo.Linear(A))
        step, slope = ModelStep(problem, None), generator.standard_normal(6).astype(np.float32)
        at = Step(x, b.astype(np.float32), np.zeros(3, dtype=np.float32), 0.0)
        for _ in range(30):
            at = step(at.x, slope, 25.0, np.ones(1), at)
            assert 0.0 < at.penalty < 1e3, seed
        assert np.abs(A @ at.x - b).max() < 0.1, seed


def test_admm_ends_where_all_groups_are_zero() -> None:
    """x and x_0 are 0, so residuals have no part of them: each step took its 1,000 iterations."""
    for seed in range(10):
        generator = np.random.default_rng([825, seed])
        m = int(generator.integers(2, 12))
        phi, constraint = zoo.overlapping_groups(m, [[k, k + 1] for k in range(m - 1)], 10.0)
        root, calls = generator.standard_normal((m + 2, m)), []

        class Counted:
            def __call__(self, y, phi=phi):
                return phi(y)

            def prox(self, v, tau, phi=phi, calls=calls):
                calls.append(tau)
                return phi.prox(v, tau)

        given = {"regularizer": Counted(), "constraint": constraint}
        nothing = Solved(np.zeros(m), np.zeros(2 * m - 2), np.zeros(2 * m - 2))
        solve = Splitting(problem_of(given, np.zeros(m)))
        found, _ = solve(
            root.T @ root, nothing.x, generator.standard_normal(m), nothing, 1.0, EXACT
        )
        assert not found.y.any(), seed
        assert len(calls) < 300, seed


def test_admm_does_not_stop_at_once_where_rows_bound_a_plane() -> None:
    """A step by g alone is 1e16 long there, and says nothing of rounding at x."""
    x0, bounds = np.full(4, 0.01), as_regularizer(zoo.Box(-1.0, 1.0))
    A, calls = np.random.default_rng(826).standard_normal((300, 4)), []

    class Counted:
        def __call__(self, y):
            return bounds(y)

        def prox(self, v, tau):
            calls.append(tau)
            return bounds.prox(v, tau)

    solve = Splitting(problem_of({"regularizer": Counted(), "constraint": zoo.Linear(A)}, x0))
    start = Solved(x0, A @ x0, np.zeros(300))
    solve(1e-16 * np.eye(4), x0, np.ones(4), start, 1e-16, EXACT)
    assert len(calls) > 100


@pytest.mark.parametrize("seed", range(5))
def test_points_together_are_allowed_and_valued_as_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x0, points = np.zeros(4), 2.0 * rng.standard_normal((6, 4))
    for domain in (zoo.sets.WholeSpace(), zoo.sets.Box(-1.0, rng.random(4))):
        minimizer = Minimizer(problem_of({"regularizer": zoo.L1(0.3), "domain": domain}, x0))
        start = minimizer.init(x0, x0, x0)
        single = [minimizer.feasible(domain.project(point), x0)[0] for point in points]
        np.testing.assert_array_equal(minimizer.allowed(start, points), single)
        pairs = [start._replace(x=x, y=x) for x in single]
        assert minimizer.phis(pairs) == [0.3 * float(np.abs(x).sum()) for x in single]
