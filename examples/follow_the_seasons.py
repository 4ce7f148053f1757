"""A map of temperature that follows the seasons, by one report of one station at a time.

The data are real: monthly means of the daily maximum at 104 stations in Colorado, 1950 to 1953,
from the US station record, which this package ships. The map is linear in elevation, longitude and
latitude, with four coefficients x_t. Each report is predicted first, and f_t(x_t) is the squared
error; then that error can be evaluated for other coefficients too. Nothing says how fast they
change: `settings="follow"` learns it. Where a round is a whole month, which shows all of the map,
it loses to the best map of the month before.

    python examples/follow_the_seasons.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import zooadmm as zoo
from zooadmm.datasets import load_colorado

record = load_colorado()
places = np.column_stack([record.elevation, record.longitude, record.latitude])
places = (places - places.mean(axis=0)) / places.std(axis=0)
places = np.column_stack([np.ones(len(places)), places])
random, months = np.random.default_rng(0), range(48)
reports = [
    (month, station)  # in random order within a month
    for month in months
    for station in random.permutation(len(places)).tolist()
    if np.isfinite(record.tmax[month, station])
]


def error(x: np.ndarray, report: tuple[int, int]) -> float:
    """The squared error of a map at a station, in squared degrees."""
    month, station = report
    return float((places[station] @ x - record.tmax[month, station]) ** 2)


def followed(
    rounds: Iterable[Any], loss: Callable[[np.ndarray, Any], float]
) -> tuple[dict[Any, np.ndarray], zoo.Result]:
    """The map before each round, and the result."""
    optimizer = zoo.Optimizer(
        np.zeros(4),
        domain=zoo.Box(-60, 60),
        observations=zoo.Stream(rounds),
        settings="follow",
        rng=0,
    )
    before = {}
    while (query := optimizer.ask()) is not None:
        before[query.observations[0]] = optimizer.state.x
        optimizer.tell(query.id, {cell: loss(x, seen) for cell, x, seen in query})
    return before, optimizer.result()


maps, result = followed(reports, error)


def off(drawn: Callable[[tuple[int, int]], np.ndarray]) -> float:
    """The root of the mean squared error after the first year, in degrees."""
    return float(np.sqrt(np.mean([error(drawn(r), r) for r in reports if r[0] >= 12])))


def fitted(month: int) -> np.ndarray:
    """The best map of a month, which is known when the month is over."""
    known = np.isfinite(record.tmax[month])
    return np.linalg.lstsq(places[known], record.tmax[month, known], rcond=None)[0]


def stepped(length: float) -> float:
    """The error of gradient steps of one length, which see the slope of each report."""
    x, steps = np.zeros(4), {}
    for month, station in reports:
        steps[month, station] = x
        x = x - length * (places[station] @ x - record.tmax[month, station]) * places[station]
    return off(steps.__getitem__)


def by_months() -> float:
    """The error of maps that follow the mean squared errors of whole months."""
    drawn, _ = followed(months, lambda x, t: float(np.nanmean((places @ x - record.tmax[t]) ** 2)))
    return off(lambda report: drawn[report[0]])


if __name__ == "__main__":
    best = {month: fitted(month) for month in months}
    fixed = np.mean(list(best.values()), axis=0)  # about the best in hindsight
    print(f"one map for all months is off by {off(lambda report: fixed):.2f} degrees")
    print(f"the best map of the month before by {off(lambda report: best[report[0] - 1]):.2f}")
    tuned = min(stepped(length) for length in np.logspace(-3, -0.3, 9))
    print(f"gradient steps, with the best of nine lengths in hindsight, by {tuned:.2f}")
    print(f"the map that follows, with nothing to tune, by {off(maps.__getitem__):.2f}")
    print(f"the best map of the month itself by {off(lambda report: best[report[0]]):.2f}")
    print(f"following whole months, one a round, is off by {by_months():.2f}")
