"""Where Theorem 1 fails: both problems for rho from 0.01 to the paper's 10."""

from __future__ import annotations

from zooadmm_reproduction.claims import Claim, Verdict, at_most
from zooadmm_reproduction.exhibits import Exhibit, Picture, blank
from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.rows import Row, where
from zooadmm_reproduction.theory.breaking import KINK, VALLEY, Breaking, crossing
from zooadmm_reproduction.theory.curves import across_trials
from zooadmm_reproduction.theory.parts import Part
from zooadmm_reproduction.theory.pictures import BROKEN, MEASURED, PRINTED, dashed, dots, label_axes
from zooadmm_reproduction.theory.verdicts import Check


def pieces(size: Size, seed: int) -> list[Piece]:
    """None of its own: the runs are those of the two problems."""
    return []


def by_verdict(rows: list[Row], of: Breaking, verdict: Verdict) -> dict[float, Check]:
    """The penalties at which (10) has this verdict at the last T."""
    found = of.along_penalties(rows)
    return {
        p: check for p, check in found.items() if at_most(check.measured, check.bound) is verdict
    }


def said_of_penalties(rows: list[Row], of: Breaking) -> str:
    """At which penalties (10) fails at this T, and how far below it the others are."""
    fails, undecided, below = (
        by_verdict(rows, of, verdict)
        for verdict in (Verdict.FAILS, Verdict.UNDECIDED, Verdict.HOLDS)
    )
    parts = [f"above (10) for rho = {_listed(fails)}"] if fails else []
    parts += [f"undecided for rho = {_listed(undecided)}"] if undecided else []
    if below:
        each = ", ".join(
            f"{check.measured.middle:.3g} under {check.bound:.3g}" for check in below.values()
        )
        parts.append(f"below it for rho = {_listed(below)} ({each})")
    return f"Over rho at T = {of.end(rows):,} it is {'; '.join(parts)}."


def said_of_crossings(rows: list[Row], of: Breaking) -> str:
    """When regret like T^-1/4 would pass (10), which is like T^-1/2, where it has not yet."""
    T, below = of.end(rows), by_verdict(rows, of, Verdict.HOLDS)
    if not below:
        return ""
    each = ", ".join(f"{crossing(check, T):.0e} (rho = {p:g})" for p, check in below.items())
    return f" Extrapolated by T^-1/4 and T^-1/2 from there, they cross near T = {each}."


def _listed(penalties: dict[float, Check]) -> str:
    return ", ".join(f"{penalty:g}" for penalty in penalties)


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """The regret at the completed pairs over rho, beside (10)."""
    figure, axes = blank(2)
    data: list[Row] = []
    for axis, of, pair in zip(axes, (KINK, VALLEY), ("(x_t, y'_t)", "(x'_t, y_t)"), strict=True):
        ends, limits = where(rows, study=of.sweep), where(rows, study=f"{of.sweep}-bounds")
        data += ends + limits
        at = {float(row["penalty"]): float(row["theorem_1"]) for row in limits}
        dots(axis, across_trials(ends, of.column, by="penalty"), f"at ${pair}$", BROKEN)
        dashed(axis, dict(sorted(at.items())), "Theorem 1, printed for it", PRINTED)
        dots(axis, across_trials(ends, "iterates", by="penalty"), "at $(x_t, y_t)$", MEASURED)
        label_axes(axis, r"penalty $\rho$", f"average regret, T = {of.end(rows):,}")
    caption = (
        "Where Theorem 1 fails: the regret after as many iterations over rho, left on the problem "
        "of theory-completed, right on that of theory-other-side. Small rho fails at this T; with "
        "the paper's rho = 10 the regret is far below the bound. "
        "Bars are 95% intervals over trials."
    )
    return [Picture("theory-penalties", caption, figure, data)]


def claims(rows: list[Row]) -> list[Claim]:
    """None of its own: the claims of both problems name the penalties."""
    return []


PART = Part(pieces, exhibits, claims)
