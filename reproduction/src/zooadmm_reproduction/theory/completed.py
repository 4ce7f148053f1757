"""Theorem 1 bounds the regret at {x_t, y'_t}: a problem where it is above the bound."""

from __future__ import annotations

from zooadmm_reproduction.claims import Claim, Verdict, all_of
from zooadmm_reproduction.exhibits import Exhibit, Panels, Picture, blank
from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.intervals import Interval
from zooadmm_reproduction.rows import Row, where
from zooadmm_reproduction.theory.breaking import KINK, THEOREM_1, Breaking
from zooadmm_reproduction.theory.curves import across_trials, against, bound_of, exponent_in_T
from zooadmm_reproduction.theory.parts import Part
from zooadmm_reproduction.theory.penalties import said_of_crossings, said_of_penalties
from zooadmm_reproduction.theory.pictures import (
    BROKEN,
    MEASURED,
    PRINTED,
    SOUND,
    band,
    dashed,
    label_axes,
)
from zooadmm_reproduction.theory.verdicts import OBEYED, of_bound

STUDY = KINK.study

LATE = 1_000
"""Exponents in T are fitted from here on."""


def pieces(size: Size, seed: int) -> list[Piece]:
    """Those of the problem."""
    return KINK.pieces(size, seed)


def exponents(rows: list[Row]) -> dict[str, Interval]:
    """The fitted exponents in T of what falls."""
    mine = where(rows, study=STUDY)
    return {name: exponent_in_T(mine, name, LATE) for name in ("iterates", "completed", "residual")}


def drawn(rows: list[Row], of: Breaking, pair: str) -> Panels:
    """The regret at a completed pair and at (x_t, y_t), with what is printed and what is sound."""
    mine, limits = where(rows, study=of.study), where(rows, study=f"{of.study}-bounds")
    figure, (axis,) = blank(height=3.8)
    band(axis, across_trials(mine, of.column), rf"measured at ${pair}$", BROKEN)
    dashed(axis, bound_of(limits, "theorem_1"), "Theorem 1, printed for it", PRINTED)
    dashed(axis, bound_of(limits, "sound_completed"), "sound for it", BROKEN)
    band(axis, across_trials(mine, "iterates"), "measured at $(x_t, y_t)$", MEASURED)
    dashed(axis, bound_of(limits, "sound"), "sound for it", SOUND)
    label_axes(axis, "iterations T", "average regret")
    return figure


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """The counterexample."""
    figure = drawn(rows, KINK, "(x_t, y'_t)")
    caption = (
        "All assumptions of Theorem 1 are met: m = 5, f = <random signs, x>, phi = |y|_1, "
        "X = Y = [-1, 1]^5, x = y, rho = 0.1, eta_t = 1/sqrt(m t), constant alpha. The proof takes "
        "another dual vector for every t. What it supports is O(T^-1/4) at (x_t, y'_t) and "
        "O(T^-1/2) at (x_t, y_t). Bands are 95% intervals over trials."
    )
    return [Picture("theory-completed", caption, figure, KINK.rows(rows))]


def sound(rows: list[Row], of: Breaking) -> Verdict:
    """Whether the sound bounds are obeyed at (x_t, y_t), at the completed pair, by the residual."""
    return all_of(
        *(
            of_bound(against(rows, {"study": of.study}, name, bound))
            for name, bound in (
                (of.column, "sound_completed"),
                ("iterates", "sound"),
                ("residual", "sound_residual"),
            )
        )
    )


def claims(rows: list[Row]) -> list[Claim]:
    """Theorem 1 where B is invertible."""
    points = against(rows, {"study": STUDY}, "completed", "theorem_1")
    last, fitted, T = points[-1], exponents(rows), KINK.end(rows)
    return [
        Claim(
            says="The average regret at (x_t, y'_t) is at most (10), K written out.",
            where="Theorem 1, (10), B invertible",
            measured=(
                f"At T = {T:,} with rho = {KINK.penalty:g}: {last.measured} against a bound of "
                f"{last.bound:.3g}, falling like T to the {fitted['completed']}; the residual "
                f"|x_t - y_t| like T to the {fitted['residual']}. With exact gradients "
                f"{KINK.with_exact_gradients(rows)}. {said_of_penalties(rows, KINK)}"
                f"{said_of_crossings(rows, KINK)} The sound bounds at (x_t, y_t), at "
                f"(x_t, y'_t) and for the residual, at every T: {OBEYED[sound(rows, KINK)]}."
            ),
            verdict=of_bound(points),
            exhibit="theory-completed",
            errata=(4, 13),
            finding=THEOREM_1,
            conclusion="The first half of Theorem 1, at (x_t, y'_t), fails for small rho.",
        )
    ]


PART = Part(pieces, exhibits, claims)
