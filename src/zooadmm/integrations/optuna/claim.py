"""The address of a trial, which failures say something of its point, and what workers agree on."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import optuna
from optuna.study._optimize import _run_trial
from optuna.trial import FrozenTrial, TrialState

CELL = "zooadmm:cell"
"""The system attribute of a trial that has its address"""
FAILED = "zooadmm:failed"
"""The system attribute of a trial that gave NaN, was pruned, or raised what `catch` names"""
ENQUEUED = "fixed_params"
"""The system attribute of a trial that somebody has enqueued: no cell of the run"""
POINT = "point"
"""The user attribute of a trial that has its point, where variables are no parameters"""

Worker = tuple[str, int, str, int]
"""(machine, process, its start, thread): a name that no other thread of any process has"""


class Claim(NamedTuple):
    """What a trial evaluates. At most one live or complete trial has a given (query, cell)."""

    query: int
    cell: int | None
    """None for a trial that measures the answer as of this query"""
    observation: int | None
    """Index of the observation; None for a loss without observations"""
    worker: Worker | None
    """The thread that evaluates it; None under ask and tell, where any process may"""


def claim_of(trial: FrozenTrial) -> Claim | None:
    """The address of a trial; None for a trial that is not this sampler's."""
    written = trial.system_attrs.get(CELL)
    return None if written is None else Claim(**written)


def contested(
    trials: Iterable[FrozenTrial], claim: Claim, trial: FrozenTrial, attempts: int
) -> bool:
    """Whether another trial has the same cell, or `attempts` trials of it have failed.

    Two trials that both write their claim and then read all claims cannot both find none: the
    later writer reads the claim of the earlier one. So at most one of them keeps the cell. A cell
    with that many failures counts as NaN: an answer that came late would be another run.
    """
    others = (t for t in trials if t._trial_id != trial._trial_id)
    same = [t for t in others if (its := claim_of(t)) is not None and its[:2] == claim[:2]]
    if any(t.state in (TrialState.RUNNING, TrialState.COMPLETE) for t in same):
        return True
    return sum(FAILED in t.system_attrs for t in same) >= attempts


def this_worker() -> Worker:
    """The name of this thread."""
    return *_process(os.getpid()), threading.get_native_id()


def is_abandoned(trial: FrozenTrial) -> bool:
    """Whether a running trial has no worker any more, or is no longer what its worker evaluates.

    A thread that claims a cell has done with its earlier trial: where that one is still running,
    the storage failed when its value was to be written.
    """
    claim = claim_of(trial)
    if trial.state is not TrialState.RUNNING or claim is None or claim.worker is None:
        return False
    machine, pid, started, thread = claim.worker
    if machine != _machine():
        return False
    if tuple(claim.worker) == this_worker():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    if not started:
        return False
    return _started(pid) != started or not Path(f"/proc/{pid}/task/{thread}").exists()


@cache
def _process(pid: int) -> tuple[str, int, str]:
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


def is_of_the_point() -> bool:
    """Whether the trial that ends now failed at its point; called while Optuna ends it.

    NaN, a pruner and an exception that `study.optimize(catch=...)` names are: the worker goes on.
    Any other exception stops the worker: a mistake in the objective, Ctrl-C, a storage that is
    gone. The next worker evaluates that point as if nothing had happened. Optuna gives a sampler
    no exception, so it is read from the function that has it.
    """
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code is not _run_trial.__code__:
        frame = frame.f_back
    if frame is None:  # study.tell: somebody says so
        return True
    error = frame.f_locals["func_err"]
    if isinstance(error, optuna.exceptions.StorageInternalError):
        return False
    return error is None or isinstance(error, (optuna.TrialPruned, *frame.f_locals["catch"]))


ARGUMENTS = "zooadmm:arguments"
"""The system attribute of a study that has the arguments of its first worker"""


def agreed_seed(study: optuna.Study, seed: int | None, others: dict[str, Any]) -> int:
    """The seed of a study: that of its first worker, or one from its name.

    others: arguments that change the run and are in no snapshot. One that differs from the first
        worker's is refused by its name, as another seed is.
    """
    stored = study._storage.get_study_system_attrs(study._study_id).get(ARGUMENTS)
    if stored is None:
        if seed is None:
            digest = hashlib.sha256(study.study_name.encode()).digest()
            seed = int.from_bytes(digest[:6], "big")
        study._storage.set_study_system_attr(
            study._study_id, ARGUMENTS, others | {"seed": int(seed)}
        )
        return int(seed)
    given = others if seed is None else others | {"seed": int(seed)}
    for name, value in given.items():
        if stored[name] != value:
            raise ValueError(
                f"The study was created with another {name}: {_short(stored[name])} there, "
                f"{_short(value)} here. Give every worker the same arguments, or start a new study."
            )
    return int(stored["seed"])


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
