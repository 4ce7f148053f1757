"""The pictures: means over seeds with a band from the least to the largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zooadmm_reproduction.blending.data import SOURCES
from zooadmm_reproduction.blending.measures import average_above, name_of, percent_above, runs_of
from zooadmm_reproduction.blending.plan import FOLLOWED
from zooadmm_reproduction.blending.strategies import (
    FIFTY,
    PAIRS,
    ROWS,
    SINGLE,
    STRATEGIES,
    TABLE,
    WORDS,
    Setting,
)
from zooadmm_reproduction.exhibits import (
    AUTO,
    COLORS,
    FIRST_ORDER,
    OTHER_COLORS,
    ZOO,
    Picture,
    blank,
)
from zooadmm_reproduction.rows import Row, column, distinct, short, where

DRAWN = {
    SINGLE: OTHER_COLORS[2],
    ROWS: OTHER_COLORS[0],
    TABLE: OTHER_COLORS[1],
    PAIRS: OTHER_COLORS[3],
    FIFTY: COLORS[ZOO],
    FIRST_ORDER: COLORS[FIRST_ORDER],
}
"""The strategies that are drawn, in their colors; the table has the others too."""

ABOVE = "test RMSE above least squares', %"

FLOOR = 0.05
"""Percent: what is nearer to least squares, or better on the test ratings, is drawn here."""

HEIGHT = 3.9
"""Inches, with the legend below the axes."""


def band(rows: Sequence[Row], source: str, setting: str, strategy: str, of: str) -> list[Row]:
    """Mean, least and largest of a column over the seeds, at each iteration."""
    curves = where(rows, kind="curve", source=source, setting=setting, strategy=strategy)
    label: Row = {"source": source, "setting": setting, "strategy": strategy}
    table: list[Row] = []
    for iteration in distinct(curves, "iteration"):
        values = column(where(curves, iteration=iteration), of)
        mean = short(float(np.mean(values)))
        table.append({**label, "iteration": iteration, of: mean, "least": min(values)})
        table[-1]["largest"] = max(values)
    return table


def draw(axis: Any, table: Sequence[Row], of: str, color: str, label: str) -> None:
    """A line with its band."""
    t = column(table, "iteration")
    axis.fill_between(
        t, column(table, "least"), column(table, "largest"), color=color, alpha=0.15, lw=0
    )
    axis.plot(t, column(table, of), color=color, lw=1.4, label=label)


def strategies(name: str, rows: list[Row], setting: Setting, caption: str) -> Picture:
    """How far the test RMSE is above the best against iterations, one panel for each source."""
    figure, axes = blank(columns=2, height=HEIGHT)
    drawn: list[Row] = []
    for axis, source in zip(axes, SOURCES, strict=True):
        for strategy, color in DRAWN.items():
            table = band(rows, source, setting, strategy, "rmse")
            if table:
                drawn += table
                best = float(runs_of(rows, source, setting, strategy)[0]["best"])
                draw(axis, [_above(row, best) for row in table], "rmse", color, strategy)
        _average(axis, rows, source)
        axis.set(xscale="log", yscale="log", xlabel="iterations", ylabel=ABOVE)
        axis.set_title(f"{name_of(rows, source)}, {WORDS[setting]}", fontsize=9)
    _legend(figure, axes[0])
    return Picture(name, caption, figure, drawn)


def _above(row: Row, best: float) -> Row:
    columns = ("rmse", "least", "largest")
    above = {name: 100.0 * (float(row[name]) / best - 1.0) for name in columns}
    return {**row, **{name: max(FLOOR, percent) for name, percent in above.items()}}


def _average(axis: Any, rows: list[Row], source: str) -> None:
    """A line for the plain average of all models."""
    above = average_above(rows, source)
    axis.axhline(above, color="#888888", lw=0.9, ls=":", label="plain average")


def evaluations(name: str, rows: list[Row], caption: str) -> Picture:
    """What every strategy has come to at its end, against the evaluations it made."""
    figure, axes = blank(columns=2, height=HEIGHT)
    drawn: list[Row] = []
    groups = ((Setting.SCALED, "o"), (Setting.COROLLARY, "s"))
    for axis, source in zip(axes, SOURCES, strict=True):
        for setting, marker in groups:
            runs = [runs_of(rows, source, setting, strategy) for strategy in STRATEGIES]
            points = [_point(some) for some in runs if some and some[0]["evaluations"] != 0]
            _points(axis, points, marker, COLORS[ZOO], f"{ZOO}, {WORDS[setting]}")
            drawn += points
        own = runs_of(rows, source, "default", AUTO)
        points = [_point(where(own, rival=rival)) for rival in distinct(own, "rival")]
        _points(axis, points, "D", COLORS[AUTO], AUTO)
        drawn += points
        _average(axis, rows, source)
        axis.set(xscale="log", yscale="log", xlabel="evaluations f(x; w)", ylabel=ABOVE)
        axis.set_title(name_of(rows, source), fontsize=9)
    _legend(figure, axes[0])
    return Picture(name, caption, figure, drawn)


def _point(runs: list[Row]) -> Row:
    above = percent_above(runs)
    label: Row = {key: runs[0][key] for key in ("source", "setting", "strategy", "evaluations")}
    return {**label, "above": above.middle, "low": above.low, "high": above.high}


def _points(axis: Any, points: list[Row], marker: str, color: str, label: str) -> None:
    middle, low, high = (np.array(column(points, name)) for name in ("above", "low", "high"))
    middle, low, high = (np.maximum(FLOOR, values) for values in (middle, low, high))
    spread = np.array([middle - low, high - middle])
    filled = color if marker != "o" else "none"
    axis.errorbar(
        column(points, "evaluations"), middle, spread, fmt=marker, ms=4.5, lw=0.8,
        color=color, markerfacecolor=filled, label=label,
    )  # fmt: skip


def updates(name: str, rows: list[Row], source: str, setting: Setting, caption: str) -> Picture:
    """Update error and distance to the optimum, side by side, of both methods."""
    figure, axes = blank(columns=2, height=HEIGHT)
    drawn: list[Row] = []
    labels = {FIFTY: f"{ZOO}, {FIFTY}", FIRST_ORDER: FIRST_ORDER}
    for axis, of in zip(axes, ("update", "distance"), strict=True):
        for strategy in FOLLOWED:
            table = band(rows, source, setting, strategy, of)
            drawn += table
            draw(axis, table, of, DRAWN[strategy], labels[strategy])
        axis.set(xscale="log", yscale="log", xlabel="iterations")
    axes[0].set(ylabel="update error |x(t+1) - x(t)|")
    axes[1].set(ylabel="distance to the optimum |x(t+1) - x*|")
    _share_decades(axes)
    _legend(figure, axes[0])
    return Picture(name, caption, figure, drawn)


def _share_decades(axes: Sequence[Any]) -> None:
    """The same limits on both, so that a fall on one side can be held against the other."""
    low, high = (f(axis.get_ylim()[k] for axis in axes) for k, f in ((0, min), (1, max)))
    for axis in axes:
        axis.set_ylim(low, 2.0 * high)


def _legend(figure: Any, axis: Any) -> None:
    """One legend for all axes, below them, in a few rows."""
    lines, labels = axis.get_legend_handles_labels()
    columns = 2 if max(map(len, labels)) > 30 else 4
    figure.legend(
        lines, labels, loc="outside lower center", ncols=columns, fontsize=8, frameon=False
    )
