"""What a run knows whose observations are ridges."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.ridges.plan import Plan
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.splitting import Solved

Stage = Literal["test", "wide", "again", "narrow", "compare", "verify", "settled", "lost"]
"""What the next values are for: whether observations are ridges at all; slopes of fresh ones along
all variables; the held ones along their own directions at another point; fresh ones along a few
directions; the answer of these at its own point; some slopes once more, before the run settles; or
that no more are wanted."""


class Along(NamedTuple):
    """Observations at the center, each along its own direction: l, l' and l'' of l(a'x)."""

    value: Vector
    slope: Vector
    curvature: Vector
    sound: NDArray[np.bool_]
    """Which of them had finite values only; the others do not count."""


class Held(NamedTuple):
    """The observations that are held, their ridges, and what was made of them."""

    stage: Stage
    wanted: int
    """How many observations the look is about that is being taken"""
    since: int
    """The iteration that it began with"""
    parts: tuple[Answer, ...]
    """What it has shown so far, some observations at a time"""
    spent: int
    """Evaluations so far"""
    plan: Plan
    length: float
    """The distance between the points of a difference"""
    start: Solved
    """The pair at x_1, where the pull of a small sample leads"""
    center: Solved
    """Where all ridges are known"""
    directions: Matrix
    """The a_i, one a row: the slopes where the observation was first seen"""
    known: NDArray[np.bool_]
    """Of which observations the direction is known"""
    first: Vector
    """Their values where they were first seen"""
    along: Along
    pull: Vector
    """The diagonal of tau W"""
    trial: Solved
    """The pair at which the held observations are looked at again"""
    predicted: float
    """What the model says of F there, less F at the center"""
    refits: int
    """How often the held observations were looked at again since there are so many"""
    halvings: int
    """How often a trial was taken back half of its way"""
    basis: Matrix
    """The directions of a narrow look, one a column, of length 1"""
    seen: Vector
    """The values of the narrow look at the center"""
    answer: Solved
    answered: int
    """How many observations were held when it was found"""
    curved: float
    """How far the loss was from a parabola over a step at most, as a part of what it fell by"""
    rho: float
    """The penalty of the inner ADMM"""
    looked: int
    """How many observations the last narrow look was about"""

    @property
    def done(self) -> int:
        """How many observations the look has shown so far."""
        return sum(part.shape[1] for part in self.parts)
