"""The whole of `results/SUMMARY.md`."""

from __future__ import annotations

from typing import Any

from benchmarks.report.board import REGIMES, Board
from benchmarks.report.conditions import conditions
from benchmarks.report.costs import LARGEST, SMALLEST, cost_table
from benchmarks.report.forms import form_table
from benchmarks.report.gaps import gap_tables, spread_table
from benchmarks.report.ranks import lateness, rank_table, win_table
from benchmarks.report.support import support_table
from benchmarks.report.targets import time_table
from benchmarks.report.text import digits
from benchmarks.report.units import unit_table
from benchmarks.report.verdict import WHAT, sentences
from benchmarks.report.violations import ROUNDING, violation_tables
from benchmarks.run import SUPPORT_TOLERANCE

MADE_BY = "<!-- made by python -m benchmarks.report from the rows in suite/; do not edit -->"
TARGETS = {"full": (1e-2,), "stochastic": (1e-1, 1e-2), "noisy": (1e-1, 1e-2)}
PICTURES = {"full": "gaps-full.png", "stochastic": "gaps-sampled.png", "noisy": "gaps-sampled.png"}


def summary(board: Board, environment: dict[str, Any], beside_authors: str) -> str:
    """All sections, from what is most asked to what is least."""
    regimes = [regime for regime in REGIMES if board.problems(regime)]
    parts = [
        MADE_BY,
        "# The suite",
        *(_in_short(board, regime) for regime in regimes),
        "![Performance profiles](profiles.png)\n\nThe share of problems on which a method needs at "
        "most so many times the evaluations of the method that needs the fewest (Dolan and Moré). "
        "A run that was out of time before the target counts as not having reached it.",
        "## How it was run",
        conditions(board, environment),
        "## Gaps",
        *(_gaps(board, regime) for regime in regimes),
        "## Where we stand",
        "Ranks of `zoo-auto` / `zoo-paper` / `zoo-paper-tuned` among as many methods as the column "
        "*of* says; then the best peer, our gaps over its gap (above ×1 the peer is ahead), and "
        "how many peers were out of time (`3 c`: three). The last column: the same at the last "
        "checkpoint that most peers reached in time.",
        *(_standing(board, regime) for regime in regimes),
        *_rest(board, regimes),
        *_others(board, beside_authors),
    ]
    return "\n\n".join(parts) + "\n"


def _in_short(board: Board, regime: str) -> str:
    lines = [f"- {sentence}" for sentence in sentences(board, regime)]
    return "\n".join([f"**{WHAT[regime].capitalize()}** ({regime}).", "", *lines])


def _gaps(board: Board, regime: str) -> str:
    return "\n\n".join(
        [
            f"### {WHAT[regime].capitalize()}",
            "At the end:",
            gap_tables(board, regime, board.last),
            "Early:",
            gap_tables(board, regime, board.early),
            "Lowest … highest gap over the seeds, at the end:",
            spread_table(board, regime),
            f"![Gap against evaluations]({PICTURES[regime]})",
        ]
    )


def _standing(board: Board, regime: str) -> str:
    return "\n\n".join(
        [
            f"### {WHAT[regime].capitalize()}: ranks",
            rank_table(board, regime),
            f"On how many problems each is the best, or near it; at the end "
            f"{lateness(board, regime, board.last)}:",
            win_table(board, regime),
        ]
    )


def _rest(board: Board, regimes: list[str]) -> list[str]:
    """Supports, violations, costs, slow losses."""
    return [
        "## Which nonzeros are found",
        f"At the end, on the sparse problems; an entry counts as nonzero above "
        f"{digits(SUPPORT_TOLERANCE)} of the largest.",
        support_table(board),
        "## How far answers are from feasible",
        f"The distance from a method's own answer to the nearest feasible point, at the end, "
        f"medians over seeds; 0 for at most {digits(ROUNDING)}. Gaps are those of the nearest "
        f"feasible point. Other problems have no constraints, or only feasible answers.",
        violation_tables(board),
        "## What it costs",
        f"Time outside the loss for each evaluation, and memory that a run added at its peak: "
        f"medians over the problems with {SMALLEST} to {LARGEST} variables. How "
        f"runs ended (out of time, stopped by themselves, diverged, failed): over all problems.",
        cost_table(board),
        "## When the loss is slow",
        "Time to the first checkpoint with a gap as low as the target, had every evaluation taken "
        "so much longer, one after the other; medians over seeds. Ours: `zoo-auto` / `zoo-paper` / "
        "`zoo-paper-tuned`. `> 5 min c`: out of time before, so that more than this is needed; "
        "`–`: not reached by the end. The fastest peer is the fastest of those that reached the "
        "target. Bold: faster than all others, and than all that were out of time can have been.",
        *(_slow(board, regime, target) for regime in regimes for target in TARGETS[regime]),
    ]


def _others(board: Board, beside_authors: str) -> list[str]:
    """Units, the authors' program if there are figures, forms."""
    return [
        "## Other units",
        "F times 1e-3 and 1e3, variables times 1e-2 and 1e2, constants chosen anew for each. A "
        "user who does not choose sees the row of `zoo-auto`.",
        unit_table(board),
        *(["## The authors' program", beside_authors] if beside_authors else []),
        "## In which form a problem reaches a method",
        "A stochastic version is named where its form is not that of its original.",
        form_table(board),
    ]


def _slow(board: Board, regime: str, target: float) -> str:
    title = f"### {WHAT[regime].capitalize()}, to a gap of {digits(target)}"
    return f"{title}\n\n{time_table(board, regime, target)}"
