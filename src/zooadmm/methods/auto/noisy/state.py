"""State of the filter for noisy values."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from zooadmm.methods.auto.constants import ROUNDED
from zooadmm.methods.auto.model.belief import Belief, Change
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.splitting import Solved


class Spread(NamedTuple):
    """Values repeated at one point: the sum of their squared deviations, and how many there are."""

    squares: float
    number: float
    """Degrees of freedom"""

    @classmethod
    def of(cls, sigma: float, number: float) -> Spread:
        """With so many degrees of freedom; inf where no values are to change sigma."""
        number = min(number, 1.0 / ROUNDED)
        return cls(number * sigma**2, number)

    @property
    def sigma(self) -> float:
        """The standard deviation of a value."""
        return math.sqrt(self.squares / self.number)

    @property
    def is_given(self) -> bool:
        """Whether sigma was not measured: the user gave it, or it is the rounding of values."""
        return self.number * ROUNDED >= 1.0

    def with_(self, other: Spread) -> Spread:
        """Both together."""
        return Spread(self.squares + other.squares, self.number + other.number)


class Best(NamedTuple):
    """The best pair known by comparison of repeated values."""

    at: Solved
    value: float
    """The mean of the values of f + phi at it"""
    error: float
    """The standard error of that mean"""


class FilterState(NamedTuple):
    """f(x + s) is about level + <g, s> + |s|_H^2 / 2, where g ~ N(v, P)."""

    stage: Literal["slopes", "check"]
    """What the next values are for: slopes at x, or a comparison of the mean iterate with `best`"""
    ask: Matrix
    """The points to evaluate next, one a row: x + d for each direction, then x - d"""
    repeats: int
    """How often each of them is evaluated"""
    at: Solved
    """x, y and the dual"""
    before: Solved
    """x, y and the dual before the last step; empty where it cannot be taken back"""
    belief: Belief
    H: Matrix
    damping: float
    """What multiplies H in steps, 1 or more: steps that lead up raise it, others lower it"""
    step: Vector
    """s, the last step; empty where none was taken"""
    change: Change
    """The belief about the change of the gradient over s"""
    surprise: tuple[float, float]
    """Discounted sums: what slopes missed predictions by, and what they were expected to"""
    level: tuple[float, float]
    """f + phi at `before`, and its standard error"""
    high: float
    """f + phi where the averages over slopes and iterates were last started"""
    mean: Vector
    """The mean of the iterates since the last comparison, or since f + phi fell beyond noise"""
    averaged: int
    """How many iterates that is"""
    reversals: int
    """Steps taken back since f + phi last fell beyond noise"""
    slopes: int
    """Pairs of values measured since f + phi last fell beyond noise"""
    spent: int
    """Values so far"""
    next_check: int
    """The number of values after which the mean is next compared with `best`"""
    spread: Spread
    best: Best
    start: Vector
    """x0"""
    steps: int
    """Steps taken"""
    noise: Literal["known", "elsewhere", "doubted"]
    """"elsewhere": it was measured at x0, and the model has moved; "doubted": the next comparison
    measures it again; "known": neither"""
    rounded: bool
    """Whether the errors are rounding: a point that is evaluated again has the same value"""
