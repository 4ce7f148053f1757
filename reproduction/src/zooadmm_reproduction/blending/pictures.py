"""The pictures: means over seeds, on the real ratings; the twin's numbers are in the tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zooadmm_reproduction.blending.data import SOURCES
from zooadmm_reproduction.blending.measures import (
    FLOOR,
    average_above,
    curvature_of,
    excess,
    marks_of,
    name_of,
    own_runs,
    percent_above,
    runs_of,
    sources_of,
)
from zooadmm_reproduction.blending.plan import FOLLOWED
from zooadmm_reproduction.blending.strategies import (
    COROLLARY,
    FIFTY,
    PAIRS,
    ROWS,
    SINGLE,
    STRATEGIES,
    SWEEP,
    SWEPT,
    Setting,
)
from zooadmm_reproduction.exhibits import (
    AUTO,
    COLORS,
    FIRST_ORDER,
    GRAY,
    INK,
    PALE_RUST,
    RUST,
    TEAL,
    Picture,
    blank,
    name_lines,
)
from zooadmm_reproduction.intervals import geometric_mean_of
from zooadmm_reproduction.rows import Row, column, distinct, short, where

LOOKS: dict[str, dict[str, Any]] = {
    SINGLE: {"color": PALE_RUST, "ls": "-", "lw": 1.8},
    ROWS: {"color": RUST, "ls": ":", "lw": 1.8},
    PAIRS: {"color": GRAY, "ls": "-", "lw": 1.2},
    FIFTY: {"color": RUST, "ls": "-", "lw": 1.8},
    FIRST_ORDER: {"color": TEAL, "ls": "--", "lw": 1.8},
}
"""The strategies that are drawn, and how; the table has the others too."""

ABOVE = "test RMSE above best, %"


def band(rows: Sequence[Row], source: str, setting: Setting, strategy: str, of: str) -> list[Row]:
    """Mean, least and largest of a column over the seeds, at each iteration."""
    curves = where(rows, kind="curve", source=source, setting=setting.key, strategy=strategy)
    label: Row = {"source": source, "setting": setting.key, "strategy": strategy, "of": of}
    table: list[Row] = []
    for iteration in distinct(curves, "iteration"):
        values = column(where(curves, iteration=iteration), of)
        line: Row = {**label, "iteration": iteration, "mean": short(float(np.mean(values)))}
        table.append({**line, "least": min(values), "largest": max(values)})
    return table


def draw(axis: Any, table: Sequence[Row], strategy: str) -> None:
    """A line with its band."""
    t, look = column(table, "iteration"), LOOKS[strategy]
    low, high = column(table, "least"), column(table, "largest")
    axis.fill_between(t, low, high, color=look["color"], alpha=0.12, lw=0)
    axis.plot(t, column(table, "mean"), label=strategy, **look)


def courses(name: str, rows: list[Row], settings: Sequence[Setting], caption: str) -> Picture:
    """How far the test RMSE is above the best against iterations, one panel for each setting."""
    source = sources_of(rows)[0]
    panels, axes = blank(columns=len(settings))
    drawn: list[Row] = []
    for axis, setting in zip(axes, settings, strict=True):
        for strategy in LOOKS:
            table = band(rows, source, setting, strategy, "rmse")
            if table:
                drawn += table
                best = float(runs_of(rows, source, setting, strategy)[0]["best"])
                draw(axis, [_above(row, best) for row in table], strategy)
        _average(axis, rows, source)
        axis.set(xscale="log", yscale="log", xlabel="iterations", ylabel=ABOVE)
        axis.set_title(f"{name_of(rows, source)}, {setting.words}")
        name_lines(axis)
    return Picture(name, caption, panels, drawn)


def _above(row: Row, best: float) -> Row:
    columns = ("mean", "least", "largest")
    above = {name: 100.0 * (float(row[name]) / best - 1.0) for name in columns}
    return {**row, **{name: max(FLOOR, percent) for name, percent in above.items()}}


def _average(axis: Any, rows: list[Row], source: str) -> None:
    """A line for the plain average of all models."""
    axis.axhline(average_above(rows, source), color=GRAY, lw=0.9, ls=":", label="plain average")


def units(name: str, rows: list[Row], caption: str) -> Picture:
    """The excess at given iterations against the unit of the ratings, a panel for each."""
    source, marks = sources_of(rows)[0], marks_of(rows)[1:]
    panels, axes = blank(columns=len(marks))
    drawn: list[Row] = []
    for axis, mark in zip(axes, marks, strict=True):
        for strategy in SWEPT:
            line = sorted((_swept(rows, source, setting, strategy, mark) for setting in SWEEP),
                          key=lambda row: float(row["curvature"]))  # fmt: skip
            drawn += line
            x, y = column(line, "curvature"), column(line, "above")
            axis.plot(x, y, label=strategy, marker="o", ms=3, **LOOKS[strategy])
        _average(axis, rows, source)
        axis.set(xscale="log", yscale="log", ylabel=ABOVE)
        axis.set(xlabel="largest curvature in the unit of the ratings")
        axis.set_title(f"{name_of(rows, source)}, after {mark:,} iterations")
        name_lines(axis)
    return Picture(name, caption, panels, drawn)


def _swept(rows: list[Row], source: str, setting: Setting, strategy: str, mark: int) -> Row:
    above = geometric_mean_of(
        [excess(run, mark) for run in runs_of(rows, source, setting, strategy)]
    )
    row: Row = {"source": source, "strategy": strategy, "iteration": mark}
    row["curvature"] = curvature_of(rows, source, setting)
    return row | {"above": short(above.middle)}


def evaluations(name: str, rows: list[Row], caption: str) -> Picture:
    """What every strategy has come to at its end, against the evaluations it made."""
    panels, axes = blank(columns=2)
    drawn: list[Row] = []
    for axis, source in zip(axes, SOURCES, strict=True):
        runs = [runs_of(rows, source, COROLLARY, strategy) for strategy in STRATEGIES]
        points = [_point(some) for some in runs if some and some[0]["evaluations"] != 0]
        axis.plot(column(points, "evaluations"), column(points, "above"), "s", color=RUST, ms=4,
                  label="ZOO-ADMM, corrected")  # fmt: skip
        own = own_runs(rows, source)
        mine = [_point(where(own, rival=rival)) for rival in distinct(own, "rival")]
        axis.plot(column(mine, "evaluations"), column(mine, "above"), "-D", color=COLORS[AUTO],
                  ms=4, label=AUTO)  # fmt: skip
        drawn += points + mine
        _average(axis, rows, source)
        axis.set(xscale="log", yscale="log", xlabel="evaluations f(x; w)", ylabel=ABOVE)
        axis.set_title(name_of(rows, source))
        name_lines(axis)
    return Picture(name, caption, panels, drawn)


def _point(runs: list[Row]) -> Row:
    above = percent_above(runs)
    label: Row = {key: runs[0][key] for key in ("source", "setting", "strategy", "evaluations")}
    return {**label, "above": short(max(FLOOR, above.middle))}


def updates(name: str, rows: list[Row], setting: Setting, caption: str) -> Picture:
    """Update error of iterates and of running averages, and distance to the optimum."""
    source = sources_of(rows)[0]
    panels, axes = blank(columns=2)
    drawn: list[Row] = []
    for strategy in FOLLOWED:
        for axis, of in zip(axes, ("update", "average update"), strict=True):
            table = band(rows, source, setting, strategy, of)
            drawn += table
            draw(axis, table, strategy)
    far = band(rows, source, setting, FIFTY, "distance")
    drawn += far
    for axis, of in zip(axes, ("x(t)", "running averages"), strict=True):
        axis.plot(column(far, "iteration"), column(far, "mean"), color=INK, lw=1.0, ls="-.",
                  label="distance to the optimum")  # fmt: skip
        axis.set(xscale="log", yscale="log", xlabel="iterations", ylabel=f"update of {of}")
        axis.set_title(f"{name_of(rows, source)}, {setting.words}")
        name_lines(axis)
    return Picture(name, caption, panels, drawn)
