"""From what a user hands over to a regularizer of ours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from zooadmm.problem.arrays import Vector
from zooadmm.problem.form import Form, form_of
from zooadmm.problem.regularizers.indicator import Indicator
from zooadmm.problem.regularizers.regularizer import Regularizer, SizedRegularizer
from zooadmm.problem.regularizers.zero import Zero
from zooadmm.problem.sets.convex_set import ConvexSet
from zooadmm.problem.sets.parameters import in_dtype_of


@dataclass(frozen=True)
class Foreign:
    """Another library's operator with ``prox(v, tau)`` and a value, PyProximal's for instance.

    The operator is handed a copy of v, and its answer is brought back to v's dtype and shape. A
    value of True or False, as PyProximal's indicators give, becomes 0.0 or inf; False counts as
    True where the operator's own projection moves y by at most 1e-6 max(1, |y|) (in float32,
    1e-4 max(1, |y|)), since a projection that iterates may fail its own test.

    >>> class UpToOne:
    ...     def __call__(self, y):
    ...         return bool((y <= 1.0).all())
    ...     def prox(self, v, tau):
    ...         return np.minimum(v, 1.0)
    >>> phi = Foreign(UpToOne())
    >>> phi(np.array([0.5, 1.0])), phi(np.array([0.5, 2.0]))
    (0.0, inf)
    """

    operator: Regularizer

    def __call__(self, y: Vector) -> float:
        value = self.operator(np.array(y))
        if isinstance(value, bool | np.bool_):
            return 0.0 if value or self._moves_little(y) else math.inf
        try:
            return float(value)
        except Exception:
            raise TypeError(
                f"regularizer {type(self.operator).__name__} must return a number, not {value!r}."
            ) from None

    def prox(self, v: Vector, tau: float) -> Vector:
        y = in_dtype_of(v, np.array(self.operator.prox(np.array(v), tau)))
        if y.size != v.size:
            raise ValueError(
                f"{type(self.operator).__name__}.prox returned {y.size} numbers for a vector of "
                f"length {v.size}; build the operator for vectors of this length."
            )
        return y.reshape(v.shape)

    def form(self, d: int) -> Form | None:
        return form_of(self.operator, d)

    def fits(self, d: int) -> None:
        """Ask the operator, if it has a `fits`; else a wrong length shows at the first prox."""
        if hasattr(self.operator, "fits"):
            self.operator.fits(d)

    def _moves_little(self, y: Vector) -> bool:
        forgiven = 1e-4 if y.dtype == np.float32 else 1e-6
        distance = float(np.linalg.norm(y - self.prox(y, 1.0)))
        return distance <= forgiven * max(1.0, float(np.linalg.norm(y)))


def as_regularizer(candidate: Any) -> SizedRegularizer:
    """None, a convex set, a regularizer, or a foreign proximal operator, as a regularizer.

    >>> from zooadmm.problem.sets import Nonnegative
    >>> as_regularizer(None), as_regularizer(Nonnegative())
    (Zero(), Indicator(convex_set=Nonnegative()))
    """
    if candidate is None:
        return Zero()
    if isinstance(candidate, ConvexSet):
        return Indicator(candidate)
    if isinstance(candidate, type):
        raise TypeError(
            f"regularizer is the class {candidate.__name__}; pass an instance, "
            f"such as L1(strength=0.1)."
        )
    ours = type(candidate).__module__.split(".")[0] == __name__.split(".")[0]
    if ours and isinstance(candidate, SizedRegularizer):
        return candidate
    if isinstance(candidate, Regularizer):
        return Foreign(candidate)
    raise TypeError(
        f"regularizer must be None, a convex set, or an object with prox(v, tau) and a value "
        f"regularizer(y), not {type(candidate).__name__}; see zooadmm.regularizers."
    )
