"""What must not change an answer: F to 1e-7 of its size, x to 1e-4, zeros and bounds exactly.

Further laws: an inactive box, `domain` or `Within`, order, shift and scale with rows
(`test_constraints`), units of variables and of the loss (`test_structures`, `test_smooth_laws`,
`ridges/test_runs`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo

M = 6
SEEDS = range(2)
BOX = (-0.2, 0.3)
STRUCTURES: dict[str, dict[str, Any]] = {
    "none": {},
    "L1": {"regularizer": zoo.L1(0.3)},
    "box": {"domain": zoo.Box(*BOX)},
    "simplex": {"domain": zoo.Simplex()},
    "groups": {"regularizer": zoo.GroupL2(0.3, [range(3), range(3, 6)])},
}


def logistic(seed: int) -> Callable[[np.ndarray], float]:
    generator = np.random.default_rng(seed)
    A = generator.standard_normal((30, M))

    def loss(x: np.ndarray) -> float:
        return float(np.logaddexp(0.0, A @ x - 1.0).mean() + 0.05 * (x @ x) - 0.3 * x[:3].sum())

    return loss


def run(loss: Any, x0: Any = None, **given: Any) -> zoo.Result:
    start = np.full(M, 1.0 / M) if x0 is None else x0
    result = zoo.minimize(loss, start, max_evaluations=1_500, rng=0, **given)
    assert result.fun is not None
    return result


def same(
    one: zoo.Result,
    other: zoo.Result,
    x: np.ndarray | None = None,
    fun: float | None = None,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> None:
    """The same answer and the same verdict.

    x, fun: those of the other in the variables and the unit of the first.
    """
    x, fun = other.x if x is None else x, other.fun if fun is None else fun
    np.testing.assert_allclose(x, one.x, atol=1e-4)
    assert fun == pytest.approx(one.fun, rel=1e-7)
    for exact in (0.0, *bounds):
        assert ((x == exact) == (one.x == exact)).all()
    assert one.success
    assert other.success


def test_another_value_or_a_bound_that_is_missed_is_not_the_same() -> None:
    one = run(logistic(0), domain=zoo.Box(*BOX))
    assert np.isin(one.x, BOX).any()
    others = replace(one, fun=one.fun * (1.0 + 1e-6)), replace(one, x=one.x * (1.0 - 1e-12))
    for other in others:
        with pytest.raises(AssertionError):
            same(one, other, bounds=BOX)


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("seed", SEEDS)
def test_an_inactive_constraint(name: str, seed: int) -> None:
    loss, given = logistic(seed), STRUCTURES[name]
    plain = run(loss, **given)
    rows = np.random.default_rng(seed).standard_normal((2, M))
    wide = run(loss, constraint=zoo.Inequality(rows, -50.0, 50.0), **given)
    same(plain, wide, bounds=BOX)


@pytest.mark.parametrize("name", ["none", "L1", "groups"])
@pytest.mark.parametrize("seed", SEEDS)
def test_an_inactive_domain_or_within(name: str, seed: int) -> None:
    loss, given = logistic(seed), STRUCTURES[name]
    plain, box = run(loss, **given), zoo.Box(-40.0, 40.0)
    same(plain, run(loss, domain=box, **given))
    if name == "L1":  # Within is for functions of coordinates
        within = zoo.regularizers.Within(given["regularizer"], box)
        same(plain, run(loss, regularizer=within))


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("seed", SEEDS)
def test_permuted_variables(name: str, seed: int) -> None:
    loss, given = logistic(seed), dict(STRUCTURES[name])
    order = np.random.default_rng(seed).permutation(M)
    back = np.argsort(order)
    plain = run(loss, **given)
    if name == "groups":  # they move with their variables
        given["regularizer"] = zoo.GroupL2(0.3, [back[:3], back[3:]])
    other = run(lambda z: loss(z[back]), **given)
    same(plain, other, other.x[back], bounds=BOX)


@pytest.mark.parametrize("name", ["none", "L1", "box"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_a_variable_and_its_copy(name: str, seed: int) -> None:
    """f sees x_0 + x_5 only, up to a little curvature: the two are one variable twice."""
    inner, given = logistic(seed), STRUCTURES[name]

    def loss(x: np.ndarray, first: int, second: int) -> float:
        z = x.copy()
        z[first], z[second] = x[first] + x[second], 0.0
        return inner(z) + 0.01 * float(x[first] ** 2 + x[second] ** 2)

    one = run(lambda x: loss(x, 0, 5), **given)
    swap = np.array([5, 1, 2, 3, 4, 0])
    other = run(lambda x: loss(x[swap], 0, 5), **given)
    same(one, other, other.x[swap], bounds=BOX)


@pytest.mark.parametrize("name", ["none", "simplex", "groups"])
@pytest.mark.parametrize(("seed", "unit"), [(0, 1e3), (1, 1e12), (0, 1e-3), (1, 1e-12)])
def test_a_shift_of_the_loss_and_its_unit_with_the_strength(
    name: str, seed: int, unit: float
) -> None:
    loss, given = logistic(seed), dict(STRUCTURES[name])
    plain = run(loss, **given)
    low = run(lambda x: loss(x) - 7.0, **given)
    same(plain, low, fun=low.fun + 7.0)
    if name == "groups":
        given["regularizer"] = zoo.GroupL2(0.3 * unit, [range(3), range(3, 6)])
    other = run(lambda x: unit * loss(x), **given)
    same(plain, other, fun=other.fun / unit)


@pytest.mark.parametrize("digits", [3, 6])
@pytest.mark.parametrize("seed", SEEDS)
def test_other_units_of_each_variable(digits: int, seed: int) -> None:
    loss = logistic(seed)
    unit = 10.0 ** np.random.default_rng(seed).uniform(-digits, digits, M)
    plain = run(loss)
    same(plain, other := run(lambda z: loss(z / unit), unit / M), other.x / unit)


@pytest.mark.parametrize("given", [{}, {"regularizer": zoo.L1(0.1)}, {"domain": zoo.Box(-1, 1)}])
@pytest.mark.parametrize("seed", SEEDS)
def test_observations_in_another_order(given: dict[str, Any], seed: int) -> None:
    """Seen to the end, all orders have one answer; on the way, answers of the same quality."""
    generator = np.random.default_rng(seed)
    A = generator.standard_normal((40, M))
    b = A @ generator.standard_normal(M) + 0.1 * generator.standard_normal(40)
    order = generator.permutation(40)

    def loss(x: np.ndarray, i: int) -> float:
        return float((A[i] @ x - b[i]) ** 2 + np.logaddexp(0.0, A[i] @ x))

    one, other = (
        zoo.minimize(loss, np.zeros(M), observations=rows, max_evaluations=20_000, rng=0, **given)
        for rows in (list(range(40)), [int(i) for i in order])
    )
    same(one, other, bounds=(-1.0, 1.0))
