"""What a run knows that makes a quadratic model of its loss."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.model.belief import NO_CHANGE, Belief, Change
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.splitting import Solved

Stage = Literal["start", "slopes", "candidate", "further", "settled", "lost"]
"""What the next values are for: the first slopes and curvatures, slopes along some directions, the
minimizer of the model, a point further on the way to it or nearer; or that no more are wanted."""

MUCH_LESS = 0.01
"""A loss that has fallen to this part of its first size is looked at anew before the run settles:
what was rounding beside the first values may be much beside the last."""

NOTHING = np.zeros(0)
NO_ROWS = np.zeros((0, 0))


class Start(NamedTuple):
    """The first measurements, variable by variable."""

    radii: Vector
    """How far points are taken from x"""
    sides: Vector
    """To which side of x, 1 or -1; 0 for both"""
    slopes: Vector
    """Along the moves, not divided by their lengths; nan while unknown"""
    curvatures: Vector
    """d'f''d / |d|^2 along each move d"""
    todo: NDArray[np.intp]
    """The variables that are to be measured, or measured again"""
    tries: int


class Secant(NamedTuple):
    """The last step, the metric before it, and how the gradient has changed over it."""

    s: Vector
    H: Matrix
    change: Change


class Trial(NamedTuple):
    """A pair that is evaluated, or was."""

    solved: Solved
    predicted: float
    """What the model says of F there, less F(x); at most 0"""
    loss: float
    """f there; nan while unknown"""


class Model(NamedTuple):
    """f(x + s) is about loss + <g, s> + |s|_H^2 / 2, where g ~ N(v, P)."""

    stage: Stage
    ask: Matrix
    """The points whose values are wanted next, one a row"""
    at: Solved
    """x, y and the dual, of the problem in its one-sided form"""
    loss: float
    """f(x)"""
    belief: Belief
    H: Matrix
    first: Vector
    """The diagonal that H began with"""
    rho: float
    """The penalty of ADMM on the model; 0 before the first"""
    tau: float
    """How far H is believed to be off, relative to itself"""
    eps: float
    """How far a value may be off by rounding"""
    worth: float
    """The decrease of F below which there is more to gain elsewhere; 0 where there is not"""
    first_size: float
    """|f| where that was found out"""
    start: Start
    secant: Secant
    looks: int
    """How often slopes were asked for at x"""
    asked: int
    """How many"""
    whole: bool
    """Whether the whole gradient was measured at x"""
    trial: Trial
    """The pair that is tried"""
    best: Trial
    """The better of the pairs tried from x so far, where there are two"""
    refused: Trial
    """A pair that was tried and is not better than x, while the slope towards it is asked for"""
    steps: int
    """How many steps were taken"""
    poor: int
    """Trials in a row that gave much less than predicted"""
    restarts: int
    """How often the model was given up and begun again"""
    base: Matrix
    """H without the corrections by trials refused at x; empty where there are none"""


NO_TRIAL = Trial(Solved(NOTHING, NOTHING, NOTHING), 0.0, 0.0)
NO_SECANT = Secant(NOTHING, NO_ROWS, NO_CHANGE)
