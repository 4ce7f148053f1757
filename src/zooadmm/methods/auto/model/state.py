"""State of the descent by a quadratic model of the loss."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.model.belief import NO_CHANGE, Belief, Change
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.splitting import Solved

Stage = Literal[
    "start",
    "slopes",
    "candidate",
    "further",
    "rounding",
    "second",
    "kink",
    "bend",
    "settled",
    "kinked",
    "lost",
]
"""What the next values are for: the first slopes and curvatures, slopes along some directions, the
minimizer of the model, a point further on the way to it or nearer, rounding, second derivatives,
the test for a kink, the test for a saddle. Or how the model ended: settled; at a kink; or the loss
is hardly anywhere finite."""

NOTHING = np.zeros(0)
NO_ROWS = np.zeros((0, 0))
NO_PATH = np.zeros((0, 2))
NO_INDICES = np.zeros(0, dtype=np.intp)
NOWHERE_KINKED = np.zeros(0, dtype=np.bool_)


class Start(NamedTuple):
    """The first measurements, variable by variable."""

    radii: Vector
    """Distance of the points from x, a number a direction"""
    sides: Vector
    """To which side of x, 1 or -1; 0 for both"""
    slopes: Vector
    """Along the moves, not divided by their lengths; nan while unknown"""
    curvatures: Vector
    """d'f''d / |d|^2 along each move d"""
    todo: NDArray[np.intp]
    """Variables to measure, or to measure again"""
    tries: int
    low: Vector
    """The largest radius known to be too short; 0 for none"""
    high: Vector
    """The least radius known to be too long; inf for none"""
    basis: Matrix
    """The directions, a row each; empty where they are the variables"""
    downward: Matrix = NO_ROWS
    """The moves along which the loss bends downwards, a row each"""
    noisy: bool = False
    """Whether values are off by noise: see `noisy.start`"""
    single: bool = False
    """Whether points are in single precision: see `grid`"""
    on_kinks: NDArray[np.bool_] = NOWHERE_KINKED
    """Along which moves a kink lies at x itself"""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of points."""
        return np.dtype(np.float32 if self.single else np.float64)


class Origin(NamedTuple):
    """Measurements along the variables at the first x, or at the last repair."""

    x: Vector
    v: Vector
    """The gradient"""
    curvatures: Vector
    """|second derivatives|; 0 where rounding hides them; empty where X is more than bounds"""
    steps: Matrix
    """The last steps since then, a row each"""


NO_ORIGIN = Origin(NOTHING, NOTHING, NOTHING, NO_ROWS)


class Secant(NamedTuple):
    """The last step, the metric before it, and how the gradient has changed over it."""

    s: Vector
    H: Matrix
    change: Change
    loss: float
    """f before the step"""
    short: bool = False
    """Whether the step was that of a multiple of H"""


class Trial(NamedTuple):
    """A pair that is evaluated, or was."""

    solved: Solved
    predicted: float
    """F at the pair as the model predicts it, less F(x); at most 0"""
    loss: float
    """f there; nan while unknown"""
    multiple: float = 1.0
    """The multiple of H whose minimizer the pair is"""
    further: int = 0
    """Points of the line to it that were evaluated before"""


NO_TRIAL = Trial(Solved(NOTHING, NOTHING, NOTHING), 0.0, 0.0)
NO_SECANT = Secant(NOTHING, NO_ROWS, NO_CHANGE, 0.0)


class Model(NamedTuple):
    """f(x + s) is about loss + <g, s> + |s|_H^2 / 2, where g ~ N(v, P)."""

    stage: Stage
    ask: Matrix
    """The points to evaluate next, one a row"""
    at: Solved
    """x, y and the dual, of the problem in its one-sided form"""
    loss: float
    """f(x)"""
    eps: float
    """Rounding error of a value at most"""
    eps_size: float
    """|f| where eps was measured, or what it has grown to since"""
    start: Start
    least: float
    """The floor of eps, see `rounding`"""
    first_loss: float
    """f at the first x"""
    patience: float
    """Evaluations before the next measurement of second derivatives, in units of its cost"""
    belief: Belief = Belief(NOTHING, NO_ROWS)
    H: Matrix = NO_ROWS
    first: Vector = NOTHING
    """The diagonal that H began with"""
    rho: float = 0.0
    """The penalty of ADMM on the model; 0 before the first"""
    tau: float = 1.0
    """tau: the relative error of H; at first 1"""
    worth: float = 0.0
    """The decrease of F below which there is more to gain elsewhere; 0 where there is not"""
    secant: Secant = NO_SECANT
    rounds: int = 0
    """Batches of slopes measured at x"""
    whole: bool = True
    """Whether the whole gradient was measured at x"""
    trial: Trial = NO_TRIAL
    """The pair that is tried"""
    best: Trial = NO_TRIAL
    """The better of the pairs tried from x so far, where there are two"""
    refused: Trial = NO_TRIAL
    """A rejected trial pair, while the slope towards it is measured; else empty"""
    steps: int = 0
    """How many steps were taken"""
    poor: int = 0
    """Trials in a row that gave much less than predicted"""
    repairs: int = 0
    """Repairs in a row without a decrease of F"""
    base: Matrix = NO_ROWS
    """H without the corrections by trials refused at x; empty where there are none"""
    refused_step: Vector = NOTHING
    """The step to the last refused trial; empty where none was refused since the last repair"""
    repaired_at: float = math.inf
    """F at the last repair; inf before the first"""
    repaired_steps: int = 0
    """Steps taken before it"""
    spent: int = 0
    """Evaluations since second derivatives were last measured, or since the start"""
    path: Matrix = NO_PATH
    """(spent, promised decrease) at the steps since then, a row each"""
    moves: Matrix = NO_ROWS
    """The moves along which second derivatives are being measured, a row each"""
    not_convex: bool = False
    """Whether values have shown that the loss is not convex"""
    origin: Origin = NO_ORIGIN
    """Where slopes and curvatures along all variables were last measured; empty for nowhere"""
    strained: int = 0
    """Poor trials since the last step whose first trial did well"""
    num_slopes: int = 0
    """Slopes measured at x"""
    most_slopes: int = 0
    """Slopes at x before a trial, at most, where evaluations are few; 0 for as many as it takes"""
    eps_steps: int = 0
    """Steps taken up to the x where eps was measured"""
    left: float = math.inf
    """Evaluations that the budget leaves, up to MOST_NUMBERS; inf without one"""

    @property
    def uncorrected(self) -> Matrix:
        """H without the corrections by trials refused at x."""
        return self.base if len(self.base) > 0 else self.H

    def ended(self, stage: Stage) -> Model:
        """The model at its end, with nothing more to evaluate."""
        return self._replace(stage=stage, ask=self.ask[:0])
