"""The report about runs that were out of time."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from benchmarks import results
from benchmarks.report.board import Board
from benchmarks.report.coverage import missing_seeds
from benchmarks.report.gaps import gap_tables
from benchmarks.report.overview import regime_table
from benchmarks.report.ranks import clear_leads, field, rank_table, win_table
from benchmarks.report.targets import seconds_after, time_table, waits
from twins.small_board import BOARD, OURS, TUNED, line, run, unfit


def capped(method: str, gaps: dict[int, float], after: int, **other: object) -> list[results.Row]:
    """A run on the lasso that is out of time after so many evaluations, 100 a second."""
    return [
        row
        if row.evaluations <= after
        else replace(row, used=after, seconds=after / 100, status="capped")
        for row in run("lasso", method, gaps, **other)
    ]


LATE = [
    *run("lasso", OURS, {300: 0.5, 1000: 0.3, 3000: 0.1}),
    *run("lasso", "spsa", {300: 0.8, 1000: 0.6, 3000: 0.5}),
    *capped("pycma", {300: 0.9, 1000: 0.2, 3000: 0.2}, 1000),
    *capped("fista-fd", {300: 0.9, 1000: 0.9, 3000: 0.9}, 500),
    *run("lasso", "scipy-lbfgsb", {300: 0.9, 1000: 0.7, 3000: 0.7}, status="ended"),
]

# comparisons against runs that were out of time


def test_the_last_checkpoint_that_most_peers_reached_in_time() -> None:
    board = Board(LATE)
    assert board.capped("lasso", 3000) == ["fista-fd", "pycma"]
    assert board.in_time("lasso", 3000) == ["spsa", "scipy-lbfgsb"]
    assert board.common("lasso") == 1000, "half of them is not most"
    assert (
        Board([*LATE, *run("lasso", "a", {300: 1.0, 1000: 1.0, 3000: 1.0})]).common("lasso") == 3000
    )
    assert (board.rank("lasso", OURS, 1000), board.rank("lasso", OURS, 3000)) == (2, 1)
    assert line(rank_table(board, "full"), "lasso")[-2:] == [
        "**1**<br>pycma<br>×0.5<br>2 c",
        "at 1,000:<br>2<br>pycma<br>×1.5<br>1 c",
    ]
    assert line(win_table(board, "full"), "`pycma`")[4:] == ["1", "1", "1", "0", "0", "1"]


def test_failed_and_diverged_runs_are_not_in_time() -> None:
    for status in ("failed: OSError", "diverged"):
        board = Board([*LATE, *run("lasso", "a", {300: 1.0, 1000: 1.0, 3000: 1.0}, status=status)])
        assert board.common("lasso") == 1000
        assert "a" not in board.capped("lasso", 3000)


def test_the_table_of_regimes_counts_peers_that_were_out_of_time() -> None:
    assert line(regime_table(Board(LATE)), "full")[-1] == "2 of 4"


def test_a_diverged_run_is_marked() -> None:
    rows = run("lasso", OURS, {300: 3.0}, status="diverged")
    rows += run("lasso", TUNED, {300: math.inf}, status="diverged")
    table = gap_tables(Board(rows), "full", lambda problem: 300)
    assert line(table, "`zoo-paper`") == ["3 d"]
    assert line(table, "`zoo-paper-tuned`") == ["d"]


def test_a_run_that_died_is_marked() -> None:
    died = [replace(unfit("lasso", "spsa")[0], status="failed: the process died")]
    board = Board([*run("lasso", OURS, {300: 0.5}), *died])
    assert line(gap_tables(board, "full", board.last), "`spsa`") == ["x"]
    assert missing_seeds(board, 1) == {("lasso", "spsa"): 1}


# clear leads


@pytest.mark.parametrize(
    ("ours", "theirs", "status", "clear"),
    [
        ((0.1, 0.2), (0.3, 0.4), "ran", True),
        ((0.1, 0.3), (0.2, 0.4), "ran", False),  # within the spread
        ((0.1, 0.2), (0.3, 0.4), "capped", False),  # against nobody in time
        ((1e-7, 1e-8), (1e-6, 1e-7), "ran", False),  # a tie at the floor
        ((1.5, 1.5), (2.0, 2.0), "ran", False),  # no progress
    ],
)
def test_a_clear_lead(
    ours: tuple[float, ...], theirs: tuple[float, ...], status: str, clear: bool
) -> None:
    rows = [row for s, gap in enumerate(ours) for row in run("lasso", OURS, {300: gap}, seed=s)]
    for seed, gap in enumerate(theirs):
        rows += run("lasso", "spsa", {300: gap}, seed=seed, status=status)
    board = Board(rows)
    assert clear_leads(board, "full", OURS) == (["lasso"] if clear else [])


def test_the_field_of_a_method_is_that_of_its_problems() -> None:
    more = [
        *run("large", OURS, {300: 0.9, 10_000: 0.5}),
        *run("large", "spsa", {300: 0.9, 10_000: 0.7}),
    ]
    board = Board([*BOARD.rows, *more])
    assert field(board, "full", OURS) == "2 to 4"
    assert field(board, "full", TUNED) == "4"


def test_where_nobody_is_best_the_table_says_so() -> None:
    stuck = Board(run("lasso", OURS, {300: 1.5}) + run("lasso", "spsa", {300: 1.2}))
    assert line(regime_table(stuck), "full")[:2] == ["1", "nobody"]


# bounds on time


def test_a_run_out_of_time_is_a_bound_and_not_never() -> None:
    """pycma made 1,000 evaluations in 10 s, fista-fd 500 in 5 s; ours is there after 30 s."""
    found = waits(Board(LATE), 0.1, 0.1)
    assert (found["lasso", "pycma"].least, found["lasso", "pycma"].most) == (110.0, math.inf)
    assert str(found["lasso", "pycma"]) == "> 110 s c"
    assert str(found["lasso", "fista-fd"]) == "> 55 s c"
    assert str(found["lasso", "scipy-lbfgsb"]) == "–"
    assert str(found["lasso", OURS]) == "5.5 min"
    assert line(time_table(Board(LATE), "full", 0.1), "lasso")[4:] == [
        "`fista-fd` > 55 s c",
        "– / 5.5 min / –",
    ]


def test_ours_is_bold_only_below_every_bound() -> None:
    first = [
        *run("lasso", OURS, {300: 0.1, 1000: 0.1}),
        *run("lasso", "spsa", {300: 0.5, 1000: 0.1}),
    ]
    slow = capped("pycma", {300: 0.9, 1000: 0.9}, 400)
    fast = capped("pycma", {300: 0.9, 1000: 0.9}, 200)
    assert line(time_table(Board(first + slow), "full", 0.1), "lasso")[:2] == [
        "`spsa` 10 s",
        "– / **3 s** / –",
    ]
    assert line(time_table(Board(first + fast), "full", 0.1), "lasso")[:2] == [
        "`spsa` 10 s",
        "– / 3 s / –",
    ]


def test_the_median_of_times_and_bounds() -> None:
    """Of 10 s, more than 5 s and 30 s the median is at least 10 s; of 3 s, 10 s and more, 10 s."""
    ten, thirty = ({300: 0.5, 1000: 0.1, 3000: 0.1}, {300: 0.5, 1000: 0.5, 3000: 0.1})
    cut = capped("spsa", {300: 0.9, 1000: 0.9, 3000: 0.9}, 500, seed=2)
    rows = [*run("lasso", "spsa", ten), *run("lasso", "spsa", thirty, seed=1), *cut]
    assert str(waits(Board(rows), 0.1, 0.0)["lasso", "spsa"]) == "> 10 s c"
    late = capped("spsa", {300: 0.9, 1000: 0.9, 3000: 0.9}, 2000, seed=2)
    rows = [*run("lasso", "spsa", ten), *run("lasso", "spsa", {300: 0.1}, seed=1), *late]
    assert str(waits(Board(rows), 0.1, 0.0)["lasso", "spsa"]) == "10 s"
    assert seconds_after(0.5)(late[-1]) == 1020.0
