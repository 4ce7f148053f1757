"""What an automatic run knows: what has been measured, and the state of the strategy at work.

Together they are the `learned` of a run's State, so a checkpoint contains them and nothing else
influences the future.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from zooadmm.methods.auto.jumps.state import JumpState, OrderState
from zooadmm.methods.auto.kinks import KinkState
from zooadmm.methods.auto.limited.state import LimitedState
from zooadmm.methods.auto.model import Model
from zooadmm.methods.auto.model.regression import NO_VALUES, Values
from zooadmm.methods.auto.noisy import FilterState
from zooadmm.methods.auto.probe.state import ProbeState, Radius
from zooadmm.methods.auto.ridges import RidgeState
from zooadmm.methods.auto.sampled import SampledState
from zooadmm.methods.auto.sampled.handover import Unstarted
from zooadmm.methods.auto.steps.state import StepsState
from zooadmm.methods.auto.working_set import WorkingState
from zooadmm.problem.arrays import Matrix, Vector

NOWHERE: Vector = np.zeros(0)
NO_TRIES: Matrix = np.zeros((0, 0))


class Refusal(NamedTuple):
    """A strategy that is not used, and why."""

    reason: str
    """In a few words; empty where the strategy is for another kind of loss"""
    strategy: str = ""
    until: int = 0
    """Evaluations of the run after which it is tried again, in place of steps; 0 for never"""


class Known(NamedTuple):
    """What has been measured so far, whatever the strategy."""

    budget: int
    """The evaluations planned for when the run began; 0 for none, and once these are spent"""
    spent: int
    """Evaluations so far"""
    drawn: int
    """Observations drawn so far"""
    radius: Radius
    """Noise and lengths of differences, at `anchor`"""
    loss: float
    """f at `anchor`, its mean where it is noisy; nan where it was not measured"""
    start: Vector
    """x0"""
    anchor: Vector
    """The x at which noise and lengths were measured; x0 at first"""
    best: tuple[Vector, Vector]
    """The best pair (x, y) known by comparison of values; the start at first"""
    mishaps: int
    """How many answers had values that were not finite"""
    failures: tuple[Refusal, ...]
    """Strategies that were tried and given up"""
    refusals: tuple[Refusal, ...]
    """Strategies that come before the one at work, and why they are not used"""
    not_convex: bool = False
    """Whether values of an exact loss have shown that it is not convex"""
    lowest: float = math.inf
    """The least F = f + phi of an exact loss at a pair of the problem; inf for none"""
    lowest_loss: float = math.inf
    """f there"""
    lowest_x: Vector = NOWHERE
    """x of the least F; empty for none"""
    values: Values = NO_VALUES
    """Values at points around `anchor` that the first belief about the loss may be made of"""
    distrust: str = ""
    """Why the values that the user gave are not used; empty where they are, or there are none"""
    repeats: int = 1
    """How many values at a point must be the same; 1 unless some were seen far off: `outliers`"""
    tries: Matrix = NO_TRIES
    """The values so far for the query of a strategy, a row a cell; empty before the first"""
    asked: int = 0
    """The iteration of that query; 0 where there is none"""

    def failed(self, *strategies: str) -> bool:
        """Whether one of these strategies was given up."""
        return any(failure.strategy in strategies for failure in self.failures)


StrategyState = (
    ProbeState
    | RidgeState
    | SampledState
    | Unstarted
    | Model
    | WorkingState
    | KinkState
    | LimitedState
    | JumpState
    | FilterState
    | OrderState
    | StepsState
)


class Learned(NamedTuple):
    """All that an automatic run has learned."""

    known: Known
    state: StrategyState
    """The state of the strategy at work"""
