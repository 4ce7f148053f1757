"""Corollary 3: what minibatches do to the regret, sqrt(1 + m/(q1 q2))/sqrt T as printed."""

from __future__ import annotations

import math

import zooadmm as zoo
from zooadmm.analysis import theory
from zooadmm_reproduction.claims import Claim, all_of, at_least, at_most, with_correction
from zooadmm_reproduction.exhibits import Exhibit, Picture, blank
from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.intervals import Interval, geometric_mean_of, mean_of
from zooadmm_reproduction.rows import Row, column, distinct, short, where
from zooadmm_reproduction.theory import ramp
from zooadmm_reproduction.theory.curves import across_trials, exponent_of_trials
from zooadmm_reproduction.theory.moments import COROLLARY_3
from zooadmm_reproduction.theory.parts import Part, seeds
from zooadmm_reproduction.theory.pictures import PRINTED, dashed, dots, label_axes, ticks_at
from zooadmm_reproduction.theory.strategies import COLOR, source
from zooadmm_reproduction.theory.verdicts import (
    SLACK,
    Check,
    corrected_by,
    of_bound,
    of_exponent,
    told,
    worst,
)

M = 64
STRATEGIES = ("paired", "directions", "orthogonal", "observations")
BATCHES = (1, 4, 16, 64, 256)
C1 = 1.0
"""Close to R/(2 L1), for which the bounds are least."""

ALIKE = 2.0
"""Two strategies behave alike if their regrets differ by less than this factor."""

SIZES: dict[Size, tuple[int, int, int, tuple[int, ...]]] = {
    Size.QUICK: (400, 3, 64, (32, 64, 128)),
    Size.FULL: (4_000, 20, 256, (32, 64, 128, 256)),
}
"""Iterations, trials, the largest batch, and the m at which as many directions as m are taken."""


def end_of(
    m: int, T: int, rngs: list[int], how: zoo.paper.Smoothed | zoo.paper.Paired, labels: Row
) -> list[Row]:
    """The regret after T iterations with the step that Corollary 3 prints, and (17)."""
    directions = how.num_directions if isinstance(how, zoo.paper.Smoothed) else how.num_pairs
    observations = how.num_observations if isinstance(how, zoo.paper.Smoothed) else 1
    step_size = zoo.paper.schedules.printed_minibatch_step_size(m, directions, observations, C1)
    of = ramp.method(m, step_size, how)
    bound = theory.printed_corollary_3(T, of, ramp.KNOWN, C1, ramp.C2)
    sound = theory.regret_bound(T, of, ramp.KNOWN)
    rows: list[Row] = []
    for trial, rng in enumerate(rngs):
        regret = ramp.followed(m, T, rng, step_size, how)
        row: Row = {**labels, "m": m, "T": T, "trial": trial}
        row["iterates"] = short(float(regret["iterates"][-1]))
        row["completed"] = short(float(regret["completed_y"][-1]))
        rows.append({**row, "corollary_3": short(bound), "sound": short(sound)})
    return rows


def batches(strategy: str, T: int, trials: int, largest: int, seed: int) -> list[Row]:
    """Every batch size for one strategy."""
    rows: list[Row] = []
    for q in (q for q in BATCHES if q <= largest):
        labels: Row = {"study": "minibatch", "strategy": strategy, "q": q}
        rows += end_of(M, T, seeds(seed, trials, q), source(strategy, q), labels)
    return rows


def as_many_as_m(sizes: tuple[int, ...], T: int, trials: int, seed: int) -> list[Row]:
    """q = m directions, q = m observations, and exact gradients, for each m."""
    rows: list[Row] = []
    for m in sizes:
        rngs = seeds(seed, trials, m)
        for strategy in ("directions", "observations"):
            labels: Row = {"study": "minibatch-m", "strategy": strategy}
            rows += end_of(m, T, rngs, source(strategy, m), labels)
        step_size = zoo.paper.schedules.Power(C1, 0.5)
        for trial, rng in enumerate(rngs):
            regret = ramp.followed(m, T, rng, step_size, zoo.paper.Exact())
            row: Row = {"study": "minibatch-m", "strategy": "exact", "m": m, "T": T}
            row |= {"trial": trial, "iterates": short(float(regret["iterates"][-1]))}
            rows.append(row)
    return rows


def pieces(size: Size, seed: int) -> list[Piece]:
    """A piece for each strategy, and one for q = m."""
    T, trials, largest, sizes = SIZES[size]
    return [
        Piece("theory-minibatch-m", as_many_as_m, (sizes, T, trials, seed)),
        *(
            Piece(f"theory-minibatch-{name}", batches, (name, T, trials, largest, seed))
            for name in STRATEGIES
        ),
    ]


def beside(rows: list[Row], name: str, bound: str, *strategies: str) -> list[Check]:
    """A measured column beside a bound of the same rows, for every batch size."""
    points: list[Check] = []
    for strategy in strategies:
        mine = where(rows, study="minibatch", strategy=strategy)
        for q in distinct(mine, "q"):
            of = where(mine, q=q)
            points.append(Check(mean_of(column(of, name)), float(of[0][bound])))
    return points


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """Regret over the batch size."""
    mine = where(rows, study="minibatch")
    figure, (axis,) = blank(height=3.8)
    for strategy in distinct(mine, "strategy"):
        of = where(mine, strategy=strategy)
        dots(axis, across_trials(of, "iterates", by="q"), str(strategy), COLOR[str(strategy)])
    bound = {float(row["q"]): float(row["corollary_3"]) for row in where(mine, strategy="paired")}
    dashed(axis, dict(sorted(bound.items())), "(17), printed for all", PRINTED)
    label_axes(axis, "batch size q", f"average regret, T = {int(mine[0]['T']):,}")
    ticks_at(axis, sorted(bound))
    caption = (
        f"The problem of the first figure with m = {M}, C1 = {C1:g}, minibatches of size q and "
        "the step that Corollary 3 prints. It counts q observations along one direction like q "
        "directions. Bars are 95% intervals over trials."
    )
    return [
        Picture(
            "theory-minibatch", caption, figure, where(rows, study="minibatch") + batch_rows(rows)
        )
    ]


def batch_rows(rows: list[Row]) -> list[Row]:
    """The rows with q = m."""
    return where(rows, study="minibatch-m")


def bound_claim(rows: list[Row]) -> Claim:
    """(17)."""
    own = beside(rows, "completed", "corollary_3", "directions", "paired", "orthogonal")
    shared = beside(rows, "completed", "corollary_3", "observations")
    sound = beside(rows, "iterates", "sound", *STRATEGIES)
    verdict = with_correction(of_bound(own + shared), all_of(of_bound(own), of_bound(sound)))
    return Claim(
        says="With the step of Corollary 3, the regret of the hybrid strategy is at most (17).",
        where="Corollary 3, (17)",
        measured=(
            f"Averaging over observations: up to {worst(shared).ratio:.2f} times (17). Over "
            f"directions or pairs: at most {worst(own).ratio:.2f} times (17) on this problem. The "
            f"sound bound, with the exact second moment: at most {worst(sound).ratio:.2f} times."
            f"{corrected_by(verdict, 'q1 q2 counts terms that each have a direction of their own')}"
        ),
        verdict=verdict,
        exhibit="theory-minibatch",
        errata=(4, 5),
        finding=COROLLARY_3,
        conclusion="(17) holds where q1 q2 counts terms that each have a direction of their own.",
    )


def times_as_large(rows: list[Row]) -> Interval:
    """The regret with observations divided by that with directions, each within its trial."""
    directions = where(rows, strategy="directions")
    return geometric_mean_of(
        [
            float(row["iterates"]) / float(theirs["iterates"])
            for row in where(rows, strategy="observations")
            for theirs in where(directions, trial=row["trial"])
        ]
    )


def alike_claim(rows: list[Row]) -> Claim:
    """Directions or observations, it is all the same."""
    mine = where(rows, study="minibatch")
    q = max(int(row["q"]) for row in mine)
    of = {
        name: mean_of(column(where(mine, strategy=name, q=q), "iterates"))
        for name in ("directions", "observations")
    }
    ratio = times_as_large(where(mine, q=q))
    return Claim(
        says="Averaging over directions and averaging over observations converge alike.",
        where="Sec. 4, after Corollary 3",
        measured=(
            f"With q = {q} after {int(mine[0]['T']):,} iterations: regret {of['directions']} over "
            f"directions, {of['observations']} over observations, which is {ratio} times that. "
            f"Alike means: within a factor of {ALIKE:g}."
        ),
        verdict=all_of(at_most(ratio, ALIKE), at_least(ratio, 1 / ALIKE)),
        exhibit="theory-minibatch",
        errata=(5,),
        finding=COROLLARY_3,
        conclusion="Observations along one direction do not stand in for directions.",
    )


def growth(rows: list[Row], strategy: str) -> Interval:
    """With q = m, the exponent of the regret in m."""
    return exponent_of_trials(where(batch_rows(rows), strategy=strategy), "iterates", "m")


def over_factor(rows: list[Row], strategy: str) -> Interval:
    """The exponent in q of the regret divided by sqrt(1 + m/q); O(.) wants it at most 0."""
    scaled: list[Row] = [
        {**row, "over_factor": float(row["iterates"]) / math.sqrt(1 + M / float(row["q"]))}
        for row in where(rows, study="minibatch", strategy=strategy)
    ]
    return exponent_of_trials(scaled, "over_factor", "q")


def factor_claim(rows: list[Row]) -> Claim:
    """sqrt(1 + m/q)."""
    of = {name: over_factor(rows, name) for name in STRATEGIES}
    verdicts = {name: of_exponent(interval, 0.0) for name, interval in of.items()}
    own = all_of(*(verdicts[name] for name in STRATEGIES if name != "observations"))
    verdict = with_correction(all_of(*verdicts.values()), own)
    found = ", ".join(f"{told(interval, SLACK)} ({name})" for name, interval in of.items())
    return Claim(
        says="Minibatches of size q lower the regret to O(sqrt(1 + m/q)/sqrt T).",
        where="Abstract; Sec. 1",
        measured=(
            f"The regret divided by sqrt(1 + m/q) goes like q to the {found}."
            f"{corrected_by(verdict, 'q counts directions, not observations that share one')}"
        ),
        verdict=verdict,
        exhibit="theory-minibatch",
        errata=(5,),
        finding=COROLLARY_3,
        conclusion="The rate sqrt(1 + m/q) needs q directions, not q observations along one.",
    )


def dimension_claim(rows: list[Row]) -> Claim:
    """q1 q2 = O(m) is as good as gradients."""
    directions, observations = growth(rows, "directions"), growth(rows, "observations")
    own, shared = (of_exponent(of, 0.0) for of in (directions, observations))
    verdict = with_correction(all_of(own, shared), own)
    return Claim(
        says="With q1 q2 = O(m), the regret is O(1/sqrt T), without m, as with exact gradients.",
        where="Sec. 4, after Corollary 3",
        measured=(
            "After as many iterations the regret goes like m to the "
            f"{told(directions, SLACK)} with q1 = m directions, and like m to the "
            f"{told(observations, SLACK)} with q2 = m observations; with exact gradients, like m "
            f"to the {growth(rows, 'exact')}."
            f"{corrected_by(verdict, 'q1 = m directions')}"
        ),
        verdict=verdict,
        exhibit="theory-minibatch",
        errata=(5,),
        finding=COROLLARY_3,
        conclusion="q1 = m directions remove m from the rate; q2 = m observations do not.",
    )


def claims(rows: list[Row]) -> list[Claim]:
    """The bound, and what the paper reads from it."""
    return [factor_claim(rows), bound_claim(rows), alike_claim(rows), dimension_claim(rows)]


PART = Part(pieces, exhibits, claims)
