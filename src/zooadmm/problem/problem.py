"""What is to be solved: problem (1), without the loss, which the algorithm never sees.

minimize  mean_t f(x; w_t) + phi(y)   subject to  A x + B y = c,  x in X
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zooadmm.problem.arguments import real_array
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.constraint import Constraint
from zooadmm.problem.form import Form
from zooadmm.problem.regularizers import Regularizer, Zero
from zooadmm.problem.sets import ConvexSet

BELONGS = 1e-9
"""How far outside X, relative to its size, a float64 x0 may be and still count as inside."""

MOVED = 1e-12
"""How far outside a set without bounds, relative to its size, x0 is left as it is."""


@dataclass(frozen=True)
class Problem:
    """The known parts of problem (1), for x of length m."""

    m: int
    d: int
    """The length of y."""
    l: int  # noqa: E741 - the paper's letter
    """The number of linear constraints, the length of the dual."""
    dtype: np.dtype[Any]
    regularizer: Regularizer
    domain: ConvexSet
    constraint: Constraint

    @property
    def regularizer_is_zero(self) -> bool:
        """Whether phi is 0 everywhere."""
        return isinstance(self.regularizer, Zero)

    def contains(self, x: Vector) -> bool:
        """Whether x lies in X, up to rounding."""
        return _is_near(self.domain, x)

    def without_rounding(self, x: Vector) -> Vector:
        """x, or its projection on X if rounding has put it outside."""
        if self.domain.distance(x) == 0.0 or not _is_near(self.domain, x):
            return x
        return np.asarray(self.domain.project(x), dtype=x.dtype)

    def moved_inside(self, x0: Vector) -> Vector:
        """x0, or a point of X next to it where rounding has put x0 outside.

        Bounds hold exactly then; a start on equations keeps its bits.
        """
        if self.domain.is_everything:
            return x0
        form, size = self._form, max(1.0, norm(x0))
        eps = float(np.finfo(x0.dtype).eps)
        if self.domain.distance(x0) > max(MOVED, 4 * eps) * size:
            x0 = np.asarray(self.domain.project(x0), dtype=x0.dtype)
        if form is None:
            return x0
        clipped = np.minimum(np.maximum(x0, form.phi.lower), form.phi.upper)
        return clipped.astype(x0.dtype, copy=False)

    @cached_property
    def project(self) -> Callable[[Vector], Vector]:
        """The projection on X of an array that nobody else holds.

        A set that is not ours may return any type, or an array it keeps.
        """
        if self.domain.is_everything:
            return _unchanged
        if type(self.domain).__module__.split(".")[0] == __name__.split(".")[0]:
            return self.domain.project
        return partial(_projected, self.domain, self.dtype)

    @cached_property
    def _form(self) -> Form | None:
        """Of X."""
        return self.domain.form(self.m)

    def start(
        self, x0: Vector, y0: ArrayLike | None, dual0: ArrayLike | None
    ) -> tuple[Vector, Vector, Vector]:
        """(x_1, y_1, lambda_1), from what the user gave; no loss can write to them.

        Without y0, y_1 is the point of Y nearest to B'(c - A x_1)/tau, which satisfies the
        constraint wherever B is invertible; without dual0, lambda_1 = 0.
        """
        if y0 is None:
            y = self.constraint.y_center(x0, np.zeros(self.l, dtype=self.dtype))
            y = nearest_feasible(self.regularizer, y)
        else:
            y = as_vector("y0", y0, self.d, self.dtype)
        dual = (
            np.zeros(self.l, dtype=self.dtype)
            if dual0 is None
            else as_vector("dual0", dual0, self.l, self.dtype)
        )
        x, y, dual = x0.copy(), y.copy(), dual.copy()
        for iterate in (x, y, dual):
            iterate.setflags(write=False)
        return x, y, dual

    def phi_near(self, y: Vector) -> float:
        """phi at the point of Y nearest to y."""
        value = float(self.regularizer(y))
        if math.isfinite(value):
            return value
        return float(self.regularizer(nearest_feasible(self.regularizer, y)))


def _unchanged(v: Vector) -> Vector:
    return v


def _projected(domain: ConvexSet, dtype: np.dtype[Any], v: Vector) -> Vector:
    return np.array(domain.project(v), dtype=dtype)


def _is_near(domain: ConvexSet, x: Vector) -> bool:
    """Whether x lies in a set up to rounding: of each entry where the set is made of bounds."""
    if domain.bounds() is None:
        return domain.distance(x) <= _relative(x) * max(1.0, norm(x))
    moved = np.abs(x - np.asarray(domain.project(x)))
    return bool((moved <= _relative(x) * np.maximum(1.0, np.abs(x))).all())


def _relative(x: Vector) -> float:
    """How far outside X a point may be by rounding, relative to its size."""
    return max(BELONGS, 100 * float(np.finfo(x.dtype).eps))


def as_start_point(x0: ArrayLike) -> Vector:
    """x0 as a float32 or float64 vector."""
    if np.ma.is_masked(x0):
        raise TypeError("x0 has masked entries; give numbers for them.")
    try:
        x = np.asarray(x0)
    except ValueError:
        raise ValueError("x0 has rows of different lengths; give a vector.") from None
    except Exception as error:
        raise TypeError(f"x0 is no array: {error!r}.") from error
    if x.dtype.kind in "iub":
        x = x.astype(np.float64)
    if x.dtype not in (np.float32, np.float64):
        raise TypeError(f"x0 has dtype {x.dtype}; {_instead(x0)}.")
    if x.ndim != 1 or len(x) == 0:
        raise ValueError(f"x0 has shape {x.shape}; give a vector with at least one entry.")
    if not np.isfinite(x).all():
        raise ValueError("x0 has entries that are not finite; give a finite start point.")
    return x.copy()


def _instead(x0: object) -> str:
    """What to give in place of an x0 that is no vector of numbers."""
    if callable(x0):
        return "it is a function: the loss comes first, minimize(loss, x0)"
    if isinstance(x0, dict):
        return 'for variables with names give Parameters({"name": (low, high)})'
    return "give float32 or float64"


def as_vector(name: str, given: ArrayLike, length: int, dtype: np.dtype[Any]) -> Vector:
    """A finite vector of the length and type that the problem needs."""
    vector = real_array(name, given).astype(dtype)
    if vector.shape != (length,):
        raise ValueError(f"{name} has shape {vector.shape}; this problem needs ({length},).")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name} has entries that are not finite.")
    return vector


def nearest_feasible(regularizer: Regularizer, y: Vector) -> Vector:
    """The point of Y = {phi < inf} nearest to y: y itself, or the limit of its prox as tau -> 0."""
    if np.isfinite(regularizer(y)):
        return y
    return regularizer.prox(y, float(np.finfo(y.dtype).eps))
