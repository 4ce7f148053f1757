"""Every convex set, held to the same promises. A new set is one row of ROWS."""

from __future__ import annotations

import itertools
import math
import pickle
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cvxpy as cp
import numpy as np
import pyproximal
import pytest
from scipy import sparse

from zooadmm.problem.sets import (
    AffineSet,
    Box,
    BoxBudget,
    Budget,
    ConvexSet,
    Halfspace,
    L1Ball,
    L2Ball,
    LInfBall,
    Nonnegative,
    NuclearBall,
    ProbeSafe,
    Simplex,
    WholeSpace,
)
from zooadmm.problem.sets.simplex import threshold

INF = math.inf
MIXED_LOWER = np.array([-INF, 0.0, -1.0, 0.5, 0.0, -2.0])
MIXED_UPPER = np.array([1.0, INF, 1.0, 0.5, 0.3, -1.0])
NORMAL = np.array([1.0, -2.0, 0.0, 0.5])
EQUATIONS = np.array([[1.0, 2.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0, 3.0]])
DEPENDENT = np.vstack([EQUATIONS, EQUATIONS.sum(axis=0), np.zeros(5), -7 * EQUATIONS[0]])
SOLUTION = np.array([1.0, 0.0, -1.0, 2.0, 0.5])


@dataclass(frozen=True)
class Row:
    """A set, the length of its vectors, and its definition in cvxpy's words."""

    label: str
    subject: ConvexSet
    m: int
    definition: Callable[[cp.Variable], Sequence[Any]]


def between(lower: Any, upper: Any) -> Callable[[cp.Variable], Sequence[Any]]:
    """The finite ones among the bounds, as constraints."""

    def definition(x: cp.Variable) -> Sequence[Any]:
        low, high = np.broadcast_to(lower, x.shape), np.broadcast_to(upper, x.shape)
        above, below = np.isfinite(low), np.isfinite(high)
        inequalities = []
        if above.any():
            inequalities.append(x[above] >= low[above])
        if below.any():
            inequalities.append(x[below] <= high[below])
        return inequalities

    return definition


def with_total(budget: float, lower: Any = -INF, upper: Any = INF) -> Any:
    return lambda x: [*between(lower, upper)(x), cp.sum(x) == budget]


def solving(M: np.ndarray) -> Any:
    return lambda x: [M @ x == M @ SOLUTION]


def small_nuclear_norm(x: cp.Variable) -> Sequence[Any]:
    return [cp.normNuc(cp.reshape(x, (2, 3), order="C")) <= 1.5]


ROWS = [
    Row("whole space", WholeSpace(), 5, lambda x: []),
    Row("box, numbers", Box(-0.5, 1.0), 6, between(-0.5, 1.0)),
    Row("box, vectors", Box(MIXED_LOWER, MIXED_UPPER), 6, between(MIXED_LOWER, MIXED_UPPER)),
    Row("box, one-sided", Box(-INF, 0.25), 4, between(-INF, 0.25)),
    Row("box, a point", Box(2.0, 2.0), 3, between(2.0, 2.0)),
    Row("nonnegative", Nonnegative(), 5, between(0.0, INF)),
    Row("budget", Budget(-1.5), 5, with_total(-1.5)),
    Row("simplex", Simplex(), 7, with_total(1.0, 0.0)),
    Row("simplex, large", Simplex(20.0), 4, with_total(20.0, 0.0)),
    Row("simplex, one coordinate", Simplex(3.0), 1, with_total(3.0, 0.0)),
    Row("box budget", BoxBudget(0.0, 1.0, 2.0), 6, with_total(2.0, 0.0, 1.0)),
    Row(
        "box budget, vectors",
        BoxBudget(MIXED_LOWER, MIXED_UPPER, -0.75),
        6,
        with_total(-0.75, MIXED_LOWER, MIXED_UPPER),
    ),
    Row("box budget, no bounds", BoxBudget(-INF, INF, 1.0), 4, with_total(1.0)),
    Row("box budget, no upper", BoxBudget(-1.0, INF, 1.0), 5, with_total(1.0, -1.0)),
    Row("box budget, no lower", BoxBudget(-INF, 0.5, 1.0), 5, with_total(1.0, -INF, 0.5)),
    Row("box budget, all high", BoxBudget(0.0, 0.1, 1.0), 10, with_total(1.0, 0.0, 0.1)),
    Row("box budget, all low", BoxBudget(0.1, 1.0, 1.0), 10, with_total(1.0, 0.1, 1.0)),
    Row("box budget, all fixed", BoxBudget(0.25, 0.25, 1.0), 4, with_total(1.0, 0.25, 0.25)),
    Row("l1 ball", L1Ball(1.5), 6, lambda x: [cp.norm1(x) <= 1.5]),
    Row("l2 ball", L2Ball(1.5), 6, lambda x: [cp.norm2(x) <= 1.5]),
    Row("linf ball", LInfBall(0.5), 6, lambda x: [cp.norm_inf(x) <= 0.5]),
    Row("nuclear ball", NuclearBall(1.5, (2, 3)), 6, small_nuclear_norm),
    Row("halfspace", Halfspace(NORMAL, -0.5), 4, lambda x: [NORMAL @ x <= -0.5]),
    Row("affine", AffineSet(EQUATIONS, EQUATIONS @ SOLUTION), 5, solving(EQUATIONS)),
    Row("affine, dependent", AffineSet(DEPENDENT, DEPENDENT @ SOLUTION), 5, solving(EQUATIONS)),
    Row(
        "affine, sparse",
        AffineSet(sparse.coo_array(EQUATIONS), EQUATIONS @ SOLUTION),
        5,
        solving(EQUATIONS),
    ),
    Row(
        "affine, sparse and dependent",
        AffineSet(sparse.csc_matrix(DEPENDENT), DEPENDENT @ SOLUTION),
        5,
        solving(EQUATIONS),
    ),
    Row("affine, nothing", AffineSet(np.zeros((2, 3)), np.zeros(2)), 3, lambda x: []),
    Row(
        "affine, sparse nothing", AffineSet(sparse.csr_array((2, 3)), np.zeros(2)), 3, lambda x: []
    ),
]
every_set = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)
every_probe_safe_set = pytest.mark.parametrize(
    "row", [row for row in ROWS if isinstance(row.subject, ProbeSafe)], ids=lambda row: row.label
)


def nearest(v: np.ndarray, row: Row) -> np.ndarray:
    """The projection, by a general solver."""
    x = cp.Variable(row.m)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x - v)), list(row.definition(x)))
    with warnings.catch_warnings(action="ignore"):  # a complaint that 1e-12 was not quite reached
        problem.solve(
            solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12, max_iter=200
        )
    assert x.value is not None
    return np.asarray(x.value)


@cache
def stated(row: Row) -> tuple[cp.Variable, Sequence[Any]]:
    x = cp.Variable(row.m)
    return x, row.definition(x)


def violation(point: np.ndarray, row: Row) -> float:
    """How far the point breaks the definition."""
    x, constraints = stated(row)
    x.value = point
    return max((float(np.max(c.violation(), initial=0.0)) for c in constraints), default=0.0)


def draws(m: int, count: int, scale: float = 2.0, seed: int = 0) -> list[np.ndarray]:
    return list(scale * np.random.default_rng([seed, m]).normal(size=(count, m)))


@every_set
def test_the_projection_is_the_nearest_point(row: Row) -> None:
    for v in draws(row.m, 3):
        np.testing.assert_allclose(row.subject.project(v), nearest(v, row), atol=2e-6)


@every_set
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e5])
def test_the_projection_is_in_the_set_and_sees_the_set_behind_it(row: Row, scale: float) -> None:
    members = [row.subject.project(u) for u in draws(row.m, 30, seed=1)]
    for v in draws(row.m, 10, scale):
        p = row.subject.project(v)
        assert violation(p, row) <= 1e-12 * max(1.0, scale)
        for u in members:
            assert (v - p) @ (u - p) <= 1e-11 * max(1.0, scale**2)


@every_set
def test_projecting_is_firmly_nonexpansive(row: Row) -> None:
    for u, v in zip(draws(row.m, 50), draws(row.m, 50, seed=1), strict=True):
        step = row.subject.project(u) - row.subject.project(v)
        assert step @ step <= step @ (u - v) + 1e-12


@every_set
def test_projecting_twice_is_projecting_once(row: Row) -> None:
    for v in draws(row.m, 20, scale=5.0):
        p = row.subject.project(v)
        np.testing.assert_allclose(row.subject.project(p), p, rtol=1e-12, atol=1e-14)


@every_set
def test_the_distance_is_that_to_the_projection(row: Row) -> None:
    for v in draws(row.m, 5):
        distance = row.subject.distance(v)
        assert isinstance(distance, float)
        assert distance == pytest.approx(math.dist(v, row.subject.project(v)), abs=1e-14)


@every_set
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_survives_and_the_input_too(row: Row, dtype: Any) -> None:
    for v in [*draws(row.m, 5), *draws(row.m, 1, scale=1e-3)]:
        given = v.astype(dtype)
        kept = given.copy()
        given.setflags(write=False)
        p = row.subject.project(given)
        assert p.dtype == dtype
        assert p.shape == (row.m,)
        assert not np.shares_memory(p, given)
        np.testing.assert_array_equal(given, kept)
        np.testing.assert_allclose(p, row.subject.project(kept.astype(np.float64)), atol=1e-5)


@every_set
def test_integers_are_not_truncated(row: Row) -> None:
    v = np.arange(row.m) - 1
    np.testing.assert_allclose(row.subject.project(v), row.subject.project(v.astype(float)))


@every_set
def test_not_a_number_stays_visible(row: Row) -> None:
    v = np.full(row.m, np.nan)
    try:
        assert np.isnan(row.subject.project(v)).any()
    except np.linalg.LinAlgError as refusal:
        assert "SVD" in str(refusal)  # noqa: PT017


@every_set
def test_equal_coordinates_stay_equal_where_nothing_tells_them_apart(row: Row) -> None:
    v = np.full(row.m, 0.7)
    p = row.subject.project(v)
    np.testing.assert_allclose(p, nearest(v, row), atol=2e-6)
    assert violation(p, row) <= 1e-12


@every_set
def test_the_right_length_fits(row: Row) -> None:
    row.subject.fits(row.m)


@every_set
def test_the_repr_names_the_class(row: Row) -> None:
    assert repr(row.subject).startswith(type(row.subject).__name__ + "(")
    assert len(repr(row.subject)) < 200


@every_probe_safe_set
@pytest.mark.parametrize("share", [0.0, 0.5, 0.999])
def test_probes_of_the_shrunk_set_stay_in_the_set(row: Row, share: float) -> None:
    subject = row.subject
    assert isinstance(subject, ProbeSafe)
    r = share * min(subject.inradius(row.m), 10.0)
    home = subject.shrunk(r)
    home.fits(row.m)
    for v, raw in zip(draws(row.m, 20, 3.0), draws(row.m, 20, seed=1), strict=True):
        x = home.project(v)
        d = subject.tangent(raw[None, :])[0]
        d /= max(1e-300, np.abs(d).max())
        probes = np.stack([x + r * d, x - r * d])
        for probe, clipped in zip(probes, subject.clip(probes), strict=True):
            assert violation(probe, row) <= 1e-12
            assert violation(clipped, row) <= 1e-12
            np.testing.assert_allclose(clipped, probe, atol=1e-12)


@pytest.mark.parametrize(
    "row",
    [
        row
        for row in ROWS
        if isinstance(row.subject, ProbeSafe) and not isinstance(row.subject, L2Ball | NuclearBall)
    ],
    ids=lambda row: row.label,
)
def test_outside_the_shrunk_set_some_step_leaves_the_set(row: Row) -> None:
    """The largest shrunk set; those of L2Ball and NuclearBall are balls, which are smaller."""
    subject = row.subject
    assert isinstance(subject, ProbeSafe)
    r = 0.3 * min(subject.inradius(row.m), 1.0)
    home = subject.shrunk(r)
    steps = subject.tangent(np.eye(row.m))
    if isinstance(subject, L1Ball | Halfspace):  # corners of the cube, not the middles of its faces
        steps = np.array(list(itertools.product((-1.0, 1.0), repeat=row.m)))
    lengths = np.abs(steps).max(axis=1)
    steps = steps[lengths > 1e-12] / lengths[lengths > 1e-12, None]
    for v in draws(row.m, 30, 1.0):
        x = row.subject.project(v)
        if home.distance(x) > 1e-6:
            moves = [x + sign * r * step for step in steps for sign in (1.0, -1.0)]
            assert max(violation(moved, row) for moved in moves) > 1e-8


@every_probe_safe_set
def test_tangents_are_orthogonal_projections_on_the_directions_of_the_set(row: Row) -> None:
    subject = row.subject
    assert isinstance(subject, ProbeSafe)
    basis = subject.tangent(np.eye(row.m))
    np.testing.assert_allclose(basis, basis.T, atol=1e-15)
    np.testing.assert_allclose(basis @ basis, basis, atol=1e-15)
    for u, v in zip(draws(row.m, 10), draws(row.m, 10, seed=1), strict=True):
        along = subject.project(u) - subject.project(v)
        np.testing.assert_allclose(subject.tangent(along[None, :])[0], along, atol=1e-12)


@every_probe_safe_set
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_does_not_feel_its_neighbors(row: Row, dtype: Any) -> None:
    subject = row.subject
    assert isinstance(subject, ProbeSafe)
    rows = np.array(draws(row.m, 9)).astype(dtype)
    for layout in (rows, np.asfortranarray(rows)):
        for change in (subject.tangent, subject.clip):
            together = change(layout)
            assert together.dtype == dtype
            alone = np.concatenate([change(rows[i : i + 1]) for i in range(len(rows))])
            np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(rows, np.array(draws(row.m, 9)).astype(dtype))


@pytest.mark.parametrize(
    ("subject", "m", "radius"),
    [
        (Box(0.0, [1.0, 4.0]), 2, 0.5),
        (Box([0.0, 2.0], [1.0, 2.0]), 2, 0.5),
        (Box(1.0, 1.0), 3, INF),
        (Nonnegative(), 3, INF),
        (Simplex(2.0), 4, 0.5),
        (BoxBudget(0.0, 1.0, 3.0), 4, 0.25),
        (BoxBudget(0.0, [1.0, 1.0, 0.0], 0.5), 3, 0.25),
        (BoxBudget(0.0, 1.0, 4.0), 4, 0.0),
        (BoxBudget(0.5, 0.5, 1.0), 2, INF),
        (L1Ball(2.0), 4, 0.5),
        (L2Ball(3.0), 9, 1.0),
        (NuclearBall(6.0, (3, 12)), 36, 6.0 / math.sqrt(108.0)),
    ],
    ids=repr,
)
def test_the_inradius_is_where_the_shrunk_set_becomes_a_point(
    subject: Any, m: int, radius: float
) -> None:
    assert subject.inradius(m) == pytest.approx(radius)
    if 0.0 < radius < INF:
        subject.shrunk(radius * (1.0 - 1e-12)).fits(m)
        with pytest.raises(ValueError, match=r"radius|budget"):
            subject.shrunk(1.01 * radius).fits(m)


@pytest.mark.parametrize("subject", [Budget(1.0), BoxBudget([0.0] * 60, [0.0] + [1.0] * 59, 1.0)])
def test_tangents_do_not_depend_on_the_layout(subject: Any) -> None:
    rows = np.random.default_rng(0).normal(size=(40, 60))
    alone = np.concatenate([subject.tangent(rows[i : i + 1]) for i in range(len(rows))])
    np.testing.assert_array_equal(subject.tangent(rows), alone)
    np.testing.assert_array_equal(subject.tangent(np.asfortranarray(rows)), alone)


def test_a_box_shrunk_by_all_its_inradius_is_a_point() -> None:
    rng = np.random.default_rng(0)
    for lower, width in zip(rng.normal(size=500), rng.random(500), strict=True):
        box = Box(float(lower), float(lower + width))
        point = box.shrunk(box.inradius(1)).project(np.zeros(1))
        assert point[0] == pytest.approx(lower + width / 2)


def test_fixed_coordinates_do_not_move() -> None:
    subject = BoxBudget([0.0, 0.5, 0.0], [1.0, 0.5, 1.0], 1.5)
    rows = np.array([[1.0, 7.0, 3.0]])
    np.testing.assert_allclose(subject.tangent(rows), [[-1.0, 0.0, 1.0]])
    np.testing.assert_allclose(Box([0.0, 1.0], [2.0, 1.0]).tangent(rows[:, :2]), [[1.0, 0.0]])
    assert Box(0.0, 1.0).tangent(rows) is rows


def by_bisection(v: np.ndarray, lower: Any, upper: Any, budget: float) -> np.ndarray:
    """clip(v - nu) for the nu found by halving an interval that contains it."""
    left, right = v.min() - 1e3, v.max() + 1e3
    for _ in range(200):
        nu = (left + right) / 2
        if np.clip(v - nu, lower, upper).sum() > budget:
            left = nu
        else:
            right = nu
    return np.clip(v - nu, lower, upper)


@pytest.mark.parametrize("seed", range(20))
def test_box_budget_agrees_with_bisection(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 200))
    lower = np.where(rng.random(m) < 0.3, -INF, np.round(rng.normal(size=m), 1))
    upper = np.where(rng.random(m) < 0.3, INF, np.maximum(lower, -5) + rng.integers(0, 3, size=m))
    somewhere = np.clip(rng.normal(size=m), lower, upper)
    subject = BoxBudget(lower, upper, somewhere.sum())
    v = np.round(3 * rng.normal(size=m), 1)  # rounded, so that there are ties
    x = subject.project(v)
    np.testing.assert_allclose(x, by_bisection(v, lower, upper, subject.budget), atol=1e-11)
    assert np.all((lower <= x) & (x <= upper))
    assert abs(x.sum() - subject.budget) <= 1e-12 * max(1.0, np.abs(x).sum())


def test_bounds_hold_exactly_where_a_coordinate_just_reaches_one() -> None:
    rng = np.random.default_rng(0)
    for v in 100.0 * rng.normal(size=(300, 7)):
        nu = v[0] - 0.1  # coordinate 0 arrives at its lower bound, coordinate 1 at its upper
        v[1] = nu + 0.7
        x = BoxBudget(0.1, 0.7, np.clip(v - nu, 0.1, 0.7).sum()).project(v)
        assert x.min() >= 0.1
        assert x.max() <= 0.7


@pytest.mark.parametrize("offset", [0.0, 1e8, -1e8])
def test_totals_are_exact_at_a_million_coordinates_and_far_away(offset: float) -> None:
    v = np.random.default_rng(0).normal(size=1_000_000) + offset
    for subject in (Simplex(), Budget(1.0), BoxBudget(0.0, 1e-3, 100.0)):
        x = subject.project(v)
        assert x.sum() == pytest.approx(subject.budget, rel=1e-11, abs=1e-11 * np.abs(x).sum())
        np.testing.assert_array_equal(x, subject.clip(x[None, :])[0])


def test_pyproximal_projects_alike() -> None:
    v = np.random.default_rng(3).normal(size=12)
    pairs: list[tuple[ConvexSet, Any, float]] = [
        (Box(-0.5, 0.5), pyproximal.Box(-0.5, 0.5), 1e-12),
        (Simplex(2.0), pyproximal.Simplex(12, 2.0), 1e-6),
        (L1Ball(2.0), pyproximal.L1Ball(12, 2.0), 1e-4),
        (L2Ball(2.0), pyproximal.EuclideanBall(0.0, 2.0), 1e-12),
        (NuclearBall(2.0, (3, 4)), pyproximal.NuclearBall((3, 4), 2.0), 1e-4),
        (Halfspace(v[::-1], -1.0), pyproximal.HalfSpace(v[::-1], -1.0), 1e-12),
    ]
    for ours, theirs, tolerance in pairs:
        np.testing.assert_allclose(ours.project(v), theirs.prox(v.copy(), 1.0), atol=tolerance)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Box(1.0, 0.0), "lower must not exceed upper"),
        (lambda: Box(np.nan, 0.0), "neither may be NaN"),
        (lambda: Box([0.0, np.nan], 1.0), "neither may be NaN"),
        (lambda: Box(INF, INF), r"lower must be below \+inf"),
        (lambda: Box(-INF, -INF), "upper above -inf"),
        (lambda: Box([0.0, 0.0], [1.0, 1.0, 1.0]), "same length"),
        (lambda: Box(np.zeros((2, 2)), 1.0), "lower must be a number or a nonempty vector"),
        (lambda: Box(0.0, []), "upper must be a number or a nonempty vector"),
        (lambda: Box(0.0, 1.0).shrunk(0.6), "radius 0.6 .* use a smaller radius"),
        (lambda: Box(0.0, 1.0).shrunk(-0.1), "radius must be finite and zero or more"),
        (lambda: Nonnegative().shrunk(np.nan), "radius must be finite"),
        (lambda: Budget(np.nan), "budget must be finite"),
        (lambda: Simplex(0.0), "budget must be positive"),
        (lambda: BoxBudget(0.0, 1.0, INF), "budget must be finite"),
        (lambda: Box(0.0, [1.0, 2.0]).fits(3), "upper has length 2, but the vector has length 3"),
        (lambda: BoxBudget([0.0], 1.0, 1.0).fits(2), "lower has length 1"),
        (lambda: BoxBudget(0.0, 1.0, 5.0).fits(4), "upper bounds of 4 coordinates only add up"),
        (lambda: BoxBudget(0.5, 1.0, 1.0).fits(4), "lower bounds of 4 coordinates already add up"),
        (lambda: L1Ball(0.0), "radius must be positive"),
        (lambda: L2Ball(-1.0), "radius must be positive"),
        (lambda: LInfBall(INF), "radius must be finite"),
        (lambda: NuclearBall(np.nan, (2, 2)), "radius must be finite"),
        (lambda: NuclearBall(1.0, (2, 0)), "shape must be two positive integers"),
        (lambda: NuclearBall(1.0, (4,)), "shape must be two positive integers"),
        (lambda: NuclearBall(1.0, (2, 3)).fits(5), "holds 6 numbers, but the vector has length 5"),
        (lambda: Halfspace(np.zeros(3), 1.0), "normal must not be zero"),
        (lambda: Halfspace(np.full(2, np.nan), 1.0), "normal must be finite"),
        (lambda: Halfspace(np.ones(3), INF), "offset must be finite"),
        (lambda: Halfspace(np.ones(3), 1.0).fits(4), "normal has length 3"),
        (lambda: AffineSet(np.ones(3), np.ones(1)), "M must have 2 dimension"),
        (lambda: AffineSet(EQUATIONS, np.ones(3)), "M has 2 rows and b has length 3"),
        (lambda: AffineSet(EQUATIONS, np.ones(2)).fits(4), "M has 5 columns"),
        (lambda: AffineSet(sparse.csr_array([[np.nan]]), np.ones(1)), "M must be finite"),
        (lambda: AffineSet(DEPENDENT, np.ones(5)), "no solution"),
        (lambda: AffineSet(sparse.csr_array(DEPENDENT), np.ones(5)), "no solution"),
        (lambda: AffineSet(sparse.csr_array((2, 3)), np.ones(2)), "no solution"),
        (lambda: BoxBudget(0.0, 1.0, 5.0).project(np.zeros(4)), "raise the bounds"),
        (lambda: BoxBudget(0.5, 1.0, 1.0).project(np.zeros(4)), "lower the bounds"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(
    make: Callable[[], Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize("make", [lambda: Box("low", 1.0), lambda: Budget([1.0, 2.0])])
def test_what_is_not_a_number_is_a_type_error(make: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=r"must be (a number|made of real numbers)"):
        make()


def test_bounds_are_private_copies() -> None:
    upper = np.ones(3)
    box = Box(0.0, upper)
    upper[:] = 5.0
    np.testing.assert_array_equal(box.project(np.full(3, 9.0)), np.ones(3))
    with pytest.raises(ValueError, match="read-only"):
        box.upper[0] = 7.0  # type: ignore[index]


def test_numpy_scalars_keep_float32_vectors_float32() -> None:
    v = np.ones(3, dtype=np.float32)
    assert Box(np.float64(0.0), np.float64(0.5)).project(v).dtype == np.float32
    assert Budget(np.float64(2.0)).project(v).dtype == np.float32


def test_a_long_chain_of_sparse_equations() -> None:
    """Neighbors agree: every point is moved to the mean of its coordinates."""
    m = 20_000
    differences = sparse.diags_array(
        [np.ones(m - 1), -np.ones(m - 1)], offsets=[0, 1], shape=(m - 1, m)
    )
    v = np.random.default_rng(0).normal(size=m)
    x = AffineSet(differences, np.zeros(m - 1)).project(v)
    np.testing.assert_allclose(x, np.full(m, v.mean()), atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_equations_in_units_of_their_own_have_the_same_solutions(kind: Callable[..., Any]) -> None:
    """Rows from 1e-9 to 1e9, some of which depend on others, are solved and not refused."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(2, 25))
        k = int(rng.integers(1, m + 1))
        M = rng.normal(size=(k, m)) * 10.0 ** rng.uniform(-9, 9, (k, 1))
        if seed % 2 and k > 1:
            M[-1] = M[:-1].T @ rng.normal(size=k - 1)
        x = rng.normal(size=m) * 10.0 ** rng.uniform(-4, 4)
        b = M @ x
        found = AffineSet(kind(M), b).project(rng.normal(size=m))
        terms = np.abs(M) @ np.abs(found)
        assert (np.abs(M @ found - b) <= np.maximum(1e-9 * np.abs(b), 1e-14 * terms)).all(), seed


def test_sums_of_growing_size_have_a_solution() -> None:
    """A triangular system of condition 3e9, which only rows of even size show to be solvable."""
    M = np.tril(np.ones((10, 10))) * np.r_[np.ones(8), 180.0, 5e8][:, np.newaxis]
    x = np.r_[np.zeros(8), 45.0, 35.0]
    np.testing.assert_allclose(AffineSet(M, M @ x).project(np.zeros(10)), x, atol=1e-9)


def test_sets_can_be_sent_to_another_process() -> None:
    for row in ROWS:
        v = draws(row.m, 1)[0]
        again = pickle.loads(pickle.dumps(row.subject))
        np.testing.assert_array_equal(again.project(v), row.subject.project(v))


@pytest.mark.parametrize("size", [1e3, 1e8, 1e16, 1e20, 1e100, 1e300])
def test_a_ball_far_below_the_point(size: float) -> None:
    """Where radius / |v| is lost in rounding the projection still has the right length."""
    far = np.array([size, 0.0, -3.0])
    np.testing.assert_array_equal(L1Ball(1.0).project(far), [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(L1Ball(1.0).project(-far), [-1.0, 0.0, 0.0])
    np.testing.assert_array_equal(Simplex().project(far), [1.0, 0.0, 0.0])
    equal = np.array([size, -size, size, 0.0])
    np.testing.assert_allclose(L1Ball(3.0).project(equal), [1.0, -1.0, 1.0, 0.0])
    np.testing.assert_allclose(Simplex(3.0).project(equal), [1.5, 0.0, 1.5, 0.0])
    square = np.diag([size, -1.0]).ravel()
    np.testing.assert_allclose(NuclearBall(2.0, (2, 2)).project(square), [2.0, 0, 0, 0], atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("radius", [1e-30, 1e-12, 2e-16, 1e-3, 1.0])
def test_a_ball_of_any_radius(radius: float, dtype: Any) -> None:
    for v in draws(7, 10, 5.0):
        x = L1Ball(radius).project(v.astype(dtype)).astype(np.float64)
        assert np.abs(x).sum() == pytest.approx(radius, rel=1e-5 if dtype is np.float32 else 1e-12)
        assert (x * v >= 0).all()
        on_simplex = Simplex(radius).project(v.astype(dtype)).astype(np.float64)
        assert on_simplex.sum() == pytest.approx(radius, rel=1e-5)


@pytest.mark.parametrize("budget", [1e-300, 1e-16, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("top", [0.0, 1.0, -1e6, 1e6, 1e20])
def test_the_threshold_lies_below_the_largest_and_not_far(top: float, budget: float) -> None:
    for v in draws(9, 10, 2.0):
        moved = v - v.max() + top
        theta = threshold(moved, budget)
        assert np.isfinite(theta)
        assert top - budget * (1 + 1e-12) - 1e-15 * abs(top) <= theta <= top


def test_zeros_have_no_sign() -> None:
    x = L1Ball(1.0).project(np.array([5.0, -0.5, -0.0]))
    assert not np.signbit(x).any()


@every_probe_safe_set
def test_the_stretch_bounds_what_a_tangent_does_to_the_largest_entry(row: Row) -> None:
    subject = row.subject
    assert isinstance(subject, ProbeSafe)
    rows = np.concatenate([draws(row.m, 50), np.sign(draws(row.m, 50)), np.eye(row.m)])
    largest = np.abs(rows).max(axis=1)
    stretched = np.abs(subject.tangent(rows)).max(axis=1)
    assert (stretched <= subject.stretch * largest * (1 + 1e-12)).all()
    stretches = {Budget: 2.0, Simplex: 2.0, BoxBudget: 2.0, AffineSet: np.sqrt(row.m)}
    assert subject.stretch == stretches.get(type(subject), 1.0)
