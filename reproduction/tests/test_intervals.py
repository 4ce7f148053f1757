"""Intervals and the verdicts on them: a single trial decides nothing."""

from __future__ import annotations

import math

import pytest

from zooadmm_reproduction.claims import Verdict, all_of, at_least, at_most
from zooadmm_reproduction.exhibits import blank
from zooadmm_reproduction.intervals import Interval, exactly, geometric_mean_of, mean_of
from zooadmm_reproduction.theory.curves import exponent_of_trials
from zooadmm_reproduction.theory.pictures import band, dots, label_axes
from zooadmm_reproduction.theory.verdicts import Check, of_bound, of_exponent


@pytest.mark.parametrize("line", [-1e9, 0.0, 0.99, 1.0, 1.01, 1e9])
def test_a_single_trial_decides_nothing(line: float) -> None:
    for found in (mean_of([1.0]), geometric_mean_of([1.0])):
        if found.low < line:  # a positive number is above a line below zero, whatever its spread
            assert at_most(found, line) is Verdict.UNDECIDED
            assert at_least(found, line) is Verdict.UNDECIDED
        assert not found.bounded
        assert "one trial" in str(found)
    assert of_bound([Check(mean_of([1.0]), line)]) is Verdict.UNDECIDED
    assert all_of(at_most(mean_of([1.0]), line), Verdict.HOLDS) is Verdict.UNDECIDED


def test_two_trials_decide_where_they_agree() -> None:
    assert at_most(mean_of([1.0, 1.001]), 2.0) is Verdict.HOLDS
    assert at_most(mean_of([1.0, 1.001]), 0.5) is Verdict.FAILS
    assert at_most(mean_of([1.0, 3.0]), 2.5) is Verdict.UNDECIDED
    assert mean_of([1.0, 1.001]).bounded


def test_what_is_computed_decides() -> None:
    assert at_most(exactly(1.0), 2.0) is Verdict.HOLDS
    assert at_least(exactly(1.0), 2.0) is Verdict.FAILS


def test_the_exponent_of_one_trial_is_undecided() -> None:
    rows = [{"trial": 0, "T": T, "regret": T**-0.5} for T in (10, 100, 1000)]
    found = exponent_of_trials(rows, "regret", "T")
    assert found.middle == pytest.approx(-0.5)
    assert of_exponent(found, -0.5) is Verdict.UNDECIDED


def test_one_trial_is_drawn_without_a_band() -> None:
    _, (axis,) = blank()
    points = {1.0: mean_of([1.0]), 10.0: mean_of([0.3])}
    band(axis, points, "one", "#000000")
    dots(axis, points, "one", "#000000")
    label_axes(axis, "T", "regret")
    axis.figure.draw_without_rendering()
    assert all(math.isfinite(limit) for limit in (*axis.get_xlim(), *axis.get_ylim()))


def test_an_interval_contains_what_is_in_it() -> None:
    assert 1.0 in Interval(1.0, 0.5, 1.5)
    assert 2.0 not in Interval(1.0, 0.5, 1.5)
    assert 1e300 in mean_of([1.0])
