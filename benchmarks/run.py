"""Running the cells of the benchmark, and the rows that come of them."""

from __future__ import annotations

import hashlib
import math
import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.methods import METHODS, Method
from benchmarks.problem import Array, Problem
from benchmarks.problems import build
from benchmarks.results import Row
from benchmarks.trial import Diverged, Snapshot, Spent, Trial, checkpoints

GRID_PART = 0.25
"""The constants of a grid are tried with this part of the time."""
SUPPORT_TOLERANCE = 1e-4
"""An entry counts as nonzero above this part of the largest."""


@dataclass(frozen=True)
class Effort:
    """How much is spent on a cell.

    max_seconds: processor time of the method itself for a run on a full batch; sampled_seconds: on
        a stochastic or noisy problem.
    """

    seeds: int = 3
    max_seconds: float = 6.0
    max_evaluations: int = 300_000
    sampled_seconds: float = 4.0

    def seconds(self, problem: Problem) -> float:
        return self.max_seconds if problem.regime == "full" else self.sampled_seconds

    def checkpoints(self, problem: Problem) -> list[int]:
        return [count for count in checkpoints(problem) if count <= self.max_evaluations]


def cell(problem_name: str, method_name: str, effort: Effort) -> list[Row]:
    """All runs of one method on one problem.

    A method with a free constant first runs with every constant of its grid, one seed and part of
    the time (stage "grid"); the constant that ends lowest runs with all seeds and all of the time
    (stage "full"). A run of the grid that was not cut short counts as its full one.
    """
    problem, method = build(problem_name), METHODS[method_name]
    if reason := method.unfit(problem):
        return [_absent(problem, method, f"unfit: {reason}")]
    problem.gap(problem.x0)  # what a loss prepares at its first use is nobody's time
    problem.loss.gradient(problem.x0)
    grid = method.grid(problem)
    tried: dict[float, list[Row]] = {}
    if len(grid) > 1:
        shorter = replace(
            effort,
            max_seconds=GRID_PART * effort.max_seconds,
            sampled_seconds=GRID_PART * effort.sampled_seconds,
        )
        tried = {c: in_a_child(problem, method, c, 0, shorter, "grid") for c in grid}
    best = min(tried, key=lambda c: _last_gap(tried[c]), default=grid[0])
    rows = [row for made in tried.values() for row in made]
    for seed in range(effort.seeds if method.random or problem.regime != "full" else 1):
        if seed == 0 and tried and tried[best][-1].status != "capped":
            rows += [replace(row, stage="full") for row in tried[best]]
        else:
            rows += in_a_child(problem, method, best, seed, effort, "full")
    return rows


def _last_gap(rows: list[Row]) -> float:
    """Where a run ended; a process that died has no gap."""
    return math.inf if math.isnan(rows[-1].gap) else rows[-1].gap


def in_a_child(
    problem: Problem, method: Method, constant: float, seed: int, effort: Effort, stage: str
) -> list[Row]:
    """A run in a process of its own: its memory is its own, and so is its crash."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(
        target=lambda: theirs.send(run(problem, method, constant, seed, effort, stage))
    )
    child.start()
    theirs.close()
    try:
        rows: list[Row] = ours.recv()
    except EOFError:
        rows = [_absent(problem, method, "failed: the process died")]
    child.join()
    return rows


def run(
    problem: Problem, method: Method, constant: float, seed: int, effort: Effort, stage: str
) -> list[Row]:
    """One run: a row for each checkpoint."""
    trial = Trial(problem, effort.checkpoints(problem), effort.seconds(problem), seed)
    status = "ended"
    resident = _reset_peak()
    with np.errstate(all="ignore"):
        try:
            with _alarm(trial):
                method.run(trial, constant)
        except Spent:
            status = "capped"
        except Diverged:
            status = "diverged"
        except Exception as error:
            status = f"failed: {type(error).__name__}: {error}"[:120].replace("\n", " ")
        peak = _peak() - resident
        trial.close()
        about = replace(
            _absent(problem, method, status),
            constant=constant,
            stage=stage,
            seed=seed,
            peak_mib=peak,
            source=source(effort),
        )
        return [_row(about, problem, snapshot, status) for snapshot in trial.snapshots]


def _row(about: Row, problem: Problem, snapshot: Snapshot, status: str) -> Row:
    finite = bool(np.isfinite(snapshot.x).all())
    gap = problem.gap(snapshot.x) if finite else math.inf
    precision, recall = _support(problem, snapshot.x) if finite else (math.nan, math.nan)
    return replace(
        about,
        evaluations=snapshot.evaluations,
        used=snapshot.used,
        gap=gap if math.isfinite(gap) else math.inf,
        violation=problem.violation(snapshot.x) if finite else math.inf,
        precision=precision,
        recall=recall,
        seconds=snapshot.seconds,
        loss_seconds=snapshot.loss_seconds,
        status="ran" if snapshot.reached else status,
    )


def _absent(problem: Problem, method: Method, status: str) -> Row:
    """A row without figures."""
    return Row(
        problem=problem.name,
        regime=problem.regime,
        m=problem.m,
        method=method.name,
        form=method.form(problem),
        status=status,
    )


def _support(problem: Problem, x: Array) -> tuple[float, float]:
    """Precision and recall of the nonzeros, nan where a problem is not about zeros."""
    if problem.support is None:
        return math.nan, math.nan
    size = np.abs(x)
    found = np.flatnonzero(size > SUPPORT_TOLERANCE * max(size.max(), 1e-300))
    right = len(np.intersect1d(found, problem.support))
    return right / max(len(found), 1), right / max(len(problem.support), 1)


@contextmanager
def _alarm(trial: Trial) -> Iterator[None]:
    """Look at the clock every second of processor time, for methods that seldom evaluate."""

    def ring(signum: int, frame: object) -> None:
        trial.check_time()

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, 1.0, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _reset_peak() -> float:
    """Forget the peak of this process's memory, where the system can; MiB resident now."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return math.nan
    return _peak()


def _peak() -> float:
    """MiB resident at the most, since it was last forgotten."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return math.nan
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def source(effort: Effort) -> str:
    """A short digest of what makes a row what it is: methods, problems, optima, effort."""
    here = Path(__file__).parent
    digest = hashlib.sha256(repr(effort).encode())
    files = [here / name for name in ("trial.py", "run.py", "problem.py", "scaling.py")]
    for path in [*files, here / "optima.json", *sorted(here.glob("[mp]*s/*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]
