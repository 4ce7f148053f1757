"""Whether a run is a success, and what is said where it is none.

A target that was met is one. Any other end is one if the gradient was measured at the answer and
shows that almost nothing is left to gain,

    (|x - S(g)|_H + 2 error)^2 / 2  <=  1e-5 max(|F|, min(1, F(x0) - F(x))),

and if an exact loss has fallen below that at x0. A start with a huge F does not excuse a gap. A
tolerance that was met is such a measure itself where no other was taken.
"""

from __future__ import annotations

from typing import NamedTuple

from zooadmm.methods.method import FirstOrder
from zooadmm.run.limits import Limits, Status

PROMISED_GAP = 1e-4
"""Gap of F, relative to its size, that a success promises not to exceed."""

JUDGED = frozenset(
    {
        Status.SETTLED,
        Status.MAX_EVALUATIONS,
        Status.MAX_ITERATIONS,
        Status.MAX_SECONDS,
        Status.STREAM_ENDED,
        Status.CALLBACK,
    }
)
"""Ends that are a success only by the measure."""


class Evidence(NamedTuple):
    """What is known of the answer x; None where it is not."""

    measured: FirstOrder | None
    """How far x is from stationary"""
    decrease: float | None
    """F(x0) - F(x) of an exact loss"""
    fun: float | None
    """F(x)"""

    @property
    def is_stationary(self) -> bool:
        """Whether almost nothing is left to gain at x, as far as its gradient tells."""
        if self.measured is None:
            return False
        return self.measured.is_stationary(self.fun or 0.0, self.decrease)

    @property
    def is_unimproved(self) -> bool:
        """Whether x is known to be no better than x0."""
        return self.decrease is not None and self.decrease <= 0.0


def shown(status: Status, known: Evidence, not_convex: bool) -> str:
    """What kind of optimum the answer was shown to be; empty for none."""
    if status is Status.UNBOUNDED or not known.is_stationary:
        return ""
    return "stationary, not convex" if not_convex else "stationary"


def is_success(status: Status, limits: Limits, known: Evidence) -> bool:
    """Whether a criterion of the user was met, or an optimum shown to first order."""
    judged = known.is_stationary and not known.is_unimproved
    if status is Status.TOLERANCE and (known.is_unimproved or known.measured is not None):
        return judged
    return limits.success(status) and (judged or status not in JUDGED)


def doubts(status: Status, known: Evidence, not_convex: bool, unshown: str) -> str:
    """What is to be said against the answer, or nothing.

    unshown: why it is not shown to be an optimum, where nothing was measured.
    """
    if status not in JUDGED:
        return ""
    said = _doubt(known, unshown)
    if not_convex:
        return f"{said} The loss is not convex: x is a local minimum at best.".lstrip()
    return said


def _doubt(known: Evidence, unshown: str) -> str:
    """Why x is not shown to be an optimum; empty where it is."""
    if known.measured is None:
        return f"x is not shown to be an optimum: {unshown}"
    if not known.is_stationary:
        return (
            "x is not shown to be an optimum: by its gradient a decrease of up to "
            f"{known.measured.left:.2g} may be left."
        )
    if known.is_unimproved:
        return "x0 is stationary, but not shown to be a minimum."
    return ""


def better_elsewhere(lowest: float, known: Evidence) -> str:
    """A sentence where a value below that of the answer was evaluated, or nothing.

    lowest: the least F that was evaluated.
    """
    fun = known.fun
    if fun is None or not lowest < fun - PROMISED_GAP * max(abs(fun), known.decrease or 0.0):
        return ""
    return f"A lower value, {lowest:.6g}, was evaluated elsewhere: start from there to improve."
