"""What the runs come to: ratios of iterations and errors, with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence

from zooadmm_reproduction.blending.data import SOURCES, Source
from zooadmm_reproduction.blending.runs import marks
from zooadmm_reproduction.blending.strategies import Setting
from zooadmm_reproduction.intervals import Interval, geometric_mean_of
from zooadmm_reproduction.rows import Row, distinct, where

FACTOR = 2.0
"""Up to it two numbers are comparable, from it on they differ significantly: on axes that span
several powers of ten less than a doubling is hard to see."""

BEST = 1.0
"""Percent above the test RMSE of least squares up to which a blend can count as the best. It has to
be better than the plain average too, which learns nothing."""

FLOOR = 0.05
"""Percent: runs nearer to least squares than this, or better on the test ratings, count as here."""


def sources_of(rows: Sequence[Row]) -> list[Source]:
    """What was blended, the real ratings first."""
    return [source for source in SOURCES if source in distinct(rows, "source")]


def name_of(rows: Sequence[Row], source: str) -> str:
    """What the ratings are called: without a file of Jester they are others."""
    return str(distinct(where(rows, source=source), "data")[0])


def blended(rows: Sequence[Row]) -> str:
    """Which ratings, and how many, in a sentence."""
    parts = []
    for source in sources_of(rows):
        (held_out,) = distinct(where(rows, source=source), "held out")
        parts.append(f"{name_of(rows, source)} ({held_out:,})")
    return f"Held-out ratings, half to learn from and half to test: {', '.join(parts)}."


def runs_of(rows: Sequence[Row], source: str, setting: Setting, strategy: str) -> list[Row]:
    """The runs, a row each."""
    return where(rows, kind="run", source=source, setting=setting.key, strategy=strategy)


def own_runs(rows: Sequence[Row], source: str) -> list[Row]:
    """Those of zooadmm's default settings."""
    return where(rows, kind="run", source=source, setting="default")


def curvature_of(rows: Sequence[Row], source: str, setting: Setting) -> float:
    """The largest curvature of the loss in that unit."""
    found = where(rows, kind="run", source=source, setting=setting.key)
    return float(found[0]["curvature"])


def marks_of(rows: Sequence[Row]) -> tuple[int, ...]:
    """The iterations at which methods are compared."""
    runs = [row for row in where(rows, kind="run") if row["setting"] != "default"]
    return marks(int(runs[0]["iterations"]))


def excess(run: Row, mark: int) -> float:
    """Percent by which the test RMSE at that iteration is above that of least squares."""
    return max(FLOOR, 100.0 * (float(run[f"rmse {mark}"]) / float(run["best"]) - 1.0))


def excess_ratio(
    rows: Sequence[Row], source: str, setting: Setting, names: tuple[str, str], mark: int
) -> Interval:
    """The excess of the first strategy over that of the second at an iteration, seed by seed."""
    upper, lower = (
        {run["seed"]: excess(run, mark) for run in runs_of(rows, source, setting, name)}
        for name in names
    )
    return geometric_mean_of([upper[seed] / lower[seed] for seed in upper if seed in lower])


def speedup(
    rows: Sequence[Row], source: str, setting: Setting, slow: str, fast: str
) -> Interval | None:
    """How many times as many iterations `slow` took to arrive as `fast`, seed by seed.

    A slow run that never arrived counts as if it had after its last iteration, so that the number
    is too low; None if a fast one never did.
    """
    quick = runs_of(rows, source, setting, fast)
    if not quick or not all("reached" in run for run in quick):
        return None
    other = {run["seed"]: run for run in runs_of(rows, source, setting, slow)}
    return geometric_mean_of(
        [
            _iterations(other[run["seed"]]) / _iterations(run)
            for run in quick
            if run["seed"] in other
        ]
    )


def _iterations(run: Row) -> float:
    return float(run.get("reached", float(run["iterations"]) + 1))


def percent_above(runs: Sequence[Row]) -> Interval:
    """How far the test RMSE at the end is above that of least squares."""
    times = geometric_mean_of([float(run["end"]) / float(run["best"]) for run in runs])
    return Interval(*(100.0 * (t - 1.0) for t in (times.middle, times.low, times.high)))


def average_above(rows: Sequence[Row], source: str) -> float:
    """The same of the plain average of all models."""
    known = {row["blend"]: row["rmse"] for row in where(rows, kind="reference", source=source)}
    return 100.0 * (float(known["plain average"]) / float(known["least squares"]) - 1.0)


def ratio(
    rows: Sequence[Row], source: str, setting: Setting, names: tuple[str, str], of: str
) -> Interval:
    """A column of the first strategy's runs over that of the second's, seed by seed."""
    upper, lower = (
        {run["seed"]: float(run[of]) for run in runs_of(rows, source, setting, name)}
        for name in names
    )
    return geometric_mean_of([upper[seed] / lower[seed] for seed in upper])
