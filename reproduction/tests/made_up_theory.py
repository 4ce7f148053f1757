"""Made-up rows of the theory's experiment, in which the paper is wrong where it was found to be."""

from __future__ import annotations

import math

from zooadmm_reproduction.exhibits import FIRST_ORDER, ZOO
from zooadmm_reproduction.rows import Row
from zooadmm_reproduction.theory import lemma, minibatch, moments
from zooadmm_reproduction.theory.breaking import KINK, PENALTIES, VALLEY
from zooadmm_reproduction.theory.curves import looks


def noisy(value: float, trial: int, spread: float = 1e-3) -> float:
    """Trials that differ by a thousandth, or more."""
    return value * (1 + spread * (trial - 1))


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
    "in_T_of_the_largest": -0.5,
    "in_m": 0.5,
    "needed": 1.0,
    "completed": -0.25,
    "printed_step": 2.0,
    "strong": -0.5,
    "observations": 0.6,
    "hybrid": 100.0,
    "other_side": 1.0,
    "corrected_step": 1.0,
    "late": 0.0,
    "equality": 1e-15,
    "exact": 1.0,
    "error": 0.01,
    "spread": 1e-3,
}
PLACES = [t for t in looks(200_000) if t > 300][::3]
STEPS = ("printed", "corrected")


def made_up(**changes: float) -> list[Row]:
    """Rows in which the paper is wrong where it was found to be; changes make it right or worse."""
    at = {**AS_FOUND, **changes}
    curves = [row for trial in range(3) for T in PLACES for row in made_up_curves(at, T, trial)]
    limits = [row for T in PLACES for row in made_up_bounds(T)]
    return curves + limits + made_up_batches(at) + made_up_moments(at)


def slope_in_T(at: dict[str, float], m: int) -> float:
    """The same at every m, but for the largest."""
    return at["in_T"] if m < 32 else at["in_T_of_the_largest"]


def made_up_curves(at: dict[str, float], T: int, trial: int) -> list[Row]:
    root, fast = T**-0.5, (1 + math.log(T)) / T
    kink: Row = {"study": "kink", "m": 5, **regrets(root, T ** at["completed"], T, trial)}
    outside: Row = {"study": "feasibility", "T": T, "trial": trial, "residual": at["equality"]}
    outside |= {"outside": noisy(0.1, trial), "regret": noisy(-0.5, trial)}
    rows: list[Row] = [kink, outside]
    valley: Row = {"study": "valley", "m": 2, **regrets(root, T ** at["completed"], T, trial)}
    rows.append({**valley, "other_side": noisy(at["other_side"] * T**-0.25, trial)})
    if PLACES[-1] == T:
        rows += made_up_ends(at, T, trial)
    for m in (8, 16, 32):
        size = noisy(m ** at["in_m"] * T ** slope_in_T(at, m), trial, at["spread"] * m / 8)
        rows.append({"study": "rates", "m": m, **regrets(size, size, T, trial)})
        corrected: Row = {"study": "strong", "step": "corrected", "m": m}
        size = at["corrected_step"] * m * fast
        rows.append({**corrected, **regrets(size, size, T, trial)})
    for step, part in zip(STEPS, (at["printed_step"], 0.5), strict=True):
        of_step: Row = {"study": "step", "step": step, "m": 8}
        rows.append({**of_step, **regrets(2 * part * root, 2 * part * root, T, trial)})
    printed: Row = {"study": "strong", "step": "printed", "m": 5}
    return [*rows, {**printed, **regrets(fast, 10 * T ** at["strong"], T, trial)}]


def made_up_ends(at: dict[str, float], T: int, trial: int) -> list[Row]:
    """The ends of the sweeps over penalties, and those with exact gradients."""
    rows: list[Row] = []
    for of in (KINK, VALLEY):
        low = regrets(T**-0.5, T ** at["completed"], T, trial)
        low["other_side"] = noisy(at["other_side"] * T**-0.25, trial)
        rows.append({"study": f"{of.study}-exact", "m": of.problem.m, **low})
        for penalty in PENALTIES:
            smaller = {name: float(low[name]) / penalty for name in ("completed", "other_side")}
            rows.append(
                {"study": of.sweep, "m": of.problem.m, **low, **smaller, "penalty": penalty}
            )
    return rows


def made_up_bounds(T: int) -> list[Row]:
    root, fast = 2 * T**-0.5, 20 * (1 + math.log(T)) / T
    limits = {"theorem_1": root, "rate_12": root, "sound": root}
    limits |= {"sound_averages": root, "sound_completed": 9.0, "sound_residual": root}
    rows: list[Row] = [{"study": "kink-bounds", "m": 5, "T": T, **limits}]
    rows.append({"study": "valley-bounds", "m": 2, "T": T, **limits})
    if PLACES[-1] == T:
        rows += [
            {"study": f"{of.sweep}-bounds", "m": of.problem.m, "T": T, "penalty": p, **limits}
            for of in (KINK, VALLEY)
            for p in PENALTIES
        ]
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
            took = noisy(10 * m ** at["needed"], trial)
            reached = int(m < 32 or trial >= at["late"])
            rows.append({**needed, "method": ZOO, "T": took, "reached": reached})
            rows.append({**needed, "method": FIRST_ORDER, "T": 10.0, "reached": 1})
    return rows


def made_up_moments(at: dict[str, float]) -> list[Row]:
    rows: list[Row] = []
    sampled: Row = {"samples": 100, "error": at["error"]}
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
