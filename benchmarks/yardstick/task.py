"""A black box with bounds and linear constraints, in a form that every solver can be given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

FEASIBLE = 1e-6
"""A point counts only if no bound and no row is violated by more (absolute)."""


@dataclass(frozen=True, eq=False)
class Rows:
    """lower <= A x <= upper; equal limits are an equation."""

    A: Array
    lower: Array
    upper: Array

    def __len__(self) -> int:
        return len(self.A)

    @property
    def equations(self) -> NDArray[np.bool_]:
        return np.asarray(self.lower == self.upper)

    def violation(self, x: Array) -> float:
        """The largest amount by which a row is violated.

        >>> Rows(np.ones((1, 2)), np.array([1.0]), np.array([1.0])).violation(np.zeros(2))
        1.0
        """
        if not len(self.A):
            return 0.0
        at = self.A @ x
        return float(max(np.max(self.lower - at), np.max(at - self.upper), 0.0))


def no_rows(n: int) -> Rows:
    return Rows(np.empty((0, n)), np.empty(0), np.empty(0))


@dataclass(frozen=True, eq=False)
class Task:
    """minimize f(x) over lower <= x <= upper and rows, from values of f.

    value: f as the solver sees it: noisy, truncated, at times NaN.
    truth: f as it is scored; None where it is the value itself. It is not counted.
    residuals: r with f(x) = sum r_i(x)^2, for solvers of least squares; None where unknown.
    noise: the standard deviation of the noise, for solvers that may know it; 0 without noise.
    """

    name: str
    x0: Array
    lower: Array
    upper: Array
    value: Callable[[Array], float]
    truth: Callable[[Array], float] | None = None
    rows: Rows = field(default=None)  # type: ignore[assignment]
    residuals: Callable[[Array], Array] | None = None
    noise: float = 0.0

    def __post_init__(self) -> None:
        if self.rows is None:
            object.__setattr__(self, "rows", no_rows(len(self.x0)))

    @property
    def n(self) -> int:
        return len(self.x0)

    @property
    def bounded(self) -> bool:
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @property
    def kind(self) -> str:
        """u: unconstrained; b: bounds only; l: linear rows."""
        return "l" if len(self.rows) else "b" if self.bounded else "u"

    def violation(self, x: Array) -> float:
        """The largest violation of a bound or a row; infinite where x is not a number."""
        if not np.isfinite(x).all():
            return float("inf")
        outside = max(float(np.max(self.lower - x)), float(np.max(x - self.upper)), 0.0)
        return max(outside, self.rows.violation(x))
