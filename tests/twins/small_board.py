"""A few rows whose medians, ranks and ratios can be worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

from benchmarks.report.board import Board
from benchmarks.results import Row

OURS, TUNED, CEILING = "zoo-paper", "zoo-paper-tuned", "o-admm-tuned"
BLANK = Row(
    problem="lasso", regime="full", m=100, method=OURS, form="as it is", status="ran", constant=1.0,
    violation=0.0, peak_mib=8.0, source="abc",
)  # fmt: skip


def run(problem: str, method: str, gaps: dict[int, float], **other: object) -> list[Row]:
    """One run: rows with these gaps by checkpoint, a second for every 100 evaluations."""
    return [
        replace(
            BLANK, problem=problem, method=method, evaluations=n, used=n, gap=gap, seconds=n / 100,
            loss_seconds=n / 200, **other,
        )
        for n, gap in gaps.items()
    ]  # fmt: skip


def unfit(problem: str, method: str) -> list[Row]:
    return [Row(problem, "full", 100, method, "as it is", "unfit: too large")]


LASSO = [
    *run("lasso", OURS, {300: 0.9, 1000: 0.6, 30_000: 0.2}),
    *run("lasso", OURS, {300: 0.8, 1000: 0.5, 30_000: 0.4}, seed=1),
    *run("lasso", OURS, {300: 0.7, 1000: 0.7, 30_000: 0.3}, seed=2),
    *run("lasso", TUNED, {300: 0.5, 1000: 0.4, 30_000: 5e-2}, constant=0.1, stage="grid"),
    *run("lasso", TUNED, {300: 0.8, 1000: 0.3, 30_000: 2e-3}, constant=10.0, stage="grid"),
    *run("lasso", TUNED, {300: 0.9, 1000: 0.3, 30_000: 1e-3}, constant=10.0),
    *run("lasso", CEILING, {300: 0.1, 1000: 1e-2, 30_000: 1e-5}),
    *run("lasso", "pycma", {300: 0.6, 1000: 0.09, 30_000: 2e-3}),
    *run("lasso", "spsa", {300: 0.4, 1000: 0.4, 30_000: 0.4}, status="capped"),
    *run("lasso", "scipy-lbfgsb", {300: math.inf, 1000: math.inf, 30_000: math.inf}),
    *unfit("lasso", "nlopt-newuoa"),
]
QUADRATIC = [
    *run("quadratic-1", OURS, {300: 0.9, 1000: 0.8, 30_000: 0.1}),
    *run("quadratic-1", TUNED, {300: 0.9, 1000: 0.8, 30_000: 1.9e-2}),
    *run("quadratic-1", "pycma", {300: 0.6, 1000: 0.05, 30_000: 1e-2}),
    *run("quadratic-1", "scipy-lbfgsb", {300: 1e-8, 1000: -1e-9, 30_000: 1e-7}, status="ended"),
    *run("quadratic-1", "spsa", {300: 0.9, 1000: 0.5, 30_000: 0.5}, status="failed: OSError"),
]
BOARD = Board(LASSO + QUADRATIC)


def line(table: str, start: str) -> list[str]:
    """The cells of the table's line that begins with this."""
    found = [row for row in table.splitlines() if row.startswith(f"| {start} |")]
    assert len(found) == 1, table
    return [part.strip() for part in found[0].strip("|").split("|")][1:]
