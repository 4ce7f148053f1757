"""Numbers and tables as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from benchmarks.report.board import FLOOR, Board

UNFIT, NOWHERE, NEVER = "–", "", "–"


def digits(value: float) -> str:
    """Two significant digits.

    >>> [digits(value) for value in (3.04e-4, 0.0123, 0.5, 99.7, 12345.0)]
    ['3e-4', '0.012', '0.5', '100', '1.2e4']
    """
    if math.isnan(value):
        return NOWHERE
    if math.isinf(value):
        return "∞"
    mantissa, exponent = f"{value:.1e}".split("e")
    if -2 <= int(exponent) <= 2 or value == 0:
        return f"{float(f'{value:.1e}'):g}"
    return f"{float(mantissa):g}e{int(exponent)}"


def gap_text(gap: float) -> str:
    """A gap; one below what optima are known to is said to be so."""
    return f"≤{digits(FLOOR)}" if gap <= FLOOR else digits(gap)


def cell(board: Board, problem: str, method: str, evaluations: int) -> str:
    """The median gap with its marks: c out of time, x failed, – unfit, empty where nothing ran."""
    figure = board.figures.get((problem, method, evaluations))
    if figure is None:
        return UNFIT if (problem, method) in board.unfit else NOWHERE
    if not math.isfinite(figure.gap):
        return "x"
    mark = {"capped": " c", "failed": " x"}.get(figure.status.partition(":")[0], "")
    return gap_text(figure.gap) + mark


def times(ratio: float) -> str:
    """A ratio of gaps."""
    return "" if math.isnan(ratio) else f"×{digits(ratio)}"


def bold(text: str) -> str:
    return f"**{text}**"


def count(number: int) -> str:
    """With a comma between thousands."""
    return f"{number:,}"


def listed(names: Iterable[str]) -> str:
    """One, one and two, or one, two and three."""
    names = list(names)
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, the first column to the left and the others to the right."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def stacked(problem: str) -> str:
    """A problem's name as the head of a narrow column."""
    family, _, detail = problem.partition("-")
    return f"{family}<br>{detail.replace('-', '<br>')}" if detail else family
