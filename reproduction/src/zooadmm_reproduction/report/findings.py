"""Findings: claims with one cause are one, with one sentence and one verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from zooadmm_reproduction.claims import Claim, Verdict, findings

SEVERITY = (
    Verdict.FAILS,
    Verdict.IRREPRODUCIBLE,
    Verdict.CORRECTED,
    Verdict.RANGE,
    Verdict.UNDECIDED,
    Verdict.UNCHECKABLE,
    Verdict.HOLDS,
)
"""A finding has the first of these that one of its claims has."""


@dataclass(frozen=True)
class Finding:
    """What came out of one or several claims that have one cause."""

    claims: tuple[Claim, ...]

    @property
    def verdict(self) -> Verdict:
        """The most severe of its claims'."""
        return min((claim.verdict for claim in self.claims), key=SEVERITY.index)

    @property
    def sentence(self) -> str:
        """The first conclusion that a claim states, or else what the paper says."""
        stated = [claim.conclusion for claim in self.claims if claim.conclusion]
        return stated[0] if stated else self.claims[0].says


def found(claims: Sequence[Claim]) -> list[Finding]:
    """The findings, in the order of their first claims."""
    return [Finding(group) for group in findings(claims)]


def counted(claims: Sequence[Claim]) -> list[tuple[Verdict, int]]:
    """How many findings, not claims, have each verdict."""
    counts = Counter(finding.verdict for finding in found(claims))
    return [(verdict, counts[verdict]) for verdict in Verdict if counts[verdict]]
