"""From what a user hands over to a regularizer of ours."""

from __future__ import annotations

from typing import Any

from zooadmm.problem.regularizers.foreign import Foreign
from zooadmm.problem.regularizers.indicator import Indicator
from zooadmm.problem.regularizers.regularizer import Regularizer, SizedRegularizer
from zooadmm.problem.regularizers.zero import Zero
from zooadmm.problem.sets.convex_set import ConvexSet


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
