"""The report about what is missing or wrong, and the facts that it generates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import results
from benchmarks.environment import PATH as ENVIRONMENT
from benchmarks.methods import METHODS
from benchmarks.problems import SUITE
from benchmarks.report.beside_authors import authors_table
from benchmarks.report.board import NAMED, Board
from benchmarks.report.conditions import effort_of
from benchmarks.report.coverage import missing_cells, missing_seeds, missing_table, source_table
from benchmarks.report.violations import violation_tables
from benchmarks.trial import SAMPLED_CHECKPOINTS
from twins.small_board import OURS, line, run, unfit

# what is missing


def test_missing_cells_seeds_and_older_sources() -> None:
    rows = [
        *(row for seed in range(3) for row in run("lasso", OURS, {300: 0.5}, seed=seed)),
        *(row for seed in range(2) for row in run("lasso", "spsa", {300: 0.5}, seed=seed)),
        *run("lasso", "spsa", {300: 0.5}, seed=2, stage="grid", source="shorter"),
        *run("lasso", "fista-fd", {300: 0.5}),
        *run("lasso-stochastic", "fista-fd", {300: 0.5}, regime="stochastic", source="old"),
        *unfit("lasso", "nlopt-newuoa"),
    ]
    board = Board(rows)
    missing = missing_cells(board)
    assert len(missing) == len(SUITE) * len(METHODS) - 5
    assert ("lasso", "pycma") in missing
    assert missing_seeds(board, 3) == {("lasso", "spsa"): 1, ("lasso-stochastic", "fista-fd"): 2}
    shown = missing_table(board, 3)
    assert "| lasso | `spsa` | 1 of 3 seeds |" in shown
    assert "| lasso-stochastic | `fista-fd` | 2 of 3 seeds |" in shown
    assert "| large | `spsa` | all rows |" in shown
    made = source_table(board)
    assert line(made, "`abc`") == ["full", "3", "3", "1"]
    assert line(made, "`old`") == ["full", "1", "`fista-fd`", "1"]
    assert line(made, "`shorter`") == ["grid", "1", "`spsa`", "1"]


def test_nothing_is_missing() -> None:
    every = [(problem, method) for problem in SUITE for method in METHODS]
    board = Board([row for cell in every for row in run(*cell, {300: 0.5})])
    assert missing_table(board, 1).endswith("| none |  |  |")


def test_the_committed_rows_are_complete() -> None:
    rows = results.read()
    if not rows:
        pytest.skip("there are no rows yet")
    board = Board(rows)
    effort = effort_of(json.loads(ENVIRONMENT.read_text()))
    assert missing_cells(board) == []
    assert missing_seeds(board, effort.seeds) == {}


def test_a_gap_below_zero_is_an_error() -> None:
    with pytest.raises(
        ValueError, match=r"lasso/spsa: a gap below -1e-06, so the optimum is wrong"
    ):
        Board([*run("lasso", OURS, {300: 0.5}), *run("lasso", "spsa", {300: -2e-6}, stage="grid")])
    Board(run("lasso", "spsa", {300: -9e-7}))


# facts that are generated


def test_checkpoints_are_those_of_the_benchmark() -> None:
    assert set(NAMED) <= set(SAMPLED_CHECKPOINTS)


def test_violations() -> None:
    rows = [
        *run("lasso", OURS, {300: 0.5}),
        *(
            r
            for s in range(3)
            for r in run("portfolio", OURS, {300: 0.5}, violation=0.1 * s, seed=s)
        ),
        *run("portfolio", OURS, {100: 0.5}, violation=9.0),
        *run("portfolio", "spsa", {300: 0.5}, violation=1e-15),
        *unfit("portfolio", "pycma"),
    ]
    table = violation_tables(Board(rows))
    assert table.splitlines()[0] == "| distance | portfolio |"
    assert line(table, "`zoo-paper`") == ["0.1"]
    assert line(table, "`spsa`") == ["0"]
    assert line(table, "`pycma`") == ["–"]


def test_beside_the_authors(tmp_path: Path) -> None:
    path = tmp_path / "authors.csv"
    path.write_text(
        "problem,seed,seconds,objective,violation\n"
        "sensors-sample,0,0.5,-17.1,0.01\nsensors-sample,1,0.7,-17.3,0.03\n"
        "sensors-sample,2,0.6,-17.2,0.02\n"
    )
    table = authors_table(path)
    assert "| sensors-sample | theirs, in GNU Octave | 34 | -17.172 | 0.06 |" in table
    assert "| sensors-sample | ours | 0.6 | -17.2 | 0.02 |" in table
    assert "| groups-sample | theirs, in GNU Octave | 22 | 0.586 to 0.593 | none |" in table
    assert "| groups-sample | ours" not in table
