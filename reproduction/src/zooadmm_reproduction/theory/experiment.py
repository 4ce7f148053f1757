"""The experiment of the theory: all its parts together."""

from __future__ import annotations

from zooadmm_reproduction.claims import Claim
from zooadmm_reproduction.exhibits import Exhibit
from zooadmm_reproduction.experiment import Experiment, Piece, Size
from zooadmm_reproduction.rows import Row
from zooadmm_reproduction.theory import (
    averages,
    completed,
    feasibility,
    iterations,
    lemma,
    minibatch,
    moments,
    other_side,
    penalties,
    printed_step,
    rates,
    strong,
)
from zooadmm_reproduction.theory.parts import Part

IN_ORDER: tuple[Part, ...] = (
    rates.PART,
    printed_step.PART,
    iterations.PART,
    completed.PART,
    other_side.PART,
    penalties.PART,
    averages.PART,
    strong.PART,
    moments.PART,
    minibatch.PART,
    feasibility.PART,
    lemma.PART,
)
"""As the report shows them: the rate, Theorem 1, Corollaries 1 to 3, and what they rest on."""

LONGEST_FIRST: tuple[Part, ...] = (
    rates.PART,
    minibatch.PART,
    completed.PART,
    other_side.PART,
    strong.PART,
    printed_step.PART,
    moments.PART,
    feasibility.PART,
    iterations.PART,
    lemma.PART,
    averages.PART,
)


class Theory(Experiment):
    """Theorem 1, its corollaries and Lemma 1, on problems whose constants are known."""

    name = "theory"
    title = "The theory: regret, minibatches, strong convexity, second moments"
    paper = (
        "Theorem 1 and Corollaries 1 to 3 bound the average regret of ZOO-ADMM; the abstract sums "
        "them up as O(sqrt(m)/sqrt(T)), improved by minibatches. Here they are held against runs "
        "on problems that meet every assumption with known R, L1, L2, Lg and sigma and a known "
        "best solution, so that each bound is a number. A bound holds if the 95% interval of the "
        "measured mean is below it at every point; an order O(.) holds if the fitted exponent is "
        "above the claimed one by at most 0.1, so that falling faster agrees with it. Fits near "
        "but off their theory are effects of finite T and m: the rule tells m from sqrt m, not 1.1 "
        "from 1, and excludes nothing nearer. Both fail where the interval is on the other side, "
        "and are not decided where it has both. Where the printed form does not hold and a "
        "corrected one was run and does, the correction is named. Claims that fail for one gap in "
        "a proof are one finding."
    )

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        """Those of all parts."""
        return [piece for part in LONGEST_FIRST for piece in part.pieces(size, seed)]

    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        """Those of all parts; the rates come first."""
        return [exhibit for part in IN_ORDER for exhibit in part.exhibits(rows)]

    def claims(self, rows: list[Row]) -> list[Claim]:
        """Those of all parts."""
        return [claim for part in IN_ORDER for claim in part.claims(rows)]
