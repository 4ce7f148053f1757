"""Choosing sensors: -log det of the information of a selection, relaxed, within a budget.

As in the paper x in [0, 1]^m and the budget 1'y = m0 stand on different sides of x = y; a feasible
point satisfies both. The start shares the budget out evenly.
"""

from __future__ import annotations

import numpy as np

import zooadmm as zoo
from benchmarks.problem import Array, NoStructure, Problem
from zooadmm.datasets import load_colorado, load_sensor_sample
from zooadmm.losses import LogDeterminant

BUDGET = 10


def sample() -> Problem:
    """The authors' released sample: 50 sensors, 1000 draws of 5-dimensional vectors."""
    return selection("sensors-sample", load_sensor_sample().vectors)


def colorado() -> Problem:
    """104 weather stations, 6 patterns of temperature."""
    return selection("sensors-colorado", load_colorado().spatial_modes(6))


def selection(name: str, vectors: Array) -> Problem:
    m = vectors.shape[-2]
    feasible = zoo.BoxBudget(0.0, 1.0, BUDGET)
    return Problem(
        name=name,
        loss=LogDeterminant(vectors),
        x0=np.full(m, BUDGET / m),
        structure=NoStructure(feasible),
        feasible=feasible,
        regularizer=zoo.regularizers.Indicator(zoo.Budget(BUDGET)),
        domain=zoo.Box(0.0, 1.0),
    )
