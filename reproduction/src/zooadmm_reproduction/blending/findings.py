"""From what was seen in each setting to a verdict and its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zooadmm_reproduction.blending.measures import name_of, sources_of
from zooadmm_reproduction.blending.strategies import CORRECTIONS, WORDS, Setting
from zooadmm_reproduction.claims import Verdict, all_of, with_correction
from zooadmm_reproduction.rows import Row

Look = Callable[[str, Setting], tuple[Verdict, str]]
"""Of a source and a setting: whether the claim holds there, and what was measured."""


@dataclass(frozen=True)
class Finding:
    """What a claim came to in one setting: whether it holds on all data, and in words."""

    setting: Setting
    verdict: Verdict
    words: str


def found(rows: Sequence[Row], look: Look) -> list[Finding]:
    """Look at every source in every setting."""
    findings = []
    for setting in Setting:
        looks = [(name_of(rows, source), *look(source, setting)) for source in sources_of(rows)]
        words = "; ".join(f"{text} ({name})" for name, _, text in looks)
        findings.append(Finding(setting, all_of(*(verdict for _, verdict, _ in looks)), words))
    return findings


def verdict(findings: Sequence[Finding]) -> Verdict:
    """As printed, or corrected: by the best of the other settings."""
    (printed,) = (each.verdict for each in findings if each.setting is Setting.PRINTED)
    others = [each.verdict for each in findings if each.setting is not Setting.PRINTED]
    ranked = (Verdict.HOLDS, Verdict.UNDECIDED, Verdict.FAILS)
    return with_correction(printed, min(others, key=ranked.index))


def told(findings: Sequence[Finding]) -> str:
    """All findings in words, and the correction where there is one."""
    sentences = [f"{capital(WORDS[finding.setting])}: {finding.words}." for finding in findings]
    if verdict(findings) is Verdict.CORRECTED:
        first = next(each.setting for each in findings if each.verdict is Verdict.HOLDS)
        sentences.append(f"The correction: {CORRECTIONS[first]}.")
    return " ".join(sentences)


def capital(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[0].upper() + text[1:]
