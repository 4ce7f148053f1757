"""The address of a trial: the cell of a query that it evaluates, and the process that does."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from optuna.trial import FrozenTrial, TrialState

CELL = "zooadmm:cell"
"""The system attribute of a trial that has its address"""
FAILED = "zooadmm:failed"
"""The system attribute of a trial whose objective raised, was pruned or gave NaN"""
POINT = "point"
"""The user attribute of a trial that has its point, where variables are no parameters"""

Worker = tuple[str, int, str]
"""(machine, number, start) of a process: a name that no other process has had"""


class Claim(NamedTuple):
    """What a trial evaluates. At most one live or complete trial has a given (query, cell)."""

    query: int
    cell: int | None
    """None for a trial that measures the answer as of this query"""
    observation: int | None
    """Index of the observation; None for a loss without observations"""
    worker: Worker | None
    """The process that evaluates it; None under ask and tell, where any process may"""


def claim_of(trial: FrozenTrial) -> Claim | None:
    """The address of a trial; None for a trial that is not this sampler's."""
    written = trial.system_attrs.get(CELL)
    return None if written is None else Claim(**written)


def contested(trials: Iterable[FrozenTrial], claim: Claim, trial: FrozenTrial) -> bool:
    """Whether another live or complete trial has the same cell.

    Two trials that both write their claim and then read all claims cannot both find none: the
    later writer reads the claim of the earlier one. So at most one of them keeps the cell.
    """
    live = (TrialState.RUNNING, TrialState.COMPLETE)
    others = (t for t in trials if t._trial_id != trial._trial_id and t.state in live)
    theirs = (claim_of(other) for other in others)
    return any(its is not None and its[:2] == claim[:2] for its in theirs)


def this_process() -> Worker:
    """The name of this process."""
    return _worker(os.getpid())


def is_dead(trial: FrozenTrial) -> bool:
    """Whether a running trial was claimed by a process of this machine that is gone."""
    claim = claim_of(trial)
    if trial.state is not TrialState.RUNNING or claim is None or claim.worker is None:
        return False
    machine, pid, started = claim.worker
    if machine != _machine():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return _started(pid) != started if started else False


@cache
def _worker(pid: int) -> Worker:
    return _machine(), pid, _started(pid) or ""


@cache
def _machine() -> str:
    try:
        namespace = os.readlink("/proc/self/ns/pid")  # containers number processes anew
    except OSError:
        namespace = ""
    return f"{socket.gethostname()} {namespace}".strip()


def _started(pid: int) -> str | None:
    """When a process started, in ticks since the machine did; None where that is unknown."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if state == "Z" else fields[18]
