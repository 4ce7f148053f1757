"""From measurements to verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scipy import stats

from zooadmm.experiments.claims import Verdict
from zooadmm.experiments.intervals import CONFIDENCE, Interval

SLACK = 0.1
"""How far a fitted exponent may be above the claimed one: terms of lower order bend a straight line
on logarithmic axes by about this much over the one or two decades that are fitted."""


@dataclass(frozen=True)
class Check:
    """A measured mean beside the bound on it."""

    measured: Interval
    bound: float

    @property
    def obeyed(self) -> bool:
        """All of the interval is below the bound."""
        return self.measured.high <= self.bound

    @property
    def broken(self) -> bool:
        """All of the interval is above the bound."""
        return self.measured.low > self.bound

    @property
    def likely(self) -> bool:
        """The measured mean is below the bound, whatever its interval."""
        return self.measured.middle <= self.bound

    @property
    def ratio(self) -> float:
        """How many times the bound was measured."""
        return self.measured.middle / self.bound


def checks(measured: Mapping[float, Interval], bound: Mapping[float, float]) -> list[Check]:
    """Side by side, wherever both are known.

    >>> checks({10.0: Interval(1.0, 0.9, 1.1)}, {10.0: 2.0, 20.0: 1.0})
    [Check(measured=Interval(middle=1.0, low=0.9, high=1.1), bound=2.0)]
    """
    return [Check(of, bound[at]) for at, of in measured.items() if at in bound]


def of_bound(points: Sequence[Check]) -> Verdict:
    """A bound holds if it was obeyed everywhere, and does not if it was broken anywhere.

    Where an interval has the bound inside, its middle decides.
    """
    holds = bool(points) and all(point.likely and not point.broken for point in points)
    return Verdict.HOLDS if holds else Verdict.FAILS


def told(measured: Interval, limit: float) -> str:
    """A measured number, with a remark if its interval does not decide about a limit.

    >>> told(Interval(0.5, 0.3, 0.7), 0.6)
    '0.5 [0.3, 0.7] (its interval does not decide)'
    """
    undecided = measured.low <= limit < measured.high
    return f"{measured}{' (its interval does not decide)' if undecided else ''}"


def with_correction(printed: Verdict, corrected: Iterable[Verdict]) -> Verdict:
    """As printed, else as corrected.

    >>> with_correction(Verdict.FAILS, [Verdict.HOLDS])
    <Verdict.CORRECTED: 'holds with a correction'>
    """
    if printed is Verdict.HOLDS:
        return Verdict.HOLDS
    verdicts = list(corrected)
    saved = bool(verdicts) and all(verdict is Verdict.HOLDS for verdict in verdicts)
    return Verdict.CORRECTED if saved else Verdict.FAILS


def of_exponent(measured: Interval, claimed: float) -> Verdict:
    """O(x^p) is an upper bound: growing more slowly, or falling faster, agrees with it.

    Where the interval has the limit inside, its middle decides, and `told` says so.

    >>> of_exponent(Interval(-0.55, -0.57, -0.53), claimed=-0.5)
    <Verdict.HOLDS: 'holds'>
    """
    return Verdict.HOLDS if measured.middle <= claimed + SLACK else Verdict.FAILS


def worst(points: Sequence[Check]) -> Check:
    """The point nearest to its bound, or farthest above it."""
    return max(points, key=lambda point: point.ratio)


def among(mean: float, error: float, samples: int, count: int) -> Interval:
    """A mean with an interval so wide that all of `count` such hold, 95% of the time.

    Bonferroni's: for comparing many means with exact values.
    error: the standard error of the mean of so many samples.
    """
    width = float(stats.t.ppf(1 - (1 - CONFIDENCE) / (2 * count), samples - 1)) * error
    return Interval(mean, mean - width, mean + width)
