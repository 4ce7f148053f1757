"""What a method is: its state, a step of it, and what the ask/tell shell needs to know of it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from zooadmm.methods.schedule import Schedule
from zooadmm.oracle.gradients import GradientSource, Smoothed
from zooadmm.oracle.observations import Batch, Observations, Window
from zooadmm.oracle.queries import Answer, Counted, PointsQuery, Query
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector
from zooadmm.problem.problem import Problem

Output = Literal["average", "last"]
Pair = tuple[Vector, Vector]
"""(x, y)"""


class State(NamedTuple):
    """All that the future of a run depends on."""

    t: int
    """The iteration about to run, from 1."""
    x: Vector
    """x_t"""
    y: Vector
    """y_t"""
    dual: Vector
    """lambda_t; at a solution grad f = A' lambda and B' lambda is a subgradient of phi"""
    x_sum: Vector
    """x_1 + ... + x_{t-1}, in double precision"""
    y_sum: Vector
    """y_1 + ... + y_{t-1}, in double precision"""
    window: Window
    """w_{t-1}, w_{t-2}, ...: what a stream showed and may not show again; else empty"""
    learned: Any = None
    """what a method that learns has learned so far; nothing, for the paper's"""

    @property
    def x_mean(self) -> Vector:
        """The mean of x_1, ..., x_{t-1} (x_1 itself at t = 1), line 13."""
        return self.x if self.t == 1 else _mean(self.x_sum, self.t - 1, self.x)

    @property
    def y_mean(self) -> Vector:
        """The mean of y_1, ..., y_{t-1} (y_1 itself at t = 1), line 13."""
        return self.y if self.t == 1 else _mean(self.y_sum, self.t - 1, self.y)

    def next(self, x: Vector, y: Vector, dual: Vector, learned: Any) -> State:
        """The state of iteration t + 1; x_t and y_t enter the sums of line 13.

        No callback and no loss can write to its iterates.
        """
        for iterate in (x, y, dual):
            iterate.setflags(write=False)
        sums = self.x_sum + self.x, self.y_sum + self.y
        return State(self.t + 1, x, y, dual, *sums, self.window, learned)


class Step(NamedTuple):
    """What iteration t was made of, for those who watch; it never feeds back."""

    loss: float
    """The mean of f(x_t; w) over this iteration's observations; nan where no value was asked"""
    gradient_norm: float
    """|g_t|"""
    residual: float
    """|A x_t + B y_t - c|"""
    update: float
    """|x_{t+1} - x_t|"""
    step_size: float
    """eta_t"""
    smoothing: float
    """beta_t, as it was used; nan where no difference was taken"""
    penalty: float
    """rho"""


NO_STEP = Step(*7 * [math.nan])
"""Of an iteration that was not taken."""


STATIONARY = 1e-5
"""Decrease of F that may be left at a success, as a part of |F|, or of the decrease up to 1: one
tenth of what a success promises, because a model may be wrong about it by some times."""


class FirstOrder(NamedTuple):
    """How far a point is from stationary, in the metric H of the loss."""

    length: float
    """|x - S(g)|_H: the step that the gradient at x still asks for; half its square is about the
    decrease of F that is left"""
    error: float
    """Standard error of the length, by errors of the gradient"""
    scale: float = 0.0
    """The size of F and of its changes on the way; may be far more than the decrease"""

    @property
    def left(self) -> float:
        """The decrease of F that may be left, two standard errors above the measured one."""
        return 0.5 * (self.length + 2.0 * self.error) ** 2

    def is_stationary(self, fun: float, decrease: float | None = None) -> bool:
        """Whether almost nothing is left to gain at a point with this F and F(x0) - F.

        decrease: None where it is not known, or does not matter; then the scale takes its place.
        """
        seen = self.scale if decrease is None else decrease
        return self.left <= STATIONARY * max(abs(fun), min(seen, 1.0))


class Uncertainty(NamedTuple):
    """What comparisons say of the answer."""

    error: Vector
    """Standard deviation of the minimizer, a number a variable"""
    preferred: float
    """Probability that F(x) < F(x0)"""
    left: float
    """Expected F(x) - min F, plus two standard deviations, as a part of F(x0) - F(x)"""


class NotFiniteAtStart(ValueError):  # noqa: N818 - says what the loss is
    """The loss is NaN or infinite at x0."""


NO_SOURCE = Smoothed()
"""For methods that estimate no gradients: the shell asks each for a source."""


class Method(ABC):
    """A way through the iterations: what the ask/tell shell needs to know of one."""

    problem: Problem
    source: GradientSource
    """how gradients are estimated"""
    step_size: Schedule | None
    smoothing: Schedule | None
    key: Key
    """where random numbers come from"""
    learned_type: Any
    """the type of what it learns, the `learned` of its State"""
    recovers = False
    """whether it notices by itself that it diverges, and goes back"""
    unshown = "no gradient was measured there."
    """why an answer is not shown to be an optimum, where there is no `first_order`"""
    unchanged = (
        "No value differed from f(x0): the loss is constant near x0, or not finite elsewhere. "
        "Check that it uses x, and that x0 and the domain are right."
    )
    """a sentence about a run whose answers were all the same"""

    @abstractmethod
    def init(self, x: Vector, y: Vector, dual: Vector) -> State:
        """The state before the first iteration."""

    def drawn(self, state: State, batch: Batch | None) -> int:
        """How many observations a stream has shown, with those of the pending query, if any."""
        return 0

    def draw(self, state: State, observations: Observations) -> Batch:
        """The observations of the next query, of a method that takes any."""
        raise NotImplementedError

    @abstractmethod
    def cost(self, state: State) -> int:
        """How many evaluations the next query will ask for."""

    @abstractmethod
    def query(self, state: State, batch: Batch | None) -> Query:
        """What is to be known next, on these observations."""

    @abstractmethod
    def step(
        self, state: State, query: Query, answer: Answer, counted: Counted | None = None
    ) -> tuple[State, Step]:
        """The state after the answer, and what the iteration was made of.

        counted: the cells that count, where some were dropped; None where all do.
        """

    @abstractmethod
    def recommended(self, state: State, output: Output) -> Pair:
        """The pair that the method would answer with, neither side completed."""

    def stationarity(self, before: State, step: Step, after: State) -> Vector:
        """What is missing to a stationary point, as the step saw it; zero at a solution."""
        return np.full(1, math.inf)

    def prospect(self, after: State) -> tuple[Vector, Vector] | None:
        """(s, H s): the step that a model of the loss suggests, once its gradient is sure enough.

        None where there is no such model.
        """
        return None

    def rounding(self, query: Query, answer: Answer) -> float:
        """How large rounding is beside what was measured; 0 where it plays no part."""
        return 0.0

    def has_moved(self, state: State) -> bool:
        """Whether a step has been taken."""
        return state.t > 1

    def goes_on_unanswered(self, state: State) -> bool:
        """Whether a query of which every cell was dropped may be passed over."""
        return False

    def settled(self, state: State) -> bool:
        """Whether nothing is left to do: no step promises more than rounding."""
        return False

    def first_order(self, state: State) -> FirstOrder | None:
        """How far the recommended x is from stationary; None where no gradient was measured."""
        return None

    def lowest(self, state: State) -> tuple[float, Vector]:
        """The least F that was evaluated, and its x; inf where values are not those of F."""
        return math.inf, np.zeros(0)

    def at(self, x: Vector, batch: Batch | None) -> Query:
        """The query that reports the loss at x."""
        return PointsQuery(0, x[None], batch)

    def constrained(self, state: State) -> tuple[Vector, Vector] | None:
        """Evaluated constraints at the recommended x and their multipliers; None without any."""
        return None

    def uncertainty(self, state: State) -> Uncertainty | None:
        """How sure comparisons are of the recommended x; None without any."""
        return None

    def has_one_answer(self, state: State) -> bool:
        """Whether answers that were all the same mean that the loss is constant."""
        return True

    def not_convex(self, state: State) -> bool:
        """Whether values have shown that the loss is not convex."""
        return False

    def notice(self, before: State, after: State) -> str:
        """A sentence to warn with after a step, most often none."""
        return ""

    @abstractmethod
    def remark(self, state: State) -> str:
        """What has been learned, in a sentence or two; empty where nothing is learned."""

    def with_key(self, key: Key) -> Self:
        """The same with other random numbers."""
        return replace(self, key=key)  # type: ignore[type-var]  # methods are dataclasses


def _mean(total: Vector, count: int, like: Vector) -> Vector:
    return (total / count).astype(like.dtype, copy=False)
