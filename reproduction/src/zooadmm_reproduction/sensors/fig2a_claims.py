"""What the paper says of Fig. 2(a), held against the rows."""

from __future__ import annotations

from zooadmm_reproduction.claims import Claim, Verdict, all_of, at_least, at_most
from zooadmm_reproduction.exhibits import FIRST_ORDER, ZOO
from zooadmm_reproduction.intervals import Interval, mean_of
from zooadmm_reproduction.rows import Row, column, where
from zooadmm_reproduction.sensors.comparing import (
    by_budget,
    farthest,
    means,
    overall,
    percent,
)
from zooadmm_reproduction.sensors.selecting import PROVEN
from zooadmm_reproduction.sensors.task import JOSHI_BOYD, RANDOM, WHOLE

ALMOST = 0.05
"""MSEs whose mean ratio is within 5% of 1 are almost the same: lines in a plot that one can hardly
tell apart."""

SLIGHTLY = 0.10
"""More than a tenth one would not call slightly better."""

EQUAL = 0.001
"""An MSE at most a thousandth above another is as good for any purpose: far less than slight."""

WHERE, THEIRS = "Sec. 6, Fig. 2(a)", "Joshi and Boyd's"


def almost_the_same(rows: list[Row], instance: str, exhibit: str) -> Claim:
    """ZOO-ADMM's MSE beside O-ADMM's, at every budget.

    And whether an MSE tells a choice from a blind one at all, which is no part of the verdict.
    """
    by, blind = by_budget(rows, ZOO, FIRST_ORDER), by_budget(rows, RANDOM, FIRST_ORDER)
    each = {budget: _near(ratio) for budget, ratio in by.items()}
    worst, worst_blind, its = farthest(by), farthest(blind), "O-ADMM's"
    measured = (
        f"ZOO-ADMM's MSE is {_apart(overall(rows, ZOO, FIRST_ORDER), its)} over "
        f"all budgets; farthest apart at m0 = {worst}: {_apart(by[worst], its)}. "
    )
    if failing := _with(each, Verdict.FAILS):
        measured += f"More than {ALMOST:.0%} apart for m0 = {_listed(failing)}. "
    if open_ := _with(each, Verdict.UNDECIDED):
        measured += f"On both sides of {ALMOST:.0%} for m0 = {_listed(open_)}. "
    if all_of(*(_near(ratio) for ratio in blind.values())) is Verdict.HOLDS:
        measured += (
            "The MSE of this field hardly depends on the choice, so that it cannot tell: sensors "
            f"chosen at random have one {_apart(blind[worst_blind], its)} where it is farthest "
            "from that. "
        )
    measured += (
        "Of the decrease of the criterion that is possible, ZOO-ADMM has made "
        f"{_span(means(rows, ZOO, 'gain'))}, O-ADMM {_span(means(rows, FIRST_ORDER, 'gain'))}."
    )
    says = f"ZOO-ADMM has almost the same MSE as O-ADMM, {instance}."
    return Claim(says, WHERE, measured, all_of(*each.values()), exhibit, (3, 20))


def is_better(rows: list[Row]) -> Verdict:
    """Whether Joshi and Boyd's MSE is below ZOO-ADMM's over all budgets, by however much."""
    return at_least(overall(rows, ZOO, JOSHI_BOYD), 1.0)


def second_order_better(rows: list[Row], instance: str, exhibit: str) -> Claim:
    """ZOO-ADMM's MSE over Joshi and Boyd's: slightly above 1 over all, and nowhere below."""
    by, all_in_all = by_budget(rows, ZOO, JOSHI_BOYD), overall(rows, ZOO, JOSHI_BOYD)
    better, slightly = is_better(rows), at_most(all_in_all, 1 + SLIGHTLY)
    reversed_at = [budget for budget, ratio in by.items() if ratio.high < 1]
    measured = (
        f"ZOO-ADMM's MSE is {_apart(all_in_all, THEIRS)} over all budgets; "
        + "; ".join(f"m0 = {budget}: {_apart(ratio, 'it')}" for budget, ratio in by.items())
        + "."
    )
    if better is Verdict.UNDECIDED:
        measured += " These trials cannot tell it from chance."
    if slightly is Verdict.FAILS:
        measured += f" That is more than slightly: above {SLIGHTLY:.0%}."
    if slightly is Verdict.UNDECIDED:
        measured += f" Whether that is slightly, below {SLIGHTLY:.0%}, these trials cannot tell."
    if reversed_at:
        measured += f" It is the other way round for m0 = {_listed(reversed_at)}."
    nowhere_below = Verdict.FAILS if reversed_at else Verdict.HOLDS
    says = f"The method of Joshi and Boyd has a slightly lower MSE than ZOO-ADMM, {instance}."
    verdict = all_of(better, slightly, nowhere_below)
    return Claim(says, WHERE, measured, verdict, exhibit, (20,))


def because_second_order(rows: list[Row]) -> Claim:
    """There is an advantage, and a method that sees values only, of the same sum, has less of it.

    Where values do as well at every budget, second derivatives are not the reason.
    rows: of the parts "field" and "whole".
    """
    by = by_budget(where(rows, part="whole") + where(rows, method=JOSHI_BOYD), WHOLE, JOSHI_BOYD)
    largest = max(by, key=lambda budget: by[budget].middle)
    evaluations = mean_of(column(where(rows, part="whole"), "evaluations"))
    as_good = all_of(*(at_most(ratio, 1 + EQUAL) for ratio in by.values()))
    measured = (
        "With default settings and values of the mean over all samples, "
        f"{evaluations} of them, the MSE is {_apart(by[largest], THEIRS)} where it is "
        f"largest beside it, m0 = {largest}. {ENOUGH[as_good]}"
    )
    difference = is_better(where(rows, part="field"))
    if difference is not Verdict.HOLDS:
        measured += (
            " But these trials show no advantage of Joshi and Boyd's method over ZOO-ADMM, so "
            "there is nothing to explain."
        )
    return Claim(
        "Joshi and Boyd's method is better because it is of second order.",
        WHERE,
        measured,
        all_of(difference, OPPOSITE[as_good]),
        "fig2a",
    )


ENOUGH = {
    Verdict.HOLDS: "Values of all samples are enough for it; second derivatives are not needed.",
    Verdict.FAILS: "A method that sees values only does not reach it at every budget.",
    Verdict.UNDECIDED: "Whether values only are enough for it, these trials cannot tell.",
}

OPPOSITE = {
    Verdict.HOLDS: Verdict.FAILS,
    Verdict.FAILS: Verdict.HOLDS,
    Verdict.UNDECIDED: Verdict.UNDECIDED,
}


def budget_remark(rows: list[Row]) -> str:
    """How far 1'x_t is from m0, and how often x_t seems better than optimal; part "course"."""
    missed = {method: _missed(where(rows, method=method)) for method in (ZOO, FIRST_ORDER)}
    below = [row for row in rows if float(row["above"]) < -PROVEN]
    beyond = sum(float(row["over"]) > 0 for row in below)
    text = (
        f"The largest distance of a run from the budget of {rows[0]['budget']} is, in sensors, "
        f"{missed[ZOO]} for ZOO-ADMM and {missed[FIRST_ORDER]} for O-ADMM. The criterion is below "
        f"its optimum, which no feasible x is, at {len(below)} of {len(rows)} recorded iterations"
    )
    return text + (f"; at {beyond} of these x_t uses more than the budget." if below else ".")


def _missed(rows: list[Row]) -> Interval:
    """The largest |1'x_t - m0| of a run, over the trials."""
    trials = {row["trial"] for row in rows}
    return mean_of([max(abs(o) for o in column(where(rows, trial=k), "over")) for k in trials])


def _near(ratio: Interval) -> Verdict:
    """Whether a ratio of MSEs is almost 1."""
    return all_of(at_most(ratio, 1 + ALMOST), at_least(ratio, 1 - ALMOST))


def _with(each: dict[int, Verdict], verdict: Verdict) -> list[int]:
    return [budget for budget, of_it in each.items() if of_it is verdict]


def _apart(ratio: Interval, whose: str) -> str:
    """A ratio of MSEs in words, in percent.

    >>> _apart(Interval(0.98, 0.95, 1.01), "theirs")
    '2% below theirs (-5% to +1%)'
    """
    side = "above" if ratio.middle >= 1 else "below"
    ends = percent(ratio)
    return f"{abs(ends.middle):.2g}% {side} {whose} ({ends.low:+.2g}% to {ends.high:+.2g}%)"


def _listed(budgets: list[int]) -> str:
    return ", ".join(str(budget) for budget in budgets)


def _span(by: dict[int, Interval]) -> str:
    """From the smallest budget to the largest."""
    return " and ".join(
        f"{100 * by[at].middle:.0f}% [{100 * by[at].low:.0f}, {100 * by[at].high:.0f}] (m0 = {at})"
        for at in (min(by), max(by))
    )
