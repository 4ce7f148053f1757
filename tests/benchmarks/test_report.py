"""The report says what the rows say: every figure here was worked out by hand."""

from __future__ import annotations

import doctest
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from benchmarks import results
from benchmarks.methods import METHODS
from benchmarks.report import __main__ as command
from benchmarks.report import ranks, targets, text
from benchmarks.report.board import ORDER, Board
from benchmarks.report.gaps import gap_tables, spread_table
from benchmarks.report.overview import regime_table
from benchmarks.report.pictures import draw, octaves
from benchmarks.report.places import filled, prose
from benchmarks.report.ranks import median_rank, median_ratio, rank_table, win_table, wins
from benchmarks.standings import chosen_runs
from twins.small_board import BOARD, CEILING, LASSO, OURS, TUNED, line, run

# the choice of rows


def test_only_full_runs_count() -> None:
    assert {row.constant for row in chosen_runs(LASSO) if row.method == TUNED} == {10.0}
    assert BOARD.gap("lasso", TUNED, 300) == 0.9


def test_medians_over_seeds() -> None:
    assert BOARD.gap("lasso", OURS, 30_000) == 0.3
    assert BOARD.gap("lasso", OURS, 300) == 0.8
    assert line(spread_table(BOARD, "full"), "lasso") == [
        "", "0.2 … 0.4", "1e-3", "`pycma`", "2e-3",
    ]  # fmt: skip


def test_the_methods_are_listed_in_an_order() -> None:
    assert set(ORDER) == set(METHODS)


# marks and digits


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3e-4, "3e-4"), (3.14e-4, "3.1e-4"), (0.00999, "0.01"), (0.0123, "0.012"), (0.5, "0.5"),
        (0.996, "1"), (31.4, "31"), (99.7, "100"), (120, "120"), (999, "1e3"), (0.0, "0"),
        (math.inf, "∞"), (math.nan, ""),
    ],
)  # fmt: skip
def test_two_digits(value: float, shown: str) -> None:
    assert text.digits(value) == shown


def test_examples_in_docstrings() -> None:
    for module in (text, targets, ranks):
        done = doctest.testmod(module)
        assert done.attempted > 0
        assert done.failed == 0


def test_marks_and_the_best_in_bold() -> None:
    table = gap_tables(BOARD, "full", BOARD.last)
    assert table.splitlines()[0] == "| at 30,000 | lasso | quadratic<br>1 |"
    assert line(table, "`zoo-paper`") == ["0.3", "0.1"]
    assert line(table, "`zoo-paper-tuned`") == ["**1e-3**", "0.019"]
    assert line(table, "`o-admm-tuned`") == ["1e-5", ""]
    assert line(table, "`spsa`") == ["0.4 c", "0.5 x"]
    assert line(table, "`scipy-lbfgsb`") == ["x", "**≤1e-6**"]
    assert line(table, "`nlopt-newuoa`") == ["–", ""]


def test_a_problem_that_ends_earlier_says_so() -> None:
    board = Board([*LASSO, *run("large", OURS, {300: 0.9, 10_000: 0.5})])
    assert "large<br>at 10,000" in gap_tables(board, "full", board.last)


def test_the_worst_of_the_seeds_is_marked() -> None:
    fine, late = run("lasso", OURS, {300: 0.5}), run("lasso", OURS, {300: 0.5}, seed=1)
    late = [replace(row, status="capped") for row in late]
    board = Board([*fine, *late, *run("lasso", OURS, {300: 0.5}, seed=2, status="ended")])
    assert line(gap_tables(board, "full", board.last), "`zoo-paper`") == ["**0.5 c**"]


def test_nobody_is_best_without_progress() -> None:
    board = Board(run("lasso", OURS, {300: 1.0}) + run("lasso", "spsa", {300: 1.5}))
    assert "**" not in gap_tables(board, "full", board.last)
    assert wins(board, ["lasso"], OURS, board.last) == (0, 0, 0)


def test_many_problems_make_several_tables() -> None:
    rows = [row for k in range(7) for row in run(f"p{k}", OURS, {300: 0.5})]
    table = gap_tables(Board(rows), "full", lambda problem: 300)
    assert [part.splitlines()[0].count("|") - 2 for part in table.split("\n\n")] == [4, 3]


# ranks


def test_ranks_leave_out_the_ceiling_and_our_other_method() -> None:
    assert [BOARD.rank("lasso", OURS, n) for n in (300, 1000, 30_000)] == [3, 3, 2]
    assert [BOARD.rank("lasso", TUNED, n) for n in (300, 1000, 30_000)] == [3, 2, 1]
    assert [BOARD.rank("quadratic-1", OURS, n) for n in (300, 30_000)] == [3, 3]


def test_ratios_to_the_best_peer() -> None:
    assert BOARD.ratio("lasso", OURS, 30_000) == pytest.approx(150)
    assert BOARD.ratio("lasso", TUNED, 30_000) == pytest.approx(0.5)
    assert BOARD.ratio("quadratic-1", OURS, 30_000) == pytest.approx(0.1 / 1e-6)
    assert median_rank(BOARD, "full", OURS, BOARD.last) == 2.5
    assert median_ratio(BOARD, "full", TUNED, BOARD.last) == pytest.approx((0.5 + 19_000) / 2)


def test_rank_table() -> None:
    table = rank_table(BOARD, "full")
    assert table.splitlines()[0] == "| problem | of | 300 | 1,000 | 30,000 | most in time |"
    assert line(table, "lasso")[0] == "4"
    assert line(table, "lasso")[3] == "2 / **1**<br>pycma<br>×150 / ×0.5<br>1 c"
    assert line(table, "quadratic-1")[3] == "3 / 3<br>scipy-lbfgsb<br>×1e5 / ×1.9e4"


def test_wins() -> None:
    rows = [
        row
        for method, gap in [("a", 1e-2), ("b", 1.09e-2), ("c", 1.9e-2), ("d", 2.1e-2)]
        for row in run("lasso", method, {300: gap})
    ]
    board = Board(rows + run("lasso", CEILING, {300: 1e-5}))
    found = {name: wins(board, ["lasso"], name, board.last) for name in "abcd"}
    assert found == {"a": (1, 1, 1), "b": (0, 1, 1), "c": (0, 0, 1), "d": (0, 0, 0)}
    assert line(win_table(BOARD, "full"), "`pycma`") == [
        "2", "1", "1", "1", "0", "0", "1", "0", "0", "1",
    ]  # fmt: skip
    assert CEILING not in win_table(BOARD, "full")


def test_the_table_of_regimes() -> None:
    assert line(regime_table(BOARD), "full") == [
        "2", "`zoo-paper-tuned` and `scipy-lbfgsb` (1)", "", "", "2.5 of 4", "×5e4", "2 of 4",
        "×9.5e3", "0", "0.5 of 3",
    ]  # fmt: skip


# files


PAGE = "# Title\n\n<!-- table: regimes -->\n<!-- end of table -->\n\nWe lose.\n"


def test_a_place_is_filled_and_again_the_same() -> None:
    once = filled(PAGE, {"regimes": "| new |"})
    assert "<!-- table: regimes -->\n\n| new |\n\n<!-- end of table -->" in once
    assert filled(once, {"regimes": "| new |"}) == once
    assert prose(once) == prose(PAGE) == "# Title\n\n\n\nWe lose.\n"
    assert filled("# Title\n", {}) == "# Title\n"
    with pytest.raises(ValueError, match="there is no table 'regimes'; there are costs"):
        filled(PAGE, {"costs": ""})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for problem in ("lasso", "quadratic-1"):
        for method in BOARD.methods:
            cell = [r for r in BOARD.rows if (r.problem, r.method) == (problem, method)]
            if cell:
                results.replace_cell(cell, tmp_path / "suite")
    for name in ("README.md", "SUMMARY.md"):
        (tmp_path / name).write_text(PAGE)
    return tmp_path


def words(folder: Path, *more: str) -> list[str]:
    return ["--results", str(folder), "--readme", str(folder / "README.md"), *more]


def test_the_command_writes_and_checks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def report(*more: str) -> None:
        monkeypatch.setattr("sys.argv", ["report", *words(folder, *more)])
        command.main()

    with pytest.raises(SystemExit, match=r"SUMMARY.md, README.md: tables that the rows do not"):
        report("--check")
    report()
    assert (folder / "SUMMARY.md").read_text() == filled(PAGE, {"regimes": regime_table(BOARD)})
    report("--check")
    changed = (folder / "README.md").read_text().replace("| full | 2 |", "| full | 3 |")
    (folder / "README.md").write_text(changed)
    with pytest.raises(SystemExit, match=r"^README.md: tables that the rows do not give"):
        report("--check")


def test_the_command_from_a_shell(folder: Path) -> None:
    called = [sys.executable, "-m", "benchmarks.report", *words(folder, "--check")]
    done = subprocess.run(called, capture_output=True, text=True, cwd=command.README.parents[1])
    assert done.returncode == 1
    assert done.stderr.startswith("SUMMARY.md, README.md: tables that the rows do not give")


def test_pictures(tmp_path: Path) -> None:
    noisy = run("noisy-0.1", OURS, {300: 0.5, 1000: 0.2}, regime="noisy")
    for path in draw(Board([*BOARD.rows, *noisy]), tmp_path):
        with Image.open(path) as picture:
            assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 3
        assert path.stat().st_size < 200_000


def test_profiles_are_drawn_to_the_largest_ratio() -> None:
    """The largest is 100, of lasso's 30,000 evaluations to 300, and 64 < 100 <= 128."""
    assert octaves(BOARD, ["full"]) == 7
    far = run("lasso", OURS, {300: 0.9, 300_000: 1e-3}) + run("lasso", "spsa", {300: 1e-3})
    assert octaves(Board(far), ["full"]) == 10
    assert octaves(Board(run("lasso", OURS, {300: 0.9})), ["full"]) == 1


def test_the_committed_texts_are_what_the_committed_rows_give() -> None:
    if not results.read():
        pytest.skip("there are no rows yet")
    assert command.outdated(command.texts(results.FOLDER.parent, command.README)) == []
