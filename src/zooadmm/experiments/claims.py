"""What the paper says, what was measured, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What the measurements say of a claim."""

    HOLDS = "holds"
    CORRECTED = "holds with a correction"
    FAILS = "does not hold here"
    UNCHECKABLE = "not checkable (private data)"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper with its verdict, which code derives from the measurements.

    says: the claim, in our words.
    where: its place in the paper, "Sec. 6, Fig. 1(a)".
    measured: what was measured, with its uncertainty.
    exhibit: the name of the picture or table that shows it.
    errata: the numbers of the errata that bear on it.
    """

    says: str
    where: str
    measured: str
    verdict: Verdict
    exhibit: str
    errata: tuple[int, ...] = ()
