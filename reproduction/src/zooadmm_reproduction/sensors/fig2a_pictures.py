"""The pictures and the table of Fig. 2(a)."""

from __future__ import annotations

from typing import Any

import numpy as np

from zooadmm_reproduction.exhibits import (
    AUTO,
    COLORS,
    FIRST_ORDER,
    OTHER_COLORS,
    ZOO,
    Picture,
    Table,
    blank,
)
from zooadmm_reproduction.intervals import Interval, mean_of
from zooadmm_reproduction.rows import Row, column, distinct, where
from zooadmm_reproduction.sensors.comparing import budgets_of, by_budget, means, percent
from zooadmm_reproduction.sensors.task import JOSHI_BOYD, RANDOM

METHODS = (ZOO, FIRST_ORDER, JOSHI_BOYD, AUTO, RANDOM)
PALETTE = COLORS | {JOSHI_BOYD: OTHER_COLORS[0], RANDOM: OTHER_COLORS[2]}
DASHES = {JOSHI_BOYD: "--", RANDOM: ":"}


def errors(rows: list[Row], name: str, caption: str) -> Picture:
    """MSE against the budget; and by how much it is above Joshi and Boyd's, in percent."""
    figure, (left, right) = blank(2)
    for method in METHODS:
        band(left, means(rows, method, "mse"), method)
        if method != JOSHI_BOYD:
            above = by_budget(rows, method, JOSHI_BOYD)
            band(right, {budget: percent(ratio) for budget, ratio in above.items()}, method)
    left.set(xlabel="number of selected sensors $m_0$", ylabel="MSE", yscale="log")
    left.legend(fontsize="small", frameon=False)
    right.axhline(0.0, color=PALETTE[JOSHI_BOYD], ls=DASHES[JOSHI_BOYD], lw=1.2)
    right.set(xlabel="number of selected sensors $m_0$", ylabel="MSE above Joshi-Boyd's, %")
    right.set_ylim(*_range(rows))
    return Picture(name, caption, figure, _only("mse", rows))


def gains(field: list[Row], colorado: list[Row], caption: str) -> Picture:
    """What part of the possible decrease of the criterion was made."""
    figure, axes = blank(2)
    for axis, rows, title in zip(
        axes, (field, colorado), ("random field", "Colorado"), strict=True
    ):
        for method in (ZOO, FIRST_ORDER, AUTO):
            gain = means(rows, method, "gain")
            band(axis, {budget: _times(100, part) for budget, part in gain.items()}, method)
        axis.axhline(100.0, color=PALETTE[JOSHI_BOYD], ls=DASHES[JOSHI_BOYD], lw=1.2)
        axis.set(xlabel="number of selected sensors $m_0$", title=title)
        axis.set_ylabel("decrease made, % of possible")
    axes[0].legend(fontsize="small", frameon=False)
    return Picture("fig2a-criterion", caption, figure, _only("gain", field + colorado))


def budgets(rows: list[Row], caption: str) -> Picture:
    """1'x_t - m0 and f(x_t) - f* along the iterations; a thin line for each trial."""
    figure, (left, right) = blank(2)
    for method in (ZOO, FIRST_ORDER):
        mine = where(rows, method=method)
        for k, trial in enumerate(distinct(mine, "trial")):
            run = where(mine, trial=trial)
            for axis, name in ((left, "over"), (right, "above")):
                axis.plot(
                    column(run, "t"),
                    column(run, name),
                    color=PALETTE[method],
                    lw=0.8,
                    alpha=0.7,
                    label=method if k == 0 else None,
                )
    for axis, label in ((left, "$1^T x_t - m_0$, sensors"), (right, "$f(x_t) - f^*$")):
        axis.axhline(0.0, color="black", lw=0.8)
        axis.set(xlabel="iteration $t$", ylabel=label, xscale="log")
    left.legend(fontsize="small", frameon=False)
    return Picture("fig2a-budget", caption, figure, rows)


def held_out(rows: list[Row], caption: str) -> Table:
    """Degrees at the stations that were not chosen, in years that nothing was learned from."""
    table: list[Row] = []
    for budget in budgets_of(rows):
        line: Row = {"budget": budget}
        for method in METHODS:
            mine = where(rows, method=method, budget=budget)
            line[method] = str(mean_of(column(mine, "degrees")))
        table.append(line)
    return Table("fig2a-held-out", caption, table)


def band(axis: Any, by: dict[int, Interval], method: str) -> None:
    """A line through the middles, and the intervals as a band."""
    x, color = list(by), PALETTE[method]
    low, high = [i.low for i in by.values()], [i.high for i in by.values()]
    middle = [i.middle for i in by.values()]
    style = {"color": color, "ls": DASHES.get(method, "-"), "lw": 1.4, "marker": "o", "ms": 3}
    axis.plot(x, middle, label=method, **style)
    axis.fill_between(x, np.asarray(low), np.asarray(high), color=color, alpha=0.15, lw=0)


def _times(factor: float, interval: Interval) -> Interval:
    return Interval(factor * interval.middle, factor * interval.low, factor * interval.high)


def _range(rows: list[Row]) -> tuple[float, float]:
    """Percent that show all methods; a choice at random may be far beyond."""
    shown = [
        percent(ratio)
        for method in (ZOO, FIRST_ORDER, AUTO)
        for ratio in by_budget(rows, method, JOSHI_BOYD).values()
    ]
    low, high = min(0.0, *(i.low for i in shown)), max(i.high for i in shown)
    return low - 0.1 * (high - low), high + 0.3 * (high - low)


def _only(name: str, rows: list[Row]) -> list[Row]:
    """What a picture of one column shows."""
    names = ("part", "trial", "budget", "method", name)
    return [{key: row[key] for key in names} for row in rows if name in row]
