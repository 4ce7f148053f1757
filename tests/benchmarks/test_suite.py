"""The machinery of the suite on a small budget: rows, resuming, reruns. Figures are not judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import results
from benchmarks.__main__ import main, scaled_cells, selected, suite_cells
from benchmarks.methods import METHODS
from benchmarks.problems import build
from benchmarks.run import Effort, cell, run
from benchmarks.standings import strongest_peers

NO_DATA = ["completion", "portfolio-stochastic", "noisy-0.1"]
"""A problem of every regime that needs no data from elsewhere."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("problem", NO_DATA)
def test_every_method_gives_rows(problem: str, method: str) -> None:
    grid = METHODS[method].grid(build(problem))
    effort = Effort(seeds=1, max_seconds=0.1, max_evaluations=300, sampled_seconds=0.1)
    rows = run(build(problem), METHODS[method], grid[len(grid) // 2], 0, effort, "full")
    assert [row.evaluations for row in rows] == [300]
    assert_sound(rows, method)


@pytest.mark.parametrize("method", ["zoo-paper", "zo-prox-sgd", "pycma"])
@pytest.mark.parametrize("problem", NO_DATA)
def test_a_cell_has_its_whole_grid_and_one_constant_in_full(problem: str, method: str) -> None:
    rows = cell(
        problem, method, Effort(seeds=1, max_seconds=0.1, max_evaluations=550, sampled_seconds=0.1)
    )
    assert {row.evaluations for row in rows} == {300, 550}
    assert {row.constant for row in rows} == set(METHODS[method].grid(build(problem)))
    assert len({row.constant for row in rows if row.stage == "full"}) == 1
    assert_sound(rows, method)


def assert_sound(rows: list[results.Row], method: str) -> None:
    assert {row.method for row in rows} == {method}
    for row in rows:
        assert row.used <= row.evaluations
        assert row.gap > -1e-6
        assert not row.status.startswith("failed"), row.status


def test_other_seeds_run_with_the_best_constant_only() -> None:
    rows = cell("quadratic-1", "zo-prox-sgd", Effort(2, 5.0, 300))
    second = {row.constant for row in rows if row.seed == 1}
    least = min((row for row in rows if row.stage == "grid"), key=lambda row: row.gap)
    assert second == {least.constant}
    counted = [row for row in rows if row.stage == "full"]
    assert {(row.constant, row.seed) for row in counted} == {(least.constant, s) for s in (0, 1)}


def test_a_method_that_does_not_fit_says_why() -> None:
    (row,) = cell("large", "scipy-lbfgsb", Effort(1, 1.0, 300))
    assert row.status == "unfit: a gradient costs more than the budget"


def test_the_same_seed_gives_the_same_gaps() -> None:
    effort = Effort(1, 60.0, 1000)
    first, again = (cell("portfolio-stochastic", "zoo-paper", effort) for _ in range(2))
    assert [row.gap for row in first] == [row.gap for row in again]


def test_rows_survive_the_file(tmp_path: Path) -> None:
    rows = cell("quadratic-1", "zoo-paper", Effort(1, 5.0, 1000))
    results.replace_cell(rows, tmp_path)
    read, written = results.read(tmp_path), results.path_of("quadratic-1", tmp_path).read_bytes()
    assert [(row.evaluations, row.status) for row in read] == [
        (row.evaluations, row.status) for row in rows
    ]
    assert [row.gap for row in read] == pytest.approx([row.gap for row in rows], rel=1e-3)
    results.replace_cell(read, tmp_path)
    assert results.path_of("quadratic-1", tmp_path).read_bytes() == written


def test_what_is_done_is_not_done_again_unless_asked_for(tmp_path: Path) -> None:
    results.replace_cell(cell("quadratic-1", "zoo-paper", Effort(1, 5.0, 300)), tmp_path)
    cells = suite_cells()
    assert set(cells) - set(selected(cells, "", tmp_path)) == {("quadratic-1", "zoo-paper")}
    assert selected(cells, "quadratic-1/zoo* lasso/spsa", tmp_path) == [
        ("lasso", "spsa"),
        ("quadratic-1", "zoo-auto"),
        ("quadratic-1", "zoo-paper"),
        ("quadratic-1", "zoo-paper-tuned"),
    ]


def test_other_units_go_to_the_strongest_peers(tmp_path: Path) -> None:
    effort = Effort(1, 5.0, 3000)
    rows = [row for m in ("fista-fd", "zo-prox-sgd", "spsa") for row in cell("lasso", m, effort)]
    assert strongest_peers(rows, "lasso", 1) == ["fista-fd"]
    assert ("lasso@loss1e3", "fista-fd") in scaled_cells(rows)
    assert ("cox-kirc-0.2@loss1e3", "fista-fd") not in scaled_cells(rows)


def test_the_command_runs_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = (
        f"benchmarks --results {tmp_path} --seeds 1 --evaluations 300 --workers 1 --only".split()
    )
    monkeypatch.setattr("sys.argv", [*words, "quadratic-1*/zoo-paper"])
    main()
    assert (tmp_path / "environment.json").exists()
    assert {row.problem for row in results.read(tmp_path / "suite")} == {
        "quadratic-1",
        "quadratic-1e2",
        "quadratic-1e4",
    }


def test_a_gap_is_measured_from_the_optimum() -> None:
    problem = build("quadratic-1")
    assert problem.gap(problem.x0) == 1.0
    center = -problem.loss.gradient(problem.x0) / 2  # f = |x - center|^2
    assert problem.gap(np.clip(center, -1, 1)) == pytest.approx(0.0, abs=1e-9)
