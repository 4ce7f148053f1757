"""The sum of two regularizers whose prox has no formula."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zooadmm.problem.arguments import whole_number
from zooadmm.problem.arrays import Vector
from zooadmm.problem.form import Form, form_of
from zooadmm.problem.regularizers.coercion import as_regularizer
from zooadmm.problem.regularizers.regularizer import SizedRegularizer
from zooadmm.problem.sets.parameters import in_dtype_of, positive

FIRST_ITERATIONS = 100
"""Iterations of the first splitting before the second takes over. The first is faster where few
suffice; for L1 with groups it may take thousands, and the second at most 300."""

SHORTER = 0.1
"""sigma / tau. At 1 the two take as many iterations, at 0.03 all take twice as many as at 0.1."""


@dataclass(frozen=True)
class ProximalSum:
    """phi(y) = first(y) + second(y), its prox computed by splitting.

    Like Dykstra's at first: starting from x = v and p = q = 0, repeat

        y = prox_second(x + p),   p = x + p - y,
        x = prox_first(y + q),    q = y + q - x.

    Then x + p + q = v, p / tau is a subgradient of the second function at y and q / tau of the
    first at x, so that x = y would be the exact answer, and |x - y| |p - p*| bounds the squared
    distance to it, p* being the limit of p. The iteration stops when
    |x - y| <= tolerance * max(1, |x|). A few iterations are the rule. Where 100 do not suffice,
    that of Douglas and Rachford goes on with z = x and sigma = tau / 10:

        x = prox of first(x) + |x - v|^2 / (2 tau) at z,  y = prox_second(2 x - z),  z = z + y - x.

    RuntimeError is raised when max_iterations in all do not suffice.

    Convex sets may be given for their indicators; the result lies in the first to rounding, in the
    second to the tolerance. Sets with no point in common never agree.

    >>> from zooadmm.problem.regularizers import L1
    >>> from zooadmm.problem.sets import Budget
    >>> phi = ProximalSum(Budget(1.0), L1(strength=1.0))
    >>> np.round(phi.prox(np.array([3.0, 1.0, 0.0]), tau=0.5), 6)
    array([ 1.5, -0. , -0.5])
    """

    first: SizedRegularizer
    second: SizedRegularizer
    tolerance: float = 1e-10
    max_iterations: int = 10_000

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", as_regularizer(self.first))
        object.__setattr__(self, "second", as_regularizer(self.second))
        object.__setattr__(self, "tolerance", positive("tolerance", self.tolerance))
        whole = whole_number(self.max_iterations)
        if whole is None or whole < 1:
            raise ValueError(
                f"max_iterations must be at least 1, a whole number, not {self.max_iterations!r}."
            )
        object.__setattr__(self, "max_iterations", whole)

    def __call__(self, y: Vector) -> float:
        return self.first(y) + self.second(y)

    def prox(self, v: Vector, tau: float) -> Vector:
        tau = positive("tau", tau)
        x: Vector = np.array(v, dtype=np.float64)
        p = np.zeros_like(x)
        q = np.zeros_like(x)
        z, sigma = x, SHORTER * tau
        shared = sigma / (1.0 + SHORTER)
        for k in range(self.max_iterations):
            if k < FIRST_ITERATIONS:
                y = self.second.prox(x + p, tau)
                p += x - y
                z = x = self.first.prox(y + q, tau)
                q += y - x
            else:
                x = self.first.prox((z + SHORTER * v) / (1.0 + SHORTER), shared)
                y = self.second.prox(2.0 * x - z, sigma)
                z = z + y - x
            gap = float(np.linalg.norm(x - y))
            if not gap > self.tolerance * max(1.0, float(np.linalg.norm(x))):
                return in_dtype_of(v, x)
        raise RuntimeError(
            f"The prox of {self} did not converge: after {self.max_iterations} iterations the two "
            f"parts are still {gap:.2g} apart. Raise max_iterations or tolerance, or check that "
            f"the two have a point in common."
        )

    def form(self, d: int) -> Form | None:
        first, second = form_of(self.first, d), form_of(self.second, d)
        return None if first is None or second is None else first.plus(second)

    def fits(self, d: int) -> None:
        self.first.fits(d)
        self.second.fits(d)
