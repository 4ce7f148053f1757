"""The laws of `test_laws` on drawn problems: least squares, logistic and Poisson regression.

Each with L1, a box, both, a simplex and an equation. F to 1e-7 of its size, x to 1e-4, zeros and
bounds exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import zooadmm as zoo

LOW, HIGH = -0.3, 0.4
FAR = 300.0
"""A bound that nothing reaches."""

Value = Callable[[np.ndarray], float]


class Drawn(NamedTuple):
    """A problem, and a generator for what is drawn further."""

    f: Value
    x0: np.ndarray
    given: dict[str, Any]
    generator: np.random.Generator


def least_squares(A: np.ndarray, generator: np.random.Generator) -> Value:
    b = A @ generator.standard_normal(A.shape[1]) + 0.3 * generator.standard_normal(len(A))
    return lambda x: 0.5 * float(np.square(A @ x - b).mean())


def logistic(A: np.ndarray, generator: np.random.Generator) -> Value:
    signs = np.sign(A @ generator.standard_normal(A.shape[1]) + generator.standard_normal(len(A)))
    return lambda x: float(np.logaddexp(0.0, -signs * (A @ x)).mean() + 0.01 * (x @ x))


def poisson(A: np.ndarray, generator: np.random.Generator) -> Value:
    A = A / np.sqrt(A.shape[1])
    mean = np.exp(np.clip(0.5 * A @ generator.standard_normal(A.shape[1]), -3, 3))
    y = generator.poisson(mean)

    def f(x: np.ndarray) -> float:
        with np.errstate(over="ignore"):
            return float((np.exp(A @ x) - y * (A @ x)).mean() + 0.01 * (x @ x))

    return f


LOSSES = (least_squares, logistic, poisson)
STRUCTURES = ("L1", "box", "both", "simplex", "equation")
PROBLEMS = [(name, seed) for name in STRUCTURES for seed in range(3)]


def drawn(name: str, seed: int) -> Drawn:
    generator = np.random.default_rng([STRUCTURES.index(name), seed])
    m = int(generator.integers(3, 9))
    A = generator.standard_normal((4 * m + 10, m)) * 10.0 ** generator.uniform(-0.5, 0.5, m)
    f, x0 = LOSSES[seed % 3](A, generator), np.full(m, 1.0 / m)
    return Drawn(f, x0, structured(name, generator, np.ones(m)), generator)


def structured(
    name: str, generator: np.random.Generator, unit: np.ndarray, of_loss: float = 1.0
) -> dict[str, Any]:
    """The structure in other units of the variables, z = unit x, and of the loss."""
    m = len(unit)
    given: dict[str, Any] = {}
    if name in ("L1", "both"):
        given["regularizer"] = zoo.L1(0.1 * of_loss, 1.0 / unit)
    if name in ("box", "both"):
        given["domain"] = zoo.Box(LOW * unit, HIGH * unit)
    if name == "simplex":
        given["domain"] = zoo.Simplex()
    if name == "equation":
        row = np.linspace(-1.0, 2.0, m)
        given["constraint"] = zoo.Equality(row / unit, row.mean())
    return given


def run(f: Value, x0: np.ndarray, given: dict[str, Any]) -> zoo.Result:
    budget = 400 * (len(x0) + 1)
    return zoo.minimize(f, x0, max_evaluations=budget, rng=0, progress=False, **given)


def assert_same(one: zoo.Result, x: np.ndarray, fun: float, other: zoo.Result) -> None:
    np.testing.assert_allclose(x, one.x, atol=1e-4)
    assert fun == pytest.approx(one.fun, rel=1e-7)
    for exact in (0.0, LOW, HIGH):
        assert ((x == exact) == (one.x == exact)).all(), f"{exact}: {one.x} and {x}"
    assert one.success
    assert other.success


each = pytest.mark.parametrize(("name", "seed"), PROBLEMS)


@each
def test_inactive_rows_and_bounds(name: str, seed: int) -> None:
    f, x0, given, generator = drawn(name, seed)
    plain = run(f, x0, given)
    rows = zoo.Inequality(generator.standard_normal((2, len(x0))), -FAR, FAR)
    others = [{**given, "constraint": [*filter(None, [given.get("constraint")]), rows]}]
    if "domain" not in given:
        others.append({**given, "domain": zoo.Box(-FAR, FAR)})
    if name == "box":
        others.append({"regularizer": given["domain"]})
    if name == "both":
        within = zoo.regularizers.Within(given["regularizer"], given["domain"])
        others.append({"regularizer": within})
    for further in others:
        other = run(f, x0, further)
        assert_same(plain, other.x, other.fun, other)


@each
def test_permuted_and_copied_variables(name: str, seed: int) -> None:
    """Of a variable and its copy f sees the sum alone, up to a little curvature."""
    f, x0, given, generator = drawn(name, seed)
    if name == "equation":
        given["constraint"] = zoo.Equality(np.ones(len(x0)), 1.0)
    back = np.argsort(generator.permutation(len(x0)))

    def twice(x: np.ndarray) -> float:
        z = x.copy()
        z[0], z[-1] = x[0] + x[-1], 0.0
        return f(z) + 0.01 * float(x[0] ** 2 + x[-1] ** 2)

    for loss in (f, twice):
        plain = run(loss, x0, given)
        other = run(lambda z, loss=loss: loss(z[back]), x0, given)
        assert_same(plain, other.x[back], other.fun, other)


@each
def test_a_shift_and_other_units(name: str, seed: int) -> None:
    f, x0, given, generator = drawn(name, seed)
    plain = run(f, x0, given)
    low = run(lambda x: f(x) - 7.0, x0, given)
    assert_same(plain, low.x, low.fun + 7.0, low)
    of_loss = float(10.0 ** generator.uniform(-9, 9))
    ones = np.ones(len(x0))
    other = run(lambda x: of_loss * f(x), x0, structured(name, generator, ones, of_loss))
    assert_same(plain, other.x, other.fun / of_loss, other)
    if name != "simplex":  # which has one unit
        unit = 2.0 ** generator.integers(-8, 9, len(x0)).astype(float)  # rounds no bound
        other = run(lambda z: f(z / unit), unit * x0, structured(name, generator, unit))
        assert_same(plain, other.x / unit, other.fun, other)


@pytest.mark.parametrize("seed", range(6))
def test_inactive_rows_keep_an_answer_of_zeros(seed: int) -> None:
    f, x0, given, generator = drawn("both", seed)
    given["regularizer"] = zoo.L1(20.0)
    given["constraint"] = zoo.Inequality(generator.standard_normal((2, len(x0))), -FAR, FAR)
    assert (run(f, x0, given).x == 0.0).all()
