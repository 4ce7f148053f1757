"""Making rows: one child process at a time, in pieces, where a run before stopped."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.yardstick.oracle import Oracle
from benchmarks.yardstick.runs import Journal, Run, as_text
from benchmarks.yardstick.solver import Solver
from benchmarks.yardstick.task import Array, Task

PIECE = 7200.0
"""Wall-clock seconds after which a session stops; the next one goes on from there."""
GRACE = 300
"""Seconds of processor time beyond the solver's own that its process may take, for the loss."""


@dataclass(frozen=True)
class Cell:
    """A row to be made: `make` runs in a process of its own and fills in `about`."""

    about: Run
    make: Callable[[Run], Run]


def solve(about: Run, task: Task, solver: Solver, max_seconds: float) -> Run:
    """One run, in this process."""
    if reason := solver.unfit(task):
        return replace(about, status=f"unfit: {reason}")
    f = Oracle(task, about.budget, max_seconds)
    status, x = _guarded(lambda: solver.method(task, f, about.seed), f)
    seconds = f.seconds
    if x is not None:
        _note_answer(f, np.asarray(x, dtype=np.float64))
    x = f.best_x if x is None else np.asarray(x, dtype=np.float64)
    return replace(
        about,
        used=f.used,
        seconds=round(seconds, 3),
        status=status,
        answer=float((task.truth or task.value)(x)),
        violation=task.violation(x),
        history=as_text(f.history()),
    )


def _note_answer(f: Oracle, x: Array) -> None:
    """The answer may be a point that was never evaluated: it counts at the end."""
    f.note(x, float((f.task.truth or f.task.value)(x)))


def _guarded(method: Callable[[], Array | None], f: Oracle) -> tuple[str, Array | None]:
    """A run to its end; an error is part of the record, and so is a limit."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), _alarm(f):
        warnings.simplefilter("ignore")
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                x = method()
        except Exception as error:
            if f.status == "ended":
                words = f"{type(error).__name__}: {error}".replace("\n", " ")
                return f"failed: {words}"[:120], None
            return f.status, None
    return f.status, x


@contextlib.contextmanager
def _alarm(f: Oracle) -> Any:
    """Check the time every second of processor time, for solvers that seldom evaluate."""

    def ring(signum: int, frame: object) -> None:
        f.check_time()

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, 1.0, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def in_a_child(cell: Cell, max_seconds: float) -> Run:
    """A row from a process of its own: its memory is its own, and so is its crash."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def work() -> None:
        limit = int(max_seconds) + GRACE
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        theirs.send(cell.make(cell.about))

    child = context.Process(target=work)
    child.start()
    theirs.close()
    try:
        run: Run = ours.recv()
    except EOFError:
        run = replace(cell.about, status="failed: the process died")
    child.join()
    return run


def session(
    cells: Sequence[Cell],
    known: Iterable[Run],
    journal: Journal,
    *,
    max_seconds: float,
    piece: float = PIECE,
) -> bool:
    """Make the rows that are not `known` or in the journal; whether all are made by now.

    A row counts as made only with the same budget and source.
    """
    made = {(run.key, run.budget, run.source) for run in (*known, *journal.read())}
    todo = [c for c in cells if (c.about.key, c.about.budget, c.about.source) not in made]
    began = time.monotonic()
    for index, cell in enumerate(todo):
        if time.monotonic() - began > piece:
            print(f"the piece is over: {len(todo) - index} of {len(cells)} runs remain")
            return False
        run = in_a_child(cell, max_seconds)
        journal.append(run)
        _show(index + 1, len(todo), run)
    return True


def _show(index: int, total: int, run: Run) -> None:
    words = f"{index}/{total} {run.problem} {run.feature} {run.solver} seed {run.seed}"
    print(f"{words}: {run.used} evaluations, {run.seconds:.1f} s, {run.status}", file=sys.stderr)
