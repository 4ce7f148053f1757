"""What the paper says of Fig. 2(a), compared with the rows in both readings of the MSE."""

from __future__ import annotations

from zooadmm_reproduction.claims import (
    Claim,
    Remark,
    Verdict,
    all_of,
    at_least,
    at_most,
    over_range,
)
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
from zooadmm_reproduction.sensors.task import JOSHI_BOYD, POOLED, RANDOM, READINGS, WHOLE

ALMOST = 0.05
"""MSEs whose mean ratio is within 5% of 1 are almost the same: lines in a plot that one can hardly
tell apart."""

SLIGHTLY = 0.10
"""More than a tenth one would not call slightly better."""

EQUAL = 0.001
"""An MSE at most a thousandth above another is as good for any purpose: far less than slight."""

WHERE, ITS, THEIRS = "Sec. 6, Fig. 2(a)", "O-ADMM's", "Joshi and Boyd's"


def almost_the_same(rows: list[Row], instance: str, exhibit: str) -> Claim:
    """ZOO-ADMM's MSE beside O-ADMM's, at every budget, in both readings."""
    words, verdicts = [], {}
    for of, name in READINGS.items():
        by = by_budget(rows, ZOO, FIRST_ORDER, of)
        each = {budget: _near(ratio) for budget, ratio in by.items()}
        verdicts[name] = all_of(*each.values())
        worst = farthest(by)
        words.append(
            f"{name}: {_apart(overall(rows, ZOO, FIRST_ORDER, of), ITS)} over all budgets, "
            f"farthest at m0 = {worst}: {_apart(by[worst], ITS)}{_exceptions(each)}"
        )
    measured = (
        f"ZOO-ADMM's MSE, {'; '.join(words)}. Almost the same means within {ALMOST:.0%}. Of the "
        "decrease of the criterion that is possible, ZOO-ADMM has made "
        f"{_span(means(rows, ZOO, 'gain'))}, O-ADMM {_span(means(rows, FIRST_ORDER, 'gain'))}."
    )
    verdict = over_range(list(verdicts.values()))
    return Claim(
        "ZOO-ADMM has almost the same MSE as O-ADMM.",
        WHERE,
        measured,
        verdict,
        exhibit,
        (3, 20),
        conclusion=f"{SAME[verdict]}{_only(verdicts)}, {instance}.",
    )


SAME = {
    Verdict.HOLDS: "ZOO-ADMM has almost the same MSE as O-ADMM",
    Verdict.RANGE: "ZOO-ADMM has almost the same MSE as O-ADMM",
    Verdict.UNDECIDED: "These trials do not decide whether ZOO-ADMM's MSE is almost O-ADMM's",
    Verdict.FAILS: "ZOO-ADMM's MSE differs from O-ADMM's",
}


def second_order_better(rows: list[Row], instance: str, exhibit: str) -> Claim:
    """ZOO-ADMM's MSE over Joshi and Boyd's: slightly above 1 over all, and nowhere below."""
    words, verdicts = [], {}
    for of, name in READINGS.items():
        by = by_budget(rows, ZOO, JOSHI_BOYD, of)
        all_in_all = overall(rows, ZOO, JOSHI_BOYD, of)
        reversed_at = [budget for budget, ratio in by.items() if ratio.high < 1]
        nowhere_below = Verdict.FAILS if reversed_at else Verdict.HOLDS
        better, slightly = at_least(all_in_all, 1.0), at_most(all_in_all, 1 + SLIGHTLY)
        verdicts[name] = all_of(better, slightly, nowhere_below)
        text = f"{name}: {_apart(all_in_all, THEIRS)} over all budgets ("
        text += "; ".join(f"m0 = {budget}: {_apart(ratio, 'it')}" for budget, ratio in by.items())
        if reversed_at:
            text += f"; the other way round for m0 = {_listed(reversed_at)}"
        words.append(f"{text})")
    verdict = over_range(list(verdicts.values()))
    return Claim(
        "The method of Joshi and Boyd has a slightly lower MSE than ZOO-ADMM.",
        WHERE,
        f"ZOO-ADMM's MSE, {'; '.join(words)}. Slightly means by at most {SLIGHTLY:.0%}.",
        verdict,
        exhibit,
        (20,),
        conclusion=f"{LOWER[verdict]}{_only(verdicts)}, {instance}.",
    )


LOWER = {
    Verdict.HOLDS: "Joshi and Boyd's method has a slightly lower MSE than ZOO-ADMM",
    Verdict.RANGE: "Joshi and Boyd's method has a slightly lower MSE than ZOO-ADMM",
    Verdict.UNDECIDED: "These trials do not decide whether Joshi and Boyd's MSE is slightly lower",
    Verdict.FAILS: "Joshi and Boyd's method does not have a slightly lower MSE",
}


def elsewhere(claim: Claim) -> Remark:
    """The same comparison on data that the paper does not have, and so claims nothing of."""
    return Remark(claim.conclusion, claim.measured, claim.exhibit, claim.errata)


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
    difference = at_least(overall(where(rows, part="field"), ZOO, JOSHI_BOYD), 1.0)
    if difference is not Verdict.HOLDS:
        measured += (
            " But these trials show no advantage of Joshi and Boyd's method over ZOO-ADMM, so "
            "there is nothing to explain."
        )
    return Claim(
        "Joshi and Boyd's method is slightly better, since it is of second order.",
        WHERE,
        measured,
        all_of(difference, OPPOSITE[as_good]),
        "fig2a",
        conclusion=REASON[as_good],
    )


ENOUGH = {
    Verdict.HOLDS: "Values of all samples are enough for it; second derivatives are not needed.",
    Verdict.FAILS: "A method that sees values only does not reach it at every budget.",
    Verdict.UNDECIDED: "Whether values only are enough for it, these trials cannot tell.",
}

REASON = {
    Verdict.HOLDS: "Joshi and Boyd's MSE does not take second derivatives: a method that sees "
    "values of all samples has it as well.",
    Verdict.FAILS: "Values of all samples alone do not reach Joshi and Boyd's MSE.",
    Verdict.UNDECIDED: "These trials do not decide whether second order is the reason.",
}

OPPOSITE = {
    Verdict.HOLDS: Verdict.FAILS,
    Verdict.FAILS: Verdict.HOLDS,
    Verdict.UNDECIDED: Verdict.UNDECIDED,
}


def blind_choice(rows: list[Row]) -> Remark:
    """How far a choice at random is from the optimum: what the figure can tell at all."""
    words = []
    for of, name in READINGS.items():
        by = by_budget(rows, RANDOM, JOSHI_BOYD, of)
        each = ", ".join(f"{percent(ratio).middle:.2g}%" for ratio in by.values())
        words.append(f"{each} ({name})")
    worst = max(by_budget(rows, RANDOM, JOSHI_BOYD, POOLED).values(), key=lambda r: r.middle)
    return Remark(
        "The MSE of this field hardly depends on the choice: sensors chosen at random are within "
        f"{percent(worst).middle:.2g}% of the optimum in the pooled MSE of the released program.",
        f"Above Joshi and Boyd's, for m0 = {_listed(sorted(by))}: {'; '.join(words)}.",
        "fig2a-random",
        (20,),
    )


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


def _only(verdicts: dict[str, Verdict]) -> str:
    """The reading in which it holds, if there is one and not both."""
    held = [name for name, verdict in verdicts.items() if verdict is Verdict.HOLDS]
    return f", as {held[0]}" if len(held) == 1 else ""


def _exceptions(each: dict[int, Verdict]) -> str:
    failing = [budget for budget, of_it in each.items() if of_it is Verdict.FAILS]
    open_ = [budget for budget, of_it in each.items() if of_it is Verdict.UNDECIDED]
    text = f", more than {ALMOST:.0%} apart for m0 = {_listed(failing)}" if failing else ""
    return text + (f", on both sides of {ALMOST:.0%} for m0 = {_listed(open_)}" if open_ else "")


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
