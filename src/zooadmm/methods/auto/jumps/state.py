"""State of the search across jumps."""

from __future__ import annotations

from typing import NamedTuple

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
