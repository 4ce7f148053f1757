"""Table 1 as a table, and as a picture beside chance."""

from __future__ import annotations

from typing import Any

from zooadmm_reproduction.exhibits import AUTO, COLORS, FIRST_ORDER, INK, ZOO, Picture, blank
from zooadmm_reproduction.intervals import Interval
from zooadmm_reproduction.rows import Row, column, where
from zooadmm_reproduction.survival.chance import GENES, by_chance, common_by_chance
from zooadmm_reproduction.survival.overlap import (
    NOTHING,
    PAPER,
    beside_chance,
    chance_percent,
    genes_of,
    overlap_of,
    percent,
)
from zooadmm_reproduction.survival.runs import EXACT, RELEASED

LINES: tuple[tuple[str, dict[str, str]], ...] = (
    ("ZOO-ADMM, one event", {"method": ZOO, "batch": "one event"}),
    ("ZOO-ADMM, released constants", {"method": ZOO, "batch": RELEASED}),
    ("ZOO-ADMM, all events", {"method": ZOO, "batch": "all events"}),
    ("O-ADMM, one event", {"method": FIRST_ORDER, "batch": "one event"}),
    ("O-ADMM, all events", {"method": FIRST_ORDER, "batch": "all events"}),
    (AUTO, {"method": AUTO}),
    ("exact optimum", {"method": EXACT, "patients": "train", "columns": "raw"}),
    ("exact, standardized", {"method": EXACT, "patients": "train", "columns": "standardized"}),
    ("exact, all 532 patients", {"method": EXACT, "patients": "everybody", "columns": "raw"}),
    (
        "exact, all 532, standardized",
        {"method": EXACT, "patients": "everybody", "columns": "standardized"},
    ),
)
"""The lines of the table at each strength, and their rows."""

MARKS: dict[str, dict[str, Any]] = {
    "ZOO-ADMM, one event": {"marker": "o", "color": COLORS[ZOO]},
    "ZOO-ADMM, released constants": {"marker": "^", "color": COLORS[ZOO], "mfc": "none"},
    "ZOO-ADMM, all events": {"marker": "o", "color": COLORS[ZOO], "mfc": "none"},
    AUTO: {"marker": "s", "color": COLORS[AUTO], "mfc": "none"},
    "exact optimum": {"marker": "x", "color": INK},
}
"""The lines that are drawn, and how."""


def overlaps(rows: list[Row]) -> list[Row]:
    """The table: at each strength the paper's line, then ours."""
    lines: list[Row] = []
    for strength, (genes, overlap) in PAPER.items():
        lines.append(
            {
                "gamma": strength,
                "by": "the paper",
                "genes": str(genes),
                "overlap": f"{overlap:.1%}",
                "chance": chance_percent(genes),
                **_told([{"genes": genes, "common": int(genes * overlap)}]),
            }
        )
        for name, wanted in LINES:
            if mine := where(rows, strength=strength, **wanted):
                lines.append({"gamma": strength, "by": name, **_line(mine)})
    return lines


def picture_of_chance(rows: list[Row]) -> Picture:
    """Overlap against the number of genes, with the band of chance."""
    figure, (axis,) = blank(height=3.6)
    k = range(1, GENES + 1)
    low = [common_by_chance(genes).low / genes for genes in k]
    high = [common_by_chance(genes).high / genes for genes in k]
    axis.fill_between(k, low, high, color="0.85", label="chance, 95%")
    for name, wanted in LINES:
        if name in MARKS:
            some = [row for row in where(rows, **wanted) if int(row["genes"]) > 0]
            y = [int(row["common"]) / int(row["genes"]) for row in some]
            axis.plot(column(some, "genes"), y, label=name, ls="", alpha=0.8, **MARKS[name])
    printed = list(PAPER.values())
    axis.plot([g for g, _ in printed], [o for _, o in printed], "k*", ms=10, label="the paper")
    axis.set(xlabel="selected genes of 160", ylabel="overlap with the Cox scores")
    axis.set(xlim=(0, 170), ylim=(-0.03, 1.03))
    for genes, overlap in printed:
        axis.annotate("the paper", (genes, overlap), (4, 4), textcoords="offset points", fontsize=7)
    axis.legend(loc="lower right", fontsize=7.5)
    caption = (
        "Overlap of the selected genes with as many of the largest scores, every seed a point, at "
        "the strengths of Table 1. Within the gray band a random selection does as well. The "
        "paper's points stand as if its genes were these 160."
    )
    return Picture("table1-chance", caption, figure, rows)


def _line(rows: list[Row]) -> Row:
    genes, overlap = genes_of(rows), overlap_of(rows)
    if len(rows) == 1:  # not random: one run is all
        genes = Interval(genes.middle, genes.middle, genes.middle)
        overlap = overlap and Interval(overlap.middle, overlap.middle, overlap.middle)
    shown = f"{genes.middle:g}" if genes.low == genes.high else str(genes)
    return {
        "genes": shown,
        "overlap": percent(overlap),
        "chance": chance_percent(round(genes.middle)),
        **_told(rows),
    }


def _told(rows: list[Row]) -> Row:
    """The verdict on chance, and how probable the overlap of the weakest run is by chance."""
    said = beside_chance(rows)
    if said == NOTHING:
        return {"overlap is": said}
    p = max(by_chance(int(row["genes"]), int(row["common"])) for row in rows)
    return {"overlap is": said, "p, largest": f"{p:.2g}"}
