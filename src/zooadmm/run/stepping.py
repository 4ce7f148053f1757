"""A step: from the whole answer to a query to the next state, and what was noticed on the way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.method import NO_STEP, Method, State, Step
from zooadmm.oracle.loss import LARGEST
from zooadmm.oracle.observations import Observations, Stream, Window
from zooadmm.oracle.once import Once
from zooadmm.oracle.queries import Answer, OnceQuery, Query
from zooadmm.problem.arrays import Vector, norm, squared_norm
from zooadmm.problem.constraint import Side
from zooadmm.run import diagnosis
from zooadmm.run.dropping import without
from zooadmm.run.limits import Ledger, Limits
from zooadmm.run.trace import Info

BEYOND = (
    "the numbers of this run left the range of floats ({}): values of the loss or entries of x are "
    "too large or too small. Scale the loss and the variables to sizes around 1."
)

BOTTOMLESS = 1e15
"""A value this many times the size of the loss below f(x0), far from x0, has no limit."""

ABYSS = 1e100
"""The same factor wherever x is: a loss may fall exponentially."""


def check_size(values: Answer) -> None:
    """Refuse a loss whose first values all have squares that overflow, or differ and underflow.

    >>> check_size(np.array([3e300, 2e300]))
    Traceback (most recent call last):
        ...
    FloatingPointError: the numbers of this run left the range of floats (a value is 2e+300): ...
    """
    sizes = np.abs(values[np.isfinite(values)])
    least, largest = float(sizes.min(initial=np.inf)), float(sizes.max(initial=0.0))
    if LARGEST < least < np.inf:
        raise FloatingPointError(BEYOND.format(f"a value is {least:.3g}"))
    if least < largest < 1.0 / LARGEST:
        raise FloatingPointError(BEYOND.format(f"the largest value is {largest:.3g}"))


class in_range:  # noqa: N801
    """What a method computes: it checks its results for inf and nan, so numpy need not warn.

    Errors of arithmetic, which Python raises where numpy would give inf, become one that says so.
    Entered several times an iteration, so it is a class: a generator takes three times as long.
    """

    def __enter__(self) -> None:
        self._quiet = np.errstate(all="ignore")
        self._quiet.__enter__()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self._quiet.__exit__(kind, error, traceback)
        if isinstance(error, (OverflowError, ZeroDivisionError, np.linalg.LinAlgError)):
            raise FloatingPointError(BEYOND.format(error)) from error


def next_query(
    method: Method, observations: Observations | None, state: State, ledger: Ledger
) -> Query:
    """The next query of the method. Items that are shown once are dealt out, one a cell."""
    if not isinstance(observations, Once):
        batch = None if observations is None else method.draw(state, observations)
        with in_range():
            return method.query(state, batch)
    with in_range():
        asked = method.query(state, None)
    return OnceQuery(asked, observations.next(ledger.evaluations, asked.evaluations, method.key))


def query_again(
    method: Method, observations: Observations | None, state: State, shown: Window
) -> Query:
    """The query that was pending, on the observations that a stream had shown for it."""
    if isinstance(observations, Once):
        return OnceQuery(method.query(state, None), shown)
    return method.query(state, shown)


def drawn(
    method: Method,
    observations: Observations | None,
    state: State,
    ledger: Ledger,
    shown: Window | None,
) -> int:
    """How many observations a stream has shown, with those of the pending query, if any."""
    if isinstance(observations, Once):
        return ledger.evaluations + len(shown or ())
    return method.drawn(state, shown)


class Taken(NamedTuple):
    """The result of a step."""

    state: State
    ledger: Ledger
    info: Info
    refused: bool = False
    """Whether x stayed, since values fall without limit"""


@dataclass(frozen=True, eq=False)
class Stepping:
    """How a run takes its steps; it holds nothing that a step changes."""

    method: Method
    observations: Observations | None
    limits: Limits
    complete: Side | None
    """The side that the result completes"""

    def take(
        self,
        before: State,
        ledger: Ledger,
        query: Query,
        answer: Answer,
        dropped: NDArray[np.bool_] | None,
    ) -> Taken:
        """The step by an answer.

        dropped: the cells without a value; None where all have one.
        """
        counted = None
        if dropped is not None:
            if dropped.all() and not self.method.goes_on_unanswered(before):
                raise ValueError(diagnosis.nothing_left(query))
            answer, counted = without(query, answer, dropped)
            ledger = ledger._replace(dropped=ledger.dropped + int(dropped.sum()))
        values = np.asarray(answer, dtype=np.float64).reshape(-1, query.numbers)[:, 0]
        if query.gradients == 0 and self.observations is None and _is_bottomless(values, ledger):
            return self._refused(diagnosis.bottomless(query, answer), before, ledger, query)
        if before.t == 1 and query.gradients == 0:
            check_size(values)
        try:
            with in_range():
                after, step = self.method.step(before, query, answer, counted)
        except FloatingPointError:
            if not self._values_seen(query, answer, values, before, ledger)[2]:
                raise
            after, step = before, NO_STEP
        if not math.isfinite(step.update + squared_norm(after.dual)):  # nor may |dual|^2 overflow
            bottomless = self._values_seen(query, answer, values, before, ledger)[2]
            if bottomless:
                return self._refused(bottomless, before, ledger, query, step)
            raise FloatingPointError(diagnosis.overflow(self.method, before, step))
        if isinstance(self.observations, Stream):
            after = after._replace(window=tuple(query.observations or ()))
        return self._noted(before, ledger, query, answer, values, after, step)

    def _noted(
        self,
        before: State,
        ledger: Ledger,
        query: Query,
        answer: Answer,
        values: Vector,
        after: State,
        step: Step,
    ) -> Taken:
        """A step that was taken, with its ledger."""
        method, t = self.method, before.t
        first, last = ledger.first_height, ledger.last_height
        diverged, warned = ledger.diverged, ledger.warned
        if _is_check_due(t):
            now = diagnosis.height(step)
            if not method.recovers:
                diverged = diagnosis.divergence(method, before.x, ledger, now)
            first, last = now if t == 1 else first, now
            warned = warned or self._warn_of_rounding(before, query, answer, ledger)
        begin, varied, unbounded = self._values_seen(query, answer, values, after, ledger)
        notice = method.notice(before, after)
        if notice:
            diagnosis.warn(notice)
        evaluations = ledger.evaluations + query.evaluations
        info, accuracy = Info(method, before, step, after, evaluations, ledger.dropped), math.inf
        if self.limits.tolerance is not None:
            with in_range():
                accuracy = info.accuracy
        noted = Ledger(
            evaluations,
            ledger.gradients + query.gradients,
            first,
            last,
            math.nan if self.limits.target is None else self._measured(info),
            accuracy,
            diverged,
            warned,
            ledger.dropped,
            begin,
            ledger.first_change if ledger.evaluations > 0 else _change(values),
            varied,
            ledger.elsewhere or (not varied and _has_different(query)),
            unbounded,
            norm(before.x) if t == 1 else ledger.start_size,
        )
        return Taken(after, noted, info)

    def _refused(
        self, unbounded: str, state: State, ledger: Ledger, query: Query, step: Step = NO_STEP
    ) -> Taken:
        """End with the query's evaluations counted, which were made, and x where it was."""
        noted = ledger._replace(
            evaluations=ledger.evaluations + query.evaluations,
            gradients=ledger.gradients + query.gradients,
            unbounded=unbounded,
        )
        info = Info(self.method, state, step, state, noted.evaluations, noted.dropped)
        return Taken(state, noted, info, refused=True)

    def _values_seen(
        self, query: Query, answer: Answer, values: Vector, state: State, ledger: Ledger
    ) -> tuple[float, bool, str]:
        """(f(x_1), whether values differ, how they fall without limit), with those of an answer.

        They fall without limit beside f(x_1) and how far f changed beside x_1.
        """
        if query.gradients > 0:
            return math.nan, True, ""
        first, varied = ledger.start_loss, ledger.varied
        if ledger.evaluations == 0 and len(values) > 0:
            first = float(values[0])
        lowest = _lowest(values)
        if not varied or not math.isfinite(lowest):
            values = values[np.isfinite(values)]
            lowest = _lowest(values)
        varied = varied or bool((values != first).any())  # any number differs from a first NaN
        if not (math.isfinite(lowest) and math.isfinite(first)):
            return first, varied, ""
        fallen = (first - lowest) / max(1.0, abs(first), ledger.first_change)
        if ledger.evaluations == 0 or fallen <= BOTTOMLESS:
            return first, varied, ""
        if fallen <= ABYSS and not diagnosis.far(state.x, ledger):
            return first, varied, ""
        return first, varied, diagnosis.unbounded(first, lowest, query, answer)

    def _measured(self, info: Info) -> float:
        """The objective that is compared with a target: y completed where the result's is."""
        if self.complete != "y":
            return info.objective
        problem = self.method.problem
        return info.loss + problem.phi_near(problem.constraint.complete_y(info.x))

    def _warn_of_rounding(self, state: State, query: Query, answer: Answer, ledger: Ledger) -> bool:
        if not np.isfinite(answer).all():
            return False
        part = self.method.rounding(query, answer)
        if part <= diagnosis.ROUNDING:
            return False
        said = diagnosis.rounding(self.method, state, part, ledger)
        diagnosis.warn(said)
        return True


def _is_check_due(t: int) -> bool:
    """Whether iteration t is one at which the costlier checks are made: 1, 2, 4, ... and 64s."""
    return t & (t - 1) == 0 or t % 64 == 0


def _is_bottomless(values: Vector, ledger: Ledger) -> bool:
    """Whether a value is -inf, beside a finite first one."""
    if _lowest(values) > -math.inf:
        return False
    first = ledger.start_loss if ledger.evaluations > 0 else values[0]
    return bool(np.isneginf(values).any() and np.isfinite(first))


def _lowest(values: Vector) -> float:
    """The least of the values that are numbers; nan where there is none."""
    return float(np.fmin.reduce(values)) if values.size > 0 else math.nan


def _change(values: Vector) -> float:
    """The range of the finite values."""
    values = values[np.isfinite(values)]
    return float(np.ptp(values)) if len(values) > 0 else 0.0


def _has_different(query: Query) -> bool:
    """Whether a query is about more than one point."""
    points = query.points
    return bool((points != points[0]).any())
