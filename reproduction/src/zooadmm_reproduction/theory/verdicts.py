"""From measurements to verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zooadmm_reproduction.claims import Verdict, all_of, at_most
from zooadmm_reproduction.intervals import Interval

SLACK = 0.1
"""How far a fitted exponent may be above the claimed one: terms of lower order bend a straight line
on logarithmic axes by about this much over the one or two decades that are fitted."""

FINITE_T = (
    "Fitted exponents a little off their theory, by the 0.1 of the rule or less, are effects of "
    "finite T and m: terms of lower order bend the lines. They exclude neither the rate nor one "
    "near it."
)
"""What is said beside fitted exponents: the rule of SLACK separates orders, not nearby powers."""

OBEYED = {
    Verdict.HOLDS: "obeyed",
    Verdict.FAILS: "not obeyed",
    Verdict.UNDECIDED: "not decided by the intervals",
}
"""What is said of a bound, by its verdict."""


@dataclass(frozen=True)
class Check:
    """A measured mean beside the bound on it, or beside its exact value."""

    measured: Interval
    bound: float

    @property
    def ratio(self) -> float:
        """How many times the bound was measured."""
        return self.measured.middle / self.bound


def of_bound(points: Sequence[Check]) -> Verdict:
    """Whether the intervals are below the bound at every point.

    It fails where one of them is above, and is undecided where one of the others has both sides.

    >>> of_bound([Check(Interval(1.0, 0.9, 1.1), 2.0), Check(Interval(1.0, 0.9, 1.1), 1.0)]).name
    'UNDECIDED'
    """
    if not points:
        raise ValueError("points has none; a bound needs something measured beside it.")
    return all_of(*(at_most(point.measured, point.bound) for point in points))


def of_exponent(measured: Interval, claimed: float) -> Verdict:
    """O(x^p) is an upper bound: growing more slowly, or falling faster, agrees with it.

    >>> of_exponent(Interval(-0.55, -0.57, -0.53), claimed=-0.5)
    <Verdict.HOLDS: 'holds'>
    """
    return at_most(measured, claimed + SLACK)


def told(measured: Interval, limit: float) -> str:
    """A measured number, with a remark if its interval does not decide about a limit.

    >>> told(Interval(0.5, 0.3, 0.7), 0.6)
    '0.5 [0.3, 0.7] (its interval does not decide)'
    """
    undecided = at_most(measured, limit) is Verdict.UNDECIDED
    return f"{measured}{' (its interval does not decide)' if undecided else ''}"


def corrected_by(verdict: Verdict, correction: str) -> str:
    """The sentence that names the correction, where the verdict rests on one.

    >>> corrected_by(Verdict.CORRECTED, "a shorter step")
    ' The correction: a shorter step.'
    """
    return f" The correction: {correction}." if verdict is Verdict.CORRECTED else ""


def worst(points: Sequence[Check]) -> Check:
    """The point nearest to its bound, or farthest above it."""
    return max(points, key=lambda point: point.ratio)
