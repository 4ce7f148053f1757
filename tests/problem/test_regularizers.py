"""Every regularizer, held to the same promises. A new regularizer is one row of ROWS."""

from __future__ import annotations

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

import zooadmm as zoo
from zooadmm.problem.regularizers import (
    L1,
    ElasticNet,
    Foreign,
    GraphLaplacian,
    GroupL2,
    Indicator,
    LInf,
    NuclearNorm,
    ProximalSum,
    Regularizer,
    SizedRegularizer,
    SquaredL2,
    Within,
    Zero,
    as_regularizer,
)
from zooadmm.problem.sets import (
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
    Simplex,
)

INF = math.inf
Definition = tuple[Any, Sequence[Any]]
WEIGHTS = np.array([0.0, 0.5, 1.0, 2.0, 3.0])
UPPER = np.array([INF, 0.5, 0.0, 1.0, INF])
PATH = np.array([[1.0, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 3, -2], [0, 0, -2, 2]])


@dataclass(frozen=True)
class Row:
    """A regularizer, the length of its vectors, and its definition in cvxpy's words.

    A prox that iterates has an error larger than rounding, and a tau beyond which it takes long.
    """

    label: str
    subject: SizedRegularizer
    d: int
    definition: Callable[[cp.Variable], Definition]
    error: float = 1e-14
    largest_tau: float = INF


def elastic(y: cp.Variable) -> Any:
    return 0.7 * cp.norm1(y) + 0.5 * 2.0 * cp.sum_squares(y)


def groups(y: cp.Variable) -> Definition:
    return 0.8 * (cp.norm2(y[[0, 3]]) + 0.5 * cp.norm2(y[[1]]) + 2.0 * cp.norm2(y[[2, 5, 6]])), []


def nuclear(y: cp.Variable) -> Any:
    return cp.normNuc(cp.reshape(y, (2, 3), order="C"))


def smooth(y: cp.Variable) -> Definition:
    return 0.5 * 0.6 * cp.quad_form(y, cp.psd_wrap(PATH)), []


ROWS = [
    Row("zero", Zero(), 4, lambda y: (cp.Constant(0.0), [])),
    Row("l1", L1(0.8), 6, lambda y: (0.8 * cp.norm1(y), [])),
    Row("l1, nothing", L1(0.0), 3, lambda y: (0.0 * cp.norm1(y), [])),
    Row("l1, weighted", L1(0.5, WEIGHTS), 5, lambda y: (0.5 * WEIGHTS @ cp.abs(y), [])),
    Row("squared l2", SquaredL2(1.5), 5, lambda y: (0.75 * cp.sum_squares(y), [])),
    Row("elastic net", ElasticNet(0.7, 2.0), 5, lambda y: (elastic(y), [])),
    Row("group l2", GroupL2(0.8, [[0, 3], [1], [6, 2, 5]], [1.0, 0.5, 2.0]), 8, groups),
    Row("group l2, one", GroupL2(1.2, [range(4)]), 4, lambda y: (1.2 * cp.norm2(y), [])),
    Row("group l2, none", GroupL2(1.2, []), 4, lambda y: (cp.Constant(0.0), [])),
    Row(
        "indicator",
        Indicator(BoxBudget(0.0, 1.0, 2.0)),
        5,
        lambda y: (cp.Constant(0.0), [y >= 0, y <= 1, cp.sum(y) == 2]),
    ),
    Row("nonnegative l1", Within(L1(0.8), Nonnegative()), 5, lambda y: (0.8 * cp.sum(y), [y >= 0])),
    Row(
        "boxed elastic net",
        Within(ElasticNet(0.7, 2.0), Box(0.25, 0.75)),
        4,
        lambda y: (elastic(y), [y >= 0.25, y <= 0.75]),
    ),
    Row(
        "boxed weighted l1",
        Within(L1(0.5, WEIGHTS), Box(-1.0, UPPER)),
        5,
        lambda y: (0.5 * WEIGHTS @ cp.abs(y), [y >= -1, y[[1, 2, 3]] <= UPPER[[1, 2, 3]]]),
    ),
    Row(
        "boxed squared l2",
        Within(SquaredL2(1.5), Box(0.1, INF)),
        3,
        lambda y: (0.75 * cp.sum_squares(y), [y >= 0.1]),
    ),
    Row("boxed zero", Within(Zero(), Box(-0.1, 0.1)), 3, lambda y: (0.0, [cp.abs(y) <= 0.1])),
    Row("linf", LInf(1.5), 5, lambda y: (1.5 * cp.norm_inf(y), [])),
    Row("nuclear norm", NuclearNorm(0.8, (2, 3)), 6, lambda y: (0.8 * nuclear(y), [])),
    Row("laplacian", GraphLaplacian(0.6, PATH), 4, smooth),
    Row("laplacian, sparse", GraphLaplacian(0.6, sparse.coo_array(PATH)), 4, smooth),
    Row(
        "l1 with a budget",
        ProximalSum(Budget(1.0), L1(0.5)),
        5,
        lambda y: (0.5 * cp.norm1(y), [cp.sum(y) == 1.0]),
        error=5e-10,
        largest_tau=20.0,
    ),
    Row(
        "low rank and nonnegative",
        ProximalSum(NuclearNorm(0.8, (2, 3)), Nonnegative()),
        6,
        lambda y: (0.8 * nuclear(y), [y >= 0]),
        error=5e-10,
        largest_tau=20.0,
    ),
    Row(
        "overlapping groups",
        ProximalSum(GroupL2(0.5, [[0, 1, 2]]), GroupL2(0.5, [[2, 3]])),
        4,
        lambda y: (0.5 * cp.norm2(y[:3]) + 0.5 * cp.norm2(y[2:]), []),
        error=5e-10,
        largest_tau=20.0,
    ),
    Row("pyproximal's l1", Foreign(pyproximal.L1(0.8)), 6, lambda y: (0.8 * cp.norm1(y), [])),
]
every_regularizer = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)


def by_solver(v: np.ndarray, tau: float, row: Row) -> np.ndarray:
    """The proximal point, by a general solver."""
    y = cp.Variable(row.d)
    penalty, constraints = row.definition(y)
    objective = tau * penalty + 0.5 * cp.sum_squares(y - v)
    problem = cp.Problem(cp.Minimize(objective), list(constraints))
    with warnings.catch_warnings(action="ignore"):  # a complaint that 1e-12 was not quite reached
        problem.solve(
            solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12, max_iter=200
        )
    assert y.value is not None
    return np.asarray(y.value)


@cache
def stated(row: Row) -> tuple[cp.Variable, Any, Sequence[Any]]:
    y = cp.Variable(row.d)
    return y, *row.definition(y)


def by_definition(point: np.ndarray, row: Row) -> float:
    """phi(point), read off the definition."""
    y, penalty, constraints = stated(row)
    y.value = point
    if any(np.max(c.violation(), initial=0.0) > 1e-9 for c in constraints):
        return INF
    return float(getattr(penalty, "value", penalty))


def draws(d: int, count: int, scale: float = 2.0, seed: int = 0) -> list[np.ndarray]:
    return list(scale * np.random.default_rng([seed, d]).normal(size=(count, d)))


@every_regularizer
@pytest.mark.parametrize("tau", [0.05, 1.0, 8.0])
def test_the_prox_minimizes_what_it_should(row: Row, tau: float) -> None:
    for v in draws(row.d, 2):
        np.testing.assert_allclose(row.subject.prox(v, tau), by_solver(v, tau, row), atol=5e-6)


@every_regularizer
@pytest.mark.parametrize("tau", [1e-8, 0.3, 1.0, 1e6])
def test_the_prox_leaves_a_subgradient(row: Row, tau: float) -> None:
    """phi(u) >= phi(p) + <(v - p) / tau, u - p> for every u, which holds for the prox only."""
    phi = row.subject
    tau = min(tau, row.largest_tau)
    rivals = draws(row.d, 10, seed=1)
    for v in draws(row.d, 5):
        p = phi.prox(v, tau)
        slope = (v - p) / tau
        value = phi(p)
        assert math.isfinite(value)
        near = [p + 0.01 * rival for rival in rivals]
        for u in [*rivals, *near, *(phi.prox(u, 1.0) for u in rivals + near), np.zeros(row.d)]:
            bound = value + slope @ (u - p)
            slack = 1e3 * max(1.0, abs(bound)) + math.hypot(*v) * math.dist(u, p) / tau
            assert phi(u) >= bound - row.error * slack


@every_regularizer
@pytest.mark.parametrize("tau", [1e-3, 1.0, 1e3])
def test_the_prox_is_firmly_nonexpansive(row: Row, tau: float) -> None:
    tau = min(tau, row.largest_tau)
    for u, v in zip(draws(row.d, 30), draws(row.d, 30, seed=1), strict=True):
        step = row.subject.prox(u, tau) - row.subject.prox(v, tau)
        assert step @ step <= step @ (u - v) + 1e-12


@every_regularizer
def test_the_value_is_that_of_the_definition(row: Row) -> None:
    points = draws(row.d, 10)
    for y in [*points, *(row.subject.prox(v, 0.5) for v in points), np.zeros(row.d)]:
        value = row.subject(y)
        assert type(value) is float
        assert value == pytest.approx(by_definition(y, row), rel=1e-9, abs=1e-9)


@every_regularizer
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("tau", [np.float64(0.5), np.float32(0.5), 2])
def test_the_dtype_survives_and_the_input_too(row: Row, dtype: Any, tau: Any) -> None:
    for v in draws(row.d, 3):
        given = v.astype(dtype)
        kept = given.copy()
        given.setflags(write=False)
        p = row.subject.prox(given, tau)
        assert p.dtype == dtype
        assert p.shape == (row.d,)
        assert not np.shares_memory(p, given)
        assert type(row.subject(given)) is float
        np.testing.assert_array_equal(given, kept)
        exact = row.subject.prox(kept.astype(np.float64), float(tau))
        np.testing.assert_allclose(p, exact, atol=1e-5)
        assert row.subject(p) == pytest.approx(row.subject(exact), rel=1e-4, abs=1e-4)


@every_regularizer
def test_integers_are_not_truncated(row: Row) -> None:
    v = np.arange(row.d) - 1
    np.testing.assert_array_equal(row.subject.prox(v, 0.3), row.subject.prox(v.astype(float), 0.3))


@every_regularizer
def test_calls_leave_no_trace(row: Row) -> None:
    v, other = draws(row.d, 2)
    before = row.subject.prox(v, 0.5)
    row.subject.prox(other, 0.25)
    row.subject(other)
    np.testing.assert_array_equal(row.subject.prox(v, 0.5), before)


@every_regularizer
def test_ties_and_zeros(row: Row) -> None:
    for v in (np.zeros(row.d), np.full(row.d, 0.8), np.full(row.d, -0.8)):
        np.testing.assert_allclose(row.subject.prox(v, 1.0), by_solver(v, 1.0, row), atol=2e-5)


@every_regularizer
def test_a_regularizer_is_taken_as_it_is(row: Row) -> None:
    row.subject.fits(row.d)
    assert isinstance(row.subject, Regularizer)
    assert as_regularizer(row.subject) is row.subject
    assert repr(row.subject).startswith(type(row.subject).__name__ + "(")
    assert len(repr(row.subject)) < 200


@pytest.mark.parametrize(
    "phi",
    [
        L1(1.0),
        SquaredL2(1.0),
        ElasticNet(1.0, 1.0),
        GroupL2(1.0, [[0]]),
        LInf(1.0),
        NuclearNorm(1.0, (1, 1)),
        GraphLaplacian(1.0, np.ones((1, 1))),
        ProximalSum(Zero(), Zero()),
    ],
)
@pytest.mark.parametrize("tau", [0.0, -1.0, np.nan, INF])
def test_a_step_that_is_no_step_is_refused(phi: Any, tau: float) -> None:
    with pytest.raises(ValueError, match="tau must be"):
        phi.prox(np.ones(1), tau)


SIX = np.arange(6.0)
POSITIVE = np.diag(SIX + 1.0) + 0.1


def with_singular_values_below(v: np.ndarray, level: float) -> np.ndarray:
    left, values, right = np.linalg.svd(v.reshape(2, 3), full_matrices=False)
    return (left @ np.diag(np.minimum(values, level)) @ right).ravel()


def spectral_prox(v: np.ndarray, shift: float) -> np.ndarray:
    """The prox of shift times the largest singular value."""
    left, values, right = np.linalg.svd(v.reshape(2, 3), full_matrices=False)
    return (left @ np.diag(LInf(shift).prox(values, 1.0)) @ right).ravel()


CONJUGATES: list[tuple[Any, Callable[[np.ndarray, float], np.ndarray]]] = [
    (L1(0.8), lambda v, tau: Box(-0.8, 0.8).project(v)),
    (L1(0.5, SIX), lambda v, tau: Box(-0.5 * SIX, 0.5 * SIX).project(v)),
    (SquaredL2(1.5), SquaredL2(1 / 1.5).prox),
    (Zero(), lambda v, tau: Box(0.0, 0.0).project(v)),
    (Indicator(Nonnegative()), lambda v, tau: Box(-INF, 0.0).project(v)),
    (Indicator(Box(-1.0, 1.0)), L1(1.0).prox),
    (Indicator(LInfBall(0.7)), L1(0.7).prox),
    (Indicator(L1Ball(0.7)), LInf(0.7).prox),
    (Indicator(L2Ball(0.7)), GroupL2(0.7, [range(6)]).prox),
    (LInf(0.7), lambda v, tau: L1Ball(0.7).project(v)),
    (GroupL2(0.7, [range(6)]), lambda v, tau: L2Ball(0.7).project(v)),
    (GraphLaplacian(2.0, POSITIVE), GraphLaplacian(0.5, np.linalg.inv(POSITIVE)).prox),
    (NuclearNorm(0.7, (2, 3)), lambda v, tau: with_singular_values_below(v, 0.7)),
    (Indicator(NuclearBall(1.5, (2, 3))), lambda v, tau: spectral_prox(v, 1.5 * tau)),
]


@pytest.mark.parametrize(
    ("phi", "conjugate_prox"), CONJUGATES, ids=lambda part: type(part).__name__
)
@pytest.mark.parametrize("tau", [0.01, 1.0, 30.0])
def test_moreaus_identity(phi: Any, conjugate_prox: Any, tau: float) -> None:
    """The prox of phi and that of its conjugate add up to the whole vector."""
    for v in draws(6, 20, 3.0):
        whole = phi.prox(v, tau) + tau * conjugate_prox(v / tau, 1.0 / tau)
        np.testing.assert_allclose(whole, v, atol=1e-12)


def by_trying(v: float, tau: float, phi: Callable[[float], float]) -> float:
    """The proximal point of a function of one number: the best of a grid, refined."""
    center, width = 0.0, abs(v) + 1.0
    for _ in range(14):
        grid = np.linspace(center - width, center + width, 201)
        center = float(min(grid, key=lambda y: phi(y) + (y - v) ** 2 / (2 * tau)))
        width /= 20.0
    return center


@pytest.mark.parametrize(
    ("phi", "of_one_number"),
    [
        (L1(0.8), lambda y: 0.8 * abs(y)),
        (SquaredL2(1.5), lambda y: 0.75 * y * y),
        (ElasticNet(0.7, 2.0), lambda y: 0.7 * abs(y) + y * y),
        (Within(L1(0.8), Nonnegative()), lambda y: 0.8 * y if y >= 0 else INF),
        (
            Within(ElasticNet(0.7, 2.0), Box(-0.5, 0.3)),
            lambda y: 0.7 * abs(y) + y * y if -0.5 <= y <= 0.3 else INF,
        ),
    ],
    ids=lambda part: type(part).__name__,
)
def test_separable_ones_against_trying_numbers(phi: Any, of_one_number: Any) -> None:
    for tau in (0.1, 2.0):
        for v in (-2.0, -0.3, 0.0, 0.08, 1.6, 3.0):
            found = phi.prox(np.array([v]), tau)[0]
            assert found == pytest.approx(by_trying(v, tau, of_one_number), abs=1e-6)


def test_small_coordinates_and_groups_become_exact_zeros() -> None:
    v = np.array([0.3, -0.4, 0.5, -0.5, 3.0])
    assert np.count_nonzero(L1(0.5).prox(v, 1.0)) == 1
    assert np.count_nonzero(ElasticNet(0.5, 1.0).prox(v, 1.0)) == 1
    grouped = GroupL2(1.0, [[0, 1], [2, 3]])
    np.testing.assert_array_equal(grouped.prox(v, 0.8), [0.0, 0.0, 0.0, 0.0, 3.0])
    np.testing.assert_array_equal(grouped.prox(v, 0.5)[:2], [0.0, 0.0])
    np.testing.assert_array_equal(GroupL2(0.0, [[0, 1]]).prox(np.zeros(2), 1.0), [0.0, 0.0])


def test_a_million_coordinates() -> None:
    v = np.random.default_rng(0).normal(size=1_000_000)
    norms = np.sqrt(np.square(v).reshape(-1, 10).sum(axis=1))
    phi = GroupL2(2.0, list(np.arange(v.size).reshape(-1, 10)))
    assert phi(v) == pytest.approx(2.0 * norms.sum())
    shrunk = v.reshape(-1, 10) * np.maximum(0.0, 1.0 - 2.0 / norms)[:, None]
    np.testing.assert_allclose(phi.prox(v, 1.0), shrunk.ravel(), atol=1e-12)
    assert L1(1.0)(v.astype(np.float32)) == pytest.approx(L1(1.0)(v), rel=1e-7)


def test_the_indicator_forgives_rounding_only() -> None:
    phi = Indicator(Simplex())
    y = np.full(3, 1 / 3)
    assert phi(y) == 0.0
    assert phi(y + 1e-11) == 0.0
    assert phi(y + 1e-7) == INF
    assert phi(y.astype(np.float32)) == 0.0
    assert phi(y.astype(np.float32) + np.float32(1e-3)) == INF
    assert phi(np.full(3, np.nan)) == INF


@pytest.mark.parametrize(
    ("ours", "theirs", "tolerance"),
    [
        (L1(0.8), pyproximal.L1(0.8), 1e-12),
        (L1(1.0, np.arange(6.0)), pyproximal.L1(np.arange(6.0)), 1e-12),
        (SquaredL2(1.5), pyproximal.L2(sigma=1.5), 1e-12),
        (GroupL2(0.8, [range(6)]), pyproximal.Euclidean(0.8), 1e-12),
        (GroupL2(0.8, [[0, 3], [1, 4], [2, 5]]), pyproximal.L21(2, 0.8), 1e-12),
        (Indicator(Box(-0.2, 0.4)), pyproximal.Box(-0.2, 0.4), 1e-12),
        (Indicator(Simplex(2.0)), pyproximal.Simplex(6, 2.0), 1e-6),
        (Indicator(L2Ball(1.0)), pyproximal.EuclideanBall(0.0, 1.0), 1e-12),
        (Indicator(L1Ball(1.0)), pyproximal.L1Ball(6, 1.0), 1e-4),
        (Indicator(NuclearBall(1.0, (2, 3))), pyproximal.NuclearBall((2, 3), 1.0), 1e-4),
        (Indicator(Halfspace(SIX, -1.0)), pyproximal.HalfSpace(SIX, -1.0), 1e-12),
        (NuclearNorm(0.8, (2, 3)), pyproximal.Nuclear((2, 3), 0.8), 1e-12),
    ],
    ids=lambda part: type(part).__name__,
)
@pytest.mark.parametrize("tau", [0.1, 1.0, 5.0])
def test_pyproximal_agrees_and_can_be_used_instead(
    ours: Any, theirs: Any, tolerance: float, tau: float
) -> None:
    wrapped = as_regularizer(theirs)
    assert isinstance(wrapped, Foreign)
    for v in draws(6, 5):
        p = ours.prox(v, tau)
        np.testing.assert_allclose(wrapped.prox(v, tau), p, atol=tolerance)
        assert wrapped(v) == pytest.approx(ours(v))
        assert wrapped(wrapped.prox(v, tau)) == pytest.approx(ours(p), rel=1e-5)


class Careless:
    """An operator that works in place, answers in double precision, and as a matrix."""

    def __call__(self, y: np.ndarray) -> Any:
        y += 1.0
        return np.bool_(y.min() > 0.0)

    def prox(self, v: np.ndarray, tau: float) -> np.ndarray:
        v *= 0.5
        return v.astype(np.float64).reshape(-1, 1)


def test_a_careless_operator_does_no_harm() -> None:
    phi = as_regularizer(Careless())
    v = np.array([2.0, -4.0], dtype=np.float32)
    p = phi.prox(v, 1.0)
    assert p.dtype == np.float32
    np.testing.assert_array_equal(p, [1.0, -2.0])
    assert phi(v) == INF
    assert phi(p[:1]) == 0.0
    np.testing.assert_array_equal(v, [2.0, -4.0])


def test_an_operator_for_another_length_is_named() -> None:
    class Short:
        def __call__(self, y: np.ndarray) -> float:
            return 0.0

        def prox(self, v: np.ndarray, tau: float) -> np.ndarray:
            return v[:-1]

    with pytest.raises(ValueError, match=r"Short\.prox returned 2 numbers .* length 3"):
        as_regularizer(Short()).prox(np.ones(3), 1.0)


def test_nothing_is_zero_and_a_set_is_its_indicator() -> None:
    assert as_regularizer(None) == Zero()
    box = Box(0.0, 1.0)
    indicator = as_regularizer(box)
    assert isinstance(indicator, Indicator)
    assert indicator.convex_set is box


@pytest.mark.parametrize(
    ("candidate", "sentence"),
    [
        (0.1, "regularizer must be None, a convex set, or an object with prox"),
        (lambda y: abs(y).sum(), "regularizer must be None"),
        (L1, r"class L1; pass an instance"),
        (Box, "regularizer is the class Box"),
    ],
)
def test_anything_else_is_refused_with_a_remedy(candidate: Any, sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        as_regularizer(candidate)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: L1(-1.0), "strength must be zero or more"),
        (lambda: L1(np.nan), "strength must be finite"),
        (lambda: L1(1.0, [1.0, -1.0]), "weights must be zero or more"),
        (lambda: L1(1.0, [1.0, INF]), "weights must be finite"),
        (lambda: L1(1.0, 2.0), "weights must have 1 dimension"),
        (lambda: L1(1.0, [1.0, 1.0]).fits(3), "weights has length 2, but the vector has length 3"),
        (lambda: SquaredL2(INF), "strength must be finite"),
        (lambda: ElasticNet(-1.0, 1.0), "l1_strength must be zero or more"),
        (lambda: ElasticNet(1.0, -1.0), "l2_strength must be zero or more"),
        (lambda: GroupL2(-1.0, [[0]]), "strength must be zero or more"),
        (lambda: GroupL2(1.0, [[0, 1], [1, 2]]), "index 1 .* through the linear constraint"),
        (lambda: GroupL2(1.0, [[0, 0]]), "index 0 appears more than once"),
        (lambda: GroupL2(1.0, [[0], []]), r"groups\[1\] must be a nonempty list"),
        (lambda: GroupL2(1.0, [[0.5]]), r"groups\[0\] must be a nonempty list of indices"),
        (lambda: GroupL2(1.0, [[True, False]]), "numpy.flatnonzero"),
        (lambda: GroupL2(1.0, [[-1]]), "negative index; count from 0"),
        (lambda: GroupL2(1.0, [[0], [1]], [1.0]), "weights has 1 entries for 2 groups"),
        (lambda: GroupL2(1.0, [[0]], [-1.0]), "weights must be zero or more"),
        (lambda: GroupL2(1.0, [[0, 5]]).fits(5), "index 5, but the vector has length 5"),
        (lambda: LInf(-1.0), "strength must be zero or more"),
        (lambda: NuclearNorm(-1.0, (2, 2)), "strength must be zero or more"),
        (lambda: NuclearNorm(1.0, (2, -2)), "shape must be two positive integers"),
        (lambda: NuclearNorm(1.0, (2, 2)).fits(5), "holds 4 numbers, but the vector has length 5"),
        (lambda: GraphLaplacian(-1.0, PATH), "strength must be zero or more"),
        (lambda: GraphLaplacian(1.0, PATH[:2]), "laplacian must be square"),
        (lambda: GraphLaplacian(1.0, np.triu(PATH)), "laplacian must be symmetric"),
        (lambda: GraphLaplacian(1.0, sparse.csr_array(np.triu(PATH))), "must be symmetric"),
        (lambda: GraphLaplacian(1.0, -PATH), "laplacian must be positive semidefinite"),
        (lambda: GraphLaplacian(1.0, sparse.csr_array(-PATH)), "must be positive semidefinite"),
        (lambda: GraphLaplacian(1.0, sparse.csr_array([[0, 1.0], [1, 0]])), "semidefinite"),
        (lambda: GraphLaplacian(1.0, np.full((2, 2), np.nan)), "laplacian must be finite"),
        (lambda: GraphLaplacian(1.0, PATH).fits(3), "laplacian has 4 rows"),
        (lambda: ProximalSum(L1(1.0), Zero(), tolerance=0.0), "tolerance must be positive"),
        (lambda: ProximalSum(L1(1.0), Zero(), max_iterations=0), "max_iterations must be at least"),
        (lambda: ProximalSum(L1(1.0), Zero(), max_iterations=2.5), "max_iterations .* not 2.5"),
        (lambda: ProximalSum(L1(1.0), Zero(), max_iterations="a"), "max_iterations .* not 'a'"),
        (lambda: ProximalSum(L1(1.0), L1(1.0, [1.0])).fits(2), "weights has length 1"),
        (lambda: Indicator(Box(0.0, [1.0, 1.0])).fits(3), "upper has length 2"),
        (lambda: Within(L1(1.0, [1.0]), Nonnegative()).fits(2), "weights has length 1"),
        (lambda: Within(L1(1.0), Box(0.0, [1.0])).fits(2), "upper has length 1"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(
    make: Callable[[], Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: L1("strong"), "strength must be a number"),
        (lambda: L1(1.0, "heavy"), "weights must be made of real numbers"),
        (lambda: Indicator(L1(1.0)), "convex_set must be one of zooadmm.sets"),
        (lambda: Within(GroupL2(1.0, [[0]]), Nonnegative()), "each coordinate by itself"),
        (lambda: Within(L1(1.0), Simplex()), "box must be a Box or Nonnegative, not Simplex"),
    ],
)
def test_what_is_of_the_wrong_kind_is_a_type_error(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        make()


def test_a_set_of_ones_own_is_enough() -> None:
    class UpToOne(ConvexSet):
        def project(self, v: np.ndarray) -> np.ndarray:
            return np.minimum(v, 1.0)

    phi = as_regularizer(UpToOne())
    phi.fits(7)
    assert phi(np.array([0.5, 2.0])) == INF
    np.testing.assert_array_equal(phi.prox(np.array([0.5, 2.0]), 1.0), [0.5, 1.0])


def test_sparse_groups_have_a_formula_of_their_own() -> None:
    """For L1 plus a group norm the two proxes in turn are the prox of the sum."""
    coordinates, whole = L1(0.3), GroupL2(0.9, [range(5), range(5, 10)])
    for v in draws(10, 5):
        by_formula = whole.prox(coordinates.prox(v, 0.7), 0.7)
        for phi in (ProximalSum(coordinates, whole), ProximalSum(whole, coordinates)):
            np.testing.assert_allclose(phi.prox(v, 0.7), by_formula, atol=1e-9)


def test_a_sum_that_does_not_converge_says_so() -> None:
    apart = ProximalSum(Box(0.0, 1.0), Box(2.0, 3.0), max_iterations=50)
    with pytest.raises(RuntimeError, match=r"after 50 iterations .* a point in common"):
        apart.prox(np.ones(3), 1.0)
    slow = ProximalSum(L2Ball(1.0), Halfspace(np.ones(3), -1.0), max_iterations=3)
    with pytest.raises(RuntimeError, match="Raise max_iterations or tolerance"):
        slow.prox(np.arange(3.0), 1.0)


@pytest.mark.parametrize("convert", [np.array, sparse.csr_array])
def test_the_laplacian_of_a_graph_penalizes_edges(convert: Any) -> None:
    rng = np.random.default_rng(0)
    d = 50
    edges = np.triu(rng.random((d, d)) * (rng.random((d, d)) < 0.1), 1)
    weights = edges + edges.T
    laplacian = np.diag(weights.sum(axis=0)) - weights
    phi = GraphLaplacian(2.0, convert(laplacian))
    y = rng.normal(size=d)
    assert phi(y) == pytest.approx(np.sum(edges * np.subtract.outer(y, y) ** 2))
    for tau in (0.1, 1.0, 10.0, 100.0, 1000.0, 0.1):  # more than are remembered
        exact = np.linalg.solve(np.eye(d) + 2.0 * tau * laplacian, y)
        np.testing.assert_allclose(phi.prox(y, tau), exact, atol=1e-11)


def test_remembered_factors_stay_few_and_change_nothing() -> None:
    phi, fresh = GraphLaplacian(1.0, PATH), GraphLaplacian(1.0, PATH)
    v = np.arange(4.0)
    for tau in np.linspace(0.1, 2.0, 50):
        phi.prox(v, tau)
    assert len(phi._factors) <= 4
    np.testing.assert_array_equal(phi.prox(v, 2.0), fresh.prox(v, 2.0))


def test_the_largest_magnitudes_end_level() -> None:
    y = LInf(1.0).prox(np.array([5.0, -4.9, 0.1, 4.8]), 3.0)
    assert y[0] == -y[1] == y[3]
    np.testing.assert_array_equal(LInf(1.0).prox(np.array([1.0, -1.0]), 2.0), [0.0, 0.0])
    np.testing.assert_array_equal(LInf(0.0).prox(np.array([1.0, -2.0]), 2.0), [1.0, -2.0])


def test_the_nuclear_norm_lowers_the_rank() -> None:
    v = np.random.default_rng(0).normal(size=(5, 7))
    values = np.linalg.svd(v, compute_uv=False)
    y = NuclearNorm(1.0, (5, 7)).prox(v.ravel(), values[2]).reshape(5, 7)
    assert np.linalg.matrix_rank(y) == 2


def test_regularizers_can_be_sent_to_another_process() -> None:
    for row in ROWS:
        v = draws(row.d, 1)[0]
        again = pickle.loads(pickle.dumps(row.subject))
        np.testing.assert_array_equal(again.prox(v, 0.5), row.subject.prox(v, 0.5))


@pytest.mark.parametrize("tau", [2e-16, 1e-12, 1e-300])
@pytest.mark.parametrize("scale", [1.0, 1e10, 1e20])
def test_a_step_that_is_lost_in_rounding_leaves_v(tau: float, scale: float) -> None:
    """As when the limit tau -> 0 of a prox is asked for, which is the nearest point of Y."""
    v = scale * np.array([1.0, -0.5, 0.2, -1.0])
    for phi in (LInf(1.0), LInf(0.1), L1(1.0), GroupL2(1.0, [[0, 1], [2, 3]]), SquaredL2(1.0)):
        np.testing.assert_allclose(phi.prox(v, tau), v, rtol=1e-11)


@pytest.mark.parametrize("settings", ["auto", "paper"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "phi",
    [
        ProximalSum(Box(0.0, 1.0), LInf(0.1)),
        ProximalSum(LInf(0.1), Box(0.0, 1.0)),
        ProximalSum(Simplex(2.0), L1(0.1)),
        ProximalSum(Box(0.0, 1.0), GroupL2(0.1, [[0, 1], [2, 3]])),
    ],
    ids=str,
)
def test_a_sum_with_a_set_and_a_start_outside(phi: Any, dtype: Any, settings: Any) -> None:
    """y_1 is the point of Y nearest to the start, and the run goes on from there."""
    x0 = np.array([3.0, -1.0, 0.5, 3.0], dtype=dtype)
    optimizer = zoo.Optimizer(x0, settings=settings, regularizer=phi, max_iterations=1, rng=0)
    domain = Simplex(2.0) if "Simplex" in repr(phi) else Box(0.0, 1.0)
    np.testing.assert_allclose(optimizer.state.y, domain.project(x0), atol=1e-6)
    result = zoo.minimize(
        lambda x: float(np.square(x - 2.0).sum()),
        x0,
        settings=settings,
        regularizer=phi,
        step_size=0.1,
        smoothing=0.01,
        max_iterations=300,
        complete="x",
        output="last",
        rng=0,
    )
    assert result.fun is not None
    assert result.y_violation < (1e-5 if dtype is np.float32 else 1e-8)
    assert np.isfinite(result.fun)


@pytest.mark.parametrize("phi", [zoo.L1(0.3), zoo.ElasticNet(0.3, 0.2)])
def test_the_value_does_not_depend_on_where_an_array_lies(phi: Any) -> None:
    """A sum of BLAS begins at an aligned address: the same numbers had other last bits."""
    y = np.random.default_rng(5).standard_normal(1601)
    values = set()
    for offset in range(8):
        memory = np.empty(len(y) + 8)
        memory[offset : offset + len(y)] = y
        values.add(phi(memory[offset : offset + len(y)]))
    assert len(values) == 1


def test_the_sum_of_l1_and_groups_converges_where_groups_are_about_to_vanish() -> None:
    """A splitting like Dykstra's alone takes more than 10,000 iterations there."""
    for seed in range(20):
        generator = np.random.default_rng([30, seed])
        one, other, tau = 10.0 ** generator.uniform(-1, 0.5, 3)
        lasso, grouped = L1(one), GroupL2(other, [range(3)])
        w = np.array([0.0, *generator.standard_normal(2)])
        near = 1.0 + generator.choice([-1.0, 1.0]) * 10.0 ** generator.uniform(-4, -2)
        w *= near * tau * other / np.linalg.norm(w)  # after soft thresholds, beside that of a group
        v = w + tau * one * np.where(w == 0.0, 0.9, np.sign(w))
        closed = grouped.prox(lasso.prox(v, tau), tau)
        for phi in (ProximalSum(lasso, grouped), ProximalSum(grouped, lasso)):
            np.testing.assert_allclose(phi.prox(v, tau), closed, rtol=0, atol=1e-7)
