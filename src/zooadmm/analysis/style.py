"""One look for all pictures: rust for ours, teal for others, labels beside their lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

RUST, TEAL, GRAY = "#c1440e", "#1f6f8b", "0.55"
"""The colors of what matters, of what it is compared with, and of what stays behind."""

BETWEEN = 12.0
"""Points between two labels, so that a line of small text fits."""


def signed_colors() -> Any:
    """A color map from teal over white to rust, for values on both sides of zero."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("signed", [TEAL, "white", RUST])


def new_axes(count: int, height: float = 3.2) -> tuple[Any, list[Any]]:
    """A figure with `count` panels one above the other, which share their x axis."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        count, 1, figsize=(7, height * count), layout="constrained", sharex=True, squeeze=False
    )
    return figure, list(axes[:, 0])


def finished(figure: Any) -> Any:
    """The figure; a notebook shows what a cell returns, so there it is closed to be shown once."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    if "inline" in mpl.get_backend().lower():
        plt.close(figure)
    return figure


def dress(axis: Any) -> None:
    """No frame above and to the right, and a pale grid."""
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(alpha=0.25)


def label_lines(axis: Any, lines: list[tuple[Any, str]]) -> None:
    """Write each label at the right end of its line, moved apart where two would overlap."""
    ends = [(line, text, _end(line)) for line, text in lines]
    shown = [(line, text, end) for line, text, end in ends if end is not None]
    axis.autoscale_view()
    heights = [axis.transData.transform(end)[1] * 72 / axis.figure.dpi for _, _, end in shown]
    for (line, text, end), moved in zip(shown, _apart(heights), strict=True):
        axis.annotate(
            text,
            end,
            xytext=(5, moved),
            textcoords="offset points",
            color=line.get_color(),
            va="center",
            fontsize="small",
            annotation_clip=False,
            bbox={"facecolor": axis.get_facecolor(), "edgecolor": "none", "pad": 0.5},
        )


def _apart(heights: list[float]) -> list[float]:
    """How far to move each label so that neighbors do not overlap, as little as possible.

    >>> _apart([0.0, 0.0, 40.0])
    [-6.0, 6.0, 0.0]
    """
    if not heights:
        return []
    order = np.argsort(heights, kind="stable")
    steps = BETWEEN * np.arange(len(heights))
    placed = isotonic_regression(np.array(heights)[order] - steps).x + steps
    moved = np.empty(len(heights))
    moved[order] = placed - np.array(heights)[order]
    return [float(m) for m in moved]


def _end(line: Any) -> tuple[float, float] | None:
    """The last point of a line that can be drawn."""
    x, y = (np.asarray(v, dtype=np.float64) for v in line.get_data())
    seen: NDArray[np.intp] = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    return None if len(seen) == 0 else (float(x[seen[-1]]), float(y[seen[-1]]))
