"""What a run with evaluated constraints knows."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from zooadmm.problem.arrays import Matrix, Vector

Stage = Literal["start", "slopes", "other side", "trial", "correction", "settled"]

NOTHING: Vector = np.zeros(0)
NO_ROWS: Matrix = np.zeros((0, 0))


class Step(NamedTuple):
    """A step of the quadratic program."""

    d: Vector
    inside: Vector
    """Distance from the constraints, to their inner side, that the step aims at"""
    slope: float
    """Change of the merit function by the linear models; negative"""
    promised: float
    """Decrease of the merit function that the program promises"""


NO_STEP = Step(NOTHING, NOTHING, 0.0, math.inf)


class SequentialState(NamedTuple):
    """All that the future of the run depends on."""

    stage: Stage
    """Which values come next"""
    ask: Matrix
    """The points of the next query, a row each"""
    x: Vector
    values: Vector
    """(f, c_1, ..., c_k) at x"""
    J: Matrix
    """Their slopes, a row each: at x, or while slopes are measured, where x was before"""
    H: Matrix
    """Curvature of the Lagrangian function"""
    raised: Matrix
    """H with the curvature that refused steps from x have shown"""
    came: Vector
    """Where x was before"""
    noise: Vector
    """Errors of values"""
    units: Vector
    """Sizes of the variables"""
    bends: Vector
    """Curvature of each constraint along the last step, in `units`"""
    radius: float
    """Length of the next step along a variable at most, in `units`"""
    last: float
    """Length of the last step, in `units`"""
    multipliers: Vector
    """Multipliers of the constraints"""
    of_rows: Vector
    """Multipliers of the rows of X and phi"""
    weights: Vector
    """Weights of violations in the merit function"""
    step: Step
    central: bool
    """Whether slopes at x come from both sides"""
    seen: Vector
    """Curvature of the Lagrangian function along each variable by both sides of x; empty for one"""
    tries: int
    """Refused steps from x"""
    doubts: int
    """1 once H was made diagonal since the last step, 2 once x went back to the best point, 3 once
    the curvatures of both sides of x took the place of H"""
    steps: int
    best_x: Vector
    best_values: Vector
    """The best point so far: feasible with the least F, else the least violation"""
    first_loss: float
    """f(x0)"""
    breaches: int
    """Evaluated points that violate a constraint"""
    worst: float
    """The largest violation of these"""
    mishaps: int
    """Evaluated points without finite values"""
