"""Ctrl-C, let in only where nothing is half done."""

from __future__ import annotations

import signal
import threading
from contextlib import AbstractContextManager
from types import FrameType, TracebackType
from typing import Protocol

from zooadmm.queries import Answer, Query


class Evaluator(Protocol):
    """Turns a query into an answer."""

    def __call__(self, query: Query) -> Answer: ...


class Interrupts(AbstractContextManager["Interrupts"]):
    """While active, KeyboardInterrupt is raised only during or right before an evaluation.

    A step is thus either taken or not. Where Ctrl-C is handled by somebody else, or this is not
    the main thread, nothing is changed.
    """

    def __init__(self) -> None:
        self._evaluating = False
        self._requested = False
        self._installed = False

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

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._evaluating:
            raise KeyboardInterrupt
        self._requested = True

    def evaluate(self, evaluator: Evaluator, query: Query) -> Answer:
        """The evaluator's answer, or KeyboardInterrupt."""
        if self._requested:
            raise KeyboardInterrupt
        self._evaluating = True
        try:
            return evaluator(query)
        finally:
            self._evaluating = False
