"""What Fig. 3 is said to show, and whether it does."""

from __future__ import annotations

from itertools import combinations

from zooadmm_reproduction.claims import Claim, Verdict, all_of, at_least, at_most, over_range
from zooadmm_reproduction.exhibits import FIRST_ORDER, ZOO
from zooadmm_reproduction.intervals import Interval, mean_of
from zooadmm_reproduction.rows import Row, column, distinct, where
from zooadmm_reproduction.survival.overlap import unpublished
from zooadmm_reproduction.survival.runs import EXACT, Batch

NEARLY = 0.05
"""Curves nearly coincide where they differ by less than this part of what the likelihood can gain
in the whole figure: on paper, a line's width or two."""

IN_ORDER = 0.95
"""The likelihood grows with the genes if so many pairs of strengths are in that order."""


def near_first_order(rows: list[Row]) -> Claim:
    """ZOO-ADMM nearly attains the accuracy of O-ADMM."""
    single, whole = apart(rows, "one event"), apart(rows, "all events")
    readings: Readings = {"one event": _near(single), "all events": _near(whole)}
    return Claim(
        says="ZOO-ADMM nearly attains the accuracy of O-ADMM.",
        where="Sec. 6, Fig. 3",
        measured=(
            "Where they differ most, as a part of the largest gain in log partial likelihood: "
            f"{_widest(single)} if an iteration sees one event, {_widest(whole)} if it sees them "
            f"all (up to {NEARLY:g} counts as near). The number of selected genes is another "
            f"matter: ZOO-ADMM's differs from O-ADMM's by up to "
            f"{genes_apart(rows, 'one event'):.0f} and {genes_apart(rows, 'all events'):.0f}. "
            f"{OPEN}"
        ),
        verdict=unpublished(over_range(list(readings.values()))),
        exhibit="fig3",
        errata=(10,),
        conclusion=concluded("ZOO-ADMM nearly attains O-ADMM's likelihood", readings),
    )


Readings = dict[Batch, Verdict]
"""The verdicts of the two readings of what an iteration sees."""

OPEN = (
    "The paper states neither its genes nor T; its supplement writes one subject an iteration, "
    "(20) has them all."
)
"""Why both readings are run, and why a disagreement is no refutation."""


def concluded(what: str, readings: Readings) -> str:
    """What holds in which reading, in one sentence.

    >>> concluded("It grows", {"one event": Verdict.FAILS, "all events": Verdict.HOLDS})
    'It grows where an iteration sees all events, and not where it sees one event.'
    """
    found = over_range(list(readings.values()))
    if found is Verdict.HOLDS:
        return f"{what}."
    if found is Verdict.UNDECIDED:
        return f"{what}: these trials do not decide it."
    if found is Verdict.FAILS:
        return f"{what}: not so on the released genes; the paper's own are not published."
    (held,) = (batch for batch, verdict in readings.items() if verdict is Verdict.HOLDS)
    (other,) = (batch for batch in readings if batch != held)
    if readings[other] is Verdict.FAILS:
        return f"{what} where an iteration sees {held}, and not where it sees {other}."
    return f"{what} where an iteration sees {held}; with {other} these trials do not decide it."


def more_genes(rows: list[Row]) -> Claim:
    """The likelihood increases with the number of selected genes."""
    single, whole = in_order(rows, "one event"), in_order(rows, "all events")
    readings: Readings = {
        "one event": at_least(single, IN_ORDER),
        "all events": at_least(whole, IN_ORDER),
    }
    return Claim(
        says="The likelihood increases with the number of selected genes, a trade-off.",
        where="Sec. 6, Fig. 3",
        measured=(
            "Pairs of gamma in which more selected genes go with a higher likelihood, of those "
            f"that differ in genes: {single} with one event an iteration, {whole} with all "
            f"(needed: {IN_ORDER:g}). {_overfitting(rows)} {OPEN}"
        ),
        verdict=unpublished(over_range(list(readings.values()))),
        exhibit="fig3",
        conclusion=concluded("The likelihood grows with the number of selected genes", readings),
    )


def apart(rows: list[Row], batch: Batch) -> list[Interval]:
    """|likelihood of ZOO-ADMM - of O-ADMM| over the figure's range, for each strength.

    With one event an iteration both are random, and have the events in common where they have the
    seed: they are compared seed by seed. With all events O-ADMM is not random: one run is all.
    """
    exact = column(where(rows, method=EXACT), "likelihood")
    scale = max(exact) - min(exact)
    found = []
    for strength in distinct(where(rows, method=ZOO, batch=batch), "strength"):
        at = where(rows, batch=batch, strength=strength)
        differences = []
        for run in where(at, method=ZOO):
            same: Row = {"seed": run["seed"]} if batch == "one event" else {}
            (first,) = where(at, method=FIRST_ORDER, **same)
            differences.append((float(run["likelihood"]) - float(first["likelihood"])) / scale)
        found.append(_size_of(mean_of(differences)))
    return found


def _size_of(signed: Interval) -> Interval:
    """|.| of what is measured, whose interval may have both signs."""
    near, far = sorted((abs(signed.low), abs(signed.high)))
    return Interval(abs(signed.middle), 0.0 if 0.0 in signed else near, far)


def _near(found: list[Interval]) -> Verdict:
    return all_of(*(at_most(each, NEARLY) for each in found))


def _widest(found: list[Interval]) -> Interval:
    return max(found, key=lambda interval: interval.high)


def genes_apart(rows: list[Row], batch: Batch) -> float:
    """|genes of ZOO-ADMM - of O-ADMM|, means over the seeds, where it is largest."""
    found = []
    for strength in distinct(where(rows, method=ZOO, batch=batch), "strength"):
        at = where(rows, batch=batch, strength=strength)
        ours, first = (
            mean_of(column(where(at, method=method), "genes")).middle
            for method in (ZOO, FIRST_ORDER)
        )
        found.append(abs(ours - first))
    return max(found)


def in_order(rows: list[Row], batch: Batch) -> Interval:
    """The part of pairs of strengths with more genes and a higher likelihood, over the seeds."""
    mine = where(rows, method=ZOO, batch=batch)
    return mean_of([_concordant(where(mine, seed=seed)) for seed in distinct(mine, "seed")])


def _concordant(rows: list[Row]) -> float:
    points = list(zip(column(rows, "genes"), column(rows, "likelihood"), strict=True))
    pairs = [(a, b) for a, b in combinations(sorted(points), 2) if a[0] < b[0]]
    if not pairs:
        return 0.0
    return sum(a[1] < b[1] for a, b in pairs) / len(pairs)


def _overfitting(rows: list[Row]) -> str:
    exact = where(rows, method=EXACT)
    best = max(exact, key=lambda row: float(row["test concordance"]))
    most = max(exact, key=lambda row: float(row["likelihood"]))
    return (
        "It is the likelihood of the patients fitted: on the test patients the optimum's "
        f"concordance is best ({float(best['test concordance']):.3f}) with {best['genes']} genes, "
        f"and {float(most['test concordance']):.3f} with {most['genes']}."
    )
