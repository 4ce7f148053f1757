"""The pictures: performance profiles, and gap against evaluations."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from benchmarks.report.board import FLOOR, ORDER, REGIMES, Board, in_order
from benchmarks.report.profiles import TARGETS, profile, share
from benchmarks.report.styles import style
from benchmarks.report.text import digits
from benchmarks.saved_figure import save

LOWEST, HIGHEST = FLOOR, 10.0
ACROSS = 3
LABELS = 6
"""Ratios named below a profile."""


def draw(board: Board, folder: Path) -> list[Path]:
    """Draw all of them into a folder."""
    pictures = {
        "profiles.png": profiles(board),
        "gaps-full.png": gaps(board, board.problems("full")),
        "gaps-sampled.png": gaps(board, board.problems("stochastic", "noisy")),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        save(figure, folder / name)
    return [folder / name for name in pictures]


def profiles(board: Board) -> Any:
    """One row a regime, one column a target."""
    regimes = [regime for regime in REGIMES if board.problems(regime)]
    widest = octaves(board, regimes)
    figure, axes = plt.subplots(
        len(regimes), len(TARGETS), figsize=(9.5, 2.6 * len(regimes) + 1.2), sharex=True,
        sharey=True, squeeze=False, layout="constrained",
    )  # fmt: skip
    for regime, row in zip(regimes, axes, strict=True):
        for target, ax in zip(TARGETS, row, strict=True):
            _profile_panel(ax, profile(board, regime, target), widest)
            number = len(board.problems(regime))
            ax.set_title(f"{regime}, gap ≤ {digits(target)} ({number} problems)", fontsize=9)
        row[0].set_ylabel("share of problems", fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("evaluations / fewest needed", fontsize=9)
    _legend(figure, axes)
    return figure


def octaves(board: Board, regimes: list[str]) -> int:
    """The least k >= 1 such that every finite ratio is at most 2^k."""
    found = [profile(board, regime, target) for regime in regimes for target in TARGETS]
    ratios = [ratio for by_method in found for some in by_method.values() for ratio in some]
    return max(1, math.ceil(math.log2(max((r for r in ratios if r < math.inf), default=1.0))))


def _profile_panel(ax: Any, ratios: dict[str, list[float]], widest: int) -> None:
    for method, found in ratios.items():
        steps = sorted({1.0, 2.0**widest, *(r for r in found if r < math.inf)})
        heights = [share(found, tau) for tau in steps]
        ax.step([math.log2(tau) for tau in steps], heights, where="post", **style(method))
    ax.set_xlim(0, widest)
    ax.set_ylim(-0.02, 1.02)
    every = -(-widest // LABELS)
    ax.set_xticks(range(0, widest + 1, every), [str(2**k) for k in range(0, widest + 1, every)])
    _plain(ax)


def gaps(board: Board, problems: list[str]) -> Any:
    """Small multiples over problems: median gap against evaluations, both on log scales."""
    down = max(1, -(-len(problems) // ACROSS))
    figure, axes = plt.subplots(
        down, ACROSS, figsize=(9.5, 2.1 * down + 1.2), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for ax in axes.flat[len(problems) :]:
        ax.set_axis_off()
    for problem, ax in zip(problems, axes.flat, strict=False):
        _gap_panel(ax, board, problem)
    for ax in axes[:, 0]:
        ax.set_ylabel("gap", fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("evaluations", fontsize=9)
    _legend(figure, axes)
    return figure


def _gap_panel(ax: Any, board: Board, problem: str) -> None:
    curves: dict[str, list[tuple[int, float]]] = {method: [] for method in board.methods}
    for (name, method, evaluations), figure in board.figures.items():
        if name == problem and math.isfinite(figure.gap):
            curves[method].append((evaluations, min(max(figure.gap, LOWEST), HIGHEST)))
    for method, points in curves.items():
        if points:
            ax.plot(*zip(*sorted(points), strict=True), **style(method))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(LOWEST / 1.5, HIGHEST * 1.2)
    ax.set_yticks([1e-6, 1e-4, 1e-2, 1.0])
    ax.minorticks_off()
    ax.axhline(1.0, color="#bbbbbb", linewidth=0.8, zorder=1)
    ax.set_title(problem, fontsize=9)
    _plain(ax)


def _plain(ax: Any) -> None:
    ax.grid(color="#e6e6e6", linewidth=0.6)
    ax.tick_params(labelsize=8, length=2, which="both")
    ax.spines[["top", "right"]].set_visible(False)


def _legend(figure: Any, axes: Any) -> None:
    """One for all panels, below them."""
    known: dict[str, Any] = {}
    for ax in axes.flat:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            known.setdefault(label, handle)
    names = in_order(set(known), ORDER)
    if names:
        figure.legend(
            [known[name] for name in names], names, loc="outside lower center", ncols=5,
            fontsize=8.5, frameon=False, handlelength=3,
        )  # fmt: skip
