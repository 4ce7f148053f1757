"""From what was seen in each unit to a verdict and the range of units in which a claim holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from zooadmm_reproduction.blending.measures import curvature_of, name_of, sources_of
from zooadmm_reproduction.blending.strategies import COROLLARY, CORRECTION, RAW, SWEEP, Setting
from zooadmm_reproduction.claims import Verdict, over_range, with_correction
from zooadmm_reproduction.rows import Row

Look = Callable[[str, Setting], tuple[Verdict, str]]
"""Of a source and a setting: whether the claim holds there, and what was measured."""


@dataclass(frozen=True)
class Seen:
    """What a claim came to on some ratings in one setting.

    curvature: the largest curvature in that unit.
    """

    source: str
    name: str
    setting: Setting
    curvature: float
    verdict: Verdict
    words: str


def seen(rows: Sequence[Row], look: Look) -> list[Seen]:
    """Every source in every setting, the units by rising curvature."""
    found = []
    for source in sources_of(rows):
        for setting in (*SWEEP, COROLLARY):
            verdict, words = look(source, setting)
            curvature = curvature_of(rows, source, setting)
            name = name_of(rows, source)
            found.append(Seen(source, name, setting, curvature, verdict, words))
    return sorted(found, key=lambda each: (each.setting == COROLLARY, each.curvature))


def verdict(found: Sequence[Seen]) -> Verdict:
    """On the real ratings: over the units with the step of Sec. 6, else with the correction."""
    real = _real(found)
    swept = over_range([each.verdict for each in real if each.setting != COROLLARY])
    (corrected,) = (each.verdict for each in real if each.setting == COROLLARY)
    return swept if swept is Verdict.RANGE else with_correction(swept, corrected)


def holds_in(found: Sequence[Seen], source: str) -> str:
    """The units of the sweep in which it holds on these ratings, in words."""
    return _units(found, source, Verdict.HOLDS) or "no unit of the sweep"


def units_of(found: Sequence[Seen]) -> str:
    """Where it holds on the real ratings, for the end of a sentence."""
    source, said = _real(found)[0].source, verdict(found)
    name = _real(found)[0].name
    if said in (Verdict.HOLDS, Verdict.RANGE):
        return f"on {name} in units of the ratings with {holds_in(found, source)}"
    if said is Verdict.CORRECTED:
        return f"on {name} with the steps of Corollary 3 only"
    beyond = " beyond doubt" if said is Verdict.UNDECIDED else ""
    return f"on {name} in no unit of the ratings{beyond}"


def told(found: Sequence[Seen]) -> str:
    """The units in which it holds, of the real ratings and of the synthetic twin."""
    sentences = []
    for source in dict.fromkeys(each.source for each in found):
        name = next(each.name for each in found if each.source == source)
        open_ = _units(found, source, Verdict.UNDECIDED)
        undecided = f" (not decided: {open_})" if open_ else ""
        sentences.append(f"{name}: holds for {holds_in(found, source)}{undecided}.")
    (corrected,) = (each for each in _real(found) if each.setting == COROLLARY)
    sentences.append(f"With the steps of Corollary 3: {corrected.words} ({corrected.verdict}).")
    if verdict(found) is Verdict.CORRECTED:
        sentences.append(f"The correction: {CORRECTION}.")
    return " ".join(sentences)


def tabled(by_claim: Mapping[str, Sequence[Seen]]) -> list[Row]:
    """Every unit of the sweep and every claim: its verdict there, and what was measured."""
    lines: dict[tuple[str, str], Row] = {}
    for name, found in by_claim.items():
        for each in found:
            start: Row = {"data": each.name, "unit": _unit(each)}
            line = lines.setdefault((each.source, each.setting.key), start)
            line[name] = f"{each.verdict.value}: {each.words}"
    return list(lines.values())


def _real(found: Sequence[Seen]) -> list[Seen]:
    first = found[0].source if found else ""
    sources = {each.source for each in found}
    wanted = "recommenders" if "recommenders" in sources else first
    return [each for each in found if each.source == wanted]


def _units(found: Sequence[Seen], source: str, verdict: Verdict) -> str:
    """The units with that verdict: neighbors in the sweep as a range."""
    swept = [each for each in found if each.source == source and each.setting != COROLLARY]
    groups: list[list[Seen]] = []
    last = -2
    for number, each in enumerate(swept):
        if each.verdict is not verdict:
            continue
        if number == last + 1:
            groups[-1].append(each)
        else:
            groups.append([each])
        last = number
    return ", ".join(_range(group) for group in groups)


def _range(group: list[Seen]) -> str:
    first, last = _size(group[0]), _size(group[-1])
    return f"largest curvature {first}" + (f" to {last}" if len(group) > 1 else "")


def _size(each: Seen) -> str:
    raw = " (raw ratings)" if each.setting == RAW else ""
    return f"{each.curvature:.3g}{raw}"


def _unit(each: Seen) -> str:
    if each.setting == COROLLARY:
        return each.setting.words
    return f"curvature {_size(each)}"
