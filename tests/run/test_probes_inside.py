"""With probes="inside" no evaluated point leaves the domain, and the problem is still solved."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.oracle.directions import Distribution
from zooadmm.oracle.randomness import key_from
from zooadmm.problem.sets import ConvexSet

INF = math.inf
KEY = key_from(3)
BUDGET_TOLERANCE = 1e-12

DISTRIBUTIONS = (
    zoo.paper.Sphere(),
    zoo.paper.Rademacher(),
    zoo.paper.Coordinate(),
    zoo.paper.Orthogonal(),
)
RADII = (1e-8, 1e-3, 0.3, 50.0)


@dataclass(frozen=True)
class Case:
    """A domain in the words of its definition, and points of it to start from."""

    domain: ConvexSet
    lower: Any
    upper: Any
    budget: float | None
    points: tuple[Any, ...]

    def assert_holds(self, probes: np.ndarray) -> None:
        assert np.isfinite(probes).all()
        assert (probes >= np.asarray(self.lower, probes.dtype)).all()
        assert (probes <= np.asarray(self.upper, probes.dtype)).all()
        if self.budget is not None:
            total = probes.sum(axis=1, dtype=np.float64)
            size = np.abs(probes).sum(axis=1, dtype=np.float64)
            eps = np.finfo(probes.dtype).eps
            allowed = np.maximum(BUDGET_TOLERANCE, 4 * eps * size)
            assert (np.abs(total - self.budget) <= allowed).all()


MIXED_LOWER = np.array([-INF, 0.0, -1.0, 0.5, -INF, -2.0])
MIXED_UPPER = np.array([1.0, INF, 1.0, 0.5, INF, -1.0])
NARROW = np.array([1.0, 1.0, 1e6, -1e-300])
NARROW_UPPER = np.array([1.0 + 4e-16, 1.0 + 1e-12, 1e6 + 1e-9, 1e-300])

CROOKED = np.random.default_rng(8).uniform(-3.0, 3.0, 40)
CROOKED_UPPER = CROOKED + np.random.default_rng(9).uniform(0.01, 2.0, 40)

CASES = {
    "box": Case(
        zoo.Box(0.0, 1.0),
        0.0,
        1.0,
        None,
        ([0.5] * 5, [0.0] * 5, [1.0] * 5, [0.0, 1.0, 0.0, 1.0, 0.3]),
    ),
    "box far from zero": Case(
        zoo.Box(1e9, 1e9 + 1.0), 1e9, 1e9 + 1.0, None, ([1e9] * 3, [1e9 + 1.0] * 3)
    ),
    "box of one variable": Case(zoo.Box(-1.0, 2.0), -1.0, 2.0, None, ([-1.0], [2.0], [0.1])),
    "box with unbounded sides and a fixed variable": Case(
        zoo.Box(MIXED_LOWER, MIXED_UPPER),
        MIXED_LOWER,
        MIXED_UPPER,
        None,
        ([1.0, 0.0, 1.0, 0.5, 7.0, -2.0], [-9.0, 4.0, 0.0, 0.5, 0.0, -1.5]),
    ),
    "box with everything fixed": Case(
        zoo.Box(np.array([1.0, 2.0]), np.array([1.0, 2.0])),
        [1.0, 2.0],
        [1.0, 2.0],
        None,
        ([1.0, 2.0],),
    ),
    "narrow box": Case(
        zoo.Box(NARROW, NARROW_UPPER), NARROW, NARROW_UPPER, None, (NARROW, NARROW_UPPER)
    ),
    "box with crooked bounds": Case(
        zoo.Box(CROOKED, CROOKED_UPPER), CROOKED, CROOKED_UPPER, None, (CROOKED, CROOKED_UPPER)
    ),
    "nonnegative": Case(zoo.Nonnegative(), 0.0, INF, None, ([0.0] * 4, [0.0, 3.0, 1e-9, 0.0])),
    "simplex": Case(
        zoo.Simplex(), 0.0, 1.0, 1.0, ([0.25] * 4, [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0])
    ),
    "large simplex": Case(zoo.Simplex(30.0), 0.0, 30.0, 30.0, ([30.0] + [0.0] * 99, [0.3] * 100)),
    "simplex of one point": Case(zoo.Simplex(2.0), 0.0, 2.0, 2.0, ([2.0],)),
    "box and budget": Case(
        zoo.BoxBudget(0.0, 1.0, 2.0), 0.0, 1.0, 2.0, ([0.4] * 5, [1.0, 1.0, 0.0, 0.0, 0.0])
    ),
    "box and budget with fixed variables": Case(
        zoo.BoxBudget(np.array([0.0, 0.25, 0.0, 1.0]), np.array([1.0, 0.25, 2.0, 1.0]), 2.0),
        [0.0, 0.25, 0.0, 1.0],
        [1.0, 0.25, 2.0, 1.0],
        2.0,
        ([0.0, 0.25, 0.75, 1.0], [0.75, 0.25, 0.0, 1.0]),
    ),
    "box and budget with unbounded sides": Case(
        zoo.BoxBudget(np.array([-INF, 0.0, 0.0]), np.array([1.0, INF, 2.0]), 0.0),
        [-INF, 0.0, 0.0],
        [1.0, INF, 2.0],
        0.0,
        ([-2.0, 0.0, 2.0], [0.0, 0.0, 0.0]),
    ),
    "box and budget with little room": Case(
        zoo.BoxBudget(0.0, 1.0, 1e-9), 0.0, 1.0, 1e-9, ([1e-9, 0.0, 0.0], [0.0, 0.0, 1e-9])
    ),
    "box and budget with crooked bounds": Case(
        zoo.BoxBudget(CROOKED, CROOKED_UPPER, float(CROOKED.sum()) + 7.7),
        CROOKED,
        CROOKED_UPPER,
        float(CROOKED.sum()) + 7.7,
        (zoo.BoxBudget(CROOKED, CROOKED_UPPER, float(CROOKED.sum()) + 7.7).project(-CROOKED),),
    ),
    "budget": Case(zoo.Budget(-3.0), -INF, INF, -3.0, ([-1.0, -1.0, -1.0], [10.0, -13.0, 0.0])),
    "whole space": Case(zoo.sets.WholeSpace(), -INF, INF, None, ([0.0] * 3, [1e6, -1.0, 0.0])),
}

every_case = pytest.mark.parametrize("label", CASES)
every_distribution = pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=lambda mu: type(mu).__name__)
both_differences = pytest.mark.parametrize("difference", ["forward", "central"])


@pytest.mark.parametrize(
    "make", [zoo.paper.Smoothed, zoo.paper.Paired], ids=lambda make: make.__name__
)
@both_differences
@every_distribution
@every_case
def test_no_probe_leaves_the_domain(
    label: str, mu: Distribution, difference: Any, make: Callable[..., Any]
) -> None:
    case = CASES[label]
    for point in case.points:
        x = np.array(point, dtype=np.float64)
        source = make(2 * len(x) + 1, distribution=mu, difference=difference, probes="inside")
        source.fitted(case.domain, 1, zoo.Samples([0.0]), along=False)
        batch = np.zeros(source.num_observations)
        for radius in RADII:
            for t in range(1, 6):
                query = source.query(t, x, radius, KEY, batch, case.domain)
                assert 0 < query.radius <= radius
                case.assert_holds(query.points)
                case.assert_holds(query.x[None, :])


@every_distribution
@every_case
def test_no_probe_leaves_the_domain_in_single_precision(label: str, mu: Distribution) -> None:
    case = CASES[label]
    for point in case.points:
        x = np.array(point, dtype=np.float32)
        source = zoo.paper.Smoothed(len(x), distribution=mu, probes="inside")
        for radius in (1e-3, 0.3):
            query = source.query(1, x, radius, KEY, None, case.domain)
            assert query.points.dtype == np.float32
            case.assert_holds(query.points)


@pytest.mark.filterwarnings("ignore:at iteration .* rounding is:RuntimeWarning")  # narrow or fixed
@both_differences
@every_case
def test_the_points_the_loss_sees_in_a_run(label: str, difference: Any) -> None:
    """From the start to the report on the last x."""
    case = CASES[label]
    x0 = case.domain.project(np.array(case.points[0]))
    seen = []

    def loss(x: np.ndarray) -> float:
        seen.append(x.copy())
        return 1.0 + float(np.arange(1, len(x) + 1) @ x)

    zoo.minimize(
        loss,
        x0,
        settings="paper",
        domain=case.domain,
        gradient=zoo.paper.Smoothed(4, difference=difference, probes="inside"),
        smoothing=0.1,
        step_size=10.0,
        output="last",
        max_iterations=30,
        rng=0,
    )
    case.assert_holds(np.array(seen))


@every_distribution
def test_anywhere_is_not_inside(mu: Distribution) -> None:
    """What the option is there for: without it the probes at a vertex do leave the box."""
    source = zoo.paper.Smoothed(6, distribution=mu, difference="central")
    query = source.query(1, np.zeros(3), 0.1, KEY, None, zoo.Box(0.0, 1.0))
    assert query.points.min() < 0


@every_distribution
def test_in_the_middle_nothing_changes(mu: Distribution) -> None:
    x = np.full(4, 0.5)
    queries = [
        zoo.paper.Smoothed(5, distribution=mu, probes=probes).query(
            2, x, 1e-3, KEY, None, zoo.Box(0.0, 1.0)
        )
        for probes in ("anywhere", "inside")
    ]
    assert queries[0].points.tobytes() == queries[1].points.tobytes()


@every_distribution
@pytest.mark.parametrize("domain", [zoo.Box(0.0, 1.0), zoo.Nonnegative()], ids=repr)
def test_bounds_alone_need_no_more_room_than_the_probes_take(
    domain: ConvexSet, mu: Distribution
) -> None:
    """beta max|z_i|: a point that far from the boundary stays where it is, a nearer one moves."""
    m, radius = 9, 0.02
    room = radius * mu.reach(m)
    source = zoo.paper.Smoothed(m, distribution=mu, difference="central", probes="inside")
    for distance, moved in ((1.0001 * room, False), (0.5 * room, True), (0.0, True)):
        x = np.full(m, 0.5)
        x[0] = distance
        query = source.query(1, x, radius, KEY, None, domain)
        assert query.radius == radius
        assert (query.x.tobytes() != x.tobytes()) == moved
        assert query.x[0] == pytest.approx(max(distance, room))
        assert (query.x[1:] == 0.5).all()
        assert query.points.min() >= 0.0


@every_distribution
@pytest.mark.parametrize(
    "domain", [zoo.Simplex(), zoo.BoxBudget(0.0, 1.0, 1.0)], ids=lambda d: type(d).__name__
)
def test_a_budget_needs_room_for_what_the_tangent_adds(domain: ConvexSet, mu: Distribution) -> None:
    """beta min(2 max|z_i|, sqrt m), since z - mean(z) has entries of up to twice max|z_i|."""
    m, radius = 9, 0.005
    room = radius * min(2 * mu.reach(m), math.sqrt(m))
    source = zoo.paper.Smoothed(m, distribution=mu, difference="central", probes="inside")
    for distance, moved in ((1.0001 * room, False), (0.5 * room, True)):
        x = np.full(m, (1.0 - distance) / (m - 1))
        x[0] = distance
        query = source.query(1, x, radius, KEY, None, domain)
        assert query.radius == radius
        assert bool(np.abs(query.x - x).max() > 1e-12) == moved
        assert query.x[0] == pytest.approx(max(distance, room))


@pytest.mark.parametrize(
    ("mu", "largest"),
    [
        (zoo.paper.Rademacher(), 0.25),
        (zoo.paper.Sphere(), 0.25 / 3),
        (zoo.paper.Orthogonal(), 0.25 / math.sqrt(2)),
    ],
    ids=str,
)
def test_a_radius_for_which_a_box_has_no_room_is_lowered_no_more_than_that(
    mu: Distribution, largest: float
) -> None:
    """In [0, 1]^9 half the inradius is left to the probes: Rademacher needs the least room."""
    source = zoo.paper.Smoothed(3, distribution=mu, probes="inside")
    x = np.full(9, 0.5)
    assert source.query(1, x, 10.0, KEY, None, zoo.Box(0.0, 1.0)).radius == pytest.approx(largest)
    below = 0.99 * largest
    assert source.query(1, x, below, KEY, None, zoo.Box(0.0, 1.0)).radius == below


@every_distribution
@pytest.mark.parametrize("label", ["box", "simplex", "box and budget"])
def test_the_slopes_are_those_of_the_loss(label: str, mu: Distribution) -> None:
    """For a linear loss with slope a the mean of g over many t is the part of a along the set."""
    case = CASES[label]
    x = np.array(case.points[1])
    m = len(x)
    a = np.array([1.0, -2.0, 0.5, 3.0, -1.0])[:m]
    along = a if case.budget is None else a - a.mean()
    source = zoo.paper.Smoothed(m, distribution=mu, probes="inside")
    iterations = 1000
    g = np.empty((iterations, m))
    for t in range(1, iterations + 1):
        query = source.query(t, x, 0.01, KEY, None, case.domain)
        g[t - 1] = source.gradient(query, query.points @ a)
    error = g.std(axis=0, ddof=1) / math.sqrt(iterations)
    assert (np.abs(g.mean(axis=0) - along) <= 4 * error + 1e-9).all()


# Problems solved with every probe inside


def logarithm(x: np.ndarray) -> float:
    """Not defined outside the positive orthant."""
    assert (x > 0).all(), "the loss was called where it does not exist"
    return -float(np.array([1.0, 2.0, 3.0, 4.0]) @ np.log(x))


@both_differences
@every_distribution
def test_a_loss_that_exists_only_inside_the_simplex(mu: Distribution, difference: Any) -> None:
    """Maximize sum_i w_i log x_i over the simplex: x = w / sum(w)."""
    result = zoo.minimize(
        logarithm,
        np.full(4, 0.25),
        settings="paper",
        domain=zoo.Simplex(),
        gradient=zoo.paper.Smoothed(8, distribution=mu, difference=difference, probes="inside"),
        step_size=lambda t: 0.02 / math.sqrt(t),
        smoothing=1e-3,
        max_iterations=600,
        output="last",
        rng=0,
    )
    np.testing.assert_allclose(result.x, [0.1, 0.2, 0.3, 0.4], atol=0.01)
    assert result.x_violation < 1e-12


@both_differences
def test_a_solution_in_a_corner(difference: Any) -> None:
    """Least squares with a target outside the box: the solution is the target, clipped."""
    target = np.array([2.0, -1.0, 0.3, 0.9, -4.0])

    def loss(x: np.ndarray) -> float:
        assert (x >= 0).all()
        assert (x <= 1).all()
        return float(np.square(x - target).sum())

    result = zoo.minimize(
        loss,
        np.full(5, 0.5),
        settings="paper",
        domain=zoo.Box(0.0, 1.0),
        gradient=zoo.paper.Smoothed(10, difference=difference, probes="inside"),
        step_size=lambda t: 0.1 / math.sqrt(t),
        smoothing=1e-3,
        max_iterations=1000,
        output="last",
        rng=0,
    )
    np.testing.assert_allclose(result.x, np.clip(target, 0, 1), atol=0.01)


@pytest.mark.parametrize("budget", [1.0, 2.5])
def test_a_budget_with_fixed_variables(budget: float) -> None:
    lower, upper = np.array([0.0, 0.0, 0.5, 0.0]), np.array([1.0, 1.0, 0.5, 1.0])
    domain = zoo.BoxBudget(lower, upper, budget)
    target = np.array([0.9, 0.2, 3.0, 0.4])

    def loss(x: np.ndarray) -> float:
        assert x[2] == 0.5
        assert abs(x.sum() - budget) <= BUDGET_TOLERANCE
        return float(np.square(x - target).sum())

    result = zoo.minimize(
        loss,
        domain.project(np.zeros(4)),
        settings="paper",
        domain=domain,
        gradient=zoo.paper.Smoothed(6, probes="inside"),
        step_size=lambda t: 0.1 / math.sqrt(t),
        smoothing=1e-3,
        max_iterations=1000,
        output="last",
        rng=0,
    )
    np.testing.assert_allclose(result.x, domain.project(target), atol=0.01)


@pytest.mark.parametrize("seed", range(6))
def test_sampled_losses_stay_on_a_plane(seed: int) -> None:
    """Equations as a domain: every point solves them, and the losses are logistic or absolute."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(3, 12)), 60
    M, rows = rng.normal(size=(max(1, m // 4), m)), rng.normal(size=(n, m))
    plane = zoo.sets.AffineSet(M, M @ rng.normal(size=m))
    missed = []

    def loss(x: np.ndarray, row: np.ndarray) -> float:
        missed.append(plane.distance(x) / max(1.0, float(np.linalg.norm(x))))
        t = float(row @ x)
        return float(np.logaddexp(0.0, t)) + 0.01 * float(x @ x) if seed % 2 else abs(t - 1.0)

    x0 = plane.project(np.ones(m))
    result = zoo.minimize(loss, x0, domain=plane, observations=rows, max_evaluations=3000, rng=0)
    before, after = (sum(loss(x, row) for row in rows) for x in (x0, result.x))
    assert after < before
    assert max(missed) <= 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_sampled_losses_stay_between_bounds_of_any_size(seed: int) -> None:
    """Differences at a bound do not leave it by rounding."""
    rng = np.random.default_rng(seed)
    m, n = 9, 43
    size = 10.0 ** rng.uniform(-6, 6)
    rows, target = rng.normal(size=(n, m)), rng.normal(size=n) * 3.0
    seen = []

    def loss(x: np.ndarray, i: int) -> float:
        seen.append(x.copy())
        return abs(float(rows[i] @ x) / size - target[i])

    zoo.minimize(
        loss,
        size * rng.uniform(-0.5, 0.5, m),
        domain=zoo.Box(-0.5 * size, 0.5 * size),
        observations=np.arange(n),
        max_evaluations=6000,
        rng=seed,
    )
    assert np.abs(seen).max() <= 0.5 * size


@pytest.mark.parametrize("m", [1, 3])
def test_a_domain_of_one_point_is_no_division_by_zero(m: int) -> None:
    point = zoo.sets.AffineSet(np.eye(m), np.ones(m))
    for observations in (None, np.arange(20.0)):
        result = zoo.minimize(
            lambda x, *w: float(np.sum(np.square(x - sum(w)))),
            np.ones(m),
            domain=point,
            observations=observations,
            max_evaluations=600,
            rng=0,
        )
        np.testing.assert_array_equal(result.x, np.ones(m))
