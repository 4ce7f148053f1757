"""The pictures and the table of Fig. 2(b)."""

from __future__ import annotations

from typing import Any

from zooadmm_reproduction.exhibits import (
    AUTO,
    COLORS,
    FIRST_ORDER,
    GRAY,
    INK,
    PALE_RUST,
    TEAL,
    ZOO,
    Picture,
    Table,
    blank,
    name_lines,
)
from zooadmm_reproduction.intervals import exponent_of, geometric_mean_of, mean_of
from zooadmm_reproduction.rows import Row, column, distinct, where
from zooadmm_reproduction.sensors.conic import CONIC, POOLED
from zooadmm_reproduction.sensors.speeds import gave_up_at
from zooadmm_reproduction.sensors.task import JOSHI_BOYD
from zooadmm_reproduction.sensors.timing import HESSIAN, INVERSE, SOLVE

PALETTE = COLORS | {JOSHI_BOYD: INK, CONIC: GRAY, POOLED: PALE_RUST}
PALETTE |= {INVERSE: TEAL, HESSIAN: INK, SOLVE: GRAY}
DASHED = {FIRST_ORDER: "--", AUTO: "-.", CONIC: ":", POOLED: (0, (5, 1)), INVERSE: ":"}
METHODS = (ZOO, FIRST_ORDER, AUTO, JOSHI_BOYD, CONIC, POOLED)


def seconds(rows: list[Row], caption: str) -> Picture:
    """Processor seconds against m: as usually run, and to the common accuracy."""
    figure, axes = blank(2)
    titles = ("as usually run", "until half the gap has gone")
    for axis, part, title in zip(axes, ("usual", "half"), titles, strict=True):
        mine = where(rows, part=part)
        for method in METHODS:
            _line(axis, where(mine, method=method), method)
        _label(axis, title, mine)
    shown = where(rows, part="usual") + where(rows, part="half")
    return Picture("fig2b", caption, figure, shown)


def parts(rows: list[Row], caption: str, iterations: int) -> Picture:
    """Seconds of an iteration, one for each sample, and of what a Newton step has to do."""
    figure, (axis,) = blank(1)
    shown = list(where(rows, part="parts"))
    for row in where(rows, part="usual"):
        if row["method"] in (ZOO, FIRST_ORDER):
            one = float(row["seconds"]) / iterations
            shown.append(row | {"part": "parts", "seconds": one})
    names = {ZOO: "iteration of ZOO-ADMM", FIRST_ORDER: "iteration of O-ADMM"}
    names |= {HESSIAN: f"Hessian, {iterations} samples"}
    for method in (HESSIAN, SOLVE, ZOO, FIRST_ORDER, INVERSE):
        _line(axis, where(shown, method=method), method, names.get(method, method))
    _label(axis, "what a step is made of", shown)
    return Picture("fig2b-parts", caption, figure, shown)


def exponents(rows: list[Row], caption: str) -> Table:
    """p in seconds ~ m^p for each method and way of running it; and the seconds at both ends."""
    table: list[Row] = []
    for part, run in (("usual", "as usually run"), ("half", "half the gap")):
        for method in METHODS:
            mine = where(where(rows, part=part), method=method)
            known = [row for row in mine if row["m"] not in gave_up_at(mine, method)]
            sizes = sorted(set(column(known, "m")))
            if len(sizes) < 3:
                continue
            line: Row = {"run": run, "method": method, "m": f"{sizes[0]:.0f} to {sizes[-1]:.0f}"}
            line["exponent"] = str(exponent_of(column(known, "m"), column(known, "seconds")))
            for label, m in (("smallest m", sizes[0]), ("largest m", sizes[-1])):
                seconds = column(where(known, m=m), "seconds")
                line[f"seconds at {label}"] = str(geometric_mean_of(seconds))
            left = [row for row in known if row["m"] == sizes[-1] and "left" in row]
            if left:
                line["gap left at largest m"] = str(mean_of(column(left, "left")))
            table.append(line)
    return Table("fig2b-exponents", caption, table)


def _line(axis: Any, rows: list[Row], method: str, label: str | None = None) -> None:
    """A dot for each trial, a hollow triangle where it gave up, a line through geometric means."""
    if not rows:
        return
    color = PALETTE[method]
    gave_up = [row for row in rows if row.get("reached", 1) == 0]
    known = [row for row in rows if row.get("reached", 1) == 1]
    sizes = sorted({int(m) for m in distinct(known, "m")} - set(gave_up_at(rows, method)))
    middle = [geometric_mean_of(column(where(known, m=m), "seconds")).middle for m in sizes]
    axis.plot(sizes, middle, color=color, lw=1.4, ls=DASHED.get(method, "-"), label=label or method)
    axis.plot(column(known, "m"), column(known, "seconds"), "o", color=color, ms=3)
    axis.plot(column(gave_up, "m"), column(gave_up, "seconds"), "^", color=color, ms=6, mfc="none")


def _label(axis: Any, title: str, rows: list[Row]) -> None:
    """Logarithmic axes with the sizes as ticks, and the names beside the lines."""
    sizes = sorted({int(m) for m in distinct(rows, "m")})
    axis.set(xlabel="number of variables $m$", ylabel="processor seconds", title=title)
    axis.set(xscale="log", yscale="log")
    axis.set_xticks(sizes, [str(m) for m in sizes])
    axis.set_xticks([], minor=True)
    name_lines(axis)
