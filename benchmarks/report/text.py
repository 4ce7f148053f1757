"""Numbers and tables as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from benchmarks.report.board import FLOOR, Board

UNFIT, NOWHERE, NEVER = "–", "", "–"
MARKS = {"capped": " c", "diverged": " d", "failed": " x"}
COLUMNS = 6
"""Problems side by side in one table."""


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
    """The median gap with its mark: c out of time, d diverged, x failed."""
    figure = board.figures.get((problem, method, evaluations))
    if figure is None:
        return blank(board, problem, method)
    mark = MARKS.get(figure.status, "")
    return gap_text(figure.gap) + mark if math.isfinite(figure.gap) else mark.strip() or "x"


def blank(board: Board, problem: str, method: str) -> str:
    """What stands for a cell without figures: – unfit, x failed at once, empty where not run."""
    if (problem, method) in board.unfit:
        return UNFIT
    return "x" if (problem, method) in board.started else NOWHERE


def times(ratio: float) -> str:
    """A ratio of gaps."""
    return "" if math.isnan(ratio) else f"×{digits(ratio)}"


def bold(text: str) -> str:
    return f"**{text}**"


def code(name: str) -> str:
    """A method's name; empty where there is none."""
    return f"`{name}`" if name else ""


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


def side_by_side(problems: list[str]) -> list[list[str]]:
    """The problems in even parts that fit into one table each."""
    parts = -(-len(problems) // COLUMNS)
    size = -(-len(problems) // max(parts, 1))
    return [problems[first : first + size] for first in range(0, len(problems), max(size, 1))]


def stacked(problem: str) -> str:
    """A problem's name as the head of a narrow column."""
    family, _, detail = problem.partition("-")
    return f"{family}<br>{detail.replace('-', '<br>')}" if detail else family
