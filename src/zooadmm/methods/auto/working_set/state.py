"""State of the descent on a working set."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from zooadmm.methods.auto.model.state import NO_INDICES, NO_ROWS, NOTHING, Model, Start
from zooadmm.methods.auto.working_set.bisection import Search
from zooadmm.methods.auto.working_set.entries import NO_ENTRIES, Entries, Indices
from zooadmm.structure.splitting import Solved

Stage = Literal["start", "search", "descend", "whole", "settled", "lost"]
"""What the next values are for: first slopes and curvatures of variables that join, the search for
such variables, the model on those at work, the slope of every other variable; or how the
descent ended."""

NO_SIDES = np.zeros(0, dtype=bool)
NO_SEARCH = Search(
    NO_INDICES, NOTHING, NO_SIDES, NO_SIDES, NO_INDICES, NO_INDICES, caution=0.0, slopes=NOTHING
)
NO_START = Start(NOTHING, NOTHING, NOTHING, NOTHING, NO_INDICES, 0, NOTHING, NOTHING, NO_ROWS)


class WorkingState(NamedTuple):
    """A model of the loss on the variables at work, the others being zero."""

    stage: Stage
    at: Solved
    """x, y and the dual, of all variables"""
    loss: float
    """f(x)"""
    eps: float
    """Rounding error of a value at most"""
    model: Model
    """The model of the loss on the variables at work"""
    length: float
    """Length of the move of a variable in a search, in units of 1 / w_i"""
    ask: Entries = NO_ENTRIES
    """The points to evaluate next"""
    chosen: Indices = NO_INDICES
    """The variables at work, in the order of the model"""
    joining: Indices = NO_INDICES
    """Variables about to enter the working set"""
    start: Start = NO_START
    """First measurements of the variables about to enter"""
    search: Search = NO_SEARCH
    start_objective: float = math.inf
    """F where the descent on the variables at work began"""
    quiet_at: int = -1
    """The number of steps at which a search last found nothing, -1 if it found something since"""
    todo: Indices = NO_INDICES
    """Variables whose slope is yet to be measured singly"""
    steps: int = 0
    """How many steps were taken"""
    sweeps: int = 0
    """Sweeps that measured the slope of every variable at zero singly"""

    @property
    def rho(self) -> float:
        """The penalty of ADMM on the model; 0 before the first."""
        return self.model.rho
