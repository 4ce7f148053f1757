"""How a loss is called: point by point, many points at once where it can, or for gradients."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from zooadmm.evaluation.faults import Failure, OnError, Retry
from zooadmm.oracle.loss import Loss
from zooadmm.oracle.queries import Answer, GradientQuery, Query

ALONE = (
    "Without observations the loss is called as loss(x), with one vector x: give observations= for "
    "loss(x, w)."
)


class Part(NamedTuple):
    """What came of some of the cells of a query."""

    values: Answer
    """a number a cell, or a row a gradient; nan where dropped"""
    dropped: tuple[int, ...] = ()
    """the cells that failed and are dropped"""
    why: str = ""
    """what the first of them failed with"""
    seconds: float = 0.0
    """how long it took"""


class Calls:
    """The loss, in whatever form it has, and what to do where it raises.

    loss: see `zooadmm.oracle.loss`; `values` is preferred to calls point by point.
    on_error: as for `minimize`.
    """

    def __init__(self, loss: Any, on_error: OnError) -> None:
        self._again = on_error.times if isinstance(on_error, Retry) else 0
        """how often an evaluation that raises is made again"""
        in_the_end = on_error.then if isinstance(on_error, Retry) else on_error
        if not isinstance(in_the_end, str) or in_the_end not in ("stop", "drop"):
            raise ValueError(f'on_error must be "stop", "drop" or Retry(n), not {on_error!r}.')
        self.drops = in_the_end == "drop"
        """Whether a cell that fails in the end is dropped."""
        values, gradient = getattr(loss, "values", None), getattr(loss, "gradient", None)
        many = callable(values) and not isinstance(loss, Mapping)  # whose values are others
        self._values: Callable[..., Any] | None = values if many else None
        self._gradient: Callable[..., Any] | None = gradient if callable(gradient) else None
        self._value: Callable[..., Any] | None = loss if callable(loss) else None
        if isinstance(loss, Loss):
            self._value = loss.value
        if self._values is None and self._gradient is None and self._value is None:
            raise TypeError(
                "loss must be callable as f(x) or f(x, w), or have values(points, observations) "
                f"or gradient(x, w); {type(loss).__name__} has none of these."
            )
        self.has_values = self._values is not None or self._value is not None
        """Whether the loss can be evaluated, not only differentiated."""
        self.has_gradient = self._gradient is not None
        """Whether the loss can be differentiated."""

    def seams(self, query: Query) -> list[int]:
        """The cells at which a query may be cut without changing what the loss is called with.

        A loss for many points at once rounds differently in other company, so its tables stay
        whole; they depend on the query alone.
        """
        if query.gradients == 0 and self._values is not None:
            return query.seams()
        return list(range(query.cells + 1))

    def part(self, query: Query, start: int, stop: int) -> Part:
        """The values of the cells from start to stop, which are seams."""
        if query.gradients > 0:
            return self._gradients(cast("GradientQuery", query), start, stop)
        if self._values is not None:
            return self._batched(query, self._values, start, stop)
        return self._one_by_one(query, start, stop)

    def _batched(self, query: Query, values: Callable[..., Any], start: int, stop: int) -> Part:
        answer, dropped, why = None, list[int](), ""
        for points, observations, cells in query.tables_within(start, stop):
            seen = () if observations is None else (observations,)
            shape = (len(points), *map(len, seen))
            if query.numbers > 1:
                shape = (len(points), query.numbers)
            try:
                got = _unmasked(self._called(values, points, *seen))
            except Exception as error:
                why = self._failed(error, f"during query {query.id}", why)
                dropped += range(cells.start, cells.stop)
                got = np.full(shape, np.nan)
            if got.shape != shape or got.dtype.kind not in "fiub":
                raise TypeError(
                    f"loss.values returned {_described(got)}; it must return real numbers of shape "
                    f"{shape}, a row for each point{_columns(query)}."
                )
            if got.size == (stop - start) * query.numbers and got.dtype == np.float64:
                return Part(got.reshape(-1), tuple(dropped), why)
            if answer is None:
                answer = np.empty((stop - start, query.numbers))
            answer[cells.start - start : cells.stop - start] = got.reshape(-1, query.numbers)
        assert answer is not None
        return Part(answer.reshape(-1), tuple(dropped), why)

    def _one_by_one(self, query: Query, start: int, stop: int) -> Part:
        assert self._value is not None
        value, alone = self._value, query.observations is None
        answer, dropped, why = np.empty((stop - start, query.numbers)), list[int](), ""
        for cell, point, observation in query.evaluations_within(start, stop):
            try:
                if self._again > 0:
                    got = self._called(value, point, *(() if alone else (observation,)))
                else:
                    got = value(point) if alone else value(point, observation)
            except Exception as error:
                called = isinstance(error, TypeError) and not _takes(value, 1 if alone else 2)
                remedy = (ALONE if alone else query.calling) if called else ""
                why = self._failed(error, f"at evaluation {cell} of query {query.id}", why, remedy)
                dropped.append(cell)
                got = np.nan
            if query.numbers > 1:
                got = np.nan if dropped and dropped[-1] == cell else _row(got, query.numbers)
                answer[cell - start] = got
            else:
                answer[cell - start] = got if type(got) is float else _real_number(got)
            del point  # the next one takes its place in memory
        return Part(answer.reshape(-1), tuple(dropped), why)

    def _gradients(self, query: GradientQuery, start: int, stop: int) -> Part:
        if self._gradient is None:
            raise TypeError("Exact() needs a loss with gradient(x, w); use Smoothed() without one.")
        m = len(query.x)
        answer, dropped, why = np.empty((stop - start, m)), [], ""
        for i in range(start, stop):
            seen = () if query.observations is None else (query.observations[i],)
            try:
                got = np.asarray(self._called(self._gradient, query.x, *seen))
            except Exception as error:
                why = self._failed(error, f"during query {query.id}", why)
                dropped.append(i)
                got = np.full(m, np.nan)
            if got.shape != (m,) or got.dtype.kind not in "fiub":
                raise TypeError(
                    f"loss.gradient returned {_described(got)}; it must return {m} real numbers."
                )
            answer[i - start] = got
        return Part(answer, tuple(dropped), why)

    def _failed(self, error: Exception, where: str, why: str, remedy: str = "") -> str:
        """What the first dropped evaluation failed with; where none are dropped, the error.

        why: the same so far.
        """
        error.add_note(f"raised by the loss {where}")
        if remedy:
            error.add_note(remedy)
        if not self.drops:
            raise _passable(error)
        return why or repr(error)

    def _called(self, function: Callable[..., Any], point: Any, *seen: Any) -> Any:
        """What the function answers, in as many tries as there may be."""
        for _ in range(self._again):
            try:
                return function(point.copy(), *seen)  # which it may overwrite
            except Exception:
                continue
        return function(point, *seen)


def _passable(error: Exception) -> Exception:
    """The error, or one in its place where Python would take it for the end of an iteration."""
    if not isinstance(error, StopIteration):
        return error
    said = RuntimeError("loss raised StopIteration: it called next() on an iterator at its end.")
    for note in error.__notes__:
        said.add_note(note)
    said.__cause__ = error
    return said


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether a function takes this number of arguments, as far as that is known."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # one that does not say
        return True
    return True


def timed(calls: Calls, query: Query, start: int, stop: int) -> Part:
    """A part, with the time it took."""
    began = time.perf_counter()
    part = calls.part(query, start, stop)
    return part._replace(seconds=time.perf_counter() - began)


def attempted(calls: Calls, query: Query, start: int, stop: int) -> Part | Failure:
    """The same, or why there is none, in a form that can be sent."""
    try:
        return timed(calls, query, start, stop)
    except Exception as error:
        return Failure.of(error)


def _columns(query: Query) -> str:
    if query.numbers > 1:
        return f" with f and {query.numbers - 1} constraints"
    return "" if query.observations is None else " and a column for each observation"


def _row(got: Any, width: int) -> Answer:
    """What a loss with constraints returned: f and c_1, ..., c_k; a vector of c is spread.

    >>> _row((1.0, np.array([-2.0, 3.0])), 3).tolist()
    [1.0, -2.0, 3.0]
    """
    try:
        parts = [np.asarray(part).reshape(-1) for part in got]
        row = np.concatenate(parts)
    except (TypeError, ValueError):
        row = np.empty(1, dtype=object)  # no number, or lists of different lengths
    if row.shape != (width,) or row.dtype.kind not in "fiub":
        raise TypeError(
            f"loss returned {_described(row)}; with evaluated={width - 1} it must return {width} "
            "real numbers, f and then the constraints."
        )
    return row.astype(np.float64)


def _real_number(got: Any) -> float:
    """A value of the loss as a float; anything but a real number is refused."""
    if isinstance(got, tuple):
        raise TypeError(
            f"loss returned a tuple of {len(got)}; it must return one real number. If that is "
            "(value, gradient), return the value alone: gradients are not used. If it is "
            f"(value, constraints), give evaluated={len(got) - 1}."
        )
    if isinstance(got, dict):
        names = ", ".join(map(repr, list(got)[:3]))
        raise TypeError(
            f"loss returned a dictionary ({names}); it must return one real number: return the "
            "entry that is to be minimized."
        )
    kind = _unmasked(got)
    if kind.ndim != 0 or kind.dtype.kind not in "fiub":
        raise TypeError(
            f"loss returned {_described(kind)}; it must return one real number. A loss that takes "
            "many points at once is given as Loss(values=...)."
        )
    return float(kind)


def _unmasked(got: Any) -> Any:
    """What the loss returned as an array; a masked value, which numpy would take for 0, is none."""
    return np.asarray(None if np.ma.is_masked(got) else got)


def _described(got: Any) -> str:
    if got.dtype.kind == "O" and got.ndim == 0 and got.item() is None:
        return "None"
    what = {"U": "a string", "O": "an object", "c": "complex numbers"}.get(got.dtype.kind)
    return what or f"an array of shape {got.shape}"
