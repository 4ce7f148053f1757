"""Theorem 1 bounds the regret at {x_t, y'_t}: a problem where it is above the bound."""

from __future__ import annotations

import zooadmm as zoo
from zooadmm.analysis import theory
from zooadmm_reproduction.claims import Claim, all_of
from zooadmm_reproduction.exhibits import Exhibit, Picture, blank
from zooadmm_reproduction.experiment import Piece, Size, trial_seed
from zooadmm_reproduction.intervals import Interval
from zooadmm_reproduction.rows import Row, short, where
from zooadmm_reproduction.theory.curves import (
    across_trials,
    against,
    bound_of,
    curve,
    exponent_in_T,
    looks,
)
from zooadmm_reproduction.theory.kink import Kink
from zooadmm_reproduction.theory.parts import Part
from zooadmm_reproduction.theory.pictures import (
    BROKEN,
    MEASURED,
    PRINTED,
    SOUND,
    band,
    dashed,
    label_axes,
)
from zooadmm_reproduction.theory.verdicts import OBEYED, of_bound, worst

M = 5
STUDY, BOUNDS = "kink", "kink-bounds"

SIZES: dict[Size, tuple[int, tuple[int, ...]]] = {
    Size.QUICK: (5_900, (3,)),
    Size.FULL: (106_000, (2, 2, 2)),
}
"""How many iterations, and how many trials each piece has."""

LATE = 1_000
"""Exponents in T are fitted from here on."""


def problem() -> Kink:
    """m = 5, u = 1, sigma = 0, rho = 0.1, constant alpha and eta_t = 1/sqrt(m t)."""
    return Kink(M, 1.0, 0.0, 0.1, zoo.paper.schedules.general_step_size(M), "constant")


def runs(T: int, first: int, trials: int, seed: int) -> list[Row]:
    """Curves of the trials from `first` on."""
    rows: list[Row] = []
    for trial in range(first, first + trials):
        regret = problem().followed(T, trial_seed(seed, trial))
        rows += curve(regret, {"study": STUDY, "m": M, "trial": trial})
    return rows


def bounds(T: int) -> list[Row]:
    """What is printed and what is sound, at every T that is measured."""
    of, known = problem().method, problem().known
    return [
        {
            "study": BOUNDS,
            "m": M,
            "T": t,
            "theorem_1": short(theory.printed_theorem_1(t, of, known)),
            "rate_12": short(theory.printed_regret_rate(t, of, known, C1=1.0, C2=1.0)),
            "sound": short(theory.regret_bound(t, of, known)),
            "sound_averages": short(theory.average_gap_bound(t, of, known)),
            "sound_completed": short(theory.completed_regret_bound(t, of, known)),
            "sound_residual": short(theory.residual_bound(t, of, known) ** 0.5),
        }
        for t in looks(T)
    ]


def pieces(size: Size, seed: int) -> list[Piece]:
    """Trials in groups, and the bounds."""
    T, groups = SIZES[size]
    found, first = [], 0
    for number, trials in enumerate(groups):
        found.append(Piece(f"theory-kink-{number}", runs, (T, first, trials, seed)))
        first += trials
    return [*found, Piece("theory-kink-bounds", bounds, (T,))]


def exponents(rows: list[Row]) -> dict[str, Interval]:
    """The fitted exponents in T of what falls."""
    mine = where(rows, study=STUDY)
    return {name: exponent_in_T(mine, name, LATE) for name in ("iterates", "completed", "residual")}


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """The counterexample."""
    mine, of = where(rows, study=STUDY), where(rows, study=BOUNDS)
    figure, (axis,) = blank(height=3.8)
    band(axis, across_trials(mine, "completed"), r"measured at $(x_t, y'_t)$", BROKEN)
    dashed(axis, bound_of(of, "theorem_1"), "Theorem 1, printed for it", PRINTED)
    dashed(axis, bound_of(of, "sound_completed"), "sound for it", BROKEN)
    band(axis, across_trials(mine, "iterates"), "measured at $(x_t, y_t)$", MEASURED)
    dashed(axis, bound_of(of, "sound"), "sound for it", SOUND)
    label_axes(axis, "iterations T", "average regret")
    axis.set_ylim(top=10 * axis.get_ylim()[1])  # room for the legend
    axis.legend(fontsize=7.5, loc="upper right")
    caption = (
        "All assumptions of Theorem 1 are met: m = 5, f = <random signs, x>, phi = |y|_1, "
        "X = Y = [-1, 1]^5, x = y, rho = 0.1, eta_t = 1/sqrt(m t), constant alpha. The proof takes "
        "another dual vector for every t. What it supports is O(T^-1/4) at (x_t, y'_t) and "
        "O(T^-1/2) at (x_t, y_t). Bands are 95% intervals over trials."
    )
    return [Picture("theory-completed", caption, figure, mine + of)]


def theorem_claim(rows: list[Row]) -> Claim:
    """Theorem 1 where B is invertible."""
    points = against(rows, {"study": STUDY}, "completed", "theorem_1")
    last, fitted = points[-1], exponents(rows)
    sound = all_of(
        *(
            of_bound(against(rows, {"study": STUDY}, name, bound))
            for name, bound in (
                ("completed", "sound_completed"),
                ("iterates", "sound"),
                ("residual", "sound_residual"),
            )
        )
    )
    T = max(int(row["T"]) for row in where(rows, study=STUDY))
    return Claim(
        says="The average regret at (x_t, y'_t) is at most (10), K written out.",
        where="Theorem 1, (10), B invertible",
        measured=(
            f"At T = {T:,}: {last.measured} against a bound of {last.bound:.3g}, falling like T to "
            f"the {fitted['completed']}; the residual |x_t - y_t| like T to the "
            f"{fitted['residual']}. The sound bounds at (x_t, y_t), at (x_t, y'_t) and for the "
            f"residual, at every T: {OBEYED[sound]}."
        ),
        verdict=of_bound(points),
        exhibit="theory-completed",
        errata=(4, 13),
    )


def other_side_claim(rows: list[Row]) -> Claim:
    """Theorem 1 where A is invertible."""
    points = against(rows, {"study": STUDY}, "other_side", "theorem_1")
    return Claim(
        says="The average regret at (x'_t, y_t) is at most (10) as well.",
        where="Theorem 1, A invertible",
        measured=(
            f"On the same problem at most {worst(points).ratio:.2g} times (10). The printed proof "
            "has the same gap as for the other side, so this says nothing of other problems."
        ),
        verdict=of_bound(points),
        exhibit="theory-completed",
        errata=(4,),
    )


def claims(rows: list[Row]) -> list[Claim]:
    """Both halves of Theorem 1."""
    return [theorem_claim(rows), other_side_claim(rows)]


PART = Part(pieces, exhibits, claims)
