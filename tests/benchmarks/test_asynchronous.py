"""The simulated clock, and the table of its rows in the documentation."""

from __future__ import annotations

import statistics
from pathlib import Path

import numpy as np
import pytest

from benchmarks import asynchronous
from benchmarks.asynchronous import (
    COPIES,
    RESTARTS,
    SEEDS,
    SPREAD,
    SYNCHRONOUS,
    Manner,
    problems,
    read,
    run,
    table,
)

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "late-answers.md"


def test_one_worker_needs_the_sum_of_all_durations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asynchronous, "WORKERS", 1)
    row = run(problems()["logistic"], "worker", SYNCHRONOUS, 3)
    drawn = (np.random.default_rng((3, 1, 0, k)) for k in range(1, row.evaluations + 1))
    assert row.time == pytest.approx(sum(np.exp(SPREAD * z.standard_normal()) for z in drawn))


def test_one_worker_that_is_stopped_needs_the_sum_of_what_it_was_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asynchronous, "WORKERS", 1)
    row = run(problems()["logistic"], "worker", Manner("", longest=3.0), 3)
    drawn = (np.random.default_rng((3, 1, 0, k)) for k in range(1, row.evaluations + 1))
    lasted = [np.exp(SPREAD * z.standard_normal()) for z in drawn]
    assert row.time == pytest.approx(np.minimum(lasted, 3.0).sum())
    unbroken = run(problems()["logistic"], "worker", SYNCHRONOUS, 3)
    assert row.evaluations - sum(each > 3.0 for each in lasted) == unbroken.evaluations
    assert row.steps == unbroken.steps


def test_copies_of_an_exact_loss_are_the_same_run_in_less_time() -> None:
    slow, fast = (run(problems()["logistic"], "worker", each, 1) for each in (SYNCHRONOUS, COPIES))
    assert fast.steps == slow.steps
    assert fast.time < 0.5 * slow.time
    assert fast.evaluations > slow.evaluations


def test_the_page_has_the_table_of_the_rows() -> None:
    rows = read()
    for name in {row.problem for row in rows}:
        mine = [row for row in rows if row.problem == name and row.manner == COPIES.name]
        assert {row.seed for row in mine} == set(range(SEEDS))
    assert table(rows) in PAGE.read_text()


@pytest.mark.parametrize("manner", [COPIES, RESTARTS], ids=lambda manner: manner.name)
@pytest.mark.parametrize("name", problems())
def test_the_rows_reach_half_the_time(name: str, manner: Manner) -> None:
    """But copies with observations: workers that are never stopped cannot, as the page says."""
    mine = [row for row in read() if (row.problem, row.law) == (name, "worker")]
    times = {(row.manner, row.seed): row.time for row in mine}
    parts = [times[manner.name, s] / times[SYNCHRONOUS.name, s] for s in range(SEEDS)]
    floor = name == "logistic, observations" and manner is COPIES
    assert statistics.median(parts) <= (0.6 if floor else 0.5)
