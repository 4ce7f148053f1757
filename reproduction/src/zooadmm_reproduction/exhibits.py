"""What the report shows: pictures and tables, each with its data."""

from __future__ import annotations

import io
import re
import textwrap
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from zooadmm_reproduction.rows import Row

STYLE: Any = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#888888",
    "axes.grid": True,
    "grid.alpha": 0.2,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.fonttype": "none",  # text stays text: small files that can be searched
    "svg.hashsalt": "zooadmm",  # the same picture, the same file
    "path.simplify_threshold": 0.5,
}

ZOO, FIRST_ORDER, AUTO = "ZOO-ADMM", "O-ADMM", "zooadmm, default settings"
"""What the methods that occur in most experiments are called, everywhere."""

RUST, PALE_RUST, TEAL, PALE_TEAL = "#b3430d", "#e2a27c", "#0d5058", "#58a8a5"
INK, GRAY = "#1c1f23", "#8c8c8c"
"""Two hues, dark and pale: a picture printed in gray keeps dark, middle and pale apart. Rust is
zeroth order, teal is first order or more."""

COLORS = {ZOO: RUST, FIRST_ORDER: TEAL, AUTO: PALE_TEAL}
"""The color of each of them; others take those of OTHER_COLORS in turn."""

OTHER_COLORS = (PALE_RUST, GRAY, INK, PALE_TEAL, TEAL, "#6d5a4b")

DASHES = {ZOO: "-", FIRST_ORDER: "--", AUTO: "-."}
"""How their lines are drawn, for readers without colors."""

PANEL = 4.4
"""Inches across: two panels side by side fill the page, one fills a phone."""

DECADES = 100.0
"""From this ratio of its ends on, the ticks at powers of ten suffice on a logarithmic axis."""

LABEL_WIDTH, LABEL_HEIGHT = 17, 0.062
"""Of the name beside a line: characters, and the height of a row as a part of the axis."""


INK_OF = {PALE_RUST: "#9c5a2c", PALE_TEAL: "#2b7472", GRAY: "#5b6470"}
"""What names are written in, where a line is too pale to read."""


class Panels:
    """Figures with one axis each, which a page sets side by side or below each other."""

    def __init__(self, count: int, height: float) -> None:
        with matplotlib.rc_context(STYLE):
            self.figures = [
                Figure(figsize=(PANEL, height), layout="constrained") for _ in range(count)
            ]
            self.axes = [figure.subplots() for figure in self.figures]

    def draw_without_rendering(self) -> None:
        """Lay everything out, so that what cannot be drawn is found."""
        for figure in self.figures:
            figure.draw_without_rendering()


@dataclass(frozen=True, eq=False)
class Picture:
    """Drawn panels, and the rows they were drawn from.

    name: its anchor in the report and the name of its data; "fig1a", or "fig1a-units".
    """

    name: str
    caption: str
    figure: Panels
    rows: list[Row]

    def svgs(self) -> list[str]:
        """Each panel as SVG text that can stand in a page of HTML."""
        return [_svg(figure) for figure in self.figure.figures]

    def svg(self) -> str:
        """All panels, one after the other."""
        return "\n".join(self.svgs())


@dataclass(frozen=True, eq=False)
class Table:
    """Rows to be read as they are."""

    name: str
    caption: str
    rows: list[Row]


Exhibit = Picture | Table


def blank(columns: int = 1, height: float = 3.1) -> tuple[Panels, list[Any]]:
    """Panels in the report's style, and their axes."""
    panels = Panels(columns, height)
    return panels, list(panels.axes)


def name_lines(axis: Any) -> None:
    """The name of each labeled line at its right end, in its color, in place of a legend.

    Call it when all lines are drawn and the scales are set. Axes of several decades lose their
    minor ticks.
    """
    for scale in (axis.xaxis, axis.yaxis):
        low, high = sorted(scale.get_view_interval())
        if scale.get_scale() == "log" and high > DECADES * low:
            scale.set_minor_locator(NullLocator())
    ends = []
    for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
        line = handle[0] if isinstance(handle, tuple) else handle
        if hasattr(line, "get_xdata"):
            ends.append((_end(axis, line), line.get_color(), _wrapped(label)))
    ends.sort(key=lambda end: end[0])
    heights = [LABEL_HEIGHT * (label.count("\n") + 1) for _, _, label in ends]
    places = apart([end for end, _, _ in ends], heights)
    for place, (_, color, label) in zip(places, ends, strict=True):
        axis.text(
            1.02, place, label, transform=axis.transAxes, color=INK_OF.get(color, color),
            va="center", fontsize=8,
        )  # fmt: skip


def apart(places: list[float], heights: list[float]) -> list[float]:
    """The rising places, moved up or down as little as keeps labels of these heights apart.

    >>> [round(place, 2) for place in apart([0.5, 0.5], [0.1, 0.1])]
    [0.45, 0.55]
    """
    found = np.array(places)
    gaps = np.array([(a + b) / 2 for a, b in pairwise(heights)])
    for _ in range(200):
        overlap = np.maximum(gaps - np.diff(found), 0.0)
        if not (overlap > 1e-9).any():
            break
        found[:-1] -= 0.5 * overlap
        found[1:] += 0.5 * overlap
    if places:  # inside the axis, if there is room
        found -= max(0.0, found[-1] + heights[-1] / 2 - 1.0)
        found += max(0.0, heights[0] / 2 - found[0])
    return [float(place) for place in found]


def _end(axis: Any, line: Any) -> float:
    """The height of a line's last point, from 0 to 1 on its axis."""
    x, y = (np.asarray(values, dtype=np.float64) for values in line.get_data())
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if len(known) == 0:
        return 0.5
    point = line.get_transform().transform((x[known[-1]], y[known[-1]]))
    return float(np.clip(axis.transAxes.inverted().transform(point)[1], 0.0, 1.0))


def _wrapped(label: str) -> str:
    """In rows, without a break in a formula."""
    whole = re.sub(r"\$[^$]*\$", lambda formula: formula[0].replace(" ", "\0"), label)
    rows = textwrap.wrap(whole, LABEL_WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(rows).replace("\0", " ")


def _svg(figure: Figure) -> str:
    """The figure, its coordinates rounded to a tenth of a point."""
    file = io.StringIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(file, format="svg", metadata={"Date": None}, transparent=True)
    text = file.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    return re.sub(r' (d|x|y)="[^"]*"', _rounded, text)


def _rounded(attribute: re.Match[str]) -> str:
    return re.sub(r"\s+", " ", re.sub(r"(\d+\.\d)\d+", r"\1", attribute[0]))
