"""The page of the laws has the tables that its rows give."""

from __future__ import annotations

from benchmarks.laws import page
from benchmarks.report.places import filled


def test_the_tables_are_those_of_the_rows() -> None:
    text = page.PAGE.read_text()
    assert filled(text, page.tables()) == text
