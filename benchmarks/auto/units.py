"""The same problem with a unit of its own for every variable."""

from __future__ import annotations

import numpy as np

from benchmarks.problem import Array, Problem
from benchmarks.scaling import in_units

LOG10_RANGE = 2.0
"""Units lie between 10^-2 and 10^2, evenly in the logarithm."""


def drawn_units(m: int) -> Array:
    """Log-uniform, the same for every run."""
    generator = np.random.default_rng(2018)
    return np.asarray(10.0 ** generator.uniform(-LOG10_RANGE, LOG10_RANGE, m))


def each_in_its_unit(problem: Problem, units: Array) -> Problem:
    """The problem in variables u_i = units_i x_i."""
    return in_units(problem, "each", 1.0, units)
