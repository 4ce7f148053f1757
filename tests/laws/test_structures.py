"""Whole runs on a loss without noise: the optimum under every structure, and nothing broken."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo
from twins.problems import make_problem
from twins.structured import STRUCTURES, M, loss, optimum
from zooadmm.problem.sets import Box, BoxBudget, Budget, Nonnegative, Simplex
from zooadmm.structure.minimizer import Minimizer

BOUNDED = (
    "box",
    "bounds of each",
    "l1 in a box",
    "nonnegative",
    "budget",
    "simplex",
    "simplex from a vertex",
    "box and budget",
    "overlapping groups in a simplex",
)


def solved(name, evaluated=loss, **more):
    structure = STRUCTURES[name]
    return zoo.minimize(
        evaluated, structure.x0, max_evaluations=3_000, rng=0, **structure.given, **more
    )


def gap(name, result):
    best = optimum(name)
    return (result.fun - best) / (loss(STRUCTURES[name].x0) - best)


def assert_holds(domain, points):
    """Bounds to the last bit, totals to 1e-12."""
    points = np.atleast_2d(points)
    lower, upper, total = -np.inf, np.inf, None
    if isinstance(domain, Box | BoxBudget):
        lower, upper = domain.lower, domain.upper
    if isinstance(domain, Nonnegative | Simplex):
        lower = 0.0
    if isinstance(domain, Budget | Simplex | BoxBudget):
        total = domain.budget
    assert (points >= lower).all()
    assert (points <= upper).all()
    if total is not None:
        assert np.abs(points.sum(axis=1) - total).max() <= 1e-12


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_optimum_is_reached_and_the_run_says_so(name):
    result = solved(name)
    assert result.status is zoo.Status.SETTLED
    assert result.success
    assert "no step promises a decrease beyond rounding" in result.message
    assert -1e-8 < gap(name, result) < 1e-8
    assert result.residual <= 1e-12
    assert result.x_violation <= 1e-12
    assert result.y_violation <= 1e-12
    assert (result.x == 0.0).any() == STRUCTURES[name].zeros
    assert_holds(STRUCTURES[name].given.get("domain"), result.x)


@pytest.mark.parametrize("name", BOUNDED)
def test_nothing_is_evaluated_outside_when_asked(name):
    domain, seen = STRUCTURES[name].given["domain"], []

    def watched(x):
        seen.append(x.copy())
        return loss(x)

    result = solved(name, watched, settings=zoo.Auto(probes="inside"))
    assert result.status is zoo.Status.SETTLED
    assert -1e-8 < gap(name, result) < 1e-8
    assert len(seen) == result.nfev + result.nfev_report
    assert_holds(domain, np.array(seen))


SIZES = 10.0 ** np.random.default_rng(9).uniform(-8.0, 0.0, (2, 40))
CROOKED = SIZES[0] * np.random.default_rng(8).uniform(-1.0, 1.0, 40)
WIDTHS = SIZES[1]


@pytest.mark.parametrize("start", [0.0, 0.3, 1.0])
def test_bounds_are_not_crossed_by_rounding(start):
    """Bounds that are no round numbers, some nearer to each other than points of a slope."""
    domain, outside = zoo.Box(CROOKED, CROOKED + WIDTHS), []

    def watched(x):
        outside.append(bool((x < domain.lower).any() or (x > domain.upper).any()))
        return float(np.square(x - np.sin(np.arange(40))).sum())

    x0 = domain.project(CROOKED + start * WIDTHS)
    result = zoo.minimize(
        watched, x0, domain=domain, max_evaluations=2_000, rng=0, settings=zoo.Auto(probes="inside")
    )
    assert result.status is zoo.Status.SETTLED
    assert not any(outside)
    np.testing.assert_allclose(result.x, domain.project(np.sin(np.arange(40))), atol=1e-5)


UNITS = 10.0 ** np.random.default_rng(4).uniform(-2.0, 2.0, M)
WALLS = np.linspace(0.2, 1.0, M)
RESCALED = {
    "none": lambda u: {},
    "weighted l1": lambda u: {"regularizer": zoo.L1(2.0, weights=1 / u)},
    "bounds of each": lambda u: {"domain": zoo.Box(-WALLS * u, WALLS * u)},
    "total variation": lambda u: {
        "regularizer": zoo.L1(0.8),
        "constraint": zoo.Linear(np.diff(np.diag(1 / u), axis=0)),
    },
}


@pytest.mark.parametrize("name", RESCALED)
def test_units_of_the_variables_cost_at_most_twice_the_evaluations(name):
    results = [
        zoo.minimize(
            lambda x, u=u: loss(x / u),
            np.zeros(M),
            max_evaluations=3_000,
            rng=0,
            **RESCALED[name](u),
        )
        for u in (np.ones(M), UNITS)
    ]
    assert [r.status for r in results] == [zoo.Status.SETTLED] * 2
    assert results[1].nfev <= 2 * results[0].nfev
    np.testing.assert_allclose(results[1].fun, results[0].fun, rtol=1e-9)
    np.testing.assert_allclose(results[1].x / UNITS, results[0].x, atol=2e-4)


@pytest.mark.parametrize("value", [1e-6, 1e6])
@pytest.mark.parametrize("name", ["none", "simplex", "l1"])
def test_units_of_the_loss_do_not_matter(name, value):
    given = dict(STRUCTURES[name].given)
    if "regularizer" in given:
        given["regularizer"] = zoo.L1(value * given["regularizer"].strength)
    results = [
        zoo.minimize(
            lambda x, v=v: v * loss(x), STRUCTURES[name].x0, max_evaluations=3_000, rng=0, **given
        )
        for v, given in ((1.0, STRUCTURES[name].given), (value, given))
    ]
    assert [r.status for r in results] == [zoo.Status.SETTLED] * 2
    assert results[1].nfev <= 2 * results[0].nfev
    np.testing.assert_allclose(results[1].fun, value * results[0].fun, rtol=1e-9)


SUM = np.ones((1, 2))


@pytest.mark.parametrize(
    ("regularizer", "domain", "constraint", "expected"),
    [
        (zoo.Simplex(), None, None, 1 / 3),
        (zoo.Budget(2.0), zoo.Box(0, 1), None, 2 / 3),
        (zoo.regularizers.Indicator(zoo.Box([3.0], [3.0])), None, zoo.Linear(np.ones((1, 3))), 1.0),
    ],
    ids=["simplex", "budget", "sum"],
)
def test_a_start_that_is_not_allowed_and_lower_than_all_that_are(
    regularizer, domain, constraint, expected
):
    result = zoo.minimize(
        lambda x: float(np.square(x).sum()),
        np.zeros(3),
        regularizer=regularizer,
        domain=domain,
        constraint=constraint or zoo.problem.Consensus(),
        max_evaluations=2_000,
        rng=0,
    )
    assert result.success
    np.testing.assert_allclose(result.x, expected, atol=1e-6)


def test_no_value_at_the_nearest_point_that_is_allowed():
    """The first x has a loss, the one that the constraint leads to has none: it is said."""
    result = zoo.minimize(
        lambda x: float(np.square(x).sum()) if x.sum() < 2.5 else np.nan,
        np.zeros(3),
        constraint=zoo.Linear(np.ones((1, 3))),
        regularizer=zoo.regularizers.Indicator(zoo.Box([3.0], [3.0])),
        max_evaluations=500,
        rng=0,
    )
    assert "not finite" in result.message
    assert "steps by a quadratic model" not in result.message
    assert not result.success
    assert result.y_violation <= 1e-9
    assert np.isfinite(result.x).all()


def test_the_nearest_pair_that_is_allowed_is_not_drawn_towards_less_phi():
    phi = zoo.regularizers.Within(zoo.L1(10.0), Box(-1.0, 1.0))
    problem = make_problem(np.zeros(2), phi, zoo.sets.WholeSpace(), zoo.problem.Consensus())
    x, y = Minimizer(problem).feasible(np.array([5.0, 0.5]), np.array([1.0, 0.5]))
    np.testing.assert_allclose(x, [1.0, 0.5], atol=1e-12)
    np.testing.assert_array_equal(x, y)
    split = make_problem(
        np.zeros(2),
        zoo.regularizers.Within(zoo.L1(10.0), Box(2.0, 5.0)),
        zoo.sets.WholeSpace(),
        zoo.Linear(SUM),
    )
    x, y = Minimizer(split).feasible(np.array([0.5, 0.0]), np.array([2.0]))
    np.testing.assert_allclose(x, [1.25, 0.75], atol=1e-7)  # 1'x = 2
    assert Minimizer(split).feasible(x, y)[0] is x


def test_a_large_row_does_not_hide_that_a_small_one_is_violated():
    rows = zoo.regularizers.Indicator(zoo.Box([-np.inf, 1e-4], [1e4, np.inf]))
    result = zoo.minimize(
        lambda x: float(np.square(x - [1.0, -2.0, 3.0]).sum()),
        np.array([1.0, 0.0, 0.0]),
        constraint=zoo.Linear(np.diag([1e4, 1e-4, 0.0])[:2]),
        regularizer=rows,
        max_evaluations=1_500,
        rng=0,
    )
    assert result.success
    np.testing.assert_allclose(result.x, [1.0, 1.0, 3.0], atol=1e-5)


def test_constraints_without_a_common_point_cost_no_evaluation():
    asked = []
    rows = zoo.regularizers.Indicator(zoo.Box([1.0, 3.0], [2.0, 4.0]))
    with pytest.raises(ValueError, match="allow no point"):
        zoo.minimize(
            lambda x: asked.append(x) or float(x @ x),
            np.zeros(3),
            constraint=zoo.Linear(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]])),
            regularizer=rows,
            max_evaluations=100,
        )
    assert asked == []
