"""A regularizer of the first entries, and a set for the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zooadmm.problem.arrays import Vector
from zooadmm.problem.form import Form, form_of
from zooadmm.problem.regularizers.indicator import Indicator
from zooadmm.problem.regularizers.regularizer import Regularizer
from zooadmm.problem.sets.convex_set import ConvexSet


@dataclass(frozen=True)
class Beside:
    """phi(y) + 1_X(u) for (y, u), y of length d.

    >>> from zooadmm.problem.regularizers.l1 import L1
    >>> from zooadmm.problem.sets import Nonnegative
    >>> both = Beside(L1(1.0), Nonnegative(), 2)
    >>> both(np.array([1.0, -2.0, 5.0])), both(np.array([1.0, -2.0, -5.0]))
    (3.0, inf)
    >>> both.prox(np.array([1.5, -2.0, -5.0]), tau=1.0)
    array([ 0.5, -1. ,  0. ])
    """

    regularizer: Regularizer
    domain: ConvexSet
    d: int

    def __call__(self, y: Vector) -> float:
        return self.regularizer(y[: self.d]) + Indicator(self.domain)(y[self.d :])

    def form(self, n: int) -> Form | None:
        first, second = form_of(self.regularizer, self.d), self.domain.form(n - self.d)
        return None if first is None or second is None else first.beside(second)

    def prox(self, v: Vector, tau: float) -> Vector:
        first = self.regularizer.prox(v[: self.d], tau)
        return np.concatenate([first, self.domain.project(v[self.d :])])
