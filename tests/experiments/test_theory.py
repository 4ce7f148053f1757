"""The experiment of the theory: its problems are what is said of them, and verdicts can change."""

from __future__ import annotations

import math
import pickle
from functools import cache

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm import theory as bounds
from zooadmm.experiments.claims import Claim, Verdict
from zooadmm.experiments.exhibits import FIRST_ORDER, ZOO, Picture
from zooadmm.experiments.experiment import Size
from zooadmm.experiments.intervals import Interval
from zooadmm.experiments.rows import Row, as_csv, from_csv, where
from zooadmm.experiments.theory import (
    Theory,
    completed,
    feasibility,
    lemma,
    minibatch,
    moments,
    ramp,
    rates,
    strategies,
    strong,
)
from zooadmm.experiments.theory.curves import looks, settled_below
from zooadmm.experiments.theory.kink import Kink
from zooadmm.experiments.theory.verdicts import (
    Check,
    among,
    of_bound,
    of_exponent,
    told,
    with_correction,
)

HOLDS, CORRECTED, FAILS = Verdict.HOLDS, Verdict.CORRECTED, Verdict.FAILS


# The problems


def test_the_ramp_is_least_at_its_comparator_whatever_is_drawn() -> None:
    problem, phi = ramp.Ramp(5), ramp.NormInBall()
    rng = np.random.default_rng(0)
    points = rng.standard_normal((500, 5))
    points /= np.maximum(1.0, np.linalg.norm(points, axis=1, keepdims=True))
    points[:100] = -problem.g + 0.1 * (points[:100] + problem.g)  # near the comparator too
    regularized = np.array([phi(y) for y in points])[:, None]
    best = problem.values(-problem.g[None, :], ramp.WEIGHTS) + phi(-problem.g)
    assert np.all(problem.values(points, ramp.WEIGHTS) + regularized >= best - 1e-12)


def test_the_constants_of_the_ramp() -> None:
    problem = ramp.Ramp(5)
    points = [s * problem.g for s in np.linspace(-1, 1, 9)]
    L1, Lg = bounds.measured_constants(problem.gradient, points, list(ramp.WEIGHTS))
    assert 0.999 * ramp.KNOWN.L1 < L1 <= ramp.KNOWN.L1 + 1e-12
    assert Lg <= ramp.KNOWN.Lg
    step = 1e-6 * np.ones(5)
    ahead, behind = (problem.values((points[3] + s)[None, :], [1.5]) for s in (step, -step))
    slope = problem.gradient(points[3], 1.5) @ (2 * step)
    assert float(ahead[0, 0] - behind[0, 0]) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("size", [0.05, 0.5, 3.0])
def test_the_prox_of_the_norm_in_a_ball(size: float) -> None:
    phi, v, tau = ramp.NormInBall(), size * np.array([0.6, -0.8]), 2.0

    def height(y: np.ndarray) -> float:
        return phi(y) + float(np.square(y - v).sum()) / (2 * tau)

    y = phi.prox(v, tau)
    near = y + 0.01 * np.random.default_rng(1).standard_normal((200, 2))
    assert all(height(y) <= height(other) + 1e-12 for other in near)


@pytest.mark.parametrize("m", [5, 9])
def test_the_kink_is_least_at_zero_for_any_observations(m: int) -> None:
    problem = Kink(m, 0.7, 0.5, 0.1, zoo.schedules.Power(1.0, 0.5), "constant")
    w = problem.observations
    assert np.allclose(w.mean(axis=0), 0.0)
    rng = np.random.default_rng(2)
    points = rng.uniform(-0.7, 0.7, (200, m))
    drawn = w[rng.integers(0, len(w), 3)]  # few, so that their mean is not zero
    phi = 0.7 * np.abs(points).sum(axis=1)
    assert np.all(problem.values(points, drawn).mean(axis=1) + phi >= 0.0)
    gradients = points[:, None] * 0.5 + w[None]
    squares = np.square(gradients).sum(axis=2).mean(axis=1)
    assert math.sqrt(squares.max()) <= problem.known.L1


def test_rows_are_where_regret_looks_at_the_averages() -> None:
    regret = ramp.followed(3, 120, 0, zoo.schedules.general_step_size(3), zoo.Smoothed(1))
    seen = regret["iteration"][np.isfinite(regret["averages"])]
    assert set(looks(120)) <= set(seen)


def test_settled_below() -> None:
    regret = ramp.followed(3, 60, 0, zoo.schedules.Power(1.0, 0.5), zoo.Exact())
    t = settled_below(regret, 0.2)
    assert regret["iterates"][int(t) - 2] > 0.2 >= regret["iterates"][int(t) - 1 :].max()
    assert math.isnan(settled_below(regret, -1.0))


# Real pieces, tiny


def test_a_tiny_piece_of_the_rates() -> None:
    rows = rates.runs(4, 40, 2, seed=3)
    assert rows == rates.runs(4, 40, 2, seed=3)
    assert rows != rates.runs(4, 40, 2, seed=4)
    curve = where(rows, study="rates", trial=0)
    assert [row["T"] for row in curve] == looks(40)
    bound = {row["T"]: float(row["sound"]) for row in where(rows, study="rates-bounds")}
    assert all(0 < float(row["iterates"]) < bound[row["T"]] for row in curve)


def test_a_tiny_piece_of_the_second_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "PRODUCTS", (5, 50))
    for strategy in ("observations", "hybrid", "orthogonal"):
        for row in moments.measure(strategy, 120, 0):
            off = abs(float(row["mean"]) - float(row["exact"]))
            assert off <= 4 * float(row["error"]) + 1e-4 * float(row["exact"])
    printed = {row["q"]: row["printed"] for row in moments.measure("hybrid", 2, 0)}
    assert printed[50] == pytest.approx(6.06)


def test_a_tiny_piece_of_the_lemma() -> None:
    row = lemma.lemma("Rademacher", 60, 0)[0]
    assert float(row["bias"]) <= float(row["bias_bound"])
    known = {r["quantity"]: r for r in lemma.directions("Gaussian", 4, 60, 0)}
    assert known["s(m)"]["known"] == 6.0
    assert known["M(mu)^2"]["known"] == 4 * 6 * 8


def test_a_tiny_piece_of_the_selection() -> None:
    rows = feasibility.runs(30, 1, 0)
    assert max(float(row["residual"]) for row in rows) < 1e-12
    assert min(float(row["outside"]) for row in rows) > 0.01
    best = feasibility.Selection()
    y = best.constraint.complete_y(best.best)
    assert y.sum() == pytest.approx(feasibility.BUDGET)
    assert best.best.min() >= 0
    assert best.best.max() <= 1


def test_the_step_of_corollary_2() -> None:
    assert strong.printed_alpha(strong.SIGMA) is None
    alpha = strong.as_printed(0.25).proximal_weight
    assert alpha == pytest.approx(0.25 * alpha / strong.SIGMA + 1)
    with pytest.raises(ValueError, match="penalties below sigma"):
        strong.as_printed(2.0)


def test_strategies() -> None:
    hybrid = strategies.source("hybrid", 20)
    assert isinstance(hybrid, zoo.Smoothed)
    assert hybrid.num_directions * hybrid.num_observations == 20
    with pytest.raises(ValueError, match="there is no strategy"):
        strategies.source("none", 1)


# Verdicts


def test_of_bound() -> None:
    below = Check(Interval(1.0, 0.8, 1.2), 2.0)
    above = Check(Interval(3.0, 2.5, 3.5), 2.0)
    near = Check(Interval(1.9, 1.7, 2.1), 2.0)
    beyond = Check(Interval(2.1, 1.9, 2.3), 2.0)
    assert of_bound([below, near]) is HOLDS
    for wrong in ([below, above], [beyond], []):
        assert of_bound(wrong) is FAILS
    assert "does not decide" in told(near.measured, 2.0)
    assert "does not decide" not in told(below.measured, 2.0)


def test_of_exponent_and_corrections() -> None:
    assert of_exponent(Interval(-0.9, -1.0, -0.8), -0.5) is HOLDS  # faster agrees with O(.)
    assert of_exponent(Interval(-0.3, -0.35, -0.25), -0.5) is FAILS
    assert with_correction(HOLDS, [FAILS]) is HOLDS
    assert with_correction(FAILS, [HOLDS, FAILS]) is FAILS
    assert with_correction(FAILS, []) is FAILS


def test_joint_intervals_are_wider() -> None:
    one, many = among(1.0, 0.1, 30, 1), among(1.0, 0.1, 30, 50)
    assert many.low < one.low < 1.0 < one.high < many.high


# Claims and pictures from made-up rows


def noisy(value: float, trial: int) -> float:
    """Trials that differ by a thousandth."""
    return value * (1 + 1e-3 * (trial - 1))


def regrets(iterates: float, end: float, T: int, trial: int) -> Row:
    """A row of a curve: the regret at the iterates, and at the completed pair."""
    at = noisy(iterates, trial)
    return {
        "T": T,
        "trial": trial,
        "iterates": at,
        "completed": noisy(end, trial),
        "other_side": at,
        "averages": 0.8 * at,
        "residual": at,
    }


AS_FOUND = {
    "in_T": -0.5,
    "in_m": 0.5,
    "needed": 1.0,
    "completed": -0.25,
    "printed_step": 2.0,
    "strong": -0.5,
    "observations": 0.6,
    "hybrid": 100.0,
    "outside": 0.1,
    "exact": 1.0,
}
PLACES = [t for t in looks(200_000) if t > 300][::3]
STEPS = ("printed", "corrected")


def made_up(**changes: float) -> list[Row]:
    """Rows in which the paper is wrong where it was found to be; changes make it right or worse."""
    at = {**AS_FOUND, **changes}
    curves = [row for trial in range(3) for T in PLACES for row in made_up_curves(at, T, trial)]
    limits = [row for T in PLACES for row in made_up_bounds(T)]
    return curves + limits + made_up_batches(at) + made_up_moments(at)


def made_up_curves(at: dict[str, float], T: int, trial: int) -> list[Row]:
    root, fast = T**-0.5, (1 + math.log(T)) / T
    rows: list[Row] = [{"study": "kink", **regrets(root, T ** at["completed"], T, trial)}]
    outside: Row = {"study": "feasibility", "T": T, "trial": trial, "residual": 1e-15}
    outside |= {"outside": noisy(at["outside"], trial), "regret": noisy(-0.5, trial)}
    rows.append(outside)
    for m in (8, 16, 32):
        size = m ** at["in_m"] * T ** at["in_T"]
        rows.append({"study": "rates", "m": m, **regrets(size, size, T, trial)})
        corrected: Row = {"study": "strong", "step": "corrected", "m": m}
        rows.append({**corrected, **regrets(m * fast, m * fast, T, trial)})
    for step, part in zip(STEPS, (at["printed_step"], 0.5), strict=True):
        of_step: Row = {"study": "step", "step": step, "m": 8}
        rows.append({**of_step, **regrets(2 * part * root, 2 * part * root, T, trial)})
    printed: Row = {"study": "strong", "step": "printed", "m": 5}
    return [*rows, {**printed, **regrets(fast, 10 * T ** at["strong"], T, trial)}]


def made_up_bounds(T: int) -> list[Row]:
    root, fast = 2 * T**-0.5, 20 * (1 + math.log(T)) / T
    limits = {"theorem_1": root, "rate_12": root, "sound": root}
    limits |= {"sound_averages": root, "sound_completed": 9.0, "sound_residual": root}
    rows: list[Row] = [{"study": "kink-bounds", "T": T, **limits}]
    for m in (8, 16, 32):
        of_m = {name: math.sqrt(m) * bound for name, bound in limits.items()}
        rows.append({"study": "rates-bounds", "m": m, "T": T, **of_m})
        corrected: Row = {"study": "strong-bounds", "step": "corrected", "m": m, "T": T}
        rows.append({**corrected, "sound": m * fast})
    rows.extend({"study": "step-bounds", "step": step, "m": 8, "T": T, **limits} for step in STEPS)
    printed: Row = {"study": "strong-bounds", "step": "printed", "m": 5, "T": T}
    return [*rows, {**printed, "sound": fast, "corollary_2": fast}]


def made_up_batches(at: dict[str, float]) -> list[Row]:
    rows: list[Row] = []
    for trial in range(3):
        for q in (1, 4, 16, 64):
            for strategy in minibatch.STRATEGIES:
                factor = math.sqrt(1 + minibatch.M / q)
                growth = q ** at["observations"] if strategy == "observations" else 1.0
                regret = noisy(factor * growth, trial)
                row: Row = {"study": "minibatch", "strategy": strategy, "q": q, "T": 100}
                row |= {"m": minibatch.M, "trial": trial, "iterates": regret, "completed": regret}
                rows.append({**row, "corollary_3": 2 * factor, "sound": 2 * factor * growth})
        for m in (8, 16, 32):
            for strategy in ("directions", "observations", "exact"):
                growth = m ** at["observations"] if strategy == "observations" else 1.0
                row = {"study": "minibatch-m", "strategy": strategy, "m": m, "T": 100}
                rows.append({**row, "trial": trial, "iterates": noisy(growth, trial)})
            needed: Row = {"study": "needed", "m": m, "trial": trial}
            rows.append({**needed, "method": ZOO, "T": noisy(10 * m ** at["needed"], trial)})
            rows.append({**needed, "method": FIRST_ORDER, "T": 10.0})
    return rows


def made_up_moments(at: dict[str, float]) -> list[Row]:
    rows: list[Row] = []
    sampled: Row = {"samples": 100, "error": 0.01}
    for strategy in moments.STRATEGIES:
        for q in (1, 10):
            mean = at["hybrid"] if strategy == "hybrid" else 5.0
            row: Row = {"study": "moments", "strategy": strategy, "q": q, **sampled, "mean": mean}
            rows.append({**row, "exact": at["exact"] * mean, "printed": 10.0})
    for name in lemma.DISTRIBUTIONS:
        for quantity in ("s(m)", "M(mu)^2"):
            paper = 64.0 if quantity == "s(m)" else 64.0**3
            of: Row = {"study": "directions", "distribution": name, "m": 64, "quantity": quantity}
            of |= {**sampled, "mean": at["exact"] * paper, "known": paper, "paper": paper}
            rows.append(of)
        row = {"study": "lemma", "distribution": name, "beta": 0.1, **sampled, "bias": 0.1}
        row |= {"bias_error": 0.01, "bias_bound": at["exact"], "mean": 5.0, "bound": 9.0}
        rows.append(row)
    return rows


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
        ("Sec. 3, (12)", "", FAILS, {"completed": -0.6}, HOLDS),
        ("(11) and (12)", "", CORRECTED, {"printed_step": 0.5}, HOLDS),
        ("Abstract", "iterations", FAILS, {"needed": 0.5}, HOLDS),
        ("B invertible", "", FAILS, {"completed": -0.6}, HOLDS),
        ("A invertible", "", HOLDS, {}, HOLDS),
        ("Corollary 1", "", CORRECTED, {"printed_step": 0.5}, HOLDS),
        ("Corollary 1", "", CORRECTED, {"in_m": 3.0}, FAILS),
        ("Corollary 2, (13)", "", FAILS, {"strong": -1.2}, HOLDS),
        ("after Corollary 2", "", CORRECTED, {"strong": -1.2}, HOLDS),
        ("Corollary 2 with", "", CORRECTED, {}, CORRECTED),
        ("Supplement", "", CORRECTED, {"hybrid": 5.0}, HOLDS),
        ("Supplement", "", CORRECTED, {"exact": 2.0}, FAILS),
        ("Sec. 1", "", CORRECTED, {"observations": 0.0}, HOLDS),
        ("(17)", "", CORRECTED, {"observations": 0.0}, HOLDS),
        ("after Corollary 3", "alike", FAILS, {"observations": 0.0}, HOLDS),
        ("after Corollary 3", "O(m)", CORRECTED, {"observations": 0.0}, HOLDS),
        ("before Theorem 1", "", CORRECTED, {"outside": 0.0}, HOLDS),
        ("after Assumption E", "sphere", HOLDS, {"exact": 1.1}, FAILS),
        ("after Assumption E", "Gaussian", HOLDS, {"exact": 1.3}, FAILS),
        ("Lemma 1", "", HOLDS, {"exact": 0.01}, FAILS),
    ],
)
def test_verdicts_follow_the_rows(
    place: str, words: str, expected: Verdict, changes: dict[str, float], otherwise: Verdict
) -> None:
    assert verdict({}, place, words) is expected
    assert verdict(changes, place, words) is otherwise


def test_exhibits_and_claims_of_the_whole() -> None:
    rows = from_csv(as_csv(made_up()))  # as the report reads them
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
    assert names[0] == "theory-kink-0"
    bound = next(piece for piece in pieces if piece.name == "theory-kink-bounds")
    assert bound.work is completed.bounds
