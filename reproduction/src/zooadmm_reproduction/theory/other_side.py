"""Theorem 1 bounds the regret at {x'_t, y_t} too: another problem where it is above the bound."""

from __future__ import annotations

from zooadmm_reproduction.claims import Claim
from zooadmm_reproduction.exhibits import Exhibit, Picture
from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.rows import Row
from zooadmm_reproduction.theory.breaking import THEOREM_1, VALLEY
from zooadmm_reproduction.theory.completed import drawn, sound
from zooadmm_reproduction.theory.curves import against
from zooadmm_reproduction.theory.parts import Part
from zooadmm_reproduction.theory.penalties import said_of_penalties
from zooadmm_reproduction.theory.verdicts import OBEYED, of_bound


def pieces(size: Size, seed: int) -> list[Piece]:
    """Those of the problem."""
    return VALLEY.pieces(size, seed)


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """The counterexample."""
    figure = drawn(rows, VALLEY, "(x'_t, y_t)")
    caption = (
        "All assumptions of Theorem 1 are met: m = 2, f = Huber(x_1 - x_2) + <random signs, x> "
        "with a Huber width of 0.02, phi = |y_1|, X = Y = [-1, 1]^2, x = y, rho = 0.03, "
        "eta_t = 1/sqrt(2 t), constant alpha, beta_t = 0.01/(m^1.5 t); R = 2 sqrt 2, L1 = 2, "
        "L2 = 1, Lg = 100. y follows x except along the valley of f. Bands are 95% intervals over "
        "trials."
    )
    return [Picture("theory-other-side", caption, figure, VALLEY.rows(rows))]


def claims(rows: list[Row]) -> list[Claim]:
    """Theorem 1 where A is invertible."""
    points = against(rows, {"study": VALLEY.study}, "other_side", "theorem_1")
    at_iterates = against(rows, {"study": VALLEY.study}, "iterates", "theorem_1")
    last, T = points[-1], VALLEY.end(rows)
    return [
        Claim(
            says="The average regret at (x'_t, y_t) is at most (10) as well.",
            where="Theorem 1, A invertible",
            measured=(
                f"At T = {T:,} with rho = {VALLEY.penalty:g}: {last.measured} against a bound of "
                f"{last.bound:.3g}; at (x_t, y_t) {at_iterates[-1].measured}. With exact gradients "
                f"{VALLEY.with_exact_gradients(rows)} at (x'_t, y_t). "
                f"{said_of_penalties(rows, VALLEY)} Once |x_t - y_t| is below the width of the "
                "valley, the cost of completing falls like its square. The sound bounds at "
                "(x_t, y_t), at (x'_t, y_t) and for the residual, at every T: "
                f"{OBEYED[sound(rows, VALLEY)]}."
            ),
            verdict=of_bound(points),
            exhibit="theory-other-side",
            errata=(4,),
            finding=THEOREM_1,
            conclusion="The other half of Theorem 1, at (x'_t, y_t), fails for the same gap.",
        )
    ]


PART = Part(pieces, exhibits, claims)
