"""Ten of 104 weather stations that tell most about the temperature of Colorado."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from zooadmm.analysis.style import dress
from zooadmm.applications import SensorSelector, reconstructed, spatial_modes
from zooadmm.applications.baselines import greedy, second_order
from zooadmm.applications.selection import largest, log_determinant, swapped
from zooadmm.cli.demo.story import OURS, Line, Story, Watch, solved, values
from zooadmm.datasets import StationRecord, load_colorado
from zooadmm.losses import LogDeterminant

MODES, BUDGET, RANDOM = 5, 10, 1000
HELD_OUT = 144
"""The last months of the record, twelve years, from which nothing is learned."""


@dataclass(frozen=True, eq=False)
class Field:
    """What is known of the temperature.

    A: (104, 5), what a station says about the five leading patterns of the years before.
    later: departures from the usual in the months held out, nan where missing.
    """

    record: StationRecord
    A: Any
    later: Any

    def errors(self, chosen: Any) -> Any:
        """The error at each station in the months held out, degrees, from the chosen ones."""
        found = reconstructed(self.A, chosen, np.nan_to_num(self.later))
        return np.sqrt(np.nanmean(np.square(found - self.later), axis=0))

    def error(self, chosen: Any) -> float:
        """The mean over the stations that were not chosen."""
        return float(np.sqrt(np.mean(np.square(self.errors(chosen)[~chosen]))))


def field() -> Field:
    """Colorado, cut in two in time; the usual is that of the first part."""
    record = load_colorado()
    count = len(record.tmax)
    early, month = np.arange(count) < count - HELD_OUT, np.arange(count) % 12
    usual = np.stack([np.nanmean(record.tmax[early & (month == k)], axis=0) for k in range(12)])
    departures = record.tmax - usual[month]
    return Field(record, spatial_modes(departures[early], MODES)[0], departures[~early])


def stations(seed: int, watch: Watch, evaluations: int = 5_000) -> Story:
    """Choose them from values of the log-determinant alone, and see how well they do later."""
    known = field()
    A = known.A[None]
    result = solved(SensorSelector(BUDGET).formulation(A), evaluations, seed, watch)
    chosen = largest(result.x, BUDGET)
    generator = np.random.default_rng(seed)
    draws = [largest(generator.random(len(chosen)), BUDGET) for _ in range(RANDOM)]
    luckiest = max(draws, key=lambda some: log_determinant(some, A))
    newton = second_order(A, BUDGET)
    tried = sum(len(chosen) - k for k in range(BUDGET))
    choices = [
        ("zooadmm", values(result.nfev), chosen),
        ("zooadmm, then swaps", "and the formula", swapped(chosen, A)),
        ("second-order method", "formula, curvatures", largest(newton, BUDGET)),
        ("greedy selection", values(tried), greedy(A, BUDGET)),
        (f"best of {RANDOM} random", values(RANDOM), luckiest),
    ]
    lines = [
        Line(by, given, (f"{log_determinant(some, A):.3f}", f"{known.error(some):.3f}"))
        for by, given, some in choices
    ]
    optimum = LogDeterminant(A)(newton)
    lines.append(Line("limit for any", "", (f"{-optimum:.3f}", "")))
    return Story(
        "Choose 10 of 104 weather stations",
        ("log det ↑", "error later, °C ↓"),
        lines,
        "The choice is made on 1950 to 1985, the ten largest weights; the error is at the other 94 "
        "stations in the twelve years after.",
        _picture(known, chosen, result, optimum),
    )


def _picture(known: Field, chosen: Any, result: Any, optimum: float) -> Figure:
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    chart, course = figure.subplots(1, 2, width_ratios=(1.7, 1))
    _map(figure, chart, known, chosen)
    gap = result.trace["loss"] - optimum
    shown = gap > 0
    course.semilogy(result.trace["evaluations"][shown], gap[shown], color=OURS, lw=1.8)
    course.set(title="From values to the optimum", xlabel="values of the log-determinant")
    course.set_ylabel("distance to the optimum of Newton's method")
    dress(course)
    return figure


def _map(figure: Figure, chart: Any, known: Field, chosen: Any) -> None:
    record, errors = known.record, known.errors(chosen)
    x, y = record.longitude, record.latitude
    chart.plot([-109.05, -102.05, -102.05, -109.05, -109.05], [37, 37, 41, 41, 37], "0.6", lw=1)
    dots = chart.scatter(x, y, c=errors, s=42, cmap="YlGnBu", edgecolors="0.4", lw=0.4)
    figure.colorbar(dots, ax=chart, label="error in the years held out, °C", shrink=0.8)
    chart.scatter(x[chosen], y[chosen], s=170, facecolors="none", edgecolors=OURS, lw=2.2)
    for i in np.flatnonzero(chosen):
        name = str(record.station[i]).strip().title()
        east = x[i] > np.median(x)
        chart.annotate(name, (x[i], y[i]), xytext=(-9, -13) if east else (9, 5), fontsize=7.5,
                       textcoords="offset points", ha="right" if east else "left",
                       color="black", weight="bold")  # fmt: skip
    chart.set(title="Ten of 104 stations tell the rest", xlabel="longitude", ylabel="latitude")
    chart.margins(0.07)
    chart.set_aspect(1.27)  # a degree of latitude is that much longer here
