"""What the report shows: pictures and tables, each with its data."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from zooadmm_reproduction.rows import Row

STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: small files that can be searched
    "svg.hashsalt": "zooadmm",  # the same picture, the same file
    "path.simplify_threshold": 0.5,
}

ZOO, FIRST_ORDER, AUTO = "ZOO-ADMM", "O-ADMM", "zooadmm, default settings"
"""What the methods that occur in most experiments are called, everywhere."""

COLORS = {ZOO: "#c1440e", FIRST_ORDER: "#1f6f8b", AUTO: "#2e7d32"}
"""The color of each of them; others take those of OTHER_COLORS in turn."""

OTHER_COLORS = ("#6a3d9a", "#8d6e00", "#444444", "#c2185b", "#00796b", "#b26a00")


@dataclass(frozen=True, eq=False)
class Picture:
    """A drawn figure, and the rows it was drawn from.

    name: its anchor in the report and the name of its files; "fig1a", or "fig1a-synthetic".
    """

    name: str
    caption: str
    figure: Figure
    rows: list[Row]

    def svg(self) -> str:
        """The figure as SVG text that can stand in a page of HTML."""
        file = io.StringIO()
        with matplotlib.rc_context(STYLE):
            self.figure.savefig(file, format="svg", metadata={"Date": None}, transparent=True)
        text = file.getvalue()
        return text[text.index("<svg") :]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows to be read as they are."""

    name: str
    caption: str
    rows: list[Row]


Exhibit = Picture | Table


def blank(columns: int = 1, height: float = 3.4) -> tuple[Figure, list[Any]]:
    """A figure with axes side by side, in the report's style."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(4.6 * columns, height), layout="constrained")
        axes = figure.subplots(1, columns, squeeze=False)
    return figure, list(axes[0])
