"""Evaluate in this process: point by point, or many points at once where the loss can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from zooadmm.loss import Loss
from zooadmm.queries import Answer, GradientQuery, Query


class InProcess:
    """Turns a query into an answer by calling the loss here.

    loss: see `zooadmm.loss`; `values` is preferred to calls point by point.
    """

    def __init__(self, loss: Any) -> None:
        self._values = _method(loss, "values")
        self._gradient = _method(loss, "gradient")
        self._value: Callable[..., Any] | None = loss if callable(loss) else None
        if isinstance(loss, Loss):
            self._value = loss.value
        if self._values is None and self._gradient is None and self._value is None:
            raise TypeError(
                "loss must be callable as f(x) or f(x, w), or have values(points, observations) "
                f"or gradient(x, w); {type(loss).__name__} has none of these."
            )

    @property
    def has_values(self) -> bool:
        """Whether the loss can be evaluated, not only differentiated."""
        return self._values is not None or self._value is not None

    @property
    def has_gradient(self) -> bool:
        """Whether the loss can be differentiated."""
        return self._gradient is not None

    def __call__(self, query: Query) -> Answer:
        if query.gradients > 0:
            return self._gradients(cast("GradientQuery", query))
        if self._values is not None:
            return self._batched(query, self._values)
        return self._one_by_one(query)

    def _batched(self, query: Query, values: Callable[..., Any]) -> Answer:
        answer = None
        for points, observations, cells in query.tables():
            if observations is None:
                wanted: tuple[int, ...] = (len(points),)
                arguments: tuple[Any, ...] = (points,)
            else:
                wanted = (len(points), len(observations))
                arguments = (points, observations)
            try:
                got = np.asarray(values(*arguments))
            except Exception as error:
                error.add_note(f"raised by the loss during query {query.id}")
                raise
            if got.shape != wanted or got.dtype.kind not in "fiub":
                raise TypeError(
                    f"loss.values returned {_described(got)}; it must return real numbers of shape "
                    f"{wanted}, a row for each point"
                    + (" and a column for each observation." if len(wanted) == 2 else ".")
                )
            if got.shape == query.shape and got.dtype == np.float64:
                return got
            if answer is None:
                answer = np.empty(query.evaluations)
            answer[cells] = got.reshape(-1)
        assert answer is not None
        return answer.reshape(query.shape)

    def _one_by_one(self, query: Query) -> Answer:
        assert self._value is not None
        value = self._value
        answer = np.empty(query.shape, dtype=np.float64)
        flat = answer.reshape(-1)
        for cell, point, observation in query:
            try:
                got = value(point) if query.observations is None else value(point, observation)
            except Exception as error:
                error.add_note(f"raised by the loss at evaluation {cell} of query {query.id}")
                raise
            flat[cell] = got if type(got) is float else _real_number(got)
            del point  # the next one takes its place in memory
        return answer

    def _gradients(self, query: GradientQuery) -> Answer:
        if self._gradient is None:
            raise TypeError("Exact() needs a loss with gradient(x, w); use Smoothed() without one.")
        m = len(query.x)
        answer = np.empty(query.shape, dtype=np.float64)
        rows = answer.reshape(-1, m)
        for i, row in enumerate(rows):
            seen = () if query.observations is None else (query.observations[i],)
            got = np.asarray(_called(self._gradient, query, query.x, *seen))
            if got.shape != (m,) or got.dtype.kind not in "fiub":
                raise TypeError(
                    f"loss.gradient returned {_described(got)}; it must return {m} real numbers."
                )
            row[:] = got
        return answer


def _method(loss: Any, name: str) -> Callable[..., Any] | None:
    found = getattr(loss, name, None)
    return found if callable(found) else None


def _called(function: Callable[..., Any], query: Query, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        error.add_note(f"raised by the loss during query {query.id}")
        raise


def _real_number(got: Any) -> float:
    """A value of the loss as a float; anything but a real number is refused."""
    kind = np.asarray(got)
    if kind.ndim != 0 or kind.dtype.kind not in "fiub":
        raise TypeError(
            f"loss returned {_described(kind)}; it must return one real number. A loss that takes "
            "many points at once is given as Loss(values=...)."
        )
    return float(kind)


def _described(got: Any) -> str:
    if got.dtype.kind == "O" and got.ndim == 0 and got.item() is None:
        return "None"
    what = {"U": "a string", "O": "an object", "c": "complex numbers"}.get(got.dtype.kind)
    return what or f"an array of shape {got.shape}"
