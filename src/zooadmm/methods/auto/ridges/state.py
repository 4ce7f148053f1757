"""State of the descent by ridges."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.ridges.plan import Plan
from zooadmm.methods.auto.ridges.tangents import NO_TANGENTS, Tangents
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.splitting import Solved

Stage = Literal["test", "level", "wide", "again", "narrow", "compare", "verify", "settled", "lost"]
"""What the next values are for: the test for ridges; the same far across the direction of each, for
losses with kinks; slopes of fresh observations along all
variables; the sample along its own directions at a trial point; fresh observations along a few
directions; their answer at its own point; a check of slopes before the run settles. Or how the
descent ended."""


NOTHING = np.zeros(0)
NO_FLAGS = np.zeros(0, dtype=bool)


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
    along: Along
    pull: Vector
    """The diagonal of tau W"""
    trial: Solved
    """The pair at which the sample is evaluated next"""
    basis: Matrix
    """The few directions of the narrow measurement, one a column, of length 1"""
    answer: Solved
    parts: tuple[Answer, ...] = ()
    """Values of the current measurement so far, some observations at a time"""
    known: NDArray[np.bool_] = NO_FLAGS
    """Whether the direction of observation i is known"""
    first: Vector = NOTHING
    """Values of the observations where they were first evaluated"""
    predicted: float = math.nan
    """F at the trial as the model predicts it, less F at the center"""
    refits: int = 0
    """Newton steps on the current sample"""
    halvings: int = 0
    """Halvings of the current trial step"""
    seen: Vector = NOTHING
    """Values of the narrow measurement at the center"""
    answered: int = 0
    """Size of the sample when the answer was found"""
    curved: float = 0.0
    """Largest deviation of F from its model over a step, relative to the decrease"""
    rho: float = 0.0
    """The penalty of the inner ADMM"""
    span: float = 0.0
    """Length up to which a loss with kinks is straight; 0 for smooth losses, without tangents"""
    tangents: Tangents = NO_TANGENTS
    unit: float = 0.0
    """The damping of a step as long as the span"""
    damping: float = 1.0
    """Damping of the next step, in units of `unit`"""
    num_narrow: int = 0
    """Observations of the last narrow measurement"""

    @property
    def done(self) -> int:
        """Observations evaluated so far in the current measurement."""
        return sum(part.shape[1] for part in self.parts)
