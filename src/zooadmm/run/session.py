"""A run from its first query to its result: ask, evaluate, tell, until a limit or Ctrl-C."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import Any, TypeVar

from zooadmm.evaluation import Evaluator
from zooadmm.oracle.queries import Query
from zooadmm.run.final_report import Pace, final_report, short_report
from zooadmm.run.limits import Status
from zooadmm.run.optimizer import Optimizer
from zooadmm.run.progress import Log, ProgressBar
from zooadmm.run.result import Report, Result
from zooadmm.run.saver import Saver
from zooadmm.run.starts import Starts
from zooadmm.run.trace import Info, Observer

T = TypeVar("T")
R = TypeVar("R")


class Interrupts(AbstractContextManager["Interrupts"]):
    """While active, KeyboardInterrupt is raised only in what is `call`ed: the loss, a callback.

    A step is thus either taken or not. Where Ctrl-C is handled by somebody else, or this is not
    the main thread, nothing is changed.
    """

    requested = False
    """Whether Ctrl-C was pressed where it could not be let in, and has not been acted on."""
    _allowed = False
    _installed = False

    def __enter__(self) -> Interrupts:
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._handle)
            self._installed = True
        return self

    def __exit__(self, *exception: object) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._allowed or self.requested:  # a second time it is let in anywhere
            raise KeyboardInterrupt
        self.requested = True

    def call(self, function: Callable[[T], R], argument: T) -> R:
        """What the function answers, or KeyboardInterrupt."""
        if self.requested:
            raise KeyboardInterrupt
        self._allowed = True
        try:
            return function(argument)
        finally:
            self._allowed = False


def run(
    optimizer: Optimizer,
    evaluator: Evaluator,
    saver: Saver | None,
    regret: Observer | None,
    callback: Callable[[Info], Any] | None,
    bar: ProgressBar | None,
    log: Log,
) -> Result:
    """The iterations, from where a checkpoint left them, and what there is to say of their end."""
    status, report, pace = None, Report(), Pace(0)
    with Interrupts() as interrupts, bar or nullcontext():
        try:
            with saver or nullcontext():
                if saver is not None:  # which has loaded a checkpoint, if there is one
                    pace = Pace(optimizer.evaluations)
                while (query := optimizer.ask()) is not None:
                    info = _tell(interrupts, evaluator, optimizer, query)
                    pace.loss = info.loss if info.update == 0.0 else math.nan
                    if log.speaks:
                        log.note(info)
                    if regret is not None:
                        regret.follow(evaluator, query, info)  # Ctrl-C waits for it
                    if callback is not None and _stopped(interrupts, callback, info):
                        status = Status.CALLBACK
                        break
                    if bar is not None:
                        bar.update(info)
                    if saver is not None:
                        saver.save_if_due()
                    del query, info  # their vectors are not kept while the next ones are made
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        if interrupts.requested:
            status = Status.INTERRUPTED
        interrupts.requested = False  # the next one counts
        with suppress(KeyboardInterrupt):  # pressed again, it skips the report
            interrupted = status is Status.INTERRUPTED
            reported = partial(short_report, pace) if interrupted else final_report
            report = interrupts.call(partial(reported, optimizer), evaluator)
        if evaluator.dropped:
            why = f"The first dropped evaluation failed with {evaluator.dropped}."
            report = replace(report, remark=f"{report.remark} {why}".strip())
        if status is Status.INTERRUPTED:
            way_on = "Run the same call to go on."
            if saver is None:
                way_on = "With checkpoint= the same call would go on from here."
            report = replace(report, remark=f"{report.remark} {way_on}".strip())
    return optimizer.result(report, status, regret)


def run_all(
    runs: Starts,
    evaluator: Evaluator,
    callback: Callable[[Info], Any] | None,
    bar: ProgressBar | None,
    log: Log,
) -> Result:
    """The runs from several starts, and the best of what they led to."""
    status = None
    with Interrupts() as interrupts, bar or nullcontext():
        try:
            for info in runs.iterations(partial(_tell, interrupts, evaluator)):
                if log.speaks:
                    log.note(info)
                if callback is not None and _stopped(interrupts, callback, info):
                    status = Status.CALLBACK
                    break
                if bar is not None:
                    bar.update(info, done=runs.evaluations)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        interrupts.requested = False  # the next one counts
        return runs.result(status)


def _tell(interrupts: Interrupts, evaluator: Evaluator, optimizer: Optimizer, query: Query) -> Info:
    """Evaluate a query of a run and tell it."""
    info = optimizer.tell(query.id, interrupts.call(evaluator, query))
    assert info is not None
    return info


def _stopped(interrupts: Interrupts, callback: Callable[[Info], Any], info: Info) -> bool:
    """Call the callback; whether it stops the run."""
    try:
        interrupts.call(callback, info)
    except StopIteration:
        return True
    return False
