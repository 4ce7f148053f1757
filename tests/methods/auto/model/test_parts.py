"""The metric, where the answer could change, points of slopes and the first measurements."""

from __future__ import annotations

import math

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.auto.constants import TINY_PART
from zooadmm.methods.auto.model import curvature, grid, kink_search, probes, slopes, start
from zooadmm.problem.sets import (
    AffineSet,
    Halfspace,
    L1Ball,
    L2Ball,
    LInfBall,
    NuclearBall,
    WholeSpace,
)

M = 6


def spd(generator, m=M):
    root = generator.standard_normal((m, m))
    return root @ root.T + 0.1 * np.eye(m)


# --- the metric


@pytest.mark.parametrize("seed", range(5))
def test_the_metric_has_the_curvature_that_a_step_has_shown(seed):
    generator = np.random.default_rng(seed)
    H, s = spd(generator), generator.standard_normal(M)
    d = spd(generator) @ s  # a change of gradient over s that some convex quadratic has
    H = curvature.updated(H, s, d)
    np.testing.assert_allclose(H @ s, d, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(H, H.T, rtol=1e-12, atol=1e-12)
    assert np.linalg.eigvalsh(H)[0] > 0.0


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sign", [-1.0, 1e-3])
def test_the_metric_stays_positive_definite_where_the_loss_is_not_convex(seed, sign):
    generator = np.random.default_rng(seed)
    H, s = spd(generator), generator.standard_normal(M)
    after = curvature.updated(H, s, sign * (H @ s) + 0.1 * generator.standard_normal(M))
    assert np.linalg.eigvalsh(after)[0] > 0.0
    assert s @ after @ s >= 0.999 * curvature.DAMPED * TINY_PART * (s @ H @ s)


def test_a_curvature_that_was_too_large_is_taken_back_along_the_rest_too():
    H, s = np.diag([4.0, 4.0]), np.array([1.0, 0.0])
    np.testing.assert_allclose(curvature.updated(H, s, np.array([1.0, 0.0])), np.diag([1.0, 1.0]))
    np.testing.assert_allclose(curvature.updated(H, s, np.array([9.0, 0.0])), np.diag([9.0, 4.0]))


def test_a_loss_that_bends_downwards_along_a_step_leaves_the_rest_alone():
    H, s = np.diag([4.0, 4.0]), np.array([1.0, 0.0])
    after = curvature.updated(H, s, np.array([-3.0, 0.0]))
    np.testing.assert_allclose(after, np.diag([4.0 * curvature.DAMPED, 4.0]))


@pytest.mark.parametrize("kind", ["diagonal", "general"])
def test_the_metric_is_the_same_in_all_units(kind):
    """With x = T u: s becomes T^-1 s, gradients T'd and metrics T'H T."""
    generator = np.random.default_rng(1)
    T = np.diag(10.0 ** generator.uniform(-2, 2, M))
    T = T if kind == "diagonal" else T @ generator.standard_normal((M, M))
    H, s, d = spd(generator), generator.standard_normal(M), 0.3 * generator.standard_normal(M)
    inside = np.linalg.solve(T, s)
    for there, here in (
        (curvature.updated(T.T @ H @ T, inside, T.T @ d), curvature.updated(H, s, d)),
        (curvature.raised(T.T @ H @ T, inside, 3.0), curvature.raised(H, s, 3.0)),
    ):
        expected = T.T @ here @ T
        np.testing.assert_allclose(there, expected, rtol=1e-6, atol=1e-9 * np.abs(expected).max())


def test_after_a_failed_trial_from_x_all_curvatures_are_raised_alike():
    generator = np.random.default_rng(2)
    H, s = spd(generator), generator.standard_normal(M)
    sHs = s @ H @ s
    np.testing.assert_allclose(curvature.raised(H, s, 3.0 * sHs), 3.0 * H)
    np.testing.assert_allclose(curvature.raised(H, s, -1.0), curvature.DAMPED * H)
    np.testing.assert_allclose(curvature.raised(H, s, 1e30), 1.0 / TINY_PART * H)
    np.testing.assert_array_equal(curvature.raised(H, 0.0 * s, 1.0), H)  # no step
    assert np.isfinite(curvature.raised(H, s, np.nan)).all()


# --- where the answer could change


def test_directions_are_made_orthonormal_in_the_metric_and_dependent_ones_dropped():
    generator = np.random.default_rng(3)
    H, rows = spd(generator), generator.standard_normal((3, M))
    rows = np.vstack([rows, np.zeros(M), rows[0] + 2.0 * rows[1]])
    Z = probes.orthonormal(rows, H)
    np.testing.assert_allclose(Z @ H @ Z.T, np.eye(3), atol=1e-12)
    assert np.linalg.matrix_rank(np.vstack([rows, Z])) == 3
    assert Z[0] @ H @ rows[0] > 0.0


def test_what_is_not_asked_about_is_small_beside_the_step():
    generator = np.random.default_rng(4)
    H = spd(generator)
    changed = generator.standard_normal((16, M)) * 10.0 ** -np.arange(M)
    for step in (0.1, 1.0, 10.0, 1e3):
        rows = probes.worth_measuring(changed, H, step)
        Z = probes.orthonormal(rows, H)
        rest = changed - changed @ H @ Z.T @ Z
        left = math.sqrt(np.einsum("jm,mk,jk->", rest, H, rest) / len(rest))
        enough = probes.RESOLVED * step
        assert left <= (0.5 * enough if len(Z) > 0 else enough) + 1e-9
        if len(Z) > 0:
            assert math.sqrt(np.einsum("jm,mk,jk->", changed, H, changed) / 16) > enough


# --- slopes


DOMAINS = {
    "whole space": (WholeSpace(), np.ones(M)),
    "box": (zoo.Box(0.0, 1.0), np.array([0.0, 1.0, 0.5, 0.0, 1.0, 1e-9])),
    "fixed": (zoo.Box(np.zeros(M), np.array([0.0, 1.0, 1.0, 1.0, 0.0, 1.0])), np.zeros(M)),
    "nonnegative": (zoo.Nonnegative(), np.array([0.0, 1.0, 0.5, 0.0, 1.0, 1e-9])),
    "budget": (zoo.Budget(1.0), np.full(M, 1 / M)),
    "simplex": (zoo.Simplex(), np.full(M, 1 / M)),
    "vertex": (zoo.Simplex(), np.eye(M)[2]),
    "box and budget": (zoo.BoxBudget(0.0, 0.5, 1.0), np.array([0.5, 0.5, 0, 0, 0, 0])),
    "l1 ball": (L1Ball(1.0), np.eye(M)[0]),
    "l2 ball": (L2Ball(1.0), np.eye(M)[0]),
    "cube": (LInfBall(1.0), np.ones(M)),
    "nuclear ball": (NuclearBall(1.0, (2, 3)), np.eye(M)[0]),
    "halfspace": (Halfspace(np.ones(M), 1.0), np.full(M, 1 / M)),
    "plane": (AffineSet(np.ones((1, M)), np.ones(1)), np.full(M, 1 / M)),
}


@pytest.mark.parametrize("name", DOMAINS)
def test_points_of_slopes_lie_in_the_domain_and_show_the_slopes(name):
    domain, x = DOMAINS[name]
    generator = np.random.default_rng(5)
    H, g, eps = spd(generator), generator.standard_normal(M), 1e-12
    Z = probes.orthonormal(generator.standard_normal((4, M)), H)
    points = slopes.points(domain, x, H, Z, eps, grid.cells(x, x.dtype))
    assert len(points) == 4
    ways = points - x
    lengths = np.sqrt(np.einsum("jm,jm->j", ways @ H, ways))
    assert (lengths <= 2 * 2e-6).all()
    assert (lengths > slopes.LEFT * 2e-6).all()
    for point in points:
        assert domain.distance(point) <= 1e-15
    changes = ways @ g + 0.5 * lengths**2  # of a quadratic with this H
    seen = slopes.read(ways, changes, H, eps, tau=0.5)
    np.testing.assert_allclose(seen.values, seen.Z @ g, rtol=1e-8)
    np.testing.assert_allclose(np.einsum("jm,jm->j", seen.Z @ H, seen.Z), 1.0)
    expected = 2 * eps**2 / lengths**2 + (0.5 * 0.5 * lengths) ** 2
    np.testing.assert_allclose(seen.variances, expected)


def test_values_that_are_not_finite_show_nothing():
    H, ways = np.eye(2), np.array([[1e-3, 0.0], [0.0, 1e-3]])
    seen = slopes.read(ways, np.array([np.nan, 2e-3]), H, 1e-16, 1.0)
    np.testing.assert_allclose(seen.Z, [[0.0, 1.0]])
    assert len(slopes.read(ways, np.array([np.inf, np.nan]), H, 1e-16, 1.0).Z) == 0


def test_a_way_that_rounding_swallows_is_longer():
    x = np.array([1e20, 0.0])
    points = slopes.points(WholeSpace(), x, np.eye(2), np.eye(2), 1e-10, grid.cells(x, x.dtype))
    np.testing.assert_array_equal(points, [[1e20 + 2 * np.spacing(1e20), 0.0], [1e20, 2e-5]])
    points = slopes.points(WholeSpace(), x, np.eye(2), np.eye(2), 1e-10, np.zeros(2))
    np.testing.assert_allclose(points, [[1e20, 2e-5]])  # else it is not asked for


# --- the first slopes and curvatures


def read(loss, x, domain, eps):
    """The measurements after as many rounds as it takes, and the points."""
    value, seen = loss(x), []
    measured = start.init(domain, x, value, eps)
    while len(measured.todo) > 0:
        points = start.points(measured, domain, x)
        seen += list(points)
        values = np.array([loss(p) for p in points])
        measured = start.before_kinks(start.read(measured, domain, x, value, values, eps))
    return measured, np.array(seen)


def measured(loss, x, domain, eps):
    """The belief and the diagonal, and the points."""
    found, seen = read(loss, x, domain, eps)
    return *start.finished(found, domain, x, eps), seen


CURVED = np.array([1.0, 3.0, 0.5, 2.0, 1.0, 4.0])
TILTED = np.array([1.0, -2.0, 0.0, 0.5, -1.0, 3.0])


def bowl(x):
    return float(5.0 + TILTED @ x + 0.5 * CURVED @ np.square(x))


@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_gradient_and_curvatures_in_any_units(spread):
    u = 10.0 ** np.linspace(-spread, spread, M)
    x = 0.3 * u
    (v, P), diagonal, seen = measured(lambda x: bowl(x / u), x, WholeSpace(), 1e-15)
    np.testing.assert_allclose(v * u, TILTED + 0.3 * CURVED, atol=1e-6)
    np.testing.assert_allclose(diagonal * u**2, CURVED, rtol=1e-3)
    assert (np.diagonal(P) > 0.0).all()
    assert np.count_nonzero(P - np.diag(np.diagonal(P))) == 0
    if spread == 0.0:
        assert len(seen) == 2 * M


@pytest.mark.parametrize("scale", [1e-300, 1e-6, 1e6, 1e150])
def test_gradient_and_curvatures_of_a_loss_in_any_units(scale):
    x = np.full(M, 0.3)
    (v, _), diagonal, _ = measured(lambda x: scale * bowl(x), x, WholeSpace(), 1e-15 * scale)
    np.testing.assert_allclose(v / scale, TILTED + 0.3 * CURVED, atol=1e-6)
    np.testing.assert_allclose(diagonal / scale, CURVED, rtol=1e-3)


@pytest.mark.parametrize("x", [np.zeros(M), np.ones(M), np.array([0, 1, 0.5, 1e-9, 1, 0])])
def test_at_bounds_one_side_shows_as_much(x):
    domain = zoo.Box(0.0, 1.0)
    (v, _), diagonal, seen = measured(bowl, x, domain, 1e-15)
    assert all(domain.distance(point) == 0.0 for point in seen)
    np.testing.assert_allclose(v, TILTED + CURVED * x, atol=1e-6)
    np.testing.assert_allclose(diagonal, CURVED, rtol=1e-3)


@pytest.mark.parametrize("name", ["simplex", "vertex", "plane", "box and budget"])
def test_on_a_total_the_slopes_within_it_are_right(name):
    domain, x = DOMAINS[name]
    (v, _), diagonal, seen = measured(bowl, x, domain, 1e-15)
    assert max(domain.distance(point) for point in seen) <= 1e-15
    right = TILTED + CURVED * x
    np.testing.assert_allclose(v - v.mean(), right - right.mean(), atol=1e-6)
    assert (diagonal > 0.0).all()


def test_variables_without_effect_have_no_slope_and_are_flat():
    def some(x):
        return bowl(np.where(np.arange(M) < 3, x, 0.0))

    (v, _), diagonal, seen = measured(some, np.ones(M), WholeSpace(), 1e-15)
    np.testing.assert_allclose(v[3:], 0.0)
    np.testing.assert_allclose(diagonal[3:], start.FLATTEST * np.median(CURVED[:3]), rtol=1e-3)
    assert len(seen) == 2 * M + 2 * 3  # once further away


def test_a_loss_without_curvature_has_slopes_and_some_metric():
    (v, _), diagonal, _ = measured(lambda x: float(TILTED @ x), np.ones(M), WholeSpace(), 1e-15)
    np.testing.assert_allclose(v, TILTED, atol=1e-6)
    assert (diagonal > 0.0).all()
    assert np.isfinite(diagonal).all()


def test_fixed_variables_are_left_alone():
    domain, x = DOMAINS["fixed"]
    (v, P), diagonal, seen = measured(bowl, x, domain, 1e-15)
    assert len(seen) == 2 * 4
    assert v[0] == v[4] == P[0, 0] == P[4, 4] == 0.0
    assert (diagonal > 0.0).all()


def test_a_bend_that_is_too_strong_for_the_first_radius():
    (v, _), diagonal, _ = measured(
        lambda x: float(1.0 + 1e12 * np.square(x).sum() + x.sum()), np.zeros(2), WholeSpace(), 1e-15
    )
    np.testing.assert_allclose(diagonal, 2e12, rtol=1e-3)
    np.testing.assert_allclose(v, 1.0, rtol=1e-1)


@pytest.mark.parametrize("kink", np.geomspace(1e-3, 30.0, 7))
def test_slopes_beside_a_kink_are_those_of_this_side(kink):
    """The radii that are tried end on both sides of it; only the shorter one shows the slope."""

    def loss(x):
        return float(3.0 + 2.0 * x.sum() + 1e3 * np.maximum(x - kink, 0.0).sum())

    found, _ = read(loss, np.zeros(3), WholeSpace(), 1e-15)
    known, _ = start.finished(found, WholeSpace(), np.zeros(3), 1e-15)
    np.testing.assert_allclose(known.v, 2.0, rtol=1e-6)
    assert start.is_kinked(found, WholeSpace())


@pytest.mark.parametrize("power", [2, 4])
def test_a_power_is_no_kink(power):
    found, _ = read(lambda x: float(1.0 + (x**power).sum()), np.zeros(3), WholeSpace(), 1e-15)
    assert not start.is_kinked(found, WholeSpace())


# --- the test for a kink


PARTS = np.arange(-kink_search.BEHIND, kink_search.PARTS + 1)
T = PARTS[PARTS != 0] / kink_search.PARTS
"""The points of a test for a kink, in units of the step."""


@pytest.mark.parametrize("at", np.linspace(-0.24, 0.99, 40))
@pytest.mark.parametrize("curved", [0.0, 1.0])
@pytest.mark.parametrize("behind", [0, kink_search.BEHIND])
def test_a_kink_is_seen_wherever_it_lies(at, curved, behind):
    if at < 0.0 and behind == 0:
        return
    t = np.arange(-behind, kink_search.PARTS + 1) / kink_search.PARTS

    def line(t):
        return 20.0 * abs(t - at) + curved * t * t

    assert kink_search.verdict(line(t[t != 0.0]), line(0.0), 1e-15) == "kink"


@pytest.mark.parametrize("rate", [-300.0, -100.0, -30.0, -1.0, 1.0, 30.0, 300.0])
def test_steep_growth_is_no_kink(rate):
    assert kink_search.verdict(np.exp(rate * T), 1.0, 1e-15) == "smooth"


@pytest.mark.parametrize("power", [1, 4])
def test_a_pole_behind_the_line_is_no_kink(power):
    assert kink_search.verdict((T + 0.3) ** -power, 0.3**-power, 1e-15) == "smooth"


@pytest.mark.parametrize("seed", range(20))
def test_noise_is_no_kink(seed):
    values = np.random.default_rng(seed).standard_normal(kink_search.BEHIND + kink_search.PARTS)
    assert kink_search.verdict(values, 0.0, 1e-15) == "jump"


@pytest.mark.parametrize("at", np.linspace(-0.1, 0.85, 12))
def test_a_jump_is_no_kink(at):
    values = np.where(at < T, 1.0, 0.0) - 0.1 * T
    assert kink_search.verdict(values, float(at < 0.0), 1e-15) == "jump"
