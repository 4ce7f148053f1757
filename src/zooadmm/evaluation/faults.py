"""What can go wrong with an evaluation, and what is to be done about it."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import cloudpickle
import numpy as np

from zooadmm.oracle.queries import GradientQuery, Query
from zooadmm.problem.arguments import one_of, whole_number
from zooadmm.problem.arrays import Vector

TRIES = 3
"""How often an evaluation may end its worker, or outlast its time, before it is given up."""

InTheEnd = Literal["stop", "drop"]


@dataclass(frozen=True)
class Retry:
    """`on_error=Retry(3)`: where the loss raises, evaluate again, at most this many times.

    times: how many times, at least 1.
    then: what follows if it still raises, "stop" or "drop".

    >>> Retry(3, then="drop")
    Retry(times=3, then='drop')
    """

    times: int
    then: InTheEnd = "stop"

    def __post_init__(self) -> None:
        times = whole_number(self.times)
        if times is None or times < 1:
            raise ValueError(f"times = {self.times!r} must be a whole number, at least 1.")
        one_of("then", self.then, get_args(InTheEnd))
        object.__setattr__(self, "times", times)


OnError = InTheEnd | Retry
"""What to do about an evaluation that fails: stop with its error, drop its cell, or try again."""


class WorkerDied(RuntimeError):  # noqa: N818 - says what happened
    """The worker that was to make an evaluation is gone.

    times: how many workers are, where a cluster has tried again by itself.
    """

    def __init__(self, how: str, times: int = 1) -> None:
        super().__init__(how)
        self.times = times


class EvaluationFailed(RuntimeError):  # noqa: N818 - says what happened
    """An evaluation that ends its worker, or outlasts its time, again and again, or never begins.

    cell, query: which one, as in `tell`.
    point, observation: what it is about.
    """

    def __init__(self, query: Query, cell: int, what: str) -> None:
        at = _place(query, cell)
        shown = np.array2string(at.point, threshold=20)
        on = "" if query.observations is None else f" on observation {at.observation!r}"
        super().__init__(f"evaluation {cell} of query {query.id} {what}; its point is {shown}{on}.")
        self.cell, self.query = cell, query.id
        self.point, self.observation = at.point, at.observation


class _Place(NamedTuple):
    point: Vector
    observation: Any


def _place(query: Query, cell: int) -> _Place:
    if isinstance(query, GradientQuery):
        seen = query.observations
        return _Place(query.x.copy(), None if seen is None else seen[cell])
    evaluation = next(query.evaluations_within(cell, cell + 1))
    return _Place(evaluation.point, evaluation.observation)


class Failure(NamedTuple):
    """An exception on its way from a worker: itself where it can travel, and its traceback."""

    pickled: bytes
    said: str
    traceback: str

    @staticmethod
    def of(error: BaseException) -> Failure:
        """The exception, ready to be sent."""
        said = traceback.format_exception_only(error)[0].strip()
        try:
            pickled = cloudpickle.dumps(error)
            cloudpickle.loads(pickled)  # some can be packed but not unpacked
        except Exception:
            pickled = b""
        return Failure(pickled, said, "".join(traceback.format_exception(error)))

    def error(self) -> BaseException:
        """The exception, with the worker's traceback as a note."""
        try:
            error: BaseException = cloudpickle.loads(self.pickled)
        except Exception:
            error = RuntimeError(self.said)
        error.add_note(f"in a worker:\n{self.traceback.rstrip()}")
        return error


def cannot_be_sent(error: Exception) -> TypeError:
    """The error for a loss that other processes cannot have, from what pickling it raised."""
    return TypeError(
        f"loss cannot be sent to other processes: {error}. It must hold no open files, locks or "
        "connections (open them in the first call), or be evaluated by Threads(n)."
    )
