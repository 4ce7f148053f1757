"""A small structured problem as a study, on each storage, and the run that it must equal."""

from __future__ import annotations

import multiprocessing
import random
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import psycopg
from optuna.distributions import FloatDistribution
from optuna.storages import BaseStorage, InMemoryStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import event

import zooadmm as zoo
from zooadmm.integrations.optuna import Sampler, point
from zooadmm.integrations.optuna.claim import claim_of

optuna.logging.set_verbosity(optuna.logging.ERROR)

LOST_SERVER = 75
"""The exit code of a process whose server was killed"""
M = 4
EVALUATIONS = 70
CENTER = np.array([0.7, -0.4, 0.03, 1.9])
SPACE = {f"v{i}": FloatDistribution(-1.0, 1.5) for i in range(M)}
STRUCTURE: dict[str, Any] = {"regularizer": zoo.L1(0.1), "max_evaluations": EVALUATIONS}


def loss(x: np.ndarray) -> float:
    """Smooth and convex; the same value for the same point."""
    return float(np.square(x - CENTER[: len(x)]).sum() + 0.1 * np.cosh(x).sum())


def objective(trial: optuna.Trial) -> float:
    return loss(point(trial))


def valley(x: np.ndarray) -> float:
    """Chained Rosenbrock: a run of some 160 cells."""
    return float((10 * np.square(x[1:] - np.square(x[:-1])) + np.square(1 - x[:-1])).sum())


def slow_valley(trial: optuna.Trial) -> float:
    time.sleep(random.SystemRandom().expovariate(50.0))
    return valley(point(trial))


def noisy_valley(trial: optuna.Trial) -> float:
    return slow_valley(trial) + 0.01 * random.SystemRandom().gauss(0.0, 1.0)


def slow_objective(trial: optuna.Trial) -> float:
    time.sleep(0.002)
    return objective(trial)


def noisy_objective(trial: optuna.Trial) -> float:
    """No two values are the same, not even of a process that is forked."""
    return objective(trial) + 0.01 * random.SystemRandom().gauss(0.0, 1.0)


def new_sampler(**changes: Any) -> Sampler:
    return Sampler(SPACE, **{"seed": 3, **STRUCTURE, **changes})


def new_optimizer(**changes: Any) -> zoo.Optimizer:
    """The run without Optuna, before its first query."""
    return zoo.Optimizer(
        np.full(M, 0.25),
        domain=zoo.Box(np.full(M, -1.0), np.full(M, 1.5)),
        settings=zoo.Auto(probes="inside"),
        max_trace_rows=200,
        rng=3,
        **{**STRUCTURE, **changes},
    )


def reference(function: Callable[[np.ndarray], float] = loss, **changes: Any) -> zoo.Optimizer:
    """The unbroken run, without Optuna."""
    optimizer = new_optimizer(**changes)
    while (query := optimizer.ask()) is not None:
        optimizer.tell(query.id, {e.cell: function(e.point) for e in query})
    return optimizer


def sqlite(folder: Path, heartbeat: int | None = None) -> BaseStorage:
    """SQLite waits for other writers for up to a minute.

    Commits are not flushed to the disk: a kill ends a process, not the machine.
    """
    wait = {"connect_args": {"timeout": 60}}
    url, exists = f"sqlite:///{folder}/study.db", (folder / "study.db").exists()
    storage = RDBStorage(
        url, wait, exists, heartbeat_interval=heartbeat, skip_table_creation=exists
    )
    storage.engine.dispose()
    event.listen(storage.engine, "connect", lambda c, _: c.execute("PRAGMA synchronous=OFF"))
    return storage


def journal(folder: Path) -> BaseStorage:
    """The lock of a process that was killed is broken after ten seconds; 30 by default."""
    path = str(folder / "study.log")
    return JournalStorage(JournalFileBackend(path, JournalFileOpenLock(path, grace_period=10)))


def memory(folder: Path) -> BaseStorage:
    return InMemoryStorage()


def study_on(storage: BaseStorage, sampler: Sampler | None = None, name: str = "s") -> optuna.Study:
    return optuna.create_study(
        storage=storage, study_name=name, sampler=sampler or new_sampler(), load_if_exists=True
    )


def begin(
    make: Callable[[], BaseStorage],
    function: Callable[[optuna.Trial], float],
    *,
    name: str = "s",
    threads: int = 1,
    written: Path | None = None,
    stays: bool = False,
    **changes: Any,
) -> Any:
    """A process that works on the study.

    written: a file for the number and value of each trial that the storage has acknowledged;
        errors go into another beside it.
    stays: whether it goes on with the same study when its server is back; else it ends with the
        exit code LOST_SERVER. Any other error is exit code 1.
    """

    def note(study: optuna.Study, trial: FrozenTrial) -> None:
        assert written is not None
        with written.open("a") as file:
            file.write(f"{trial.number} {trial.value!r}\n")

    def work() -> None:
        callbacks = [] if written is None else [note]
        if written is not None:
            sys.stderr = written.with_suffix(".errors").open("a")
        study = study_on(make(), new_sampler(**changes), name)
        while True:
            try:
                return study.optimize(function, n_jobs=threads, callbacks=callbacks)
            except Exception as error:
                if not (stays and _lost_its_server(error)):
                    raise
                time.sleep(0.1)

    def work_or_fall() -> None:
        try:
            work()
        except Exception as error:
            if not _lost_its_server(error):
                raise
            traceback.print_exc()
            sys.exit(LOST_SERVER)

    process = multiprocessing.get_context("fork").Process(target=work_or_fall, daemon=True)
    process.start()
    return process


def _lost_its_server(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, psycopg.OperationalError):
        error = error.__cause__ or error.__context__
    return error is not None


def cells(study: optuna.Study, state: TrialState) -> list[tuple[int, int]]:
    """(query, cell) of the trials in that state that have one."""
    claims = [claim_of(t) for t in study.get_trials(deepcopy=False) if t.state is state]
    return [(c.query, c.cell) for c in claims if c is not None and c.cell is not None]


def assert_whole(study: optuna.Study) -> None:
    """No cell has two answers, and no trial is left running."""
    answered = cells(study, TrialState.COMPLETE)
    assert len(answered) == len(set(answered))
    assert [t.number for t in running(study)] == []


def running(study: optuna.Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
