"""Interface of a strategy: how a run chooses its queries, and what it makes of the answers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from zooadmm.methods.auto.constants import HALF_DIGITS
from zooadmm.methods.auto.given import Given
from zooadmm.methods.auto.known import Known, Refusal
from zooadmm.methods.auto.model import Model
from zooadmm.methods.auto.noisy import FilterState
from zooadmm.methods.auto.sampled import SampledState
from zooadmm.methods.method import FirstOrder, Pair, Step
from zooadmm.oracle.observations import Batch, Observations, Window
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.problem.arrays import Vector, norm

S = TypeVar("S")


class Progress(NamedTuple):
    """The part of a run's state that all strategies share."""

    t: int
    x: Vector
    y: Vector
    dual: Vector
    window: Window
    """The last observations that a stream has shown"""
    known: Known


class Handover(NamedTuple):
    """A strategy ends; the next one starts with what it leaves."""

    reason: str = ""
    """Why the strategy was given up; empty where its work is done"""
    probe_again: bool = False
    """Whether noise and lengths are to be measured again, at the x of now"""
    prior: Model | SampledState | FilterState | None = None
    """A belief about gradient and curvature, with the values behind it"""


class Update(NamedTuple):
    """The result of an answer."""

    at: Progress
    state: Any
    """The next state of the strategy, or a Handover"""
    step: Step


class Strategy(ABC, Generic[S]):
    """One kind of iteration; all that changes is in its state S, which is frozen.

    A new one needs its state in `known.StrategyState` and a place in the list of `router`.
    """

    name: ClassVar[str]
    states: ClassVar[tuple[type, ...]]
    """The types of its state"""

    def __init__(self, given: Given) -> None:
        self.given = given

    @abstractmethod
    def init(self, at: Progress, handover: Handover) -> tuple[Progress, S] | Refusal:
        """The first state and the pair it starts from, or why this strategy is not for the run."""

    def observations(self, state: S, at: Progress, source: Observations) -> Batch:
        """The observations of the next query, where the loss has any: by default a fresh one."""
        return source.next(at.known.drawn, 1, self.given.key)

    def drawn(self, state: S, at: Progress, batch: Batch) -> int:
        """Observations drawn so far, with those of this query."""
        return at.known.drawn + len(batch)

    def cost(self, state: S, at: Progress) -> int:
        """Evaluations of the next query: by default of one without observations."""
        return self.query(state, at, None).evaluations

    @abstractmethod
    def query(self, state: S, at: Progress, batch: Batch | None) -> Query:
        """What to evaluate next."""

    @abstractmethod
    def update(
        self, state: S, at: Progress, query: Query, answer: Answer, counted: Counted | None
    ) -> Update:
        """What follows from the answer.

        counted: the cells that count, where some were dropped; None where all do.
        """

    def estimate(self, state: S, at: Progress) -> Pair:
        """The best pair known now: by default the iterate."""
        return at.x, at.y

    def stationarity(self, state: S, at: Progress, step: Step, way: Vector) -> Vector:
        """What is missing to a stationary point, after a step from x along -way."""
        return np.full(1, math.inf)

    def prospect(self, state: S) -> tuple[Vector, Vector] | None:
        """(s, H s): the step that a model of the loss suggests, once its gradient is sure."""
        return None

    def first_order(self, state: S, at: Progress) -> FirstOrder | None:
        """How far the best pair is from stationary; None where no gradient was measured there."""
        return None

    @abstractmethod
    def has_moved(self, state: S, at: Progress) -> bool:
        """Whether a step has been taken."""

    def settled(self, state: S) -> bool:
        """Whether nothing is left to do: no step promises more than rounding."""
        return False

    @abstractmethod
    def remark(self, state: S, at: Progress) -> str:
        """What was learned, in a sentence or two."""

    def record(
        self,
        at: Progress,
        to: Vector,
        loss: float,
        *,
        gradient_norm: float = math.nan,
        step_size: float = math.nan,
        smoothing: float = math.nan,
        penalty: float = 0.0,
    ) -> Step:
        """The record of an iteration from x_t to this x; a penalty of 0 is none."""
        residual = norm(self.given.problem.constraint.residual(at.x, at.y))
        update = norm(to - at.x)
        rho = penalty or math.nan
        return Step(loss, gradient_norm, residual, update, step_size, smoothing, rho)

    def idle_step(self, at: Progress, loss: float, length: float | None = None) -> Step:
        """The record of an iteration without a step; length: of its differences."""
        length = at.known.radius.length if length is None else length
        return self.record(at, at.x, loss, smoothing=abs(self.given.beta(length, at.t)))


def missed(at: Progress, answer: Answer) -> Progress:
    """The progress, with one more mishap where a value is not finite."""
    known = at.known
    return at._replace(
        known=known._replace(mishaps=known.mishaps + (not np.isfinite(answer).all()))
    )


def astray(x: Vector, anchor: Vector) -> bool:
    """Whether x is so far away that x0 has lost half of its digits: is the loss bounded below?"""
    return HALF_DIGITS * float(np.abs(x - anchor).max()) > max(1.0, float(np.abs(anchor).max()))


def astray_remark(x: Vector, anchor: Vector) -> str:
    """The sentence about that; empty where x is not."""
    if not astray(x, anchor):
        return ""
    way = float(np.abs(x - anchor).max())
    return f" x is {way:.1g} away from x0: is the loss bounded below? Else give a domain."


def count_steps(count: int) -> str:
    """A number of steps in words."""
    return "a step" if count == 1 else f"{count} steps"


def unimproved_remark() -> str:
    """For a run whose answer is still its start."""
    return (
        " No improvement has stood out from the noise so far: give a larger budget, or a "
        "step_size if a good one is known."
    )
