"""State of the descent by a limited-memory model."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.model.state import NO_INDICES, NO_ROWS, NOTHING, Start
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.model_step import Solved

Stage = Literal["start", "slopes", "value", "further", "rounding", "settled", "lost"]
"""What the next values are for: first slopes and curvatures, the gradient, the loss at the
minimizer of the model, further along the line to it, rounding. Or how the descent ended."""


class LimitedState(NamedTuple):
    """f(x + s) is about loss + <g, s> + |s|_H^2 / 2, H by the last steps."""

    stage: Stage
    at: Solved
    """x, y and the dual"""
    loss: float
    """f(x)"""
    start: Start
    """Slopes and curvatures along the variables of now, those of one query at a time"""
    g: Vector
    """The gradient at x; of variables at bounds or kinks it may be from an earlier x"""
    curvatures: Vector
    """Along the variables, where they were last measured"""
    S: Matrix
    """The last steps, a row each"""
    Y: Matrix
    """The changes of the gradient over them"""
    to: Solved
    """S(g), the minimizer of the model"""
    renewal: int
    """The number of whole gradients at which curvatures are measured again"""
    eps: float
    """Rounding error of a value at most"""
    eps_size: float
    """|f| where eps was measured"""
    least: float
    """The floor of eps"""
    first_loss: float
    ask: Matrix = NO_ROWS
    """The points to evaluate next, one a row"""
    left: NDArray[np.intp] = NO_INDICES
    """Variables whose slope at x is still to be measured"""
    among: NDArray[np.intp] = NO_INDICES
    """Variables whose slope is measured at x"""
    slopes: Vector = NOTHING
    """What was measured of them"""
    whole: bool = False
    """Whether the slopes of all variables that can move were measured at x"""
    sweeps: int = 0
    """How often they were"""
    whole_objective: float = math.inf
    """F where they were last"""
    before: Vector = NOTHING
    """The x before the last step; empty where no secant is measured over it"""
    before_g: Vector = NOTHING
    """The gradient there"""
    predicted: float = 0.0
    """<g, s> and the change of phi over the step s to it"""
    t: float = 1.0
    """The part of the way to it that is tried"""
    better: float = math.nan
    """f at a better part of the way, while another one is tried"""
    better_t: float = 0.0
    """The part of the way to S(g) where f is `better`"""
    tries: int = 0
    """Values along this line so far"""
    repairs: int = 0
    """Measurements of all curvatures in a row that led to no step"""
    steps: int = 0
