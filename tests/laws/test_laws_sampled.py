"""The laws of `test_laws` for finite sums: F to 1e-7 of its size, x to 1e-4, zeros and bounds.

Each observation is a row of a random regression with a loss that is drawn too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import zooadmm as zoo

N = 50
BOX = (-0.4, 0.5)
SEEDS = range(3)
STRUCTURES: dict[str, dict[str, Any]] = {
    "none": {},
    "L1": {"regularizer": zoo.L1(0.2)},
    "box": {"domain": zoo.Box(*BOX)},
    "groups": {"regularizer": zoo.GroupL2(0.2, [range(3), range(3, 6)])},
}
M = 6
Loss = Callable[[np.ndarray, int], float]


class Drawn(NamedTuple):
    """A finite sum, and where to start."""

    loss: Loss
    x0: np.ndarray


def drawn(seed: int) -> Drawn:
    generator = np.random.default_rng([53, seed])
    A = generator.standard_normal((N, M))
    b = A @ generator.standard_normal(M) + 0.3 * generator.standard_normal(N)
    shape: Callable[[float], float] = [
        lambda r: r * r,
        lambda r: float(np.sqrt(1.0 + r * r)),
        lambda r: float(np.logaddexp(0.0, r) + 0.1 * r * r),
    ][seed % 3]
    return Drawn(lambda x, i: float(shape(A[i] @ x - b[i])), 0.3 * generator.standard_normal(M))


def run(loss: Loss, x0: np.ndarray, **given: Any) -> zoo.Result:
    domain = given.get("domain")
    x0 = x0 if domain is None else domain.project(x0)
    return zoo.minimize(
        loss, x0, observations=np.arange(N), max_evaluations=20_000, rng=0, progress=False, **given
    )


def assert_same(one: zoo.Result, x: np.ndarray, fun: float | None, success: bool) -> None:
    np.testing.assert_allclose(x, one.x, atol=1e-4)
    assert fun == pytest.approx(one.fun, rel=1e-7)
    for exact in (0.0, *BOX):
        assert ((x == exact) == (one.x == exact)).all()
    assert one.success
    assert success


every = pytest.mark.parametrize("name", STRUCTURES)
each = pytest.mark.parametrize("seed", SEEDS)


@each
@every
def test_an_inactive_constraint_or_domain(name: str, seed: int) -> None:
    (loss, x0), given = drawn(seed), STRUCTURES[name]
    plain = run(loss, x0, **given)
    rows = np.random.default_rng(seed).standard_normal((2, M))
    others = [{"constraint": zoo.Inequality(rows, -60.0, 60.0)}]
    if name != "box":
        others.append({"domain": zoo.Box(-40.0, 40.0)})
    for further in others:
        other = run(loss, x0, **given, **further)
        assert_same(plain, other.x, other.fun, other.success)


@each
@every
def test_permuted_variables(name: str, seed: int) -> None:
    (loss, x0), given = drawn(seed), dict(STRUCTURES[name])
    order = np.random.default_rng(seed).permutation(M)
    back = np.argsort(order)
    plain = run(loss, x0, **given)
    if name == "groups":
        given["regularizer"] = zoo.GroupL2(0.2, [back[:3], back[3:]])
    other = run(lambda z, i: loss(z[back], i), x0[order], **given)
    assert_same(plain, other.x[back], other.fun, other.success)


@each
@every
def test_a_shift_of_the_loss_and_its_unit(name: str, seed: int) -> None:
    (loss, x0), given = drawn(seed), dict(STRUCTURES[name])
    plain = run(loss, x0, **given)
    low = run(lambda x, i: loss(x, i) - 3.0, x0, **given)
    assert_same(plain, low.x, low.fun + 3.0, low.success)
    unit = (1e6, 1e-6, 1e3)[seed]
    if name == "L1":
        given["regularizer"] = zoo.L1(0.2 * unit)
    if name == "groups":
        given["regularizer"] = zoo.GroupL2(0.2 * unit, [range(3), range(3, 6)])
    other = run(lambda x, i: unit * loss(x, i), x0, **given)
    assert_same(plain, other.x, other.fun / unit, other.success)


@each
def test_other_units_of_each_variable(seed: int) -> None:
    loss, x0 = drawn(seed)
    unit = 10.0 ** np.random.default_rng(seed).uniform(-2, 2, M)
    plain, other = run(loss, x0), run(lambda z, i: loss(z / unit, i), unit * x0)
    assert_same(plain, other.x / unit, other.fun, other.success)


@each
@pytest.mark.parametrize("name", ["none", "L1", "box"])
def test_the_order_of_a_variable_and_its_copy(name: str, seed: int) -> None:
    """The loss sees x_0 + x_5 only, up to a little curvature."""
    (inner, x0), given = drawn(seed), STRUCTURES[name]

    def loss(x: np.ndarray, i: int) -> float:
        z = x.copy()
        z[0], z[5] = x[0] + x[5], 0.0
        return inner(z, i) + 0.01 * float(x[0] ** 2 + x[5] ** 2)

    swap = np.array([5, 1, 2, 3, 4, 0])
    one, other = run(loss, x0, **given), run(lambda x, i: loss(x[swap], i), x0[swap], **given)
    assert_same(one, other.x[swap], other.fun, other.success)
