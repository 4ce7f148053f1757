"""When a noisy run has come close enough: a stop by the decrease that may be left."""

from __future__ import annotations

import math

from zooadmm.run.optimizer import Optimizer

EVALUATIONS_PER_VARIABLE = 500
"""The default budget for m variables, or parameters of a circuit, is this times m + 1."""


def remaining(optimizer: Optimizer) -> float:
    """The decrease of the objective that may be left at the answer, in its units.

    It is (s + 2 e)^2 / 2 for the measured stationarity s and its standard error e; infinite where
    no gradient was measured at the answer.

    >>> remaining(Optimizer([0.0, 0.0], rng=0))
    inf
    """
    found = optimizer.result()
    if found.stationarity is None or found.stationarity_error is None:
        return math.inf
    return 0.5 * (found.stationarity + 2.0 * found.stationarity_error) ** 2


def is_reached(precision: float | None, optimizer: Optimizer) -> bool:
    """Whether at most `precision` may be left to gain; never for None."""
    return precision is not None and remaining(optimizer) <= precision


def checked(precision: float | None) -> float | None:
    """The precision if it is one."""
    if precision is not None and not precision > 0:
        raise ValueError(f"precision = {precision} must be positive, in units of the objective.")
    return precision
