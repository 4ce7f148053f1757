"""The page of both laws: its tables are made from the rows."""

from __future__ import annotations

from benchmarks.laws import budgets, sizes
from benchmarks.report.places import filled
from benchmarks.row_files import read

PAGE = budgets.ROWS.parent / "README.md"


def tables() -> dict[str, str]:
    """The tables by their names on the page."""
    return {
        "budgets": budgets.report(read(budgets.ROWS, budgets.BudgetRow)),
        "sizes": sizes.report(read(sizes.ROWS, sizes.SizeRow)),
    }


def written() -> None:
    PAGE.write_text(filled(PAGE.read_text(), tables()))
