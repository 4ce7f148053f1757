"""Pictures of a quantity along gamma, for all methods."""

from __future__ import annotations

from typing import Any

from zooadmm_reproduction.exhibits import (
    AUTO,
    COLORS,
    FIRST_ORDER,
    INK,
    ZOO,
    Picture,
    blank,
    name_lines,
)
from zooadmm_reproduction.intervals import Interval
from zooadmm_reproduction.rows import Row, column, distinct, short, where
from zooadmm_reproduction.survival.runs import EXACT

CURVES = (
    (EXACT, "all events", "exact optimum (Coxnet)", {"color": INK, "lw": 1.0}),
    (AUTO, "all events", AUTO, {"color": COLORS[AUTO], "ls": "", "marker": "o", "mfc": "none"}),
    (FIRST_ORDER, "one event", "O-ADMM, one event", {"color": COLORS[FIRST_ORDER]}),
    (ZOO, "one event", "ZOO-ADMM, one event", {"color": COLORS[ZOO]}),
    (FIRST_ORDER, "all events", "O-ADMM, all events", {"color": COLORS[FIRST_ORDER], "ls": "--"}),
    (ZOO, "all events", "ZOO-ADMM, all events", {"color": COLORS[ZOO], "ls": ":", "lw": 2.5}),
)
"""Method, batch, label, and how it is drawn."""


def curve(rows: list[Row], method: str, batch: str, name: str) -> dict[float, Interval]:
    """Mean, lowest and highest over the seeds, for each strength from low to high."""
    mine = where(rows, method=method, batch=batch)
    found = {}
    for strength in sorted(float(s) for s in distinct(mine, "strength")):
        values = column(where(mine, strength=strength), name)
        found[strength] = Interval(sum(values) / len(values), min(values), max(values))
    return found


def picture(name: str, rows: list[Row], quantities: dict[str, str], caption: str) -> Picture:
    """Quantities along gamma, a panel for each; their labels by column."""
    panels, axes = blank(columns=len(quantities), height=3.4)
    for axis, (quantity, label) in zip(axes, quantities.items(), strict=True):
        for method, batch, title, style in CURVES:
            _draw(axis, curve(rows, method, batch, quantity), title, style)
        axis.set(xscale="log", xlabel="strength gamma (more genes to the right)", ylabel=label)
        axis.invert_xaxis()
    name_lines(axes[0])
    return Picture(name, caption, panels, _means(rows, list(quantities)))


def _means(rows: list[Row], quantities: list[str]) -> list[Row]:
    """What the panels show: mean, lowest and highest over the seeds."""
    table: list[Row] = []
    for method, batch, title, _ in CURVES:
        curves = {name: curve(rows, method, batch, name) for name in quantities}
        for strength in curves[quantities[0]]:
            line: Row = {"method": title, "strength": strength}
            for name, points in curves.items():
                at = points[strength]
                line |= {name: short(at.middle), f"{name} low": short(at.low)}
                line[f"{name} high"] = short(at.high)
            table.append(line)
    return table


def _draw(axis: Any, points: dict[float, Interval], title: str, style: dict[str, Any]) -> None:
    x = sorted(points, reverse=True)
    axis.plot(x, [points[s].middle for s in x], label=title, **style)
    low, high = [points[s].low for s in x], [points[s].high for s in x]
    axis.fill_between(x, low, high, color=style["color"], alpha=0.15, lw=0)
