"""The map of a choice of sensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from zooadmm.analysis.style import GRAY, RUST
from zooadmm.applications.formulation import Array
from zooadmm.applications.selection import Mask


def draw_choice(weights: Array, chosen: Mask, positions: Any, axis: Any, names: Any) -> Any:
    """Dots as large as weights, circles around the chosen; the axis that was drawn on."""
    places = np.asarray(positions, dtype=np.float64)
    if places.shape != (len(weights), 2):
        raise ValueError(
            f"positions has shape {places.shape}, but must be ({len(weights)}, 2), a pair for each "
            "sensor."
        )
    if axis is None:
        from matplotlib import pyplot

        axis = pyplot.subplots(layout="constrained")[1]
    axis.scatter(*places.T, s=12 + 80 * weights, color=GRAY, label="sensors, as large as weights")
    axis.scatter(*places[chosen].T, s=170, facecolors="none", edgecolors=RUST, lw=2, label="chosen")
    for i in np.flatnonzero(chosen) if names is not None else ():
        axis.annotate(str(names[i]).strip(), places[i], fontsize=7, xytext=(8, 6), color=RUST,
                      textcoords="offset points")  # fmt: skip
    axis.legend(loc="upper left", bbox_to_anchor=(0, -0.12), ncols=2, frameon=False)
    return axis
