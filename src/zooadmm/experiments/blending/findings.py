"""From what was seen in each setting to a verdict and its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zooadmm.experiments.blending.data import SOURCES
from zooadmm.experiments.blending.strategies import WORDS, Setting
from zooadmm.experiments.claims import Verdict
from zooadmm.experiments.rows import Row, distinct

Look = Callable[[str, Setting], tuple[bool, str]]
"""Of a source and a setting: whether the claim is seen there, and what was measured."""


@dataclass(frozen=True)
class Finding:
    """What a claim came to in one setting: whether it was seen on all data, and in words."""

    setting: Setting
    seen: bool
    words: str


def found(rows: Sequence[Row], settings: Sequence[Setting], look: Look) -> list[Finding]:
    """Look at every source in every setting."""
    sources = [name for name in SOURCES if name in distinct(rows, "source")]
    findings = []
    for setting in settings:
        looks = [(SOURCES[source], *look(source, setting)) for source in sources]
        words = "; ".join(f"{text} ({source})" for source, _, text in looks)
        findings.append(Finding(setting, all(seen for _, seen, _ in looks), words))
    return findings


def verdict(findings: Sequence[Finding]) -> Verdict:
    """It holds as printed, or with a correction if it is seen in another setting on all data."""
    if any(finding.seen for finding in findings if finding.setting is Setting.PRINTED):
        return Verdict.HOLDS
    return Verdict.CORRECTED if any(finding.seen for finding in findings) else Verdict.FAILS


def told(findings: Sequence[Finding]) -> str:
    """All findings in words, and the correction where there is one."""
    sentences = [f"{capital(WORDS[finding.setting])}: {finding.words}." for finding in findings]
    if verdict(findings) is Verdict.CORRECTED:
        first = next(finding.setting for finding in findings if finding.seen)
        sentences.append(f"The correction: {WORDS[first]}.")
    return " ".join(sentences)


def capital(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[0].upper() + text[1:]
