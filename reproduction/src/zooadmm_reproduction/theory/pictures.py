"""Drawing: measured bands, bounds as dashed lines, guides as dotted ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zooadmm_reproduction.exhibits import COLORS, OTHER_COLORS, ZOO, name_lines
from zooadmm_reproduction.intervals import Interval

MEASURED, BROKEN, SOUND, PRINTED = COLORS[ZOO], OTHER_COLORS[0], OTHER_COLORS[4], "#000000"


def band(axis: Any, at: Mapping[float, Interval], label: str, color: str) -> None:
    """Means as a line, their 95% intervals as a band around it, as far as they are positive."""
    places = list(at)
    middle = [of.middle if of.middle > 0 else np.nan for of in at.values()]
    axis.plot(places, middle, color=color, lw=1.6, label=label)
    low = [of.low if of.bounded and of.low > 0 else np.nan for of in at.values()]
    high = [of.high if of.bounded else np.nan for of in at.values()]
    axis.fill_between(places, low, high, color=color, alpha=0.2, lw=0)


def dots(axis: Any, at: Mapping[float, Interval], label: str, color: str) -> None:
    """Means as dots with their 95% intervals as bars, joined by a thin line."""
    middle = [of.middle for of in at.values()]
    below = [of.middle - of.low if of.bounded else 0.0 for of in at.values()]
    above = [of.high - of.middle if of.bounded else 0.0 for of in at.values()]
    axis.errorbar(
        list(at),
        middle,
        yerr=[below, above],
        color=color,
        label=label,
        fmt="o-",
        ms=3.5,
        lw=1,
        capsize=2,
    )


def dashed(axis: Any, at: Mapping[float, float], label: str, color: str) -> None:
    """A bound."""
    axis.plot(list(at), list(at.values()), "--", color=color, lw=1.2, label=label)


def guide(axis: Any, places: Sequence[float], exponent: float, through: float, label: str) -> None:
    """A power law through a value at the first of the places."""
    curve = through * (np.array(places, dtype=np.float64) / places[0]) ** exponent
    axis.plot(places, curve, ":", color="#777777", lw=1.2, label=label)


def ticks_at(axis: Any, places: Sequence[float]) -> None:
    """Ticks of the logarithmic x-axis at the places measured, and nowhere else."""
    axis.set_xticks(places, labels=[f"{place:g}" for place in places])
    axis.set_xticks([], minor=True)


def label_axes(axis: Any, x: str, y: str) -> None:
    """Both logarithmic, with the names beside the lines."""
    axis.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
    name_lines(axis)
