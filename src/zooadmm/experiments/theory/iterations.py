"""How many times more iterations than O-ADMM it takes to reach the same error."""

from __future__ import annotations

import math

import numpy as np

import zooadmm as zoo
from zooadmm.experiments.claims import Claim
from zooadmm.experiments.exhibits import COLORS, FIRST_ORDER, ZOO, Exhibit, Picture, blank
from zooadmm.experiments.experiment import Piece, Size
from zooadmm.experiments.intervals import Interval, exponent_of, mean_of
from zooadmm.experiments.rows import Row, column, distinct, where
from zooadmm.experiments.theory import ramp, rates
from zooadmm.experiments.theory.curves import short
from zooadmm.experiments.theory.parts import SEEDS, Part
from zooadmm.experiments.theory.pictures import dots, guide, label_axes
from zooadmm.experiments.theory.verdicts import SLACK, of_exponent, told, with_correction

ERROR = 0.15
"""Of the average regret, a fifth or so of that at the start; reached by T = 20 m."""

FIRST_ORDER_LIMIT = 300
"""O-ADMM is there after some dozens of iterations."""


def first_order(sizes: tuple[int, ...], T: int, trials: int, seed: int) -> list[Row]:
    """Curves of O-ADMM with eta_t = C1/sqrt t, the step of Theorem 1 with 1 in place of m."""
    step_size = zoo.schedules.Power(rates.C1, 0.5)
    rngs = range(SEEDS * seed, SEEDS * seed + trials)
    rows: list[Row] = []
    for m in sizes:
        rows += ramp.trials(m, T, rngs, step_size, zoo.Exact(), {"study": "first-order"})
    return rows


def pieces(size: Size, seed: int) -> list[Piece]:
    """O-ADMM; the runs of ZOO-ADMM are those of the rates."""
    sizes, _, trials = rates.SIZES[size]
    return [Piece("theory-first-order", first_order, (sizes, FIRST_ORDER_LIMIT, trials, seed))]


def reached(curve: list[Row]) -> float:
    """The T at which a curve comes down to ERROR, between its points on logarithmic axes."""
    T, regret = np.array(column(curve, "T")), np.array(column(curve, "iterates"))
    below = np.flatnonzero(regret <= ERROR)
    if len(below) == 0:
        return math.nan
    k = int(below[0])
    if k == 0:
        return float(T[0])
    part = math.log(regret[k - 1] / ERROR) / math.log(regret[k - 1] / regret[k])
    return float(T[k - 1] * (T[k] / T[k - 1]) ** part)


def needed(rows: list[Row], study: str) -> list[Row]:
    """m, trial and T for every run of a study that got there."""
    found: list[Row] = []
    mine = where(rows, study=study)
    for m in sorted(distinct(mine, "m"), key=float):
        for trial in distinct(where(mine, m=m), "trial"):
            T = reached(where(mine, m=m, trial=trial))
            if not math.isnan(T):
                row: Row = {"study": study, "m": m, "trial": trial, "iterations": short(T)}
                found.append(row)
    return found


def times_more(rows: list[Row]) -> list[Row]:
    """The iterations of each run of ZOO-ADMM, by the mean of O-ADMM's at the same m."""
    found: list[Row] = []
    first = needed(rows, "first-order")
    for row in needed(rows, "rates"):
        theirs = mean_of(column(where(first, m=row["m"]), "iterations")).middle
        found.append({"m": row["m"], "ratio": float(row["iterations"]) / theirs})
    return found


def exponent(rows: list[Row]) -> Interval:
    """Of the ratio in m."""
    ratios = times_more(rows)
    return exponent_of(column(ratios, "m"), column(ratios, "ratio"))


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """Iterations over m."""
    figure, (axis,) = blank()
    mine: list[Row] = []
    for study, name in (("rates", ZOO), ("first-order", FIRST_ORDER)):
        of_study = needed(rows, study)
        mine += of_study
        at = {
            float(m): mean_of(column(where(of_study, m=m), "iterations"))
            for m in distinct(of_study, "m")
        }
        dots(axis, at, name, COLORS[name])
        if study == "rates":
            sizes = list(at)
            through = at[sizes[0]].middle
    guide(axis, sizes, 1.0, through, "like m")
    guide(axis, sizes, 0.5, through, r"like $\sqrt{m}$")
    axis.lines[-1].set_linestyle("-.")
    label_axes(axis, "variables m", f"iterations to a regret of {ERROR}")
    caption = (
        f"Iterations until the average regret at (x_t, y_t) is {ERROR}, on the problem of the "
        "first figure, with eta_t = 2/sqrt(m t) for ZOO-ADMM and 2/sqrt t for O-ADMM."
    )
    return [Picture("theory-iterations", caption, figure, mine)]


def claims(rows: list[Row]) -> list[Claim]:
    """The abstract's sqrt m."""
    measured = exponent(rows)
    printed, corrected = of_exponent(measured, 0.5), of_exponent(measured, 1.0)
    return [
        Claim(
            says="ZOO-ADMM takes sqrt m times more iterations than a first-order method.",
            where="Abstract",
            measured=(
                f"The iterations for a regret of {ERROR} are those of O-ADMM times m to the "
                f"{told(measured, 1 + SLACK)}. The rate sqrt(m/T) means m times more iterations; "
                "sqrt m is the factor of the error after as many iterations."
            ),
            verdict=with_correction(printed, [corrected]),
            exhibit="theory-iterations",
            errata=(15,),
        )
    ]


PART = Part(pieces, exhibits, claims)
