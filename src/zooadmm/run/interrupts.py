"""Ctrl-C, let in only where nothing is half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FrameType, TracebackType
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Interrupts(AbstractContextManager["Interrupts"]):
    """While active, KeyboardInterrupt is raised only in what is `call`ed: the loss, a callback.

    A step is thus either taken or not. Where Ctrl-C is handled by somebody else, or this is not
    the main thread, nothing is changed.
    """

    _allowed = False
    _requested = False
    _installed = False

    def __enter__(self) -> Interrupts:
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._handle)
            self._installed = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    @property
    def requested(self) -> bool:
        """Whether Ctrl-C was pressed where it could not be let in."""
        return self._requested

    def clear(self) -> None:
        """Forget a Ctrl-C that has been acted on; the next one counts."""
        self._requested = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._allowed or self._requested:  # a second time it is let in anywhere
            raise KeyboardInterrupt
        self._requested = True

    def call(self, function: Callable[[T], R], argument: T) -> R:
        """What the function answers, or KeyboardInterrupt."""
        if self._requested:
            raise KeyboardInterrupt
        self._allowed = True
        try:
            return function(argument)
        finally:
            self._allowed = False
