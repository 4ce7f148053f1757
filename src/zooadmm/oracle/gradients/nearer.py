"""`on_nan="shrink"`: where a probe is not finite x_t stays, and the next probes are nearer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zooadmm.oracle.queries import Answer, ForwardQuery, Query
from zooadmm.problem.arrays import Vector, norm

SHRINK = 0.25
"""What remains of the radius where a probe is not finite."""

GROW = 2.0
"""How fast it grows back while all is well."""

NEAREST = 1e-12
"""A factor below which it is given up: the loss exists at x_t and nowhere around it."""


class Nearer(NamedTuple):
    """What probes whose values were not finite have taught."""

    factor: float = 1.0
    """what beta_t is multiplied by"""
    times: int = 0
    """how many iterations had such probes"""

    def after(self, query: Query, answer: Answer, x: Vector) -> Nearer:
        """After one more of them; a loss that is not finite at x_t itself is an error."""
        here = answer[0] if isinstance(query, ForwardQuery) else answer
        factor = self.factor * SHRINK
        if not np.isfinite(here).any() or factor < NEAREST:
            raise ValueError(
                f"query {query.id}: the loss is not finite at x_t, |x_t| = {norm(x):.3g}, or "
                "nowhere around it. Lower step_size, or give the bounds of the loss as domain."
            )
        return Nearer(factor, self.times + 1)

    def recovered(self) -> Nearer:
        """After an iteration whose probes were all finite."""
        return self._replace(factor=min(1.0, GROW * self.factor))

    def notice(self, before: Nearer, t: int) -> str:
        """A sentence to warn with, the first time."""
        if before.times > 0 or self.times == 0:
            return ""
        return (
            f"at iteration {t} a probe was not finite: x stays, and the next probes are nearer to "
            "it. This is said once; the result's message has the count."
        )

    def remark(self) -> str:
        """What there is to say of a run."""
        if self.times == 0:
            return ""
        return f"In {self.times} iteration(s) a probe was not finite, and the next were nearer."


FAR = Nearer()
"""As far as the schedule says."""
