"""State of the search across jumps."""

from __future__ import annotations

from typing import Literal, NamedTuple

from zooadmm.methods.auto.noisy.state import Best, Spread
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.splitting import Solved


class Cloud(NamedTuple):
    """The distribution N(mean, s^2 C) that points are drawn from, and how it has moved."""

    mean: Vector
    """In X"""
    step: float
    """s, in the units of x"""
    C: Matrix
    turned: Vector
    """p_s, the path of the mean in units of s and C: its length changes s"""
    moved: Vector
    """p_c, the path of the mean in units of s: C grows along it"""
    rounds: int
    """Rounds so far, with the one that is being evaluated"""


class JumpState(NamedTuple):
    """A round of points that is being evaluated, and the best pair so far."""

    ask: Matrix
    """The points to evaluate, one a row: mean + s y, projected on X"""
    draws: Matrix
    """y ~ N(0, C), one a row"""
    cloud: Cloud
    best: Solved
    """The pair with the least F of all"""
    value: float
    """F there"""
    first_step: float
    """s at the start of a search"""
    began: int
    """Evaluations before the present search"""
    found: int
    """Evaluations when the best pair was found, or the present search began if that is later"""
    spent: int
    """Evaluations so far"""
    steps: int
    """How often a better pair was found"""


class OrderState(NamedTuple):
    """A round of points of a noisy loss, or a comparison of the mean with the best pair."""

    stage: Literal["round", "check"]
    """What the next values are for: the order of the points of a round, or a comparison"""
    ask: Matrix
    """The points to evaluate, one a row"""
    repeats: int
    """How often each of them is evaluated"""
    draws: Matrix
    """y ~ N(0, C) of the round, one a row"""
    cloud: Cloud
    first_step: float
    """s at the start"""
    points: int
    """Points of the next round"""
    levels: Vector
    """The means of the values of the last rounds, since their points were last doubled"""
    mean: Vector
    """The mean of the clouds' means since the last comparison"""
    averaged: int
    """How many means that is"""
    spent: int
    """Values so far"""
    next_check: int
    """The number of values after which the mean is next compared with `best`"""
    spread: Spread
    best: Best
    start: Vector
    """x0"""
    steps: int
    """How often a better pair was found"""
