"""The figures of the trials, in total, by structure and by loss, and every offense by number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from benchmarks.trust.trials import Row

FALSE, SOLVED, VIOLATED = 1e-4, 1e-6, 1e-9
"""A gap that success must not have, one that counts as solved, and a violation that is one."""
MOST = 100
"""Numbers of problems listed for each kind of offense."""


def summary(rows: Sequence[Row]) -> str:
    """A page of tables."""
    head = [
        "# Random convex problems, judged",
        "",
        f"{len(rows)} problems of `python -m benchmarks.trust`, each with 300 (m + 1) evaluations; "
        "the judge is cvxpy with Clarabel at a gap of 1e-11. Problems for which it does not vouch "
        "for an optimum count neither as solved nor as false. A row is of the code that tried it: "
        "`--again` tries all of them with the present code.",
        "",
        "| | all |",
        "|---|---|",
        f"| points outside bounds | {sum(row.outside for row in rows)} |",
        f"| answers violated by more than {VIOLATED:g} | {_count(rows, _violated)} |",
        f"| success with a gap above {FALSE:g} | {_count(rows, _false)} |",
        f"| exceptions that name no argument | {_count(rows, _raised)} |",
        f"| refused | {_count(rows, lambda row: 'answered' in row.raised)} |",
        f"| without an optimum of the judge | {_count(rows, _unjudged)} |",
        f"| success and a gap of at most {SOLVED:g} | {_share(rows)} |",
        "",
    ]
    return "\n".join([*head, *_table("structure", rows), *_table("loss", rows), *_offenses(rows)])


def _violated(row: Row) -> bool:
    return row.violation > VIOLATED


def _false(row: Row) -> bool:
    return row.success and row.gap > FALSE


def _raised(row: Row) -> bool:
    return "RAISED" in row.raised


def _unjudged(row: Row) -> bool:
    return math.isnan(row.gap) and not row.raised


def _solved(row: Row) -> bool:
    return row.success and row.gap <= SOLVED


def _count(rows: Sequence[Row], offends: Callable[[Row], bool]) -> int:
    return sum(map(offends, rows))


def _share(rows: Sequence[Row]) -> str:
    judged = [row for row in rows if not math.isnan(row.gap)]
    solved = _count(judged, _solved)
    return f"{solved} of {len(judged)} ({100 * solved / max(1, len(judged)):.1f} %)"


def _table(by: str, rows: Sequence[Row]) -> list[str]:
    lines = [f"| {by} | solved | false success | violated | outside |", "|---|---|---|---|---|"]
    for name in sorted({getattr(row, by) for row in rows}):
        chosen = [row for row in rows if getattr(row, by) == name]
        lines.append(
            f"| {name} | {_share(chosen)} | {_count(chosen, _false)} | "
            f"{_count(chosen, _violated)} | {sum(row.outside for row in chosen)} |"
        )
    return [*lines, ""]


def _offenses(rows: Sequence[Row]) -> list[str]:
    kinds = {
        "violated": _violated,
        "false success": _false,
        "raised": _raised,
        "without an optimum of the judge": _unjudged,
    }
    lines = []
    for name, offends in kinds.items():
        numbers = [str(row.number) for row in rows if offends(row)]
        if numbers:
            lines.append(f"{name}: {' '.join(numbers[:MOST])}")
    return [*lines, ""] if lines else []
