"""The variables of a study: their names, their bounds, and how a trial stores their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from zooadmm.problem.arrays import Vector
from zooadmm.problem.named_variables import Parameters

PARAMETERS = 20
"""Up to so many variables are parameters of Optuna, which storages commit one by one: about 20 ms
each with SQLite. More of them are one attribute."""


@dataclass(frozen=True, eq=False)
class Space:
    """Names and bounds of the variables.

    low, high: bounds of the x that the run moves: the user's, or 0 and 1 where there are scales.
    """

    names: tuple[str, ...]
    low: Vector
    high: Vector
    as_parameters: bool
    """Whether a trial stores the variables as parameters; else the point is one attribute"""
    scales: Parameters | None = None
    """Bounds and scales of the user's values, where x is not these values themselves"""

    @cached_property
    def distributions(self) -> dict[str, FloatDistribution]:
        """The parameters of a trial; none where the point is an attribute."""
        if not self.as_parameters:
            return {}
        low, high, log = self.low, self.high, np.zeros(len(self.names), dtype=np.bool_)
        if self.scales is not None:
            low, high, log = self.scales.lower, self.scales.upper, self.scales.log
        rows = zip(self.names, low.tolist(), high.tolist(), log.tolist(), strict=True)
        return {name: FloatDistribution(low, high, log=log) for name, low, high, log in rows}

    def values(self, x: Vector) -> Vector:
        """What the objective sees at a point x of the run."""
        return x if self.scales is None else self.scales.table(x[None])[0]

    @property
    def bounded(self) -> bool:
        """Whether some variable has a finite bound."""
        return bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())

    def middle(self) -> Vector:
        """The default start: the middle of the bounds, or the point nearest to 0."""
        with np.errstate(invalid="ignore", over="ignore"):
            middle = self.low + (self.high - self.low) / 2
        return np.where(np.isfinite(middle), middle, np.clip(0.0, self.low, self.high))

    def check(self, point: Vector) -> None:
        """Refuse a point outside the bounds by the name of its variable."""
        outside = np.flatnonzero((point < self.low) | (point > self.high))
        if len(outside) > 0:
            i = int(outside[0])
            raise ValueError(
                f"variable {self.names[i]!r} = {point[i]:.6g} is outside its bounds "
                f"[{self.low[i]:.6g}, {self.high[i]:.6g}]. Widen the bounds, or keep probes "
                'inside: settings=Auto(probes="inside") with a domain within the bounds.'
            )


def as_space(candidate: Any) -> Space:
    """The space that a user describes: distributions with names, `Parameters`, or a number.

    Where a distribution is logarithmic all variables move on scales, as those of `Parameters` do.

    >>> as_space({"a": FloatDistribution(0.0, 1.0)}).names
    ('a',)
    >>> as_space(2).names
    ('x0', 'x1')
    """
    if isinstance(candidate, Parameters):
        unit = np.ones(len(candidate))
        return Space(candidate.names, 0 * unit, unit, len(candidate) <= PARAMETERS, candidate)
    if isinstance(candidate, Integral) and not isinstance(candidate, bool):
        m = int(candidate)
        if m < 1:
            raise ValueError(f"space = {m} variables; give at least 1.")
        free = np.full(m, np.inf)
        return Space(tuple(f"x{i}" for i in range(m)), -free, free, False)
    if not isinstance(candidate, Mapping):
        raise TypeError(
            "space must be a mapping of names to FloatDistribution, Parameters, or the number of "
            f"variables, not {type(candidate).__name__}."
        )
    if not candidate:
        raise ValueError("space is empty; give at least one variable.")
    for name, distribution in candidate.items():
        check_kind(name, distribution)
    if any(distribution.log for distribution in candidate.values()):
        rows = candidate.items()
        kinds = {n: (d.low, d.high, "log" if d.log else "linear") for n, d in rows}
        return as_space(Parameters(kinds))
    low = np.array([d.low for d in candidate.values()])
    high = np.array([d.high for d in candidate.values()])
    return Space(tuple(candidate), low, high, len(candidate) <= PARAMETERS)


def check_kind(name: str, distribution: Any) -> None:
    """Refuse, by its name, a parameter that is no real variable on an interval."""
    another = "Fix it, or search over it with another sampler."
    if isinstance(distribution, IntDistribution):
        raise TypeError(f"parameter {name!r} is an integer; this sampler needs reals. {another}")
    if isinstance(distribution, CategoricalDistribution):
        raise TypeError(f"parameter {name!r} is categorical; this sampler needs reals. {another}")
    if not isinstance(distribution, FloatDistribution):
        raise TypeError(
            f"parameter {name!r} is a {type(distribution).__name__}, not a FloatDistribution."
        )
    if distribution.step is not None:
        raise ValueError(f"parameter {name!r} has a step; this sampler needs reals. {another}")
    if distribution.low == distribution.high:
        raise ValueError(f"parameter {name!r} is constant: low = high. Leave it out of the space.")
