"""What the paper says, what was measured, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from zooadmm_reproduction.intervals import Interval


class Verdict(StrEnum):
    """What the measurements say of a claim."""

    HOLDS = "holds"
    RANGE = "holds in a stated range"
    CORRECTED = "holds with a correction"
    FAILS = "does not hold here"
    UNDECIDED = "not decided by these trials"
    IRREPRODUCIBLE = "not reproducible from what is published"
    UNCHECKABLE = "not checkable (private data)"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper with its verdict, which code derives from the measurements.

    says: the claim, in our words.
    where: its place in the paper, "Sec. 6, Fig. 1(a)".
    measured: what was measured, with its uncertainty.
    exhibit: the name of the picture or table that shows it.
    errata: the numbers of the errata that bear on it.
    finding: an id that claims share if their verdicts have one and the same cause, such as a gap
        in one proof. Empty if the claim is a finding of its own.
    conclusion: what came out, in one sentence, for a reader who reads nothing else.
    """

    says: str
    where: str
    measured: str
    verdict: Verdict
    exhibit: str
    errata: tuple[int, ...] = ()
    finding: str = ""
    conclusion: str = ""


@dataclass(frozen=True)
class Remark:
    """What was found on the way and the paper does not claim: it has no verdict.

    says: the finding in one sentence. measured, exhibit, errata: as of a claim.
    """

    says: str
    measured: str
    exhibit: str
    errata: tuple[int, ...] = ()


def findings(claims: Sequence[Claim]) -> list[tuple[Claim, ...]]:
    """The claims grouped by finding, in the order of the first claim of each.

    A summary counts these: claims that fail for one cause are one finding with consequences.

    >>> from dataclasses import replace
    >>> one = Claim("a", "Sec. 1", "1", Verdict.FAILS, "fig", finding="gap")
    >>> alone = replace(one, finding="")
    >>> [len(group) for group in findings([one, alone, replace(one, says="b"), alone])]
    [2, 1, 1]
    """
    groups: dict[str | int, list[Claim]] = {}
    for number, claim in enumerate(claims):
        groups.setdefault(claim.finding or number, []).append(claim)
    return [tuple(group) for group in groups.values()]


def at_most(measured: Interval, line: float) -> Verdict:
    """Whether what was measured is at most the line; undecided where its interval has both sides.

    >>> [at_most(Interval(1, 0, 2), line).name for line in (3, 1.5, -1)]
    ['HOLDS', 'UNDECIDED', 'FAILS']
    """
    if measured.high <= line:
        return Verdict.HOLDS
    return Verdict.FAILS if measured.low > line else Verdict.UNDECIDED


def at_least(measured: Interval, line: float) -> Verdict:
    """Whether what was measured is at least the line, or undecided."""
    return at_most(Interval(-measured.middle, -measured.high, -measured.low), -line)


def all_of(*verdicts: Verdict) -> Verdict:
    """Whether all hold: it fails where one does, and is undecided where one of the others is.

    >>> all_of(Verdict.HOLDS, Verdict.UNDECIDED).name
    'UNDECIDED'
    """
    if Verdict.FAILS in verdicts:
        return Verdict.FAILS
    return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else Verdict.HOLDS


def over_range(verdicts: Sequence[Verdict]) -> Verdict:
    """Of a setting that the paper leaves open: holds in all its values, in some, or in none.

    >>> over_range([Verdict.FAILS, Verdict.HOLDS]).name
    'RANGE'
    """
    if Verdict.HOLDS in verdicts:
        return Verdict.RANGE if set(verdicts) != {Verdict.HOLDS} else Verdict.HOLDS
    return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else Verdict.FAILS


def with_correction(printed: Verdict, corrected: Verdict) -> Verdict:
    """As printed where that holds, else with a correction that was run and is stated beside it.

    >>> with_correction(Verdict.FAILS, Verdict.HOLDS).name
    'CORRECTED'
    """
    if printed is Verdict.HOLDS:
        return Verdict.HOLDS
    if corrected is Verdict.HOLDS:
        return Verdict.CORRECTED if printed is Verdict.FAILS else Verdict.UNDECIDED
    return all_of(printed, corrected)
