"""What Table 1 is said to show, and whether it does."""

from __future__ import annotations

from collections.abc import Iterable

from zooadmm_reproduction.claims import (
    Claim,
    Verdict,
    all_of,
    at_least,
    at_most,
    over_range,
    with_correction,
)
from zooadmm_reproduction.exhibits import ZOO
from zooadmm_reproduction.intervals import Interval, exactly, mean_of
from zooadmm_reproduction.rows import Row, column, where
from zooadmm_reproduction.survival.chance import GENES, above_chance, common_by_chance
from zooadmm_reproduction.survival.cohort import Columns
from zooadmm_reproduction.survival.pieces import TABLE_STRENGTHS
from zooadmm_reproduction.survival.runs import EXACT, RELEASED

PAPER = {1.5: (19, 0.801), 0.05: (56, 0.875), 0.001: (93, 0.923)}
"""Selected genes and overlap at each strength, as printed."""

AS_MANY = 0.1
"""Counts agree where ours is within this part of the paper's: other patients, other labels."""

LEAST = 0.8
"""The overlap that the paper names."""

ABOVE, WITHIN, NOTHING = "above chance", "not above chance", "nothing to test"
SOME = "above chance in some seeds"

SAYS = {
    ABOVE: Verdict.HOLDS,
    SOME: Verdict.UNDECIDED,
    WITHIN: Verdict.FAILS,
    NOTHING: Verdict.FAILS,
}
"""What each says of genes that an overlap shows to be significant."""

OPEN = (
    "The paper states neither the genes it began with, nor T, nor how genes are selected from x "
    "and y, nor the overlap's denominator; its settings in Sec. 6 and those of the released "
    "program differ. What does not agree here may agree with choices that are not published."
)
"""Why a disagreement is no refutation."""

TABLE1 = "table 1"
"""The finding that both numbers of the table belong to."""


def unpublished(verdict: Verdict) -> Verdict:
    """What a verdict becomes where too much is left open to refute anything.

    >>> unpublished(Verdict.FAILS).name, unpublished(Verdict.HOLDS).name
    ('IRREPRODUCIBLE', 'HOLDS')
    """
    return Verdict.IRREPRODUCIBLE if verdict is Verdict.FAILS else verdict


def counts(rows: list[Row]) -> Claim:
    """19, 56 and 93 genes."""
    ours = {strength: genes_of(_printed(rows, strength)) for strength in TABLE_STRENGTHS}
    theirs = {s: genes_of(_released(rows, s)) for s in TABLE_STRENGTHS}
    whole = {s: genes_of(_all_events(rows, s)) for s in TABLE_STRENGTHS}
    optimum = {s: _count(_optimum(rows, s)) for s in TABLE_STRENGTHS}
    return Claim(
        says="19, 56 and 93 genes are selected at gamma = 1.5, 0.05 and 0.001.",
        where="Sec. 6, Table 1",
        measured=(
            f"{_listed(map(str, ours.values()))} genes by ZOO-ADMM with the constants of Sec. 6 "
            f"and one event an iteration, {_listed(map(str, theirs.values()))} with those of the "
            f"released program, {_listed(map(str, whole.values()))} with all events; the optimum "
            f"has {_listed(map(str, optimum.values()))}. {OPEN}"
        ),
        verdict=unpublished(over_range([_agree(ours), _agree(theirs)])),
        exhibit="table1",
        errata=(21,),
        finding=TABLE1,
        conclusion="The counts and overlaps of Table 1 cannot be reproduced from what is "
        "published: gene set, number of iterations and selection rule are not stated.",
    )


def _agree(counted: dict[float, Interval]) -> Verdict:
    return all_of(*(_as_many(counted[s], PAPER[s][0]) for s in TABLE_STRENGTHS))


def _as_many(ours: Interval, printed: int) -> Verdict:
    low, high = (1.0 - AS_MANY) * printed, (1.0 + AS_MANY) * printed
    return all_of(at_least(ours, low), at_most(ours, high))


def eighty_percent(rows: list[Row]) -> Claim:
    """At least 80% of the genes of the Cox scores are selected."""
    ours = {strength: overlap_of(_printed(rows, strength)) for strength in TABLE_STRENGTHS}
    theirs = {strength: overlap_of(_released(rows, strength)) for strength in TABLE_STRENGTHS}
    optimum = {strength: _part(_optimum(rows, strength)) for strength in TABLE_STRENGTHS}
    return Claim(
        says="ZOO-ADMM selects at least 80% of the genes with the largest Cox scores.",
        where="Sec. 6, Table 1",
        measured=(
            f"Overlap at gamma = 1.5, 0.05 and 0.001: {_listed(map(percent, ours.values()))} by "
            "ZOO-ADMM with the constants of Sec. 6 and one event an iteration; "
            f"{_listed(map(percent, theirs.values()))} with those of the released program; "
            f"{_listed(map(percent, optimum.values()))} for the optimum. 80.1% of 19 and 92.3% of "
            "93 are no whole genes: impossible for one run with 19 and 93 as denominators, but "
            f"12 of 13 is 92.3%, and an average need not be whole. {OPEN}"
        ),
        verdict=unpublished(over_range([_eighty(ours), _eighty(theirs)])),
        exhibit="table1",
        errata=(21,),
        finding=TABLE1,
    )


def _eighty(overlaps: dict[float, Interval | None]) -> Verdict:
    return all_of(
        *(Verdict.FAILS if part is None else at_least(part, LEAST) for part in overlaps.values())
    )


def significance(rows: list[Row]) -> Claim:
    """The overlap shows that the selected genes are significant: it is above chance."""
    ours = {strength: beside_chance(_printed(rows, strength)) for strength in TABLE_STRENGTHS}
    theirs = {strength: beside_chance(_released(rows, strength)) for strength in TABLE_STRENGTHS}
    optimum = {strength: beside_chance(_optimum(rows, strength)) for strength in TABLE_STRENGTHS}
    scaled = {s: beside_chance(_optimum(rows, s, "standardized")) for s in TABLE_STRENGTHS}
    tested = [said for said in optimum.values() if said != NOTHING]
    corrected = all_of(*(SAYS[said] for said in tested)) if tested else Verdict.FAILS
    printed = over_range([all_of(*(SAYS[s] for s in said.values())) for said in (ours, theirs)])
    verdict = printed if printed is Verdict.RANGE else with_correction(printed, corrected)
    correction = (
        " The correction: it is so for the optimum, where a number of genes is selected that "
        "leaves something to test."
        if verdict is Verdict.CORRECTED
        else ""
    )
    return Claim(
        says="The overlap with the Cox scores is a test of the significance of the genes.",
        where="Sec. 6, Table 1",
        measured=(
            f"Against as many genes drawn at random: {_listed(ours.values())} for ZOO-ADMM with "
            "the constants of Sec. 6 and one event an iteration (above: in every seed beyond the "
            f"95% interval of chance); {_listed(theirs.values())} with those of the released "
            f"program; {_listed(optimum.values())} for the optimum, {_listed(scaled.values())} for "
            f"that of standardized columns.{correction} The paper's own counts would be above "
            f"chance, were its genes these 160. {OPEN}"
        ),
        verdict=unpublished(verdict),
        exhibit="table1-chance",
        errata=(21,),
        conclusion=SIGNIFICANT[verdict],
    )


SIGNIFICANT = {
    Verdict.HOLDS: "The overlap with the Cox scores is above chance.",
    Verdict.RANGE: "The overlap with the Cox scores is above chance with one of the two sets of "
    "constants.",
    Verdict.CORRECTED: "The overlap with the Cox scores is above chance for the optimum only.",
    Verdict.UNDECIDED: "Whether the overlap with the Cox scores is above chance is not decided.",
    Verdict.FAILS: "On the released genes ZOO-ADMM's overlap with the Cox scores is not everywhere "
    "above that of genes drawn at random; the paper's genes are not published.",
}


def beside_chance(rows: list[Row]) -> str:
    """Whether all of these runs, some, or none have more genes of the scores than chance has.

    Where none or all genes are selected the overlap is the same for any selection.
    """
    pairs = [(int(row["genes"]), int(row["common"])) for row in rows]
    if all(genes in (0, GENES) for genes, _ in pairs):
        return NOTHING
    above = [above_chance(*pair) for pair in pairs]
    if all(above):
        return ABOVE
    return SOME if any(above) else WITHIN


def overlap_of(rows: list[Row]) -> Interval | None:
    """The part of the selected genes that the scores have too; None where no run selects any."""
    some = [row for row in rows if int(row["genes"]) > 0]
    if not some:
        return None
    return _within(_over_seeds(some, [int(r["common"]) / int(r["genes"]) for r in some]), 1.0)


def genes_of(rows: list[Row]) -> Interval:
    """How many genes are selected."""
    return _within(_over_seeds(rows, column(rows, "genes")), GENES)


def _over_seeds(rows: list[Row], values: list[float]) -> Interval:
    """The mean over the seeds; the optimum has none, and is exact."""
    if all(row["method"] == EXACT for row in rows):
        return exactly(mean_of(values).middle)
    return mean_of(values)


def _count(rows: list[Row]) -> int:
    """The genes of an answer that is not random: one row is all."""
    (row,) = rows
    return int(row["genes"])


def _part(rows: list[Row]) -> Interval | None:
    """The overlap of an answer that is not random."""
    (row,) = rows
    if int(row["genes"]) == 0:
        return None
    part = int(row["common"]) / int(row["genes"])
    return Interval(part, part, part)


def percent(found: Interval | None) -> str:
    """An overlap to be read."""
    if found is None:
        return "none selected"
    middle, low, high = f"{found.middle:.1%}", f"{found.low:.1%}", f"{found.high:.1%}"
    return middle if low == high else f"{middle} [{low}, {high}]"


def chance_percent(genes: int) -> str:
    """The overlap of chance, to be read."""
    if genes == 0:
        return ""
    chance = common_by_chance(genes)
    return percent(Interval(chance.mean / genes, chance.low / genes, chance.high / genes))


def _within(found: Interval, most: float) -> Interval:
    """Student's interval knows nothing of bounds; a part and a count have them."""
    return Interval(found.middle, max(found.low, 0.0), min(found.high, most))


def _printed(rows: list[Row], strength: float) -> list[Row]:
    return where(rows, method=ZOO, batch="one event", strength=strength)


def _released(rows: list[Row], strength: float) -> list[Row]:
    return where(rows, method=ZOO, batch=RELEASED, strength=strength)


def _all_events(rows: list[Row], strength: float) -> list[Row]:
    return where(rows, method=ZOO, batch="all events", strength=strength)


def _optimum(rows: list[Row], strength: float, columns: Columns = "raw") -> list[Row]:
    return where(rows, method=EXACT, patients="train", columns=columns, strength=strength)


def _listed(texts: Iterable[str]) -> str:
    return " / ".join(texts)
