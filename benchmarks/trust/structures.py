"""Structure drawn at random: arguments of `minimize`, the same for the judge, and a check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cvxpy as cp
import numpy as np

import zooadmm as zoo
from benchmarks.problem import Array

Generator = np.random.Generator


@dataclass(frozen=True, eq=False)
class Structure:
    """phi, X and rows.

    arguments: of `minimize`.
    phi, penalty: phi(x), and the same as an expression of cvxpy.
    limits: constraints of cvxpy.
    lower, upper: bounds of each variable.
    A, low, high: low <= A x <= high.
    """

    arguments: dict[str, Any]
    phi: Callable[[Array], float] = lambda x: 0.0
    penalty: Callable[[cp.Variable], Any] = lambda x: 0.0
    lower: Array = field(default_factory=lambda: np.zeros(0))
    upper: Array = field(default_factory=lambda: np.zeros(0))
    A: Array = field(default_factory=lambda: np.zeros((0, 0)))
    low: Array = field(default_factory=lambda: np.zeros(0))
    high: Array = field(default_factory=lambda: np.zeros(0))

    def limits(self, x: cp.Variable) -> list[Any]:
        found = []
        for bound, sign in ((self.lower, 1.0), (self.upper, -1.0)):
            at = np.flatnonzero(np.isfinite(bound))
            if len(at):
                found.append(sign * (x[at] - bound[at]) >= 0)
        equal = self.low == self.high
        for rows, sign, side in (
            (~equal & np.isfinite(self.low), 1.0, self.low),
            (~equal & np.isfinite(self.high), -1.0, self.high),
        ):
            if rows.any():
                found.append(sign * (self.A[rows] @ x - side[rows]) >= 0)
        if equal.any():
            found.append(self.A[equal] @ x == self.low[equal])
        return found

    def outside_bounds(self, x: Array) -> bool:
        """Whether x lies outside bounds, not even by rounding."""
        if len(self.lower) == 0:
            return False
        return bool((x < self.lower).any() or (x > self.upper).any())

    def violation(self, x: Array) -> float:
        """The largest violation of a row, relative to max(1, |its side|)."""
        if len(self.low) == 0:
            return 0.0
        y = self.A @ x
        missed = np.maximum(self.low - y, y - self.high)
        side = np.abs(np.where(y < self.low, self.low, self.high))
        return float((missed / np.maximum(1.0, np.where(np.isfinite(side), side, 1.0))).max())


def none(generator: Generator, m: int) -> Structure:
    return Structure({})


def l1(generator: Generator, m: int) -> Structure:
    strength = 10.0 ** generator.uniform(-3.0, 0.0)
    return Structure(
        {"regularizer": zoo.L1(strength)},
        lambda x: strength * float(np.abs(x).sum()),
        lambda x: strength * cp.norm1(x),
    )


def _bounds(generator: Generator, m: int) -> tuple[Array, Array]:
    """Bounds about zero: narrow or wide, some of them absent."""
    width = 10.0 ** generator.uniform(-1.0, 1.0)
    lower = -width * generator.random(m)
    upper = width * generator.random(m)
    if generator.random() < 0.3:
        lower[generator.random(m) < 0.5] = -np.inf
        upper[generator.random(m) < 0.5] = np.inf
    return lower, upper


def box(generator: Generator, m: int) -> Structure:
    lower, upper = _bounds(generator, m)
    return Structure({"domain": zoo.Box(lower, upper)}, lower=lower, upper=upper)


def l1_in_a_box(generator: Generator, m: int) -> Structure:
    part, lower_upper = l1(generator, m), _bounds(generator, m)
    return Structure(
        {**part.arguments, "domain": zoo.Box(*lower_upper)},
        part.phi,
        part.penalty,
        *lower_upper,
    )


def simplex(generator: Generator, m: int) -> Structure:
    return _with_sum(zoo.Simplex(), m, 1.0, np.inf)


def budget(generator: Generator, m: int) -> Structure:
    total = m * generator.uniform(0.1, 0.9)
    return _with_sum(zoo.BoxBudget(0.0, 1.0, total), m, total, 1.0)


def _with_sum(domain: Any, m: int, total: float, upper: float) -> Structure:
    return Structure(
        {"domain": domain},
        lower=np.zeros(m),
        upper=np.full(m, upper),
        A=np.ones((1, m)),
        low=np.array([total]),
        high=np.array([total]),
    )


def _rows(generator: Generator, m: int) -> Array:
    return np.asarray(generator.standard_normal((max(1, min(5, m // 3)), m)))


def equalities(generator: Generator, m: int) -> Structure:
    A = _rows(generator, m)
    if len(A) > 1 and generator.random() < 0.3:
        A[-1] = A[0]  # a row twice
    b = A @ (0.5 * generator.standard_normal(m))
    return Structure({"constraint": zoo.Equality(A, b)}, A=A, low=b, high=b)


def inequalities(generator: Generator, m: int) -> Structure:
    A = _rows(generator, m)
    middle = A @ (0.5 * generator.standard_normal(m))
    low = np.where(generator.random(len(A)) < 0.5, middle - 0.3, -np.inf)
    high = np.where(np.isinf(low) | (generator.random(len(A)) < 0.5), middle + 0.3, np.inf)
    return Structure({"constraint": zoo.Inequality(A, low, high)}, A=A, low=low, high=high)


def _in_a_box(part: Structure, m: int) -> Structure:
    lower, upper = np.full(m, -2.0), np.full(m, 2.0)
    arguments = {**part.arguments, "domain": zoo.Box(lower, upper)}
    return Structure(arguments, part.phi, part.penalty, lower, upper, part.A, part.low, part.high)


def equalities_in_a_box(generator: Generator, m: int) -> Structure:
    A = _rows(generator, m)
    b = A @ generator.uniform(-1.5, 1.5, m)
    return _in_a_box(Structure({"constraint": zoo.Equality(A, b)}, A=A, low=b, high=b), m)


def l1_with_inequalities(generator: Generator, m: int) -> Structure:
    part, rows = l1(generator, m), inequalities(generator, m)
    return Structure(
        {**part.arguments, **rows.arguments},
        part.phi,
        part.penalty,
        A=rows.A,
        low=rows.low,
        high=rows.high,
    )


def groups(generator: Generator, m: int) -> Structure:
    strength = 10.0 ** generator.uniform(-3.0, 0.0)
    parts = [np.arange(k, min(k + 3, m)) for k in range(0, m, 3)]
    return Structure(
        {"regularizer": zoo.GroupL2(strength, parts)},
        lambda x: strength * sum(float(np.linalg.norm(x[part])) for part in parts),
        lambda x: strength * cp.sum([cp.norm2(x[part]) for part in parts]),
    )


def groups_in_a_box(generator: Generator, m: int) -> Structure:
    return _in_a_box(groups(generator, m), m)


STRUCTURES: dict[str, Callable[[Generator, int], Structure]] = {
    "none": none,
    "L1": l1,
    "box": box,
    "L1 in a box": l1_in_a_box,
    "simplex": simplex,
    "budget": budget,
    "equalities": equalities,
    "inequalities": inequalities,
    "equalities in a box": equalities_in_a_box,
    "L1 with inequalities": l1_with_inequalities,
    "groups": groups,
    "groups in a box": groups_in_a_box,
}
