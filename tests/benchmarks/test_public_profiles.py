"""Profiles, intervals and comparisons against cases computed by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from benchmarks.yardstick.comparison import MULTIPLES, changes, compare, thinned
from benchmarks.yardstick.pictures import gap_after
from benchmarks.yardstick.profiles import (
    bootstrap,
    data_profile,
    lowest,
    needed,
    performance_profile,
    performance_ratios,
)
from benchmarks.yardstick.runs import Run
from benchmarks.yardstick.suite import Suite


def run(solver: str, history: str, problem: str = "p", start: float = 10.0, n: int = 1) -> Run:
    answer = float(history.split()[-1].split(":")[1]) if history else start
    return Run(
        problem, "plain", "u", n, solver, 0, 100, 50, 0.1, "ended", start, answer, 0.0, history
    )


def test_evaluations_to_a_target_are_those_of_more_and_wild() -> None:
    # f_L = 0 and f(x0) = 10: tau = 0.1 is reached at 1.0, tau = 0.01 at 0.1
    mine = run("a", "1:10 4:1.0 9:0.1")
    assert [needed(mine, 0.0, tau) for tau in (0.5, 0.1, 0.01, 0.001)] == [4, 4, 9, math.inf]
    assert lowest([mine, run("b", "1:10 3:0.05"), run("c", "")]) == 0.05


def test_data_profile_counts_simplex_gradients() -> None:
    # 10 evaluations in one variable are 5 simplex gradients, in four variables 2
    assert data_profile([10, 10, math.inf, 10], [1, 4, 4, 9], 2.0) == 0.5
    assert data_profile([10, 10, math.inf, 10], [1, 4, 4, 9], 5.0) == 0.75


def test_performance_profile_by_hand() -> None:
    ratios = performance_ratios({"a": [10, 20, math.inf], "b": [20, 10, math.inf]})
    assert ratios == {"a": [1, 2, math.inf], "b": [2, 1, math.inf]}
    assert performance_profile(ratios["a"], 1.0) == pytest.approx(1 / 3)
    assert performance_profile(ratios["a"], 2.0) == pytest.approx(2 / 3)
    assert performance_profile(ratios["a"], 1e9) == pytest.approx(2 / 3)  # nobody solves the third


def test_the_bootstrap_interval_has_the_width_of_a_binomial() -> None:
    low, high = bootstrap([1.0] * 50 + [0.0] * 50)
    # 1.645 standard errors of sqrt(.25 / 100) each way
    assert low == pytest.approx(0.5 - 0.082, abs=0.012)
    assert high == pytest.approx(0.5 + 0.082, abs=0.012)


def suite() -> Suite:
    return Suite("hand", lambda quick, solvers: [], ("zoo",), ("peer",), (0.1, 0.01), 1.0, 1.0)


def test_a_comparison_names_what_got_worse() -> None:
    before = [
        run("zoo", "1:10 10:1.0 20:0.1", "lost"),
        run("zoo", "1:10 10:1.0 20:0.1", "slower"),
        run("zoo", "1:10 10:1.0 20:0.1", "same"),
        *(run("peer", "1:10 30:0", name) for name in ("lost", "slower", "same")),
    ]
    after = [
        run("zoo", "1:10 10:1.0", "lost"),
        run("zoo", "1:10 10:1.0 40:0.1", "slower"),
        run("zoo", "1:10 10:1.0 20:0.1", "same"),
    ]
    assert {(c.run.problem, c.target): c.ratio for c in changes(suite(), before, after)} == {
        ("lost", 0.1): 1.0,
        ("lost", 0.01): math.inf,
        ("slower", 0.1): 1.0,
        ("slower", 0.01): 2.0,
        ("same", 0.1): 1.0,
        ("same", 0.01): 1.0,
    }
    page = compare(suite(), before, after)
    assert "WORSE in 2 of 6" in page
    assert "lost (plain, n = 1, zoo) to 0.01: 20 -> never" in page
    assert "same (" not in page
    assert (
        "LARGER GAPS of answers: 1 of 3; smaller: 0\n  lost (plain, zoo): 1.0e-02 -> 1.0e-01"
        in page
    )
    broken = [replace(after[0], violation=1e-3), *after[1:]]
    assert "lost (plain): answer infeasible" in compare(suite(), before, broken)


def test_thinned_histories_reach_the_targets_at_the_same_counts() -> None:
    runs = [run("zoo", "1:10 3:5 5:2 9:0.9 12:0.5 30:0.05 31:0.04"), run("peer", "1:10 7:0")]
    for full, thin in zip(runs, thinned(suite(), runs), strict=True):
        assert len(thin.records()) <= len(full.records())
        for target in suite().targets:
            assert needed(thin, 0.0, target) == needed(full, 0.0, target)
        for multiple in MULTIPLES:
            assert gap_after(thin, 0.0, multiple) == gap_after(full, 0.0, multiple)
    assert lowest(thinned(suite(), runs)) == lowest(runs)
