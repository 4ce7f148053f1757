"""Corollary 3's second moment: what averaging over directions and observations is worth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zooadmm.analysis import theory
from zooadmm_reproduction.claims import Claim, Verdict, all_of, with_correction
from zooadmm_reproduction.exhibits import Exhibit, Picture, blank
from zooadmm_reproduction.experiment import Piece, Size, trial_seed
from zooadmm_reproduction.rows import Row, distinct, short, where
from zooadmm_reproduction.theory.estimates import estimates, linear
from zooadmm_reproduction.theory.parts import Part
from zooadmm_reproduction.theory.pictures import PRINTED, dashed, dots, label_axes
from zooadmm_reproduction.theory.sampled import agree, mean_and_error, measured
from zooadmm_reproduction.theory.strategies import COLOR, source
from zooadmm_reproduction.theory.verdicts import Check, corrected_by, of_bound, worst

M, NOISE = 100, 0.01
"""f(x; w) = <w, x> with |E w| = 1 and tr Cov w = NOISE."""

STRATEGIES = ("directions", "observations", "hybrid", "paired", "orthogonal")
PRODUCTS = (1, 5, 20, 50, 100, 400)
"""q1 q2, or q."""

COROLLARY_3 = "corollary-3"
"""The finding that all consequences of the count of q1 q2 terms share."""

SAMPLES = {Size.QUICK: 150, Size.FULL: 1_000}


def population(count: int = 16) -> NDArray[np.float64]:
    """Slopes w, one a row; their mean has length 1 and tr Cov = NOISE, exactly."""
    rng = np.random.default_rng(7)
    mean, noise = rng.standard_normal(M), rng.standard_normal((count, M))
    noise -= noise.mean(axis=0)
    noise *= math.sqrt(NOISE * count / np.square(noise).sum())
    return mean / np.linalg.norm(mean) + noise


def measure(strategy: str, samples: int, seed: int) -> list[Row]:
    """E|g|^2 for each product, with the exact value and the printed bound."""
    rows: list[Row] = []
    for product in PRODUCTS:
        how: Any = source(strategy, product)
        rng = trial_seed(seed, product)
        drawn = estimates(how, linear, population(), np.zeros(M), 1.0, samples, rng)
        squares = np.array([g @ g for _, g in drawn])
        rows.append(
            {
                "study": "moments",
                "strategy": strategy,
                "q": product,
                "q1": how.count,
                "q2": how.num_observations,
                **mean_and_error(squares),
                "exact": short(theory.second_moment(how, M, gradient=1.0, noise=NOISE)),
                "printed": short(theory.printed_second_moment(how, M, math.sqrt(1 + NOISE))),
            }
        )
    return rows


def pieces(size: Size, seed: int) -> list[Piece]:
    """A piece for each strategy."""
    return [
        Piece(f"theory-moments-{strategy}", measure, (strategy, SAMPLES[size], seed))
        for strategy in ("paired", *(name for name in STRATEGIES if name != "paired"))
    ]


def beside(rows: list[Row], bound: str, *strategies: str) -> list[Check]:
    """The measured moments of these strategies beside a bound or the exact value."""
    mine = where(rows, study="moments")
    return [
        Check(measured(row, len(mine)), float(row[bound]))
        for row in mine
        if row["strategy"] in strategies
    ]


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """Second moments over the number of terms."""
    mine = where(rows, study="moments")
    figure, (axis,) = blank(height=3.8)
    for strategy in distinct(mine, "strategy"):
        of = sorted(where(mine, strategy=strategy), key=lambda row: float(row["q"]))
        at = {float(row["q"]): measured(row, len(mine)) for row in of}
        dots(axis, at, str(strategy), COLOR[str(strategy)])
        axis.plot(list(at), [float(row["exact"]) for row in of], ":", lw=2, color="#bbbbbb")
    bound = {float(row["q"]): float(row["printed"]) for row in where(mine, strategy="observations")}
    dashed(axis, dict(sorted(bound.items())), "printed for all", PRINTED)
    label_axes(axis, "terms averaged, $q_1 q_2$", r"second moment $E\,|\hat g|^2$")
    caption = (
        f"Linear loss, m = {M}, |E grad f| = 1, tr Cov = {NOISE}, directions on the sphere. "
        "Observations averages over q observations along one direction, hybrid over q/5 along "
        "five, paired has q independent pairs. The bound that Corollary 3 rests on counts the "
        "terms as independent. Gray dots: the exact formulas. Bars hold jointly, 95%."
    )
    return [Picture("theory-moments", caption, figure, mine)]


def claims(rows: list[Row]) -> list[Claim]:
    """The printed second moment."""
    shared = beside(rows, "printed", "observations", "hybrid")
    own = beside(rows, "printed", "directions", "paired", "orthogonal")
    exact = agree(beside(rows, "exact", *STRATEGIES))
    verdict = with_correction(of_bound(shared + own), all_of(of_bound(own), exact))
    correction = "the bound for terms that do not share a direction, the exact formula otherwise"
    return [
        Claim(
            says=(
                "The second moment of the hybrid estimate is at most 2 (1 + s(m)/(q1 q2)) L1^2 "
                "for a linear loss."
            ),
            where="Supplement, proof of Corollary 3",
            measured=(
                f"With shared directions up to {worst(shared).ratio:.3g} times that "
                f"({worst(shared).measured} against {worst(shared).bound:.3g}). With a direction "
                f"for each term, or one observation, at most {worst(own).ratio:.2g} times. The "
                "exact formulas, (1 + (s(m) - 1)/q1)(|g|^2 + tr Cov/q2) for the hybrid, "
                f"{'agree' if exact is Verdict.HOLDS else 'do not agree'} with all measurements."
                f"{corrected_by(verdict, correction)}"
            ),
            verdict=verdict,
            exhibit="theory-moments",
            errata=(5,),
            finding=COROLLARY_3,
            conclusion=(
                "The proof of Corollary 3 counts q1 q2 independent terms, but they share "
                "directions: observations along one do not lower the variance it brings."
            ),
        )
    ]


PART = Part(pieces, exhibits, claims)
