"""What to say when a run goes wrong: which number, where, and what to do about it."""

from __future__ import annotations

import math
import sys
import warnings

import numpy as np

from zooadmm.methods.method import Method, State, Step
from zooadmm.oracle.queries import Answer, Query
from zooadmm.problem.arrays import Vector, norm
from zooadmm.run.limits import Ledger
from zooadmm.run.pending import NotFinite

FAR = 1e3
"""An |x_t| this many times max(1, |x_1|) has left the start point far behind."""

WORSE = 1e3
"""A loss that has risen by this many times its first size, far from the start and still rising,
diverges."""

RISING = 4.0
"""A loss rises if it has risen this many times as far as at the last check."""

TREND = 4.0
"""Standard errors from which a trend of values at one point is no chance: 1 of 16,000 runs."""

ROUNDING = 0.1
"""Rounding is worth a warning when it makes up this part of the measured differences."""


def far(x: Vector, ledger: Ledger) -> bool:
    """Whether x has left the start point far behind."""
    return norm(x) > FAR * max(1.0, ledger.start_size)


def height(step: Step) -> float:
    """f(x_t; w), or |g_t| where no value was asked: what rises without limit in divergence."""
    return step.gradient_norm if math.isnan(step.loss) else step.loss


def divergence(algorithm: Method, x: Vector, ledger: Ledger, now: float) -> str:
    """A sentence about how the run diverges, or nothing."""
    first, start = ledger.first_height, ledger.start_size
    rise, before = now - first, max(ledger.last_height - first, 0.0)
    if not (rise > WORSE * abs(first) and rise > RISING * before and far(x, ledger)):
        return ""
    return (
        f"The run diverges: |x| grew from {start:.3g} to {norm(x):.3g}, and the loss (or its "
        f"gradient) from {first:.3g} to {now:.3g}. {_remedy(algorithm)}"
    )


def unbounded(first: float, lowest: float, query: Query, answer: Answer) -> str:
    """A sentence about values that fall without limit; lowest: the least value of the answer."""
    reached = norm(_point(query, answer, lowest))
    return (
        f"The loss seems unbounded below: it fell from {first:.3g} to {lowest:.3g} while |x| grew "
        f"to {reached:.3g}. Give a domain, or negate the loss if you meant to maximize it."
    )


def perhaps_unbounded(x: Vector, ledger: Ledger, decrease: float, now: float) -> str:
    """A sentence where the loss fell far below f(x0) and x left x0 far behind, or nothing."""
    first = now + decrease
    if not (decrease > FAR * abs(first) and far(x, ledger)):
        return ""
    return (
        f"The loss fell from {first:.3g} to {now:.3g} while |x| grew to {norm(x):.3g}: is it "
        "bounded below? Else give a domain, or negate the loss if you meant to maximize it."
    )


def drift(values: Vector) -> str:
    """A sentence where successive values at one point rise or fall from call to call, or nothing.

    Kendall's test: of n values in random order the number of pairs that rise less that of those
    that fall has variance n (n - 1) (2 n + 5) / 18.

    >>> drift(np.arange(12.0))[:37]
    'Successive values at x rise from call'
    """
    n = len(values)
    pairs = float(np.sign(values[None, :] - values[:, None])[np.triu_indices(n, 1)].sum())
    if not abs(pairs) > TREND * math.sqrt(n * (n - 1) * (2 * n + 5) / 18):
        return ""
    way = "rise" if pairs > 0 else "fall"
    return (
        f"Successive values at x {way} from call to call, from {values[0]:.4g} to "
        f"{values[-1]:.4g}: the loss drifts, and this is not noise. Make it depend on x alone, or "
        'follow it with settings="follow" or Auto(horizon=...).'
    )


def bottomless(query: Query, answer: Answer) -> str:
    """A sentence about a value of -inf."""
    x = _point(query, answer, -math.inf)
    return (
        f"The loss is -inf at a point with |x| = {norm(x):.3g}: it has no bound below. Give a "
        "domain without such points, or negate the loss if you meant to maximize it."
    )


def _point(query: Query, answer: Answer, value: float) -> Vector:
    """Where the loss has a value of the answer."""
    cell = int(np.argmax(np.asarray(answer).reshape(-1, query.numbers)[:, 0] == value))
    return next(e.point for e in query if e.cell == cell)


def _remedy(method: Method) -> str:
    if method.step_size is None:
        return "Give a step_size, or raise the horizon where there is one."
    return f"Lower step_size, now {method.step_size}, by a factor of 10 or more, or scale the loss."


def not_finite(error: NotFinite, query: Query, state: State, ledger: Ledger) -> str:
    """A sentence about a value that is NaN or infinite."""
    said = f"evaluation {error.cell} of query {query.id} is {np.squeeze(error.value)}, not finite"
    points = (e.point for e in query if e.cell == error.cell)
    if state.t == 1 and np.array_equal(next(points, state.x), state.x):
        return f"{said}: the loss is not finite at x0. Start where it is, inside its domain."
    at = f"at |x_t| = {norm(state.x):.3g}"
    if far(state.x, ledger):
        return f"{said}, {at}: the run diverges. Lower step_size."
    return (
        f"{said}, {at}. Where the loss exists only inside some bounds, give them as domain and use "
        'Smoothed(probes="inside"); where a step went too far, lower step_size.'
    )


def nothing_left(query: Query) -> str:
    """A sentence about a query whose cells were all dropped."""
    return (
        f"all {query.cells} evaluations of query {query.id} were dropped, so nothing is left to "
        "take a step from."
    )


def overflow(algorithm: Method, before: State, step: Step) -> str:
    """A sentence about a step that overflows."""
    return (
        f"iteration {before.t} leads to an x that is not finite (|x_t| = {norm(before.x):.3g}, "
        f"|g_t| = {step.gradient_norm:.3g}): the run diverges. {_remedy(algorithm)}"
    )


def rounding(algorithm: Method, state: State, part: float, ledger: Ledger) -> str:
    """A sentence about differences that are made of rounding."""
    said = (
        f"at iteration {state.t} rounding is {min(part, 1.0):.0%} of the differences that the "
        f"gradient is made of: smoothing = {algorithm.smoothing} is too small for values of this "
        "size, or the loss is flat here. Give a larger smoothing"
    )
    if far(state.x, ledger):
        return f"{said}, or, if |x_t| = {norm(state.x):.3g} is divergence, a smaller step_size."
    return f"{said}."


def warn(said: str) -> None:
    """Warn at the line of the user's that led here."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("zooadmm"):
        level, frame = level + 1, frame.f_back
    warnings.warn(said, RuntimeWarning, stacklevel=level)


def too_small_a_budget(max_evaluations: int | None, needed: int) -> str:
    """A sentence about a budget that does not pay for one iteration."""
    return (
        f"One iteration needs {needed} evaluations, and the budget is {max_evaluations}: raise "
        "max_evaluations. If you set gradient=, it may also have fewer directions."
    )


def too_few_items(unused: int, needed: int) -> str:
    """A sentence about a stream that ended amid a query."""
    last = "last item was" if unused == 1 else f"last {unused} items were"
    return (
        f"The stream of observations ended. Its {last} not evaluated: the next query takes "
        f"{needed}."
    )
