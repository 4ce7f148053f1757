"""Corollary 1: the gap at the averages of the iterates."""

from __future__ import annotations

from zooadmm_reproduction.claims import Claim, all_of, with_correction
from zooadmm_reproduction.exhibits import Exhibit, Picture, blank
from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.rows import Row, distinct, where
from zooadmm_reproduction.theory import completed, printed_step
from zooadmm_reproduction.theory.curves import across_trials, against, bound_of
from zooadmm_reproduction.theory.parts import Part
from zooadmm_reproduction.theory.pictures import MEASURED, PRINTED, SOUND, band, dashed, label_axes
from zooadmm_reproduction.theory.verdicts import Check, corrected_by, of_bound, worst


def pieces(size: Size, seed: int) -> list[Piece]:
    """None of its own: it is measured in the runs of other parts."""
    return []


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """The gap on both problems, with the bounds."""
    figure, (left, right) = blank(2)
    mine, bounds = where(rows, study="rates"), where(rows, study="rates-bounds")
    m = max(distinct(mine, "m"), key=float)
    mine, bounds = where(mine, m=m), where(bounds, m=m)
    kink, kink_bounds = where(rows, study="kink"), where(rows, study="kink-bounds")
    for axis, measured, of in ((left, mine, bounds), (right, kink, kink_bounds)):
        band(axis, across_trials(measured, "averages"), "measured", MEASURED)
        dashed(axis, bound_of(of, "rate_12"), "(12) as printed", PRINTED)
        dashed(axis, bound_of(of, "sound_averages"), "sound bound", SOUND)
        label_axes(axis, "iterations T", "gap of the averages")
    left.set_title(f"general convex, m = {m}", fontsize=9)
    right.set_title("the problem of theory-completed", fontsize=9)
    caption = (
        "F at the average of x_1, ..., x_T and its completion, less the minimum, with "
        "eta_t = C1/sqrt(m t), C1 = 2 in the first panel and 1 in the second. At one point one "
        "dual "
        "vector is enough, so here the proof is sound. Bands are 95% intervals over trials."
    )
    return [Picture("theory-averages", caption, figure, [*mine, *bounds, *kink, *kink_bounds])]


def on_both(rows: list[Row], bound: str) -> list[Check]:
    """The gap with eta_t = C1/sqrt(m t) beside a bound, on both problems."""
    return [
        *against(rows, {"study": "rates"}, "averages", bound),
        *against(rows, {"study": completed.STUDY}, "averages", bound),
    ]


def claims(rows: list[Row]) -> list[Claim]:
    """With the step as printed, and as corrected."""
    printed = printed_step.beside_12(rows, "printed", "averages")
    corrected, sound = (on_both(rows, bound) for bound in ("rate_12", "sound_averages"))
    verdict = with_correction(of_bound(printed), all_of(of_bound(corrected), of_bound(sound)))
    return [
        Claim(
            says="With the step of (11), the gap of the averages is at most (12).",
            where="Corollary 1",
            measured=(
                f"With the step as printed up to {worst(printed).ratio:.2f} times (12). With "
                f"C1/sqrt(m t) at most {worst(corrected).ratio:.2g} times (12), the kink included, "
                f"and at most {worst(sound).ratio:.2g} times the sound bound."
                f"{corrected_by(verdict, 'the step C1/sqrt(m t)')}"
            ),
            verdict=verdict,
            exhibit="theory-averages",
            errata=(1, 12, 13),
            finding=printed_step.STEP_OF_11,
            conclusion="Corollary 1 on averages holds with the step C1/sqrt(m t).",
        )
    ]


PART = Part(pieces, exhibits, claims)
