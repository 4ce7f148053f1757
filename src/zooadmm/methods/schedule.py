"""Numbers that change with t: a schedule is any callable of t = 1, 2, ... that returns one.

The schedules here are values: they print and they compare.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

Schedule = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Constant:
    """The same value for every t.

    >>> Constant(0.1)(7)
    0.1
    """

    value: float

    def __call__(self, t: int) -> float:
        return self.value


@dataclass(frozen=True, slots=True)
class Power:
    """scale / t**exponent.

    >>> Power(scale=2.0, exponent=0.5)(4)
    1.0
    """

    scale: float
    exponent: float

    def __call__(self, t: int) -> float:
        return self.scale / math.pow(t, self.exponent)


@dataclass(frozen=True, slots=True)
class LinearizedWeight:
    """alpha_t = rho eta_t lambda_max(A'A) + 1, the smallest weight with G_t >= I (Sec. 6)."""

    penalty: float
    step_size: Schedule
    lambda_max: float

    def __call__(self, t: int) -> float:
        return self.penalty * self.step_size(t) * self.lambda_max + 1.0


def usable(name: str, schedule: Schedule, t: int) -> float:
    """The schedule at t as a plain number, or an error that names it.

    A numpy scalar would turn float32 iterates into float64.

    >>> usable("step_size", Power(1.0, 0.5), 4)
    0.5
    """
    value = float(schedule(t))
    if not 0 < value < math.inf:
        raise ValueError(f"{name} is {value} at t = {t}; it must stay positive.")
    return value
