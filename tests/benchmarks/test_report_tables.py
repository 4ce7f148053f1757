"""Targets, supports, costs, units, forms and conditions in the report, worked out by hand."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from benchmarks.environment import record
from benchmarks.report.board import Board
from benchmarks.report.conditions import effort_table, environment_table
from benchmarks.report.costs import cost_table, overhead
from benchmarks.report.forms import form_table
from benchmarks.report.grids import grid_table
from benchmarks.report.profiles import profile, share
from benchmarks.report.support import support_table
from benchmarks.report.targets import evaluations_of, reached, seconds_after, time_table
from benchmarks.report.units import unit_table
from benchmarks.run import Effort
from twins.small_board import BOARD, CEILING, OURS, TUNED, line, run, unfit

# targets


def test_evaluations_to_a_target() -> None:
    needed = reached(BOARD, 1e-1, evaluations_of)
    assert needed["lasso", "pycma"] == 1000
    assert needed["quadratic-1", "scipy-lbfgsb"] == 300
    assert needed["quadratic-1", OURS] == 30_000
    assert needed["lasso", OURS] == math.inf


def test_half_of_the_seeds_is_not_enough() -> None:
    one = run("lasso", OURS, {300: 1e-3}) + run("lasso", OURS, {300: 0.5}, seed=1)
    assert reached(Board(one), 1e-2, evaluations_of)["lasso", OURS] == math.inf
    two = one + run("lasso", OURS, {300: 1e-3}, seed=2)
    assert reached(Board(two), 1e-2, evaluations_of)["lasso", OURS] == 300


def test_a_gap_that_rises_again_had_reached_the_target() -> None:
    board = Board(run("lasso", OURS, {300: 1e-3, 1000: 0.5}))
    assert reached(board, 1e-2, evaluations_of)["lasso", OURS] == 300


def test_profiles() -> None:
    ratios = profile(BOARD, "full", 1e-1)
    assert ratios["pycma"] == [1.0, pytest.approx(10 / 3)]
    assert ratios["scipy-lbfgsb"] == [1.0, math.inf]
    assert ratios[TUNED] == [30.0, 100.0]
    assert ratios[OURS] == [100.0, math.inf]
    assert CEILING not in ratios
    assert [share(ratios["pycma"], tau) for tau in (1, 3, 4)] == [0.5, 0.5, 1.0]


def test_an_unfit_problem_counts_as_never() -> None:
    board = Board([*BOARD.rows, *run("lasso", "a", {300: 0.5}), *unfit("quadratic-1", "a")])
    assert profile(board, "full", 1e-1)["a"] == [math.inf, math.inf]


def test_time_to_a_target_when_the_loss_is_slow() -> None:
    assert reached(BOARD, 1e-2, seconds_after(0.1))["lasso", "pycma"] == pytest.approx(3300)
    table = line(time_table(BOARD, "full", 1e-2), "lasso")
    assert table[:2] == ["`pycma` 5 min", "– / – / 5 min"]
    quadratic = line(time_table(BOARD, "full", 1e-2), "quadratic-1")
    assert quadratic == [
        "`scipy-lbfgsb` **3 s**", "– / – / –", "`scipy-lbfgsb` **3.3 s**", "– / – / –",
        "`scipy-lbfgsb` **33 s**", "– / – / –",
    ]  # fmt: skip


# the other tables


def test_supports() -> None:
    rows = [
        *run("lasso", OURS, {300: 0.1}, precision=0.2, recall=1.0),
        *run("lasso", OURS, {300: 0.1}, precision=0.5, recall=0.9, seed=1),
        *run("lasso", OURS, {300: 0.1}, precision=0.8, recall=0.1, seed=2),
        *run("lasso", "spsa", {300: math.inf}),
        *unfit("lasso", "pycma"),
        *run("portfolio", OURS, {300: 0.1}),
    ]
    table = support_table(Board(rows))
    assert table.splitlines()[0] == "| precision / recall | lasso |"
    assert line(table, "`zoo-paper`") == ["0.5 / 0.9"]
    assert line(table, "`spsa`") == ["x"]
    assert line(table, "`pycma`") == ["–"]


def test_costs() -> None:
    """A second and half of it in the loss for 100 evaluations: 5000 microseconds each."""
    assert overhead(BOARD.chosen) == pytest.approx(5000)
    table = cost_table(BOARD)
    assert line(table, "`spsa`") == ["5e3", "8", "2", "1", "0", "0", "1"]
    assert line(table, "`scipy-lbfgsb`") == ["5e3", "8", "2", "0", "1", "0", "0"]
    assert line(table, "`zoo-paper`")[2] == "4"


def test_costs_are_compared_on_problems_of_like_size() -> None:
    small = run("quadratic-1", OURS, {300: 0.1}, m=10, peak_mib=90.0)
    rescaled = run("lasso@loss1e3", OURS, {300: 0.1}, peak_mib=90.0)
    table = cost_table(Board([*run("lasso", OURS, {300: 0.1}), *small, *rescaled]))
    assert line(table, "`zoo-paper`") == ["5e3", "8", "2", "0", "0", "0", "0"]


def test_units() -> None:
    rows = [
        *run("lasso", OURS, {300: 0.5}),
        *run("lasso", "spsa", {300: 0.5}),
        *run("lasso@loss1e-3", OURS, {300: 0.9}),
        *run("lasso@unit1e2", OURS, {300: math.inf}),
    ]
    table = unit_table(Board(rows))
    assert line(table, "lasso") == ["`zoo-paper`", "0.5", "0.9", "", "", "x"]
    assert Board(rows).problems("full") == ["lasso"]


def test_forms() -> None:
    given = {"lasso": "phi added", "lasso-stochastic": "phi added", "portfolio": "bounds"}
    rows = [row for problem in given for row in run(problem, OURS, {300: 0.5})]
    for problem, form in given.items():
        rows += run(problem, "spsa", {300: 0.5}, form=form)
        rows += run(problem, "pycma", {300: 0.5}, form=form)
    rows += [*unfit("lasso", "nlopt-newuoa"), *run("lasso@loss1e3", OURS, {300: 0.5}, form="other")]
    table = form_table(Board(rows))
    assert line(table, "`zoo-paper`") == ["as it is", "all"]
    assert "| `spsa`, `pycma` | phi added | lasso |" in table
    assert "| `spsa`, `pycma` | bounds | portfolio |" in table
    assert "| `nlopt-newuoa` | unfit: too large | lasso |" in table
    assert "| `nlopt-newuoa` | not run | portfolio and lasso-stochastic |" in table
    assert "other" not in table


def test_conditions(tmp_path: Path) -> None:
    record(Effort(seeds=5, max_seconds=7.0), tmp_path / "environment.json")
    environment = json.loads((tmp_path / "environment.json").read_text())
    made = environment_table(environment)
    assert line(made, "Python") == [sys.version.split()[0]]
    assert line(made, "numpy") == [environment["versions"]["numpy"]]
    assert line(effort_table(environment), "full") == ["5", "30,000", "7"]
    assert line(effort_table(environment), "stochastic, noisy") == ["5", "300,000", "4"]
    assert "no `environment.json`" in environment_table({})


def test_constants_at_an_end_of_their_grid() -> None:
    assert line(grid_table(BOARD), "`zoo-paper-tuned`") == ["0.1, 10", "0", "1", "1"]
    tried = [
        row
        for problem, best in [("lasso", 1.0), ("portfolio", 2.0), ("large", 4.0), ("lasso@a", 1.0)]
        for row in [
            *(
                r
                for c in (1.0, 2.0, 4.0)
                for r in run(problem, "spsa", {300: c}, constant=c, stage="grid")
            ),
            *run(problem, "spsa", {300: 0.5}, constant=best),
        ]
    ]
    assert line(grid_table(Board(tried)), "`spsa`") == ["1, 2, 4", "1", "1", "3"]
