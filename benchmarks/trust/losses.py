"""Smooth convex losses drawn at random, each with its value and the same for the judge (cvxpy)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np

from benchmarks.problem import Array

Generator = np.random.Generator
MOST_CONDITION = 8.0
"""log10 of the largest condition of a quadratic."""


@dataclass(frozen=True, eq=False)
class RandomLoss:
    """f, the same as an expression of cvxpy, and the units of its variables."""

    value: Callable[[Array], float]
    expression: Callable[[cp.Variable], Any]
    positive: bool = False
    """Whether f is finite only where x is positive in all, so that structure must keep it there."""


def quadratic(generator: Generator, m: int) -> RandomLoss:
    """|R (x - c)|^2 / 2 + <b, x - c> / 10, b in the range of R': condition 1 to 1e8."""
    eigen = 10.0 ** -np.linspace(0.0, generator.uniform(0.0, MOST_CONDITION), m)
    if m > 2 and generator.random() < 0.2:  # rank-deficient
        eigen[m - 1 - int(generator.integers(m // 2)) :] = 0.0
    Q, _ = np.linalg.qr(generator.standard_normal((m, m)))
    R = np.sqrt(eigen)[:, None] * Q.T
    center = generator.standard_normal(m)
    b = R.T @ generator.standard_normal(m) / 10.0

    def value(x: Array) -> float:
        way = x - center
        return 0.5 * float(np.square(R @ way).sum()) + float(b @ way)

    return RandomLoss(value, lambda x: 0.5 * cp.sum_squares(R @ (x - center)) + b @ (x - center))


def _design(generator: Generator, m: int) -> Array:
    rows = 4 * m + 10
    A = generator.standard_normal((rows, m))
    if m > 1:
        A[:, 1:] = 0.8 * A[:, 1:] + 0.6 * A[:, :-1]
    return np.asarray(A * 10.0 ** generator.uniform(-1.0, 1.0, m) / np.sqrt(m))


def squares(generator: Generator, m: int) -> RandomLoss:
    """Least squares; every fourth with fewer rows than variables."""
    A = _design(generator, m)
    if generator.random() < 0.25:
        A = A[: max(1, m // 2)]
    b = A @ generator.standard_normal(m) + generator.standard_normal(len(A))
    n = len(A)
    return RandomLoss(
        lambda x: float(np.square(A @ x - b).sum()) / (2 * n),
        lambda x: cp.sum_squares(A @ x - b) / (2 * n),
    )


def logistic(generator: Generator, m: int) -> RandomLoss:
    """Mean logistic loss with a small ridge, so that it has a minimizer."""
    A = _design(generator, m)
    chance = 1.0 / (1.0 + np.exp(-A @ generator.standard_normal(m)))
    A = np.where(generator.random(len(A)) < chance, -1.0, 1.0)[:, None] * A
    ridge = 10.0 ** generator.uniform(-4.0, -2.0)

    def value(x: Array) -> float:
        return float(np.logaddexp(0.0, A @ x).mean() + 0.5 * ridge * (x @ x))

    n = len(A)
    return RandomLoss(
        value, lambda x: cp.sum(cp.logistic(A @ x)) / n + 0.5 * ridge * cp.sum_squares(x)
    )


def poisson(generator: Generator, m: int) -> RandomLoss:
    """Mean negative log likelihood of counts."""
    A = _design(generator, m) / 3.0
    counts = generator.poisson(np.exp(np.clip(A @ generator.standard_normal(m), -3, 3)))
    b, n = counts.astype(float) + 0.1, len(A)

    def value(x: Array) -> float:
        with np.errstate(over="ignore"):
            return float((np.exp(A @ x) - b * (A @ x)).mean())

    return RandomLoss(value, lambda x: cp.sum(cp.exp(A @ x) - cp.multiply(b, A @ x)) / n)


def log_determinant(generator: Generator, m: int) -> RandomLoss:
    """-log det sum_i x_i a_i a_i': which of m measurements of few unknowns to make."""
    few = max(1, min(4, m))
    a = generator.standard_normal((m, few))

    def value(x: Array) -> float:
        sign, size = np.linalg.slogdet((a * x[:, None]).T @ a)
        return -float(size) if sign > 0 else np.inf

    return RandomLoss(value, lambda x: -cp.log_det(a.T @ cp.diag(x) @ a), positive=True)


LOSSES: dict[str, Callable[[Generator, int], RandomLoss]] = {
    "quadratic": quadratic,
    "squares": squares,
    "logistic": logistic,
    "poisson": poisson,
    "log-det": log_determinant,
}
