"""(12) is printed for the step C1/(m sqrt t) of (11): it needs C1/sqrt(m t)."""

from __future__ import annotations

from typing import Any

import zooadmm as zoo
from zooadmm_reproduction.claims import Claim, with_correction
from zooadmm_reproduction.exhibits import Exhibit, Picture, blank
from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.rows import Row, distinct, where
from zooadmm_reproduction.theory import ramp
from zooadmm_reproduction.theory.curves import across_trials, against, bound_of
from zooadmm_reproduction.theory.parts import Part, seeds
from zooadmm_reproduction.theory.pictures import BROKEN, MEASURED, PRINTED, band, dashed, label_axes
from zooadmm_reproduction.theory.verdicts import Check, corrected_by, of_bound, worst

STEPS = ("printed", "corrected")

STEP_OF_11 = "step-of-11"
"""The finding that the claims with the step as printed share."""

C1 = 1.0
"""Close to R/(2 L1), for which (12) is least."""

FAR = 1.0
"""x_1 = g, as far from x* = -g as X allows: a step that is too short has the whole way to go."""

SIZES: dict[Size, tuple[tuple[int, ...], int, int]] = {
    Size.QUICK: ((256,), 4_000, 3),
    Size.FULL: ((16, 64, 256), 8_300, 20),
}
"""The m, how many iterations, how many trials."""


def step_size(name: str, m: int) -> Any:
    """C1/(m sqrt t), or C1/sqrt(m t)."""
    if name == "printed":
        return zoo.paper.schedules.Power(C1 / m, 0.5)
    return zoo.paper.schedules.general_step_size(m, C1)


def runs(m: int, T: int, trials: int, seed: int) -> list[Row]:
    """Curves for both steps, with (12) for each: K has 1/eta_1 in it."""
    rows: list[Row] = []
    for name in STEPS:
        step, rngs = step_size(name, m), seeds(seed, trials, m)
        labels: Row = {"study": "step", "step": name}
        rows += ramp.trials(m, T, rngs, step, zoo.paper.Smoothed(1), labels, FAR)
        rows += ramp.bounds(m, T, C1, step, {"study": "step-bounds", "step": name})
    return rows


def pieces(size: Size, seed: int) -> list[Piece]:
    """A piece for each m."""
    sizes, T, trials = SIZES[size]
    return [
        Piece(f"theory-step-m{m}", runs, (m, T, trials, seed)) for m in sorted(sizes, reverse=True)
    ]


def beside_12(rows: list[Row], step: str, name: str) -> list[Check]:
    """A measured column with one of the steps beside (12), for every m and T."""
    return against(rows, {"study": "step", "step": step}, name, "rate_12")


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """The two steps at the largest m."""
    mine, bounds = where(rows, study="step"), where(rows, study="step-bounds")
    m = max(distinct(mine, "m"), key=float)
    figure, (axis,) = blank()
    for step, label, color in (
        ("printed", "step (11), C1/(m √t)", BROKEN),
        ("corrected", "step C1/√(m t)", MEASURED),
    ):
        band(axis, across_trials(where(mine, m=m, step=step), "completed"), label, color)
    dashed(
        axis, bound_of(bounds, "rate_12", m=m, step="printed"), "(12), printed for (11)", PRINTED
    )
    label_axes(axis, "iterations T", r"average regret at $(x_t, y'_t)$")
    caption = (
        f"m = {m}, C1 = {C1:g}, from the point of X farthest from the solution. The proof of (12) "
        "uses the longer step. Bands are 95% intervals over trials."
    )
    return [Picture("theory-step", caption, figure, mine + bounds)]


def claims(rows: list[Row]) -> list[Claim]:
    """(12) for the step of (11)."""
    printed, corrected = (beside_12(rows, step, "completed") for step in STEPS)
    verdict = with_correction(of_bound(printed), of_bound(corrected))
    return [
        Claim(
            says="The step eta_t = C1/(m sqrt t) gives the regret bound (12).",
            where="Sec. 3, (11) and (12)",
            measured=(
                f"With it the regret is up to {worst(printed).ratio:.2f} times (12). With "
                f"C1/sqrt(m t) in its place it is at most {worst(corrected).ratio:.2f} times (12) "
                f"on this problem.{corrected_by(verdict, 'the step C1/sqrt(m t)')}"
            ),
            verdict=verdict,
            exhibit="theory-step",
            errata=(1,),
            finding=STEP_OF_11,
            conclusion="The step of (11) is too short by sqrt m for (12): C1/sqrt(m t) is meant.",
        )
    ]


PART = Part(pieces, exhibits, claims)
