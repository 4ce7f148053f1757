"""Two methods' seconds beside each other, where some runs were given up before their end."""

from __future__ import annotations

from dataclasses import dataclass

from zooadmm_reproduction.claims import Verdict, at_least
from zooadmm_reproduction.intervals import Interval, exponent_of, geometric_mean_of
from zooadmm_reproduction.rows import Row, where


@dataclass(frozen=True)
class Speeds:
    """Seconds of a method over those of its rival.

    largest: the largest m that both were run with. last: the geometric mean of the ratio there.
    not_more, not_less: whether the ratio can be at most `last`, as the rival gave up there, and at
    least, as the method did.
    exponent: p in ratio ~ m^p over the m at which nobody gave up, or None if they are fewer than 3.
    """

    largest: int
    last: Interval
    not_more: bool
    not_less: bool
    exponent: Interval | None

    def at_least(self, line: float) -> Verdict:
        """Whether the ratio at the largest m is at least `line`; a bound decides on its side only.

        >>> Speeds(9, Interval(5, 4, 6), True, False, None).at_least(3.0).name
        'UNDECIDED'
        """
        verdict = at_least(self.last, line)
        if verdict is Verdict.HOLDS and self.not_more:
            return Verdict.UNDECIDED
        if verdict is Verdict.FAILS and self.not_less:
            return Verdict.UNDECIDED
        return verdict

    def grows(self) -> Verdict:
        """Whether the exponent is positive."""
        return Verdict.UNDECIDED if self.exponent is None else at_least(self.exponent, 0.0)

    def text(self) -> str:
        """The ratio at the largest m, with what it bounds.

        >>> Speeds(9, Interval(5, 4, 6), True, False, None).text()
        'at most 5 [4, 6]'
        """
        if self.not_more and self.not_less:
            return f"(both gave up) {self.last}"
        bound = "at most " if self.not_more else "at least " if self.not_less else ""
        return f"{bound}{self.last}"


def speeds(rows: list[Row], method: str, rival: str) -> Speeds:
    """Both methods in each trial that has both; rows of one way of running them."""
    of_rival = {(r["m"], r["trial"]): float(r["seconds"]) for r in where(rows, method=rival)}
    ratios: dict[int, list[float]] = {}
    for row in where(rows, method=method):
        if (row["m"], row["trial"]) in of_rival:
            ratio = float(row["seconds"]) / of_rival[row["m"], row["trial"]]
            ratios.setdefault(int(row["m"]), []).append(ratio)
    largest, theirs, mine = max(ratios), gave_up_at(rows, rival), gave_up_at(rows, method)
    known = [m for m in ratios if m not in theirs and m not in mine]
    points = [(float(m), ratio) for m in known for ratio in ratios[m]]
    return Speeds(
        largest,
        geometric_mean_of(ratios[largest]),
        largest in theirs,
        largest in mine,
        exponent_of([m for m, _ in points], [r for _, r in points]) if len(known) >= 3 else None,
    )


def gave_up_at(rows: list[Row], method: str) -> list[int]:
    """The sizes m at which a method was not given enough seconds, in some trial."""
    return sorted({int(row["m"]) for row in where(rows, method=method, reached=0)})
