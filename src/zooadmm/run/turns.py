"""One thread at a time: the methods of an object that change or read its state."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Turns(type(threading.RLock())):  # type: ignore[misc]
    """A lock that a thread may take again while it has it; a copy is a lock of its own."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Turns, ()


class HasTurns(Protocol):
    """An object that threads share."""

    _turns: Turns


H = TypeVar("H", bound=HasTurns)


def in_turn(method: Callable[Concatenate[H, P], R]) -> Callable[Concatenate[H, P], R]:
    """The method, entered by one thread at a time; others wait."""

    @wraps(method)
    def entered(self: H, /, *given: P.args, **named: P.kwargs) -> R:
        with self._turns:
            return method(self, *given, **named)

    return entered
