"""What the paper says of Fig. 2(a), held against the rows."""

from __future__ import annotations

from zooadmm.experiments.claims import Claim, Verdict
from zooadmm.experiments.exhibits import FIRST_ORDER, ZOO
from zooadmm.experiments.intervals import Interval, mean_of
from zooadmm.experiments.rows import Row, column, where
from zooadmm.experiments.sensors.comparing import (
    by_budget,
    farthest,
    means,
    overall,
    percent,
)
from zooadmm.experiments.sensors.task import JOSHI_BOYD, RANDOM, WHOLE

ALMOST = 0.05
"""MSEs whose mean ratio is within 5% of 1 are almost the same: lines in a plot that one can hardly
tell apart."""

SLIGHTLY = 0.10
"""More than a tenth one would not call slightly better."""

EQUAL = 0.001
"""MSEs within a thousandth are the same for any purpose, and far below what is slight."""

ROUNDING = 1e-6
"""A budget missed by less than this part of it is met."""

WHERE, THEIRS = "Sec. 6, Fig. 2(a)", "Joshi and Boyd's"


def almost_the_same(rows: list[Row], instance: str, exhibit: str) -> Claim:
    """ZOO-ADMM's MSE beside O-ADMM's; and whether an MSE tells a choice from a blind one at all."""
    by, blind = by_budget(rows, ZOO, FIRST_ORDER), by_budget(rows, RANDOM, FIRST_ORDER)
    apart = [m0 for m0, ratio in by.items() if abs(ratio.middle - 1) > ALMOST]
    tells = any(abs(ratio.middle - 1) > ALMOST for ratio in blind.values())
    worst, worst_blind = farthest(by), farthest(blind)
    zoo_gain, first_gain = means(rows, ZOO, "gain"), means(rows, FIRST_ORDER, "gain")
    its = "O-ADMM's"
    measured = (
        f"ZOO-ADMM's MSE is {_apart(overall(rows, ZOO, FIRST_ORDER), its)} over "
        f"all budgets; farthest apart at m0 = {worst}: {_apart(by[worst], its)}. "
    )
    if len(apart) == len(by):
        verdict = Verdict.FAILS
    elif apart:
        verdict = Verdict.CORRECTED
        measured += f"More than {ALMOST:.0%} apart for m0 = {_listed(apart)}; else closer. "
    else:
        verdict = Verdict.HOLDS if tells else Verdict.CORRECTED
    if not tells:
        measured += (
            "The MSE of this field hardly depends on the choice, so that it cannot tell: sensors "
            f"chosen at random have one {_apart(blind[worst_blind], its)} where it is farthest "
            "from that. The criterion that is minimized can. "
        )
    measured += (
        "Of the decrease of the criterion that is possible, ZOO-ADMM has made "
        f"{_span(zoo_gain)}, O-ADMM {_span(first_gain)}."
    )
    says = f"ZOO-ADMM has almost the same MSE as O-ADMM, {instance}."
    return Claim(says, WHERE, measured, verdict, exhibit, (3, 20))


def second_order_better(rows: list[Row], instance: str, exhibit: str) -> Claim:
    """ZOO-ADMM's MSE over Joshi and Boyd's: above 1 over all, and nowhere below."""
    by, all_in_all = by_budget(rows, ZOO, JOSHI_BOYD), overall(rows, ZOO, JOSHI_BOYD)
    worse = [m0 for m0, ratio in by.items() if ratio.high < 1]
    measured = (
        f"ZOO-ADMM's MSE is {_apart(all_in_all, THEIRS)} over all budgets; "
        + "; ".join(f"m0 = {m0}: {_apart(ratio, 'it')}" for m0, ratio in by.items())
        + "."
    )
    if all_in_all.low <= 1:
        verdict = Verdict.FAILS
        if 1.0 in all_in_all:
            measured += " These trials cannot tell it from chance."
    elif worse or all_in_all.middle > 1 + SLIGHTLY:
        verdict = Verdict.CORRECTED
        if worse:
            measured += f" It is the other way round for m0 = {_listed(worse)}."
        if all_in_all.middle > 1 + SLIGHTLY:
            measured += f" That is more than slightly: above {SLIGHTLY:.0%}."
    else:
        verdict = Verdict.HOLDS
    says = f"The method of Joshi and Boyd has a slightly lower MSE than ZOO-ADMM, {instance}."
    return Claim(says, WHERE, measured, verdict, exhibit, (20,))


def because_second_order(rows: list[Row]) -> Claim:
    """Whether a method that sees values only, of the same sum, is as good: then order is no reason.

    rows: of the parts "field" and "whole".
    """
    by = by_budget(where(rows, part="whole") + where(rows, method=JOSHI_BOYD), WHOLE, JOSHI_BOYD)
    worst = farthest(by)
    evaluations = mean_of(column(where(rows, part="whole"), "evaluations"))
    same = all(abs(ratio.middle - 1) <= EQUAL for ratio in by.values())
    measured = (
        "With default settings and values of the mean over all samples, "
        f"{evaluations} of them, the MSE is {_apart(by[worst], THEIRS)} where it is "
        f"farthest from it, m0 = {worst}. "
    )
    measured += (
        "What makes the difference is that all samples are used until the optimum is reached, not "
        "second derivatives."
        if same
        else "A method that sees values only does not reach it."
    )
    return Claim(
        "Joshi and Boyd's method is better because it is of second order.",
        WHERE,
        measured,
        Verdict.FAILS if same else Verdict.HOLDS,
        "fig2a",
    )


def budget_is_met(rows: list[Row]) -> Claim:
    """1'x_t beside m0 at (x_t, y'_t), from the part "course"."""
    missed = {method: _missed(where(rows, method=method)) for method in (ZOO, FIRST_ORDER)}
    relative = max(abs(float(row["over"])) / float(row["m0"]) for row in rows)
    below = sum(float(row["above"]) < 0 for row in rows)
    measured = (
        f"x_t = y'_t by construction. Its largest distance from the budget at recorded "
        f"iterations, in sensors: ZOO-ADMM "
        f"{missed[ZOO]}, O-ADMM {missed[FIRST_ORDER]}, of {rows[0]['m0']}. f(x_t) is below the "
        f"optimum, which no feasible x is, at {below} of {len(rows)} recorded iterations."
    )
    if relative > ROUNDING:
        measured += " The correction: it is x = y that always holds, not the budget."
    return Claim(
        "The equality constraint is always satisfied at (x_t, y'_t).",
        "Sec. 3; here for sensor selection",
        measured,
        Verdict.CORRECTED if relative > ROUNDING else Verdict.HOLDS,
        "fig2a-budget",
        (11,),
    )


def _missed(rows: list[Row]) -> Interval:
    """The largest |1'x_t - m0| of a run, over the trials."""
    trials = {row["trial"] for row in rows}
    return mean_of([max(abs(o) for o in column(where(rows, trial=k), "over")) for k in trials])


def _apart(ratio: Interval, whose: str) -> str:
    """A ratio of MSEs in words, in percent.

    >>> _apart(Interval(0.98, 0.95, 1.01), "theirs")
    '2% below theirs (-5% to +1%)'
    """
    side = "above" if ratio.middle >= 1 else "below"
    ends = percent(ratio)
    return f"{abs(ends.middle):.2g}% {side} {whose} ({ends.low:+.2g}% to {ends.high:+.2g}%)"


def _listed(budgets: list[int]) -> str:
    return ", ".join(str(m0) for m0 in budgets)


def _span(by: dict[int, Interval]) -> str:
    """From the smallest budget to the largest."""
    ends = [min(by), max(by)]
    return " and ".join(
        f"{100 * by[m0].middle:.0f}% [{100 * by[m0].low:.0f}, {100 * by[m0].high:.0f}] (m0 = {m0})"
        for m0 in ends
    )
