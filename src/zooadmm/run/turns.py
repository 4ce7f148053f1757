"""One thread at a time: the methods of an object that change or read its state."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Turns:
    """A lock that a thread may take again while it has it; a copy is a lock of its own."""

    _lock: Any = field(default_factory=threading.RLock, init=False)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()

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
