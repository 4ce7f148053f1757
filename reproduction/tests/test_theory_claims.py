"""The experiment of the theory: verdicts follow the rows, and can change; exhibits are drawn."""

from __future__ import annotations

import json
import pickle
from functools import cache

import pytest
from made_up_theory import made_up

from zooadmm_reproduction.claims import Claim, Verdict, findings
from zooadmm_reproduction.exhibits import Picture
from zooadmm_reproduction.experiment import Size
from zooadmm_reproduction.intervals import Interval
from zooadmm_reproduction.rows import Row, where
from zooadmm_reproduction.theory import (
    Theory,
    breaking,
    completed,
    curves,
    iterations,
    minibatch,
    penalties,
    rates,
    strong,
)
from zooadmm_reproduction.theory.sampled import agree, measured
from zooadmm_reproduction.theory.verdicts import Check, corrected_by, of_bound, of_exponent, told

HOLDS, CORRECTED, FAILS = Verdict.HOLDS, Verdict.CORRECTED, Verdict.FAILS
UNDECIDED = Verdict.UNDECIDED


def test_of_bound() -> None:
    below = Check(Interval(1.0, 0.8, 1.2), 2.0)
    above = Check(Interval(3.0, 2.5, 3.5), 2.0)
    near = Check(Interval(1.9, 1.7, 2.1), 2.0)
    assert of_bound([below]) is HOLDS
    assert of_bound([below, near]) is UNDECIDED
    assert of_bound([near, above]) is FAILS
    with pytest.raises(ValueError, match="points has none"):
        of_bound([])
    assert "does not decide" in told(near.measured, 2.0)
    assert "does not decide" not in told(below.measured, 2.0)


def test_of_exponent() -> None:
    assert of_exponent(Interval(-0.9, -1.0, -0.8), -0.5) is HOLDS  # faster agrees with O(.)
    assert of_exponent(Interval(-0.3, -0.35, -0.25), -0.5) is FAILS
    assert of_exponent(Interval(-0.45, -0.55, -0.35), -0.5) is UNDECIDED


def test_a_correction_is_named_only_where_the_verdict_rests_on_it() -> None:
    assert corrected_by(CORRECTED, "a longer step").endswith("a longer step.")
    assert not any(corrected_by(of, "a longer step") for of in (HOLDS, FAILS, UNDECIDED))


def test_joint_intervals_are_wider() -> None:
    row: Row = {"mean": 1.0, "error": 0.1, "samples": 30}
    one, many = measured(row, 1), measured(row, 50)
    assert many.low < one.low < 1.0 < one.high < many.high


def test_agree() -> None:
    exact = Check(Interval(2.0, 2.0, 2.0), 2.00001)  # six digits are kept
    assert agree([exact, Check(Interval(1.0, 0.9, 1.1), 1.05)]) is HOLDS
    assert agree([exact, Check(Interval(1.0, 0.9, 1.1), 1.2)]) is FAILS


def test_one_alpha_is_a_matter_of_sigma_and_the_penalties() -> None:
    assert strong.has_alpha(strong.PENALTIES, strong.SIGMA) is FAILS
    assert strong.has_alpha(strong.PENALTIES, 20.0) is HOLDS
    assert strong.has_alpha((0.1, 0.5), strong.SIGMA) is HOLDS
    assert strong.printed_alpha(10.0, sigma=20.0) == 2.0


def test_each_trial_has_a_slope_of_its_own() -> None:
    rows: list[Row] = [
        {"trial": trial, "m": m, "regret": 10**trial * m**slope}
        for trial, slope in enumerate((0.4, 0.6))
        for m in (1, 10, 100)
    ]
    found = curves.exponent_of_trials(rows, "regret", "m")
    assert found.middle == pytest.approx(0.5)
    assert found.high - found.middle == pytest.approx(0.1 * 12.706, rel=1e-3)  # Student's, n = 2


def test_runs_too_short_for_an_exponent_do_not_drop_out() -> None:
    rows = [row for row in made_up() if row.get("m") != 32 or float(row.get("T", 0)) < 3_000]
    with pytest.raises(ValueError, match="at least 3"):
        strong.in_T(rows)


@pytest.mark.parametrize("size", list(Size))
def test_all_runs_are_long_enough_for_their_exponents(size: Size) -> None:
    T, _, sizes, corrected_T, _ = strong.SIZES[size]
    lengths = [(corrected_T, strong.SETTLED * m) for m in sizes]
    lengths += [(T, strong.SETTLED * strong.M), (breaking.LENGTHS[size], completed.LATE)]
    lengths += [(rates.SIZES[size][1], rates.SETTLED * m) for m in rates.SIZES[size][0]]
    assert all(sum(t >= start for t in curves.looks(T)) >= 3 for T, start in lengths)


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ((0.9, 1.0, 1.1), HOLDS),
        ((10.0, 11.0, 12.0), FAILS),
        ((0.10, 0.11, 0.12), FAILS),  # far better is not alike either
        ((1.5, 2.0, 2.5), UNDECIDED),
        ((0.4, 0.5, 0.6), UNDECIDED),
    ],
)
def test_alike_is_a_matter_of_both_sides(ratios: tuple[float, ...], expected: Verdict) -> None:
    rows: list[Row] = []
    for trial, ratio in enumerate(ratios):
        row: Row = {"study": "minibatch", "q": 64, "T": 100, "trial": trial}
        rows.append({**row, "strategy": "directions", "iterates": 10.0**trial})
        rows.append({**row, "strategy": "observations", "iterates": ratio * 10.0**trial})
    assert minibatch.alike_claim(rows).verdict is expected


def test_missing_runs_are_counted_and_nothing_is_fitted_around_them() -> None:
    rows = made_up(late=2.0)
    claim = iterations.claims(rows)[0]
    assert "2 of 18 runs did not get there" in claim.measured
    assert "2 of 18 runs did not get there" in iterations.exhibits(rows)[0].caption
    assert len(where(iterations.needed(rows, "ZOO-ADMM"), m=32)) == 3
    assert "All runs got" in iterations.claims(made_up())[0].measured


@cache
def claims_of(*changes: tuple[str, float]) -> list[Claim]:
    return Theory().claims(made_up(**dict(changes)))


def verdict(changes: dict[str, float], place: str, words: str) -> Verdict:
    claims = claims_of(*changes.items())
    found = [claim for claim in claims if place in claim.where and words in claim.says]
    assert len(found) == 1, [claim.where for claim in found]
    return found[0].verdict


@pytest.mark.parametrize(
    ("place", "words", "expected", "changes", "otherwise"),
    [
        ("after Algorithm 1", "", CORRECTED, {"completed": -0.5}, HOLDS),
        ("after Algorithm 1", "", CORRECTED, {"in_m": 0.9}, FAILS),
        ("after Algorithm 1", "", CORRECTED, {"in_T": -0.3}, FAILS),
        ("after Algorithm 1", "", CORRECTED, {"in_T_of_the_largest": -0.3}, FAILS),
        ("after Algorithm 1", "", CORRECTED, {"completed": -0.5, "spread": 0.2}, UNDECIDED),
        ("Sec. 3, (12)", "", FAILS, {"completed": -0.6}, HOLDS),
        ("(11) and (12)", "", CORRECTED, {"printed_step": 0.5}, HOLDS),
        ("Abstract", "iterations", FAILS, {"needed": 0.5}, HOLDS),
        ("Abstract", "iterations", FAILS, {"needed": 0.5, "late": 1.0}, UNDECIDED),
        ("B invertible", "", FAILS, {"completed": -0.6}, HOLDS),
        ("A invertible", "", FAILS, {"other_side": 0.01}, HOLDS),
        ("Corollary 1", "", CORRECTED, {"printed_step": 0.5}, HOLDS),
        ("Corollary 1", "", CORRECTED, {"in_m": 3.0}, FAILS),
        ("Corollary 2, (13)", "", FAILS, {"strong": -1.2}, HOLDS),
        ("after Corollary 2", "", CORRECTED, {"strong": -1.2}, HOLDS),
        ("after Corollary 2", "", CORRECTED, {"corrected_step": 100.0}, FAILS),
        ("Corollary 2 with", "", CORRECTED, {"corrected_step": 100.0}, FAILS),
        ("Supplement", "", CORRECTED, {"hybrid": 5.0}, HOLDS),
        ("Supplement", "", CORRECTED, {"exact": 2.0}, FAILS),
        ("Sec. 1", "", CORRECTED, {"observations": 0.0}, HOLDS),
        ("(17)", "", CORRECTED, {"observations": 0.0}, HOLDS),
        ("after Corollary 3", "alike", FAILS, {"observations": 0.0}, HOLDS),
        ("after Corollary 3", "O(m)", CORRECTED, {"observations": 0.0}, HOLDS),
        ("before Theorem 1", "", HOLDS, {"equality": 1e-3}, FAILS),
        ("after Assumption E", "sphere", HOLDS, {"exact": 1.1}, FAILS),
        ("after Assumption E", "Gaussian", HOLDS, {"exact": 1.3}, FAILS),
        ("after Assumption E", "Gaussian", HOLDS, {"exact": 0.7}, FAILS),
        ("after Assumption E", "Gaussian", HOLDS, {"error": 10.0}, UNDECIDED),
        ("Lemma 1", "", HOLDS, {"exact": 0.01}, FAILS),
    ],
)
def test_verdicts_follow_the_rows(
    place: str, words: str, expected: Verdict, changes: dict[str, float], otherwise: Verdict
) -> None:
    assert verdict({}, place, words) is expected
    assert verdict(changes, place, words) is otherwise


def test_what_follows_from_one_gap_is_one_finding() -> None:
    claims = claims_of()
    groups = {group[0].finding: group for group in findings(claims) if group[0].finding}
    assert set(groups) == {"theorem-1", "step-of-11", "corollary-3"}
    places = " | ".join(claim.where for claim in groups["theorem-1"])
    for place in ("B invertible", "A invertible", "(12)", "Corollary 2, (13)", "after Corollary 2"):
        assert place in places
    assert len(findings(claims)) < len(claims) - 8
    assert all(claim.conclusion.endswith(".") for claim in claims)


def test_the_penalties_at_which_theorem_1_fails_are_named() -> None:
    said = penalties.said_of_penalties(made_up(), breaking.KINK)
    assert "above (10) for rho = 0.01, 0.03, 0.1, 0.3, 1, 3" in said
    assert "below it for rho = 10" in said
    assert "rho = 10" in penalties.said_of_crossings(made_up(), breaking.KINK)
    low = penalties.said_of_penalties(made_up(completed=-2.0), breaking.KINK)
    assert "above" not in low
    assert penalties.said_of_crossings(made_up(completed=2.0), breaking.KINK) == ""
    check = Check(Interval(0.1, 0.09, 0.11), 0.2)
    assert breaking.crossing(check, 1_000) == pytest.approx(16_000)


def test_exhibits_and_claims_of_the_whole() -> None:
    rows = json.loads(json.dumps(made_up()))  # as pieces are kept
    exhibits, claims = Theory().exhibits(rows), Theory().claims(rows)
    names = [exhibit.name for exhibit in exhibits]
    assert names[0] == "theory"
    assert len(set(names)) == len(names)
    assert all(name.startswith("theory-") for name in names[1:])
    assert {claim.exhibit for claim in claims} <= set(names)
    for exhibit in exhibits:
        assert exhibit.rows
        assert exhibit.caption.endswith(".")
    first = exhibits[0]
    assert isinstance(first, Picture)
    assert first.svg().startswith("<svg")


@pytest.mark.parametrize("size", list(Size))
def test_pieces(size: Size) -> None:
    pieces = Theory().pieces(size, 7)
    names = [piece.name for piece in pieces]
    assert len(set(names)) == len(names)
    assert all(name.startswith("theory-") for name in names)
    again = pickle.loads(pickle.dumps(pieces))
    assert [piece.name for piece in again] == names
    assert {"theory-kink", "theory-kink-bounds", "theory-valley", "theory-valley-exact"} <= set(
        names
    )
    runs = [piece.run for piece in pieces]
    assert len(set(runs)) == len(runs)  # a problem is among the arguments of its pieces
