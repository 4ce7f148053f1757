"""What a run shows while it goes on: lines, Python's logging, and a progress bar."""

from __future__ import annotations

import logging
import sys
import time
from abc import abstractmethod
from contextlib import AbstractContextManager
from html import escape
from typing import Any, ClassVar

from zooadmm.problem.arguments import whole_number
from zooadmm.run.limits import Limits
from zooadmm.run.result import Result
from zooadmm.run.trace import Info

DELAY = 1.0
"""Seconds before a bar is shown: a short run has none."""


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """Shows how far a run has come, once it takes longer than a second.

    limits: those of the run; evaluations are counted where they are limited, else iterations.
    """

    interval: ClassVar[float]
    """Seconds between two updates, at least"""

    def __init__(self, limits: Limits) -> None:
        self.counted = "evaluations" if limits.max_evaluations is not None else "iterations"
        self.total = limits.max_evaluations or limits.max_iterations
        """How many there are at most; None where only time or a target limits the run"""
        self._began = time.monotonic()
        self._due = self._began + DELAY
        self._open = False

    def update(self, info: Info, done: int | None = None) -> None:
        """Show the newest iteration, if it is time to.

        done: how far the bar is, where the iteration does not say it.
        """
        if time.monotonic() < self._due:
            return
        if not self._open:
            self._open = True
            self.open()
        self._due = time.monotonic() + self.interval
        if done is None:
            done = info.evaluations if self.counted == "evaluations" else info.t
        seen = "" if info.loss != info.loss else f"loss {info.loss:.5g}  "
        self.show(done, f"{seen}residual {info.residual:.2g}")

    def __exit__(self, *exception: object) -> None:
        if self._open:
            self.close()

    @abstractmethod
    def open(self) -> None:
        """Make the bar."""

    @abstractmethod
    def show(self, done: int, seen: str) -> None:
        """Move the bar to `done` evaluations or iterations, with the text `seen` beside it."""

    @abstractmethod
    def close(self) -> None:
        """Remove the bar."""


class TerminalBar(ProgressBar):
    """A line on standard error, by rich."""

    interval = 0.1

    def open(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

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
        self._task = self._bar.add_task(self.counted, total=self.total, seen="")

    def show(self, done: int, seen: str) -> None:
        self._bar.update(self._task, completed=done, seen=seen)

    def close(self) -> None:
        self._bar.stop()


class NotebookBar(ProgressBar):
    """A bar below the cell, drawn by the browser; needs nothing beside Jupyter itself.

    rich and tqdm draw theirs with ipywidgets, which many notebooks do not have.
    """

    interval = 0.25

    def open(self) -> None:
        from IPython.display import HTML, display

        self._html: Any = HTML
        self._place: Any = display(HTML(""), display_id=True)

    def show(self, done: int, seen: str) -> None:
        self._place.update(self._html(self.drawn(done, seen)))

    def drawn(self, done: int, seen: str) -> str:
        """The bar as HTML: with an end where there is a limit, and the seconds left."""
        seconds = time.monotonic() - self._began
        if self.total is None:
            bar, count = "<progress></progress>", f"{done:,} {self.counted}, {seconds:.0f} s"
        else:
            left = seconds * max(0, self.total - done) / max(1, done)
            bar = f'<progress value="{min(done, self.total)}" max="{self.total}"></progress>'
            count = f"{done:,} of {self.total:,} {self.counted}, {left:.0f} s left"
        return f"<div>{bar} {escape(count)}, {escape(seen.strip())}</div>"

    def close(self) -> None:
        self._place.update(self._html(""))


def bar_for(limits: Limits) -> ProgressBar | None:
    """The bar for where the program runs; None where nobody would see one."""
    if in_notebook():
        return NotebookBar(limits)
    return TerminalBar(limits) if sys.stderr.isatty() else None


def in_notebook() -> bool:
    """Whether this is a kernel of Jupyter, also in Visual Studio Code or Colab."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None


LOGGER = logging.getLogger("zooadmm")


class Log:
    """Lines about iterations and the end of a run.

    verbose: 0 prints nothing; 1 prints iterations 1, 2, 4, 8, ... and the result; 2 prints every
        iteration and the result.

    The logger "zooadmm" gets every iteration at level DEBUG, and the end at level INFO.
    """

    def __init__(self, verbose: int) -> None:
        level = int(verbose) if isinstance(verbose, bool) else whole_number(verbose)
        if isinstance(verbose, float) or level not in (0, 1, 2):
            raise ValueError(f"verbose = {verbose!r} must be 0, 1 or 2.")
        self._verbose = level
        self.speaks = self._verbose > 0 or LOGGER.isEnabledFor(logging.DEBUG)
        """Whether there is somebody to hear of iterations."""

    def note(self, info: Info) -> None:
        """Say something about an iteration."""
        t = info.t
        printed = self._verbose == 2 or (self._verbose == 1 and t & (t - 1) == 0)
        line = f"iteration {t}, {info.evaluations} evaluations, loss {info.loss:.6g}"
        line += f", residual {info.residual:.2g}" if info.residual > 0 else ""
        if printed:
            print(line, flush=True)
        LOGGER.debug(line)

    def end(self, result: Result) -> None:
        """Say how the run ended."""
        if self._verbose:
            print(result, flush=True)
        LOGGER.info("%s after %d evaluations: %s", result.status, result.nfev, result.message)
