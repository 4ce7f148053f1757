"""State of the descent by ridges."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.ridges.plan import Plan
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.splitting import Solved

Stage = Literal["test", "wide", "again", "narrow", "compare", "verify", "settled", "lost"]
"""What the next values are for: the test for ridges; slopes of fresh observations along all
variables; the sample along its own directions at a trial point; fresh observations along a few
directions; their answer at its own point; a check of slopes before the run settles. Or how the
descent ended."""


class Along(NamedTuple):
    """Observations at the center, each along its own direction: l, l' and l'' of l(a'x)."""

    value: Vector
    slope: Vector
    curvature: Vector
    sound: NDArray[np.bool_]
    """Which of them had finite values only; the others do not count."""


class RidgeState(NamedTuple):
    """The sample of observations, their ridges, and the answer found with them."""

    stage: Stage
    target: int
    """Observations that the current measurement needs"""
    since: int
    """The first iteration of the current measurement"""
    parts: tuple[Answer, ...]
    """Its values so far, some observations at a time"""
    spent: int
    """Evaluations so far"""
    plan: Plan
    length: float
    """The distance between the points of a difference"""
    start: Solved
    """The pair at x_1, towards which a small sample is shrunk"""
    center: Solved
    """Where all ridges are known"""
    directions: Matrix
    """The a_i, one a row: the slopes where the observation was first evaluated"""
    known: NDArray[np.bool_]
    """Whether the direction of observation i is known"""
    first: Vector
    """Values of the observations where they were first evaluated"""
    along: Along
    pull: Vector
    """The diagonal of tau W"""
    trial: Solved
    """The pair at which the sample is evaluated next"""
    predicted: float
    """What the model says of F there, less F at the center"""
    refits: int
    """Newton steps on the current sample"""
    halvings: int
    """Halvings of the current trial step"""
    basis: Matrix
    """The few directions of the narrow measurement, one a column, of length 1"""
    seen: Vector
    """Values of the narrow measurement at the center"""
    answer: Solved
    answered: int
    """Size of the sample when the answer was found"""
    curved: float
    """Largest deviation of F from its model over a step, relative to the decrease"""
    rho: float
    """The penalty of the inner ADMM"""
    num_narrow: int
    """Observations of the last narrow measurement"""

    @property
    def done(self) -> int:
        """Observations evaluated so far in the current measurement."""
        return sum(part.shape[1] for part in self.parts)
