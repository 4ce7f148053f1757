"""The simulated clock, and the table of its rows in the documentation."""

from __future__ import annotations

import statistics
from pathlib import Path

import numpy as np
import pytest

from benchmarks import asynchronous
from benchmarks.asynchronous import (
    COPIES,
    MEAN,
    RESTARTS,
    SEEDS,
    SPREAD,
    SYNCHRONOUS,
    WORKERS,
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


def parts(name: str, manner: Manner) -> float:
    """The time as a part of the synchronous run's: median over seeds, as stored."""
    mine = [row for row in read() if (row.problem, row.law) == (name, "worker")]
    times = {(row.manner, row.seed): row.time for row in mine}
    pairs = [(times[manner.name, s], times[SYNCHRONOUS.name, s]) for s in range(SEEDS)]
    return statistics.median(time / synchronous for time, synchronous in pairs)


@pytest.mark.parametrize("name", [name for name in problems() if name != "logistic, observations"])
def test_copies_reach_half_the_time(name: str) -> None:
    assert parts(name, COPIES) <= 0.5


@pytest.mark.parametrize("name", problems())
def test_workers_that_are_stopped_reach_half_the_time(name: str) -> None:
    assert parts(name, RESTARTS) <= 0.5


def test_with_observations_copies_are_near_the_least_time_without_stopping() -> None:
    name = "logistic, observations"
    mine = [row for row in read() if (row.problem, row.law) == (name, "worker")]
    whole = [row for row in mine if row.manner == SYNCHRONOUS.name]
    busy = statistics.median(MEAN * row.evaluations / WORKERS / row.time for row in whole)
    assert parts(name, COPIES) <= 1.1 * busy
