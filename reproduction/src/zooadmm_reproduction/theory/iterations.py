"""How many times more iterations than O-ADMM it takes to reach the same error."""

from __future__ import annotations

import zooadmm as zoo
from zooadmm_reproduction.claims import Claim, Verdict
from zooadmm_reproduction.exhibits import COLORS, FIRST_ORDER, ZOO, Exhibit, Picture, blank
from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.intervals import Interval
from zooadmm_reproduction.rows import Row, where
from zooadmm_reproduction.theory import ramp, rates
from zooadmm_reproduction.theory.curves import across_trials, exponent_of_trials
from zooadmm_reproduction.theory.parts import Part, seeds
from zooadmm_reproduction.theory.pictures import dots, guide, label_axes, ticks_at
from zooadmm_reproduction.theory.verdicts import SLACK, of_exponent, told

LIMIT = 300
"""O-ADMM is there after a dozen iterations."""


def first_order(sizes: tuple[int, ...], trials: int, seed: int) -> list[Row]:
    """What O-ADMM needs with eta_t = C1/sqrt t, the step of Theorem 1 with 1 in place of m."""
    step_size = zoo.paper.schedules.Power(rates.C1, 0.5)
    rows: list[Row] = []
    for m in sizes:
        for trial, rng in enumerate(seeds(seed, trials, m)):
            regret = ramp.followed(m, LIMIT, rng, step_size, zoo.paper.Exact())
            rows.append(rates.needed(regret, {"method": FIRST_ORDER, "m": m, "trial": trial}))
    return rows


def pieces(size: Size, seed: int) -> list[Piece]:
    """O-ADMM; the runs of ZOO-ADMM are those of the rates."""
    sizes, _, trials = rates.SIZES[size]
    return [Piece("theory-first-order", first_order, (sizes, trials, seed))]


def needed(rows: list[Row], method: str) -> list[Row]:
    """The runs of a method; those that did not get there count as one iteration more than they had.

    It is the least they would have taken.
    """
    return where(rows, study="needed", method=method)


def missing(rows: list[Row]) -> str:
    """How many runs did not get there, in words; empty if all did."""
    runs = where(rows, study="needed")
    late = where(runs, reached=0)
    return f"{len(late)} of {len(runs)} runs did not get there" if late else ""


def times_more(rows: list[Row]) -> list[Row]:
    """The iterations of each run of ZOO-ADMM, by those of O-ADMM in the same trial and m."""
    first = needed(rows, FIRST_ORDER)
    return [
        {"m": row["m"], "trial": row["trial"], "ratio": float(row["T"]) / float(theirs["T"])}
        for row in needed(rows, ZOO)
        for theirs in where(first, m=row["m"], trial=row["trial"])
    ]


def exponent(rows: list[Row]) -> Interval:
    """Of the ratio in m; of runs that all got there."""
    return exponent_of_trials(times_more(rows), "ratio", "m")


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """Iterations over m."""
    figure, (axis,) = blank()
    for method in (ZOO, FIRST_ORDER):
        dots(axis, across_trials(needed(rows, method), "T", by="m"), method, COLORS[method])
    at = across_trials(needed(rows, ZOO), "T", by="m")
    sizes = list(at)
    through = at[sizes[0]].middle
    guide(axis, sizes, 1.0, through, "like m")
    guide(axis, sizes, 0.5, through, "like √m")
    axis.lines[-1].set_linestyle("-.")
    label_axes(axis, "variables m", f"iterations to a regret of {rates.ERROR}")
    ticks_at(axis, sizes)
    caption = (
        f"Iterations until the average regret at (x_t, y_t) is {rates.ERROR} and stays below, on "
        "the problem of the first figure, with eta_t = 2/sqrt(m t) for ZOO-ADMM and 2/sqrt t for "
        "O-ADMM. Bars are 95% intervals over trials."
    )
    if late := missing(rows):
        caption += f" {late}; they count as one iteration more than they had."
    return [Picture("theory-iterations", caption, figure, where(rows, study="needed"))]


def found(rows: list[Row]) -> tuple[str, Verdict]:
    """The fitted exponent and its verdict; nothing is fitted where runs are missing."""
    if late := missing(rows):
        return f"{late}: no exponent is fitted to a regret of {rates.ERROR}.", Verdict.UNDECIDED
    measured = exponent(rows)
    text = (
        f"All runs got to a regret of {rates.ERROR}, in the iterations of O-ADMM times m to the "
        f"{told(measured, 0.5 + SLACK)}."
    )
    return text, of_exponent(measured, 0.5)


TIMES = {
    Verdict.HOLDS: "The same error takes sqrt m times the iterations.",
    Verdict.FAILS: "The same error takes m times the iterations, not sqrt m times.",
    Verdict.UNDECIDED: "These runs do not decide how many times the iterations the same error "
    "takes; by the rate itself it is m times.",
}


def claims(rows: list[Row]) -> list[Claim]:
    """The abstract's sqrt m. That it is m is another claim, and not the paper's."""
    text, verdict = found(rows)
    return [
        Claim(
            says="ZOO-ADMM takes sqrt m times more iterations than a first-order method.",
            where="Abstract",
            measured=(
                f"{text} The rate sqrt(m/T) means m times more iterations; sqrt m is the factor "
                "of the error after as many iterations. The rule of 0.1 tells m from sqrt m; how "
                "far the fit is from 1 is an effect of finite T and m, and excludes nothing near."
            ),
            verdict=verdict,
            exhibit="theory-iterations",
            errata=(15,),
            conclusion=TIMES[verdict],
        )
    ]


PART = Part(pieces, exhibits, claims)
