"""The pictures and the table of Fig. 2(a)."""

from __future__ import annotations

from typing import Any

import numpy as np

from zooadmm_reproduction import exhibits
from zooadmm_reproduction.exhibits import (
    AUTO,
    COLORS,
    FIRST_ORDER,
    GRAY,
    INK,
    ZOO,
    Picture,
    Table,
    blank,
    name_lines,
)
from zooadmm_reproduction.intervals import Interval, mean_of
from zooadmm_reproduction.rows import Row, column, distinct, short, where
from zooadmm_reproduction.sensors.comparing import budgets_of, by_budget, means, percent
from zooadmm_reproduction.sensors.task import JOSHI_BOYD, RANDOM, READINGS

METHODS = (ZOO, FIRST_ORDER, JOSHI_BOYD, AUTO, RANDOM)
PALETTE = COLORS | {JOSHI_BOYD: INK, RANDOM: GRAY}
DASHES = exhibits.DASHES | {JOSHI_BOYD: (0, (1, 1)), RANDOM: ":"}


def errors(rows: list[Row], name: str, caption: str) -> Picture:
    """By how much the MSE is above Joshi and Boyd's, in percent, in both readings."""
    figure, axes = blank(2)
    for axis, (of, reading) in zip(axes, READINGS.items(), strict=True):
        for method in METHODS:
            if method != JOSHI_BOYD:
                above = by_budget(rows, method, JOSHI_BOYD, of)
                band(axis, {budget: percent(ratio) for budget, ratio in above.items()}, method)
        axis.axhline(
            0.0, color=PALETTE[JOSHI_BOYD], ls=DASHES[JOSHI_BOYD], lw=1.2, label=JOSHI_BOYD
        )
        axis.set(xlabel=SELECTED, ylabel="MSE above Joshi-Boyd's, %", title=reading)
        axis.set_ylim(*_range(rows, of))
        name_lines(axis)
    return Picture(name, caption, figure, _means(rows))


SELECTED = "number of selected sensors $m_0$"


def gains(field: list[Row], colorado: list[Row], caption: str) -> Picture:
    """What part of the possible decrease of the criterion was made."""
    figure, axes = blank(2)
    for axis, rows, title in zip(
        axes, (field, colorado), ("random field", "Colorado"), strict=True
    ):
        for method in (ZOO, FIRST_ORDER, AUTO):
            gain = means(rows, method, "gain")
            band(axis, {budget: _times(100, part) for budget, part in gain.items()}, method)
        axis.axhline(
            100.0, color=PALETTE[JOSHI_BOYD], ls=DASHES[JOSHI_BOYD], lw=1.2, label=JOSHI_BOYD
        )
        axis.set(xlabel=SELECTED, title=title)
        axis.set_ylabel("decrease made, % of possible")
        name_lines(axis)
    return Picture("fig2a-criterion", caption, figure, _means(field + colorado))


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
                    ls=DASHES[method],
                    lw=0.8,
                    alpha=0.7,
                    label=method if k == 0 else None,
                )
    for axis, label in ((left, "$1^T x_t - m_0$, sensors"), (right, "$f(x_t) - f^*$")):
        axis.axhline(0.0, color="black", lw=0.8)
        axis.set(xlabel="iteration $t$", ylabel=label, xscale="log")
        name_lines(axis)
    return Picture("fig2a-budget", caption, figure, rows)


def random_choice(field: list[Row], colorado: list[Row], caption: str) -> Table:
    """MSE of a choice at random, and of ZOO-ADMM's, over that of the optimum, in both readings."""
    table: list[Row] = []
    for data, rows in (("random field", field), ("Colorado", colorado)):
        for budget in budgets_of(rows):
            line: Row = {"data": data, "m0": budget}
            for of, reading in READINGS.items():
                for method in (RANDOM, ZOO):
                    ratio = by_budget(rows, method, JOSHI_BOYD, of)[budget]
                    line[f"{method}, {reading}"] = f"{ratio.middle:.4f}"
            table.append(line)
    return Table("fig2a-random", caption, table)


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


def _range(rows: list[Row], of: str) -> tuple[float, float]:
    """Percent that show all methods; a choice at random may be far beyond."""
    shown = [
        percent(ratio)
        for method in (ZOO, FIRST_ORDER, AUTO)
        for ratio in by_budget(rows, method, JOSHI_BOYD, of).values()
    ]
    low, high = min(0.0, *(i.low for i in shown)), max(i.high for i in shown)
    return low - 0.1 * (high - low), high + 0.3 * (high - low)


def _means(rows: list[Row]) -> list[Row]:
    """Means over the trials, which is what the pictures show."""
    table: list[Row] = []
    for part in distinct(rows, "part"):
        for method in METHODS:
            mine = where(rows, part=part, method=method)
            for budget in budgets_of(mine):
                line: Row = {"part": part, "method": method, "budget": budget}
                for name in (*READINGS, "gain"):
                    values = [float(row[name]) for row in where(mine, budget=budget) if name in row]
                    if values:
                        line |= _interval(name, mean_of(values))
                table.append(line)
    return table


def _interval(name: str, interval: Interval) -> Row:
    ends = {"": interval.middle, " low": interval.low, " high": interval.high}
    return {f"{name}{end}": short(value) for end, value in ends.items()}
