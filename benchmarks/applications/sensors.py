"""Sensor selection: the paper's random field beside Newton, Colorado's stations beside greed."""

from __future__ import annotations

from functools import cache

import numpy as np

from benchmarks.applications.line import Figures, Limit, Line
from benchmarks.problem import Array
from zooadmm.applications import SensorSelector, reconstructed, spatial_modes
from zooadmm.applications.baselines import greedy, second_order
from zooadmm.applications.selection import largest, log_determinant, mean_squared_error
from zooadmm.datasets import StationRecord, load_colorado, sensor_field
from zooadmm.losses import LogDeterminant

MODES, STATIONS = 5, 10
HELD_OUT = 144
"""The last months of the record, twelve years, from which nothing is learned."""


@cache
def field(seed: int) -> Array:
    """The paper's numbers: 100 sensors, 5 unknowns, 1000 times."""
    return sensor_field(rng=seed).vectors


@cache
def newton(seed: int, budget: int) -> Array:
    return second_order(field(seed), budget)


def in_the_field(case: str, seed: int, evaluations: int) -> Figures:
    budget, _, splitting = case.partition(", ")
    A, count = field(seed), int(budget)
    selector = SensorSelector(count, max_evaluations=evaluations, random_state=seed)
    if splitting:
        selector.set_params(splitting=splitting)
    weights = newton(seed, count)
    best = LogDeterminant(A)(weights)
    judge = mean_squared_error(largest(weights, count), A)
    selector.fit(A)
    return {
        "objective above the second-order method's, %": 100
        * (selector.objective_ - best)
        / abs(best),
        "MSE above its, %": 100 * (selector.mse_ / judge - 1),
        "evaluations used": float(selector.result_.nfev),
    }


@cache
def colorado() -> tuple[Array, Array]:
    """Departures from the usual, to learn from and to test on; the usual is that of the former."""
    record = load_colorado()
    months = np.arange(len(record.tmax)) % 12
    early = np.arange(len(record.tmax)) < len(record.tmax) - HELD_OUT
    usual = np.stack([np.nanmean(record.tmax[early & (months == k)], axis=0) for k in range(12)])
    learned = StationRecord(
        record.tmax[early], record.longitude, record.latitude, record.elevation, record.station
    )
    return learned.anomalies(), record.tmax[~early] - usual[months[~early]]


def held_out_rmse(modes: Array, support: Array) -> float:
    """The error at the stations that were not chosen, degrees, where there is a reading."""
    test = colorado()[1]
    errors = (reconstructed(modes, support, np.nan_to_num(test)) - test)[:, ~support]
    return float(np.sqrt(np.nanmean(np.square(errors))))


def in_colorado(case: str, seed: int, evaluations: int) -> Figures:
    A = spatial_modes(colorado()[0], MODES)
    selector = SensorSelector(STATIONS, max_evaluations=evaluations, random_state=seed)
    selector.set_params(rounding=case).fit(A)
    by_greed = greedy(A, STATIONS)
    return {
        "log-determinant above greed's": selector.log_determinant_ - log_determinant(by_greed, A),
        "held-out RMSE, degrees": held_out_rmse(A[0], selector.support_),
        "greed's held-out RMSE, degrees": held_out_rmse(A[0], by_greed),
        "evaluations used": float(selector.result_.nfev),
    }


LINES = [
    Line(
        "sensors",
        "The paper's field, 100 sensors, 5 unknowns, budget of sensors",
        (
            *(f"{budget}" for budget in range(10, 70, 10)),
            *(f"{budget}, box and budget" for budget in (10, 60)),
        ),
        in_the_field,
        {
            "objective above the second-order method's, %": Limit("at most", 0.1),
            "MSE above its, %": Limit("at most", 2.0),
        },
        30_000,
    ),
    Line(
        "colorado",
        "Ten of 104 Colorado stations, rounding by swaps or by largest weights",
        ("swaps", "largest"),
        in_colorado,
        {"log-determinant above greed's": Limit("at least", 0.0)},
        30_000,
    ),
]
