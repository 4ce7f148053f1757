"""The run of one study in one process: it claims cells, notices the dead, keeps the records."""

from __future__ import annotations

import base64
import tempfile
import time
import warnings
import zlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import optuna
from optuna.storages._heartbeat import is_heartbeat_enabled
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from zooadmm.integrations.optuna import answer
from zooadmm.integrations.optuna.claim import (
    CELL,
    ENQUEUED,
    POINT,
    Claim,
    Worker,
    claim_of,
    contested,
    is_abandoned,
    this_worker,
)
from zooadmm.integrations.optuna.replay import Replay
from zooadmm.integrations.optuna.space import Space
from zooadmm.oracle.observations import Time
from zooadmm.oracle.queries import Query
from zooadmm.problem.arrays import Vector
from zooadmm.run.diagnosis import warn
from zooadmm.run.optimizer import Optimizer
from zooadmm.run.result import Result


def written(optimizer: Optimizer) -> str:
    """The checkpoint that `Optimizer.save` writes, compressed, in base 64."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot"
        optimizer.save(path)
        return base64.b64encode(zlib.compress(path.read_bytes(), 1)).decode()


def load(optimizer: Optimizer, text: str) -> None:
    """Go on from a text that `written` made; other arguments are refused by name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot"
        path.write_bytes(zlib.decompress(base64.b64decode(text)))
        try:
            optimizer.load(path)
        except ValueError as error:
            said = str(error).replace(str(path), "The study").replace("another path", "a new study")
            raise ValueError(said) from None


SNAPSHOT = "zooadmm:snapshot"
"""The system attribute of a study that has a checkpoint of the run"""
SNAPSHOT_EVALUATIONS = 500
"""Evaluations between two snapshots: replaying so many takes well under a second."""
SNAPSHOT_BYTES = 500
"""Bytes of a snapshot per evaluation since the last one: a log grows by as much a trial."""
PUBLISH_SECONDS = 1.0
"""Least time between two publications of the answer by a process."""
CHECK_SECONDS = 0.5
"""Least time between two searches of a process for dead ones; a search reads the system's table."""
ORPHAN_SECONDS = 600.0
"""A running trial without an address and without parameters is dead after so long: an address is
written right after the trial is created. SQLite may keep a writer waiting for a minute or two."""


class Work(NamedTuple):
    """What a trial evaluates."""

    point: Vector
    observation: int | None
    """Index of the observation; None for a loss without observations"""


class StudyRun:
    """The run of a study, from its snapshot and its trials.

    observations: how many there are, `Time()`, or None.
    attempts, stale_seconds: as in `Sampler`.
    """

    def __init__(
        self,
        study: optuna.Study,
        optimizer: Optimizer,
        space: Space,
        observations: int | Time | None,
        attempts: int,
        stale_seconds: float | None,
    ) -> None:
        self._study = study
        self._storage = study._storage
        self._optimizer = optimizer
        self._space = space
        self._observations = observations
        self._attempts = attempts
        self._stale_seconds = stale_seconds
        self._sign = -1.0 if study.direction is StudyDirection.MAXIMIZE else 1.0
        self._replay = Replay(optimizer, self._sign, attempts)
        self._publish_at = 0.0
        self._check_at = 0.0
        self._waiting: set[int] = set()
        self._warned = 0
        self._snapshot_at = SNAPSHOT_EVALUATIONS
        snapshot = self._storage.get_study_system_attrs(study._study_id).get(SNAPSHOT)
        if snapshot is None:
            self._save()
        else:
            load(optimizer, snapshot)
            self._plan(len(snapshot))

    def follows(self, study: optuna.Study) -> bool:
        """Whether this is the run of that study."""
        same = study._storage is self._storage
        return bool(same and study._study_id == self._study._study_id)

    def claim(self, trial: FrozenTrial, worker: bool, wait: bool) -> tuple[Work | None, bool]:
        """(the work of a trial or None to try again in a moment, whether the run has ended).

        worker: whether this thread evaluates the trial, so that its death ends the claim.
        wait: whether to try again where all cells of the query are out.
        """
        query = self._update(trial)
        name = this_worker() if worker else None
        if query is None:
            return self._measure(trial, name), True
        cells = self._replay.open_cells(query)
        if not cells:
            if not wait:
                self._waiting.discard(trial._trial_id)
                if worker:
                    self._warn_of_asked(query)
                return self._measure(trial, name), False
            if trial._trial_id not in self._waiting:  # it shows that it lives
                self._measure(trial, name)
                self._waiting.add(trial._trial_id)
            return None, False
        cell = cells[self._rank(trial) % len(cells)]
        work = _evaluation(query, cell)
        self._space.check(work.point)
        self._waiting.discard(trial._trial_id)
        kept = self._take(trial, Claim(query.id, cell, work.observation, name))
        return (work if kept else None), False

    def _warn_of_asked(self, query: Query) -> None:
        """Say, once a query, that nobody evaluates the cells that the run waits for."""
        held = [t for (q, _), t in self._replay.claimed.items() if q == query.id]
        claims = [claim_of(t) for t in held]
        if self._warned < query.id and all(c is not None and c.worker is None for c in claims):
            self._warned = query.id
            numbers = ", ".join(str(n) for n in sorted(t.number for t in held)[:10])
            warn(
                f"the run waits for trials that study.ask handed out and nobody has told: "
                f"{numbers}. Until then workers only measure the current answer. Tell these "
                "trials, or give the sampler stale_seconds."
            )

    def take_over(self, trial: FrozenTrial, claim: Claim, worker: bool) -> Work | None:
        """The work of a trial that Optuna has copied from a dead one; None where it has come late.

        Its parameters are those of the dead trial, so it can only have the same cell.
        """
        query, cell = self._update(trial), claim.cell
        mine = claim._replace(worker=this_worker() if worker else None)
        needed = self._replay.needs(claim)
        if query is None or cell is None or not (needed and self._take(trial, mine)):
            self._write(trial, None)
            return None
        return _evaluation(query, cell)

    def show_life(self, trial: FrozenTrial) -> None:
        """Write that this thread has the trial, before a replay that may take long."""
        self._write(trial, Claim(self._optimizer.state.t, None, None, this_worker()))
        self._waiting.add(trial._trial_id)

    def _take(self, trial: FrozenTrial, claim: Claim) -> bool:
        """Whether the trial has the cell now; if not, it has an address without a cell."""
        self._write(trial, claim)
        if contested(self._trials()[self._replay.first :], claim, trial, self._attempts):
            self._write(trial, claim._replace(cell=None))
            return False
        return True

    def _update(self, trial: FrozenTrial) -> Query | None:
        """The pending query after all finished trials; None at the end of the run."""
        trials = self._trials()
        query = self._replay.update(trials)
        if (query is None or time.monotonic() >= self._check_at) and self._fail_abandoned(trial):
            trials = self._trials()
            query = self._replay.update(trials)
        if self._optimizer.evaluations >= self._snapshot_at:
            self._save()
        if query is None or time.monotonic() >= self._publish_at:
            self._publish(trials)
        return query

    def _trials(self) -> list[FrozenTrial]:
        trials: list[FrozenTrial] = self._study.get_trials(deepcopy=False)
        return trials

    def _rank(self, trial: FrozenTrial) -> int:
        """How many older trials are about to claim a cell: each takes another one."""
        older = [t for t in self._replay.running if t.number < trial.number]
        claims = [claim_of(t) for t in older]
        return sum(claim is None or claim.cell is None for claim in claims)

    def known(self, trial: FrozenTrial, claim: Claim) -> Work:
        """The work of a trial that has its address already, from another process."""
        query = self._update(trial)
        if POINT in trial.user_attrs:
            return Work(np.array(trial.user_attrs[POINT]), claim.observation)
        if query is not None and claim.query == query.id and claim.cell is not None:
            return _evaluation(query, claim.cell)
        return Work(self._optimizer.recommended()[0], claim.observation)

    def _measure(self, trial: FrozenTrial, name: Worker | None) -> Work:
        """The current answer, on a random observation: useful where no cell is left."""
        t, index = self._optimizer.state.t, None
        if isinstance(self._observations, Time):
            index = t
        elif self._observations is not None:
            index = int(np.random.default_rng(trial.number).integers(self._observations))
        self._write(trial, Claim(t, None, index, name))
        return Work(self._optimizer.recommended()[0], index)

    def _write(self, trial: FrozenTrial, claim: Claim | None) -> None:
        written: Any = None if claim is None else claim._asdict()
        self._storage.set_trial_system_attr(trial._trial_id, CELL, written)
        if claim is not None and claim.worker is not None:
            self._beat(trial)

    def _beat(self, trial: FrozenTrial) -> None:
        """Say that the trial lives: Optuna does so from the call of the objective on."""
        if is_heartbeat_enabled(self._storage):
            self._storage.record_heartbeat(trial._trial_id)

    def _is_stale(self, trial: FrozenTrial) -> bool:
        limit = self._stale_seconds
        addressed = claim_of(trial) is not None or trial.params
        if not addressed and ENQUEUED not in trial.system_attrs:
            limit = ORPHAN_SECONDS if limit is None else min(limit, ORPHAN_SECONDS)
        if limit is None or trial.datetime_start is None:
            return False
        age = (datetime.now() - trial.datetime_start).total_seconds()
        return bool(age > limit)

    def _fail_abandoned(self, living: FrozenTrial) -> bool:
        """Fail the running trials, but one, that nobody evaluates; whether there were any."""
        self._check_at = time.monotonic() + CHECK_SECONDS
        if is_heartbeat_enabled(self._storage):
            if living._trial_id in self._waiting:
                self._beat(living)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
                optuna.storages.fail_stale_trials(self._study)
        others = (t for t in self._replay.running if t._trial_id != living._trial_id)
        dead = [t for t in others if is_abandoned(t) or self._is_stale(t)]
        for trial in dead:
            try:
                self._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
            except optuna.exceptions.UpdateFinishedTrialError:
                continue  # it has finished after all, or another worker was faster
        return bool(dead)

    def _save(self) -> None:
        text = written(self._optimizer)
        self._storage.set_study_system_attr(self._study._study_id, SNAPSHOT, text)
        self._plan(len(text))

    def _plan(self, length: int) -> None:
        interval = max(SNAPSHOT_EVALUATIONS, length // SNAPSHOT_BYTES)
        self._snapshot_at = self._optimizer.evaluations + interval

    def open_cells(self) -> int | None:
        """How many cells of the pending query nobody evaluates; None at the end of the run."""
        query = self._replay.update(self._trials())
        return None if query is None else len(self._replay.open_cells(query))

    def result(self) -> Result:
        """The answer now, also published."""
        trials = self._trials()
        self._replay.update(trials)
        return self._publish(trials)

    def _publish(self, trials: Sequence[FrozenTrial]) -> Result:
        x = self._optimizer.recommended()[0]
        found = self._optimizer.result(answer.report(trials, x, self._space, self._sign))
        self._study.set_user_attr(answer.ANSWER, answer.published(found, self._sign))
        self._publish_at = time.monotonic() + PUBLISH_SECONDS
        return found


def _evaluation(query: Query, cell: int) -> Work:
    (evaluation,) = query.evaluations_within(cell, cell + 1)
    index = None if evaluation.observation is None else int(evaluation.observation)
    return Work(np.array(evaluation.point), index)
