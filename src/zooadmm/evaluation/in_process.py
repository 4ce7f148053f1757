"""Evaluate in this process: point by point, or many points at once where the loss can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from zooadmm.loss import Loss
from zooadmm.queries import Answer, GradientQuery, Query


class InProcess:
    """Turns a query into an answer by calling the loss here.

    loss: see `zooadmm.loss`; `values` is preferred to calls point by point.
    """

    def __init__(self, loss: Any) -> None:
        self._values: Callable[..., Any] | None = getattr(loss, "values", None)
        self._gradient: Callable[..., Any] | None = getattr(loss, "gradient", None)
        self._value: Callable[..., Any] | None = loss if callable(loss) else None
        if isinstance(loss, Loss):
            self._value = loss.value
        if not any((self._values, self._gradient, self._value)):
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
        if isinstance(query, GradientQuery):
            return self._gradients(query)
        if self._values is not None:
            return self._batched(query, self._values)
        return self._one_by_one(query)

    def _batched(self, query: Query, values: Callable[..., Any]) -> Answer:
        answer = np.empty(query.shape, dtype=np.float64)
        flat = answer.reshape(-1)
        for table in query.tables():
            if table.observations is None:
                wanted: tuple[int, ...] = (len(table.points),)
                got = values(table.points)
            else:
                wanted = (len(table.points), len(table.observations))
                got = values(table.points, table.observations)
            got = np.asarray(got)
            if got.shape != wanted or got.dtype.kind not in "fiub":
                raise TypeError(
                    f"loss.values returned {_described(got)}; it must return real numbers of shape "
                    f"{wanted}, a row for each point"
                    + (" and a column for each observation." if len(wanted) == 2 else ".")
                )
            flat[table.cells] = got.reshape(-1)
        return answer

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
        return answer

    def _gradients(self, query: GradientQuery) -> Answer:
        if self._gradient is None:
            raise TypeError("Exact() needs a loss with gradient(x, w); use Smoothed() without one.")
        m = len(query.x)
        answer = np.empty(query.shape, dtype=np.float64)
        rows = answer.reshape(-1, m)
        for i, row in enumerate(rows):
            got = np.asarray(
                self._gradient(query.x)
                if query.observations is None
                else self._gradient(query.x, query.observations[i])
            )
            if got.shape != (m,) or got.dtype.kind not in "fiub":
                raise TypeError(
                    f"loss.gradient returned {_described(got)}; it must return {m} real numbers."
                )
            row[:] = got
        return answer


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
    what = {"U": "a string", "O": "an object", "c": "complex numbers"}.get(got.dtype.kind)
    return what or f"an array of shape {got.shape}"
