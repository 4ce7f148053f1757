"""A progress bar for long runs: on a terminal, after a second, ten times a second at most."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from zooadmm.run.info import Info
from zooadmm.run.limits import Limits

PATIENCE = 1.0
INTERVAL = 0.1


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """Shows how far a run has come."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bar: Any = None
        self._task: Any = None
        self._due = time.monotonic() + PATIENCE

    def update(self, info: Info) -> None:
        """Show the newest iteration, if it is time to."""
        if time.monotonic() < self._due:
            return
        if self._bar is None:
            self._open()
        self._due = time.monotonic() + INTERVAL
        done = info.t if self._limits.max_evaluations is None else info.evaluations
        seen = "" if info.loss != info.loss else f"loss {info.loss:.5g}  "
        self._bar.update(self._task, completed=done, seen=f"{seen}residual {info.residual:.2g}")

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        counted = "evaluations" if self._limits.max_evaluations is not None else "iterations"
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[seen]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        total = self._limits.max_evaluations or self._limits.max_iterations
        self._task = self._bar.add_task(counted, total=total, seen="")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
