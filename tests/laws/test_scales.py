"""Equal problems in other units have equal answers: tiny variables, far offsets, float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo

Value = Callable[[np.ndarray], float]

UNITS = {
    "tiny": (1e-9, 0.0, np.float64),
    "offset": (1.0, 1e8, np.float64),
    "single": (1.0, 0.0, np.float32),
    "single, large": (1e3, 0.0, np.float32),
}
"""x = unit u + offset, and the type of x0"""


def logistic(generator: np.random.Generator, m: int) -> Value:
    A = generator.standard_normal((60, m))
    signs = np.sign(A @ generator.standard_normal(m) + generator.standard_normal(60))
    return lambda u: float(np.logaddexp(0.0, -signs * (A @ u)).mean() + 0.005 * (u @ u))


def poisson(generator: np.random.Generator, m: int) -> Value:
    A = 0.5 * generator.standard_normal((80, m))
    counts = generator.poisson(np.exp(A @ generator.normal(0.0, 0.4, m)))

    def f(u: np.ndarray) -> float:
        with np.errstate(over="ignore"):
            return float(np.mean(np.exp(A @ u) - counts * (A @ u)))

    return f


def quadratic(generator: np.random.Generator, m: int) -> Value:
    axes = np.linalg.qr(generator.standard_normal((m, m)))[0]
    root, to = axes * np.logspace(0.0, 1.5, m), generator.standard_normal(m)
    return lambda u: 0.5 * float(np.square((u - to) @ root).sum())


LOSSES = (logistic, poisson, quadratic)


def structure(name: str, m: int, unit: float, offset: float) -> dict[str, Any]:
    if name == "box":
        low, high = np.full(m, -0.375), 0.125 * np.arange(1, m + 1)  # in float32 too
        return {"domain": zoo.Box(unit * low + offset, unit * high + offset)}
    return {"regularizer": zoo.L1(0.05 / unit)} if name == "L1" else {}


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("form", ["plain", "box", "L1"])
@pytest.mark.parametrize("seed", range(3))
def test_equal_problems_in_other_units_have_equal_answers(name: str, form: str, seed: int) -> None:
    unit, offset, dtype = UNITS[name]
    if form == "L1" and offset != 0.0:
        pytest.skip("zero is no offset")
    generator = np.random.default_rng([seed, 71])
    m = int(generator.integers(4, 12))
    f, u0 = LOSSES[seed](generator, m), generator.uniform(-0.3, 0.1, m)

    def loss(x: np.ndarray) -> float:
        assert x.dtype == dtype
        return f((x.astype(np.float64) - offset) / unit)

    def objective(u: np.ndarray) -> float:
        return f(u) + (0.05 * float(np.abs(u).sum()) if form == "L1" else 0.0)

    usual = zoo.minimize(f, u0, max_evaluations=300 * m, rng=0, **structure(form, m, 1.0, 0.0))
    x0 = (unit * u0 + offset).astype(dtype)
    given = structure(form, m, unit, offset)
    result = zoo.minimize(loss, x0, max_evaluations=300 * m, rng=0, **given)
    least, first = objective(usual.x), objective(u0)
    reached = objective((result.x.astype(np.float64) - offset) / unit)
    assert result.success
    assert result.x.dtype == dtype
    assert reached - least <= 1e-9 * max(abs(least), first - least)


@pytest.mark.parametrize("start", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_values_in_single_precision_are_not_taken_for_exact_ones(start: float, seed: int) -> None:
    """Rounding of points explains that of values, but each value has its own."""
    generator = np.random.default_rng([seed, 72])
    m = int(generator.integers(4, 12))
    A = generator.standard_normal((60, m)).astype(np.float32)
    b = (A @ generator.standard_normal(m) + generator.standard_normal(60)).astype(np.float32)

    def loss(x: np.ndarray) -> float:
        return float(np.square(A @ x - b).astype(np.float64).mean())  # rough, and not float32

    x0 = np.full(m, start, dtype=np.float32)
    result = zoo.minimize(loss, x0, max_evaluations=300 * m, rng=0)
    best = np.linalg.lstsq(A.astype(np.float64), b.astype(np.float64))[0]
    exact = [float(np.square(A.astype(np.float64) @ x - b).mean()) for x in (result.x, best, x0)]
    assert result.nfev < 100 * m
    assert exact[0] - exact[1] <= 1e-5 * (exact[2] - exact[1])


@pytest.mark.parametrize("seed", range(6))
def test_sharp_ridges_are_followed(seed: int) -> None:
    """z_1^2 + 100 |z_2...|: the slope along the ridge is far less than that beside it."""
    generator = np.random.default_rng([seed, 73])
    m = 8
    axes = np.linalg.qr(generator.standard_normal((m, m)))[0]
    to = generator.uniform(-3.0, 3.0, m)

    def loss(x: np.ndarray) -> float:
        z = axes @ (x - to)
        return 50.0 + float(z[0] ** 2 + 100.0 * np.linalg.norm(z[1:]))

    result = zoo.minimize(loss, np.zeros(m), max_evaluations=1_000 * m, rng=0)
    assert loss(result.x) - 50.0 < 5e-5
