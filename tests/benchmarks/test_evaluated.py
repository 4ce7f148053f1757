"""The tables of docs/evaluated-constraints.md against the rows they are made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.evaluated.__main__ import TABLE, in_part, profile
from benchmarks.evaluated.suite import places
from benchmarks.yardstick.runs import Run, read_table

PAGE = Path(__file__).parents[2] / "docs" / "evaluated-constraints.md"


@pytest.mark.parametrize("solvers", [("zoo", "cobyqa", "slsqp"), ("zoo", "nomad")])
def test_the_page_has_the_profile_of_the_rows(solvers: tuple[str, ...]) -> None:
    assert profile(read_table(TABLE), solvers) in PAGE.read_text()


def test_a_profile_counts_what_all_solvers_were_run_on() -> None:
    def row(problem: str, solver: str, history: str) -> Run:
        return Run(problem, "", "", 5, solver, 0, 5000, start=1.0, history=history)

    rows = [
        row("one", "a", "400:1e-6"),
        row("one", "b", "600:1e-6"),
        row("two", "a", "9:1e-4"),
        row("two", "b", "8:1e-9"),
        row("three", "a", "1:0"),
    ]
    lines = profile(rows, ["a", "b"]).splitlines()[2:]
    assert lines == ["| 5 | 2 | a | 1 | 1 |", "| 5 | 2 | b | 1 | 2 |"]


def test_the_part_has_two_functions_of_each_family() -> None:
    part = [place.function for place in places([5], [2]) if in_part(place)]
    assert part == [2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35, 38, 41]
