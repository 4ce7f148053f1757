"""Running the cells of the benchmark, and the rows that come of them."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.methods import METHODS, Method
from benchmarks.problem import Array, Problem
from benchmarks.problems import build
from benchmarks.results import Row
from benchmarks.trial import Snapshot, Spent, Trial

FULL_CHECKPOINTS = [300, 550, 1000, 1800, 3000, 5500, 10_000, 18_000, 30_000]
SAMPLED_CHECKPOINTS = [*FULL_CHECKPOINTS, 55_000, 100_000, 180_000, 300_000]
LARGE = 10_000
"""Beyond so many variables a problem ends at 10,000 evaluations."""
REACHED = 0.9
"""A checkpoint counts as reached by a run that made this part of its evaluations."""
SUPPORT_TOLERANCE = 1e-4
"""An entry counts as nonzero above this part of the largest."""


@dataclass(frozen=True)
class Effort:
    """How much is spent on a cell.

    max_seconds: of processor time for a run on a full batch; sampled_seconds: on a stochastic or
        noisy problem, where methods that are slow by themselves are far from the end either way.
    """

    seeds: int = 3
    max_seconds: float = 8.0
    max_evaluations: int = 300_000
    sampled_seconds: float = 5.0

    def seconds(self, problem: Problem) -> float:
        return self.max_seconds if problem.regime == "full" else self.sampled_seconds

    def checkpoints(self, problem: Problem) -> list[int]:
        all_of_them = SAMPLED_CHECKPOINTS if problem.regime != "full" else FULL_CHECKPOINTS
        most = min(self.max_evaluations, 10_000 if problem.m > LARGE else 300_000)
        return [count for count in all_of_them if count <= most]


def cell(problem_name: str, method_name: str, effort: Effort) -> list[Row]:
    """All runs of one method on one problem.

    A method with a free constant runs with every constant of its grid and the first seed; the
    constant that ends lowest is the one that runs with the other seeds.
    """
    problem, method = build(problem_name), METHODS[method_name]
    if reason := method.unfit(problem):
        return [_absent(problem, method, f"unfit: {reason}")]
    first = {constant: run(problem, method, constant, 0, effort) for constant in method.grid}
    best = min(first, key=lambda constant: _rank(first[constant][-1].gap))
    rows = [row for made in first.values() for row in made]
    for seed in range(1, effort.seeds if method.random or problem.regime != "full" else 1):
        rows += run(problem, method, best, seed, effort)
    return rows


def run(problem: Problem, method: Method, constant: float, seed: int, effort: Effort) -> list[Row]:
    """One run: a row for each checkpoint."""
    cap = effort.seconds(problem)
    trial = Trial(problem, effort.checkpoints(problem), cap, seed)
    status = "ended"
    resident = _reset_peak()
    with np.errstate(all="ignore"), _alarm(trial, 1.5 * cap):
        try:
            method.run(trial, constant)
        except Spent:
            status = "capped" if trial.capped else "ran"
        except Exception as error:
            status = f"failed: {type(error).__name__}: {error}"[:120].replace("\n", " ")
    peak = _peak() - resident
    trial.close()
    return [
        _row(problem, method, constant, trial, snapshot, status, peak)
        for snapshot in trial.snapshots
    ]


def _row(
    problem: Problem,
    method: Method,
    constant: float,
    trial: Trial,
    snapshot: Snapshot,
    status: str,
    peak: float,
) -> Row:
    finite = bool(np.isfinite(snapshot.x).all())
    precision, recall = _support(problem, snapshot.x) if finite else (math.nan, math.nan)
    gap = problem.gap(snapshot.x) if finite else math.inf
    reached = snapshot.used >= REACHED * snapshot.evaluations
    return Row(
        problem=problem.name,
        regime=problem.regime,
        m=problem.m,
        method=method.name,
        constant=constant,
        seed=trial.seed,
        evaluations=snapshot.evaluations,
        used=snapshot.used,
        gap=gap if math.isfinite(gap) else math.inf,
        violation=problem.violation(snapshot.x) if finite else math.inf,
        precision=precision,
        recall=recall,
        seconds=snapshot.seconds,
        loss_seconds=snapshot.loss_seconds,
        peak_mib=peak,
        status="ran" if reached and not status.startswith("failed") else status,
    )


def _absent(problem: Problem, method: Method, status: str) -> Row:
    return Row(
        problem=problem.name,
        regime=problem.regime,
        m=problem.m,
        method=method.name,
        constant=math.nan,
        seed=0,
        evaluations=0,
        used=0,
        gap=math.nan,
        violation=math.nan,
        precision=math.nan,
        recall=math.nan,
        seconds=math.nan,
        loss_seconds=math.nan,
        peak_mib=math.nan,
        status=status,
    )


def _rank(gap: float) -> float:
    return gap if math.isfinite(gap) else math.inf


def _support(problem: Problem, x: Array) -> tuple[float, float]:
    """Precision and recall of the nonzeros, nan where a problem is not about zeros."""
    if problem.support is None:
        return math.nan, math.nan
    size = np.abs(x)
    found = np.flatnonzero(size > SUPPORT_TOLERANCE * max(size.max(), 1e-300))
    right = len(np.intersect1d(found, problem.support))
    return right / max(len(found), 1), right / max(len(problem.support), 1)


@contextmanager
def _alarm(trial: Trial, seconds: float) -> Iterator[None]:
    """End a method that spends its time between evaluations."""

    def ring(signum: int, frame: object) -> None:
        trial.capped = True
        raise Spent

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
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
