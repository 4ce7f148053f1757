"""The tables of docs/beyond against the rows they are made from, and what a row is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import (
    nonsmooth_sources,
    one_value,
    several_starts,
    tuned_rows,
    variance_reduced,
)

PAGES = Path(__file__).parents[2] / "docs" / "beyond"


def test_the_page_on_nonsmooth_losses_has_the_table_of_the_rows() -> None:
    rows = nonsmooth_sources.stored()
    assert nonsmooth_sources.table(rows) in (PAGES / "nonsmooth.md").read_text()
    for method, settings in (("doubly smoothed", 12), ("plain", 12), ("auto", 1), ("CMA-ES", 1)):
        mine = [row for row in rows if row.method == method]
        assert len(mine) == 3 * 2 * 3 * settings  # losses, budgets, seeds


def test_the_page_on_one_value_has_the_table_of_the_rows() -> None:
    for path in (one_value.ROWS, one_value.GAPS):
        rows = one_value.stored(path)
        assert one_value.table(rows) in (PAGES / "one-value.md").read_text()
        for method in one_value.METHODS:
            assert len([row for row in rows if row.method == method]) == 3 * 16 * 3
        assert len([row for row in rows if row.method == "once"]) == 3 * 3


def test_the_page_on_variance_reduction_has_the_table_of_the_rows() -> None:
    rows = variance_reduced.stored()
    assert len(rows) == 3 * 2 * 4  # losses, budgets, methods
    assert variance_reduced.table(rows) in (PAGES / "variance-reduced.md").read_text()


def test_the_page_on_several_starts_has_the_table_of_the_rows() -> None:
    rows = several_starts.stored()
    assert len(rows) == 2 * 3 * 4  # losses, numbers of variables, methods
    assert several_starts.table(rows) in (PAGES / "several-starts.md").read_text()


@pytest.mark.parametrize("number", [0, 1])
def test_the_least_value_of_a_linear_program_is_no_more_than_any(number: int) -> None:
    task = list(nonsmooth_sources.tasks())[number]
    near = nonsmooth_sources.minimized(task, 300 * len(task.x0), 1)
    assert 0.0 <= task.gap(near) < 1e-2
    assert task.gap(task.x0) == 1.0


def test_a_row_of_one_value_is_the_mean_of_what_was_evaluated() -> None:
    task = list(one_value.tasks())[2]
    shown = one_value.Shown(task, 2)
    for t in range(len(task.b)):
        shown(task.x0, t)
        shown(task.x0, t)
    assert shown.total / len(task.b) == pytest.approx(task.mean(task.x0))


def test_steps_of_length_zero_play_the_start() -> None:
    """With hardly any smoothing: so each round is evaluated once, or twice."""
    task = list(one_value.tasks())[2]
    for method in one_value.METHODS:
        loss, x = one_value.played(task, method, 1e-12, 1e-6, 1)
        np.testing.assert_allclose(x, task.x0, atol=1e-6)
        assert loss == pytest.approx(task.mean(task.x0), rel=1e-4)


def test_the_best_of_the_settings_is_by_the_median() -> None:
    rows = [
        tuned_rows.TunedRow("s", 1, 1, "one value", step, 0.1, seed, regret)
        for step, regrets in ((0.1, (1.0, 5.0, 6.0)), (0.3, (4.0, 2.0, 9.0)))
        for seed, regret in enumerate(regrets)
    ]
    assert tuned_rows.best(rows) == np.median([4.0, 2.0, 9.0])
