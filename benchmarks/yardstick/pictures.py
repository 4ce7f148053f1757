"""Data profiles, performance profiles, and gaps against evaluations: at most six lines a panel.

Every panel compares its solvers on the runs that all of them made. Lines have dashes of their own
and labels at their right ends, so that they can be told apart in gray.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from benchmarks.saved_figure import save
from benchmarks.yardstick.comparison import (
    MULTIPLES,
    NEGLIGIBLE,
    REFERENCE,
    Place,
    place,
    references,
)
from benchmarks.yardstick.halves import JUDGES, half
from benchmarks.yardstick.peers import OURS
from benchmarks.yardstick.profiles import (
    needed,
    performance_profile,
    performance_ratios,
    simplex_gradients,
)
from benchmarks.yardstick.runs import Run
from benchmarks.yardstick.suite import Suite

LINES, ACROSS = 6, 3
MOSTLY = 0.9
"""A solver is drawn if it made at least this share of our runs in a panel."""
BETWEEN = 0.075
"""Least distance of labels, in heights of a panel."""
SOLID, DASHED, DOTTED = "-", (0, (5, 1.5)), (0, (1.2, 1.2))
DASH_DOT, LONG, DASH_DOTS = (0, (6, 1.5, 1, 1.5)), (0, (9, 3)), (0, (4, 1, 1, 1, 1, 1))
BLACK, BLUE, RED, GREEN = "#000000", "#0072B2", "#D55E00", "#009E73"
BROWN, GRAY, PURPLE = "#8C510A", "#7F7F7F", "#984EA3"
STYLES: dict[str, tuple[str, Any, float]] = {
    "zoo": (BLACK, SOLID, 2.4),
    "zoo unannounced": (BLACK, DASHED, 1.4),
    "slsqp": (BLUE, DASHED, 1.2),
    "lbfgsb": (RED, DOTTED, 1.6),
    "newuoa": (GREEN, DASH_DOT, 1.2),
    "bobyqa": (GREEN, DASH_DOT, 1.2),
    "cobyqa": (BROWN, LONG, 1.2),
    "cma-es": (GRAY, SOLID, 1.0),
    "py-bobyqa": (PURPLE, DASH_DOTS, 1.2),
    "cobyla": (PURPLE, DOTTED, 1.2),
    "nomad": (GRAY, DASH_DOTS, 1.2),
    "noise-aware L-BFGS": (RED, LONG, 1.2),
    "dfo-ls": (BLUE, DASH_DOT, 1.2),
    "fista-fd": (BROWN, LONG, 1.2),
    "zo-prox-sgd": (PURPLE, DASH_DOTS, 1.2),
    "spsa": (PURPLE, DOTTED, 1.2),
    "nevergrad-tbpsa": (GRAY, DASH_DOTS, 1.2),
}
"""Color, dash and width; no two that share a panel are alike in gray."""
ALIASES = {
    "scipy-slsqp": "slsqp",
    "scipy-lbfgsb": "lbfgsb",
    "scipy-cobyqa": "cobyqa",
    "nlopt-newuoa": "newuoa",
    "nlopt-bobyqa": "bobyqa",
    "pycma": "cma-es",
}


@dataclass(frozen=True)
class Grid:
    """Panels of profiles, one for each name of a group or a feature.

    by: "group" or "feature"; among: the value of the other; seed: the one that all solvers ran.
    """

    by: str
    names: tuple[str, ...]
    among: str
    targets: tuple[float, ...]
    seed: int = 0

    def runs(self, runs: Sequence[Run], name: str) -> list[Run]:
        other = "feature" if self.by == "group" else "group"
        return [
            run
            for run in runs
            if getattr(run, self.by) == name
            and getattr(run, other) == self.among
            and run.seed == self.seed
        ]


BBOB_GROUPS = ("separable", "moderate", "ill-conditioned", "multimodal")
SIGMAS = ("sigma-1e-6", "sigma-1e-3", "sigma-1e-1")
GRIDS = {
    "s2mpj": Grid("group", ("u", "b", "l"), "plain", (1e-3, 1e-5)),
    "coco": Grid("group", BBOB_GROUPS, "bbob", (1e-3, 1e-6)),
    "noise": Grid("feature", SIGMAS, "smooth", (1e-1, 1e-3), seed=7),
}
NAMES = {"u": "unconstrained", "b": "bounds", "l": "linear rows"}
NAMES["multimodal"] = "multimodal (out of scope)"


@dataclass(frozen=True)
class Panel:
    """Solvers on common runs; the first solver is ours."""

    title: str
    runs: dict[str, list[Run]]
    least: list[float]

    def times(self, target: float) -> dict[str, list[float]]:
        """Evaluations to the target, by solver."""
        return {
            name: [needed(run, low, target) for run, low in zip(made, self.least, strict=True)]
            for name, made in self.runs.items()
        }


def draw(suite: Suite, runs: Sequence[Run], folder: Path) -> list[Path]:
    """The pictures of a benchmark into its folder."""
    least = references(suite, runs)
    made = [run for run in runs if run.solver != REFERENCE and run.fits]
    judging = [run for run in made if half(suite.name, run) == JUDGES]
    pictures = {}
    if suite.name in GRIDS:
        grid = GRIDS[suite.name]
        rows = [
            [panel(suite, NAMES.get(n, n), grid.runs(judging, n), least, t) for n in grid.names]
            for t in grid.targets
        ]
        pictures["data-profiles.png"] = _grid(rows, grid.targets, _data_profile)
        pictures["performance-profiles.png"] = _grid(rows, grid.targets, _performance_profile)
    else:
        features = list(dict.fromkeys(r.feature for r in judging))
        row = [
            panel(suite, f, [r for r in judging if r.feature == f], least, None) for f in features
        ]
        rows = [row[first : first + ACROSS] for first in range(0, len(row), ACROSS)]
        pictures["gaps.png"] = _grid(rows, [math.nan] * len(rows), _gaps)
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        if figure is not None:
            save(figure, folder / name)
    return [folder / name for name, figure in pictures.items() if figure is not None]


def panel(
    suite: Suite,
    title: str,
    runs: Sequence[Run],
    least: dict[Place, float],
    target: float | None,
) -> Panel | None:
    """Ours and the best peers that made nearly all of its runs, on what all of them made.

    Without rows of ours, the peer that made most runs stands in its place.
    """
    by_solver: dict[str, dict[Place, Run]] = {}
    for run in runs:
        by_solver.setdefault(run.solver, {})[place(run)] = run
    if not by_solver:
        return None
    first = max(by_solver, key=lambda name: (name == suite.ours[0], len(by_solver[name])))
    ours = by_solver[first]
    peers = [
        name
        for name, made in by_solver.items()
        if name != first and len(ours.keys() & made.keys()) >= MOSTLY * len(ours)
    ]

    def rank(name: str) -> float:
        found = [by_solver[name][at] for at in ours if at in by_solver[name]]
        if target is None:
            return statistics.median(last_gap(run, least[place(run)]) for run in found)
        return -sum(math.isfinite(needed(r, least[place(r)], target)) for r in found) / len(found)

    chosen = [first, *sorted(peers, key=rank)[: LINES - 1]]
    common = sorted(set.intersection(*(set(by_solver[name]) for name in chosen)))
    return Panel(
        f"{title} ({len(common)})",
        {name: [by_solver[name][at] for at in common] for name in chosen},
        [least[at] for at in common],
    )


def last_gap(run: Run, least: float) -> float:
    """The relative gap of a run's last record, not below 1e-6."""
    records = run.records()
    if not records or run.start <= least:
        return 1.0
    return max((records[-1][1] - least) / (run.start - least), NEGLIGIBLE)


Painter = Callable[[Any, Panel, float], list[tuple[str, float]]]
"""Draws a panel; the labels with the heights of their lines, from 0 to 1."""


def _grid(rows: Sequence[Sequence[Panel | None]], targets: Sequence[float], paint: Painter) -> Any:
    """Panels by target and group; None where there is nothing to draw."""
    if not any(found is not None for row in rows for found in row):
        return None
    across = max(map(len, rows))
    size = (3.3 * across + 0.5, 2.7 * len(rows) + 0.3)
    figure, axes = plt.subplots(len(rows), across, figsize=size, squeeze=False)
    for row, target, line in zip(rows, targets, axes, strict=True):
        for ax in line[len(row) :]:
            ax.set_axis_off()
        for found, ax in zip(row, line, strict=False):
            if found is None:
                ax.set_axis_off()
                continue
            _label(ax, paint(ax, found, target))
            words = "" if math.isnan(target) else f", to {target:g}"
            ax.set_title(found.title + words, fontsize=9)
            ax.grid(color="#e6e6e6", linewidth=0.6)
            ax.tick_params(labelsize=8, length=2, which="both")
            ax.spines[["top", "right"]].set_visible(False)
    figure.tight_layout(w_pad=1.0)
    return figure


def _label(ax: Any, labels: list[tuple[str, float]]) -> None:
    """Names right of the panel, apart from each other, in the order of the lines' ends."""
    ordered = sorted(labels, key=lambda label: label[1])
    for (name, end), height in zip(ordered, apart([end for _, end in ordered]), strict=True):
        ax.annotate(
            name,
            xy=(1.0, end),
            xytext=(1.04, height),
            xycoords="axes fraction",
            fontsize=7.5,
            va="center",
            color=_style(name)["color"],
            fontweight="bold" if name == OURS else "normal",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": "#999999", "linewidth": 0.5, "shrinkB": 0},
        )


def apart(ends: Sequence[float]) -> list[float]:
    """Heights in the same order, near the ascending ends, at least `BETWEEN` apart, at most 1.

    >>> [round(height, 3) for height in apart([0.2, 0.5, 0.98, 1.0])]
    [0.2, 0.5, 0.925, 1.0]
    """
    heights = list(ends)
    for k in range(1, len(heights)):
        heights[k] = max(heights[k], heights[k - 1] + BETWEEN)
    limit = 1.0
    for k in reversed(range(len(heights))):
        heights[k] = min(heights[k], limit)
        limit = heights[k] - BETWEEN
    return heights


def _style(name: str) -> dict[str, Any]:
    color, dash, width = STYLES.get(ALIASES.get(name, name), (GRAY, DOTTED, 1.0))
    return {
        "color": color,
        "linestyle": dash,
        "linewidth": width,
        "zorder": 3 if name == OURS else 2,
    }


def _data_profile(ax: Any, found: Panel, target: float) -> list[tuple[str, float]]:
    labels = []
    sizes = [run.n for run in next(iter(found.runs.values()))]
    most = max(run.budget / (run.n + 1) for made in found.runs.values() for run in made)
    for name, times in found.times(target).items():
        units = sorted(simplex_gradients(t, n) for t, n in zip(times, sizes, strict=True))
        reached = [unit for unit in units if unit <= most]
        shares = [(k + 1) / len(units) for k in range(len(reached))]
        end = shares[-1] if shares else 0.0
        ax.step([0.5, *reached, most], [0.0, *shares, end], where="post", **_style(name))
        labels.append((name, end))
    ax.set_xscale("log")
    ax.set_xlim(0.5, most)
    ax.set_ylim(0.0, 1.0)
    ax.set_xlabel("evaluations / (n + 1)", fontsize=8)
    ax.set_ylabel("share solved", fontsize=8)
    return labels


WIDEST = 32.0
"""The largest ratio of a performance profile that is drawn."""


def _performance_profile(ax: Any, found: Panel, target: float) -> list[tuple[str, float]]:
    labels = []
    for name, ratios in performance_ratios(found.times(target)).items():
        steps = sorted({1.0, WIDEST, *(ratio for ratio in ratios if ratio < WIDEST)})
        shares = [performance_profile(ratios, step) for step in steps]
        ax.step(steps, shares, where="post", **_style(name))
        labels.append((name, shares[-1]))
    ax.set_xscale("log", base=2)
    ax.set_xlim(1.0, WIDEST)
    ax.set_ylim(0.0, 1.0)
    ax.set_xticks([1, 2, 4, 8, 16, 32], ["1", "2", "4", "8", "16", "32"])
    ax.set_xlabel("evaluations / fewest", fontsize=8)
    ax.set_ylabel("share solved", fontsize=8)
    return labels


LOWEST, HIGHEST = 1e-6, 1.0


def _gaps(ax: Any, found: Panel, target: float) -> list[tuple[str, float]]:
    """Median relative gap against evaluations a variable, on the runs that reached the count."""
    labels = []
    for name, made in found.runs.items():
        points = []
        for count in MULTIPLES:
            gaps = [
                gap
                for run, low in zip(made, found.least, strict=True)
                if (gap := gap_after(run, low, count)) is not None
            ]
            if len(gaps) >= len(made) / 2:
                points.append((count, min(max(statistics.median(gaps), LOWEST), HIGHEST)))
        if not points:
            continue
        ax.plot(*zip(*points, strict=True), **_style(name))
        height = math.log(points[-1][1] / LOWEST) / math.log(HIGHEST / LOWEST)
        labels.append((name, height))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(LOWEST, HIGHEST)
    ax.set_xlabel("evaluations / n", fontsize=8)
    ax.set_ylabel("median gap", fontsize=8)
    return labels


def gap_after(run: Run, least: float, multiple: int) -> float | None:
    """The relative gap at the last record within multiple * n; None beyond the run's budget.

    >>> run = Run("p", "full", "", 2, "s", 0, 60, start=9.0, history="6:5 20:3 60:2")
    >>> [gap_after(run, 1.0, multiple) for multiple in (3, 10, 30, 100)]
    [0.5, 0.25, 0.125, None]
    """
    if multiple * run.n > run.budget:
        return None
    values = [value for count, value in run.records() if count <= multiple * run.n]
    return (values[-1] - least) / (run.start - least) if values and run.start > least else 1.0
