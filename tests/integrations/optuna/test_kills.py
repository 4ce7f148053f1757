"""Workers and a driver with threads, killed again and again, and their server with them.

KILLS a row: 5 among 5 workers, and 200 among 16 by `make torture-optuna`. A study that ends is
checked, and another begins.
"""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.storages import BaseStorage
from optuna.trial import TrialState

import zooadmm as zoo
from benchmarks.optuna_studies import postgresql
from integrations.optuna.studies import (
    LOST_SERVER,
    assert_whole,
    begin,
    cells,
    new_optimizer,
    new_sampler,
    noisy_valley,
    reference,
    slow_valley,
    study_on,
    valley,
)
from zooadmm.integrations.optuna import result, study_run
from zooadmm.integrations.optuna.claim import claim_of

pytestmark = [pytest.mark.optuna]
KILLS = int(os.environ.get("KILLS", "5"))
WORKERS = min(KILLS, 16)
THREADS = 4
DRIVER_SHARE = 0.25
"""Of the kills, those of the driver"""
STUCK_SECONDS = 300.0
"""A crew of which nothing is heard for so long has lost a trial"""
FALLS = 4
"""Of the processes, one in so many does not survive its server"""
LIMIT = min(10 * KILLS, 200)
"""Evaluations of a study whose processes are killed"""
SERVED_LIMIT = 50
"""Evaluations of a study whose server is killed: every kill leaves a dead trial a process"""
Make = Callable[[], BaseStorage]
Objective = Callable[[optuna.Trial], float]


class Crew:
    """Worker processes and a driver, a process with four threads, on one study.

    When their server is killed, one in four falls with an error and is replaced;
    the others go on in their place. Nothing else may make a process fall.
    """

    def __init__(
        self, make: Make, function: Objective, name: str, folder: Path, limit: int
    ) -> None:
        self._make, self._function, self.name = make, function, name
        self.limit = {"max_evaluations": limit}
        self.written = folder / f"{name}.written"
        self.written.touch()
        self.restarts = 0
        """How often the server was killed and started again"""
        self.fallen = 0
        """How many processes fell, and were replaced"""
        study_on(make(), new_sampler(**self.limit), name)
        self._processes = [self._begin(i) for i in range(WORKERS + 1)]
        self._restarts_before = [0] * len(self._processes)

    def _begin(self, i: int) -> Any:
        return begin(
            self._make,
            self._function,
            name=self.name,
            threads=THREADS if i == WORKERS else 1,
            written=self.written,
            stays=i % FALLS != 0,
            **self.limit,
        )

    @property
    def ended(self) -> bool:
        """Whether the run has ended, so that every process ends by itself."""
        return any(process.exitcode == 0 for process in self._processes)

    def kill_one(self, i: int) -> bool:
        """Kill a process and begin another in its place; whether it was alive."""
        self.replace_fallen()
        alive = self._processes[i].is_alive()
        self._processes[i].kill()
        self._processes[i].join()
        self._processes[i] = self._begin(i)
        return alive

    def replace_fallen(self) -> None:
        """Begin others in the place of those that have fallen, now or long after the kill."""
        for i, process in enumerate(self._processes):
            if process.exitcode:
                lost = process.exitcode == LOST_SERVER and self._restarts_before[i] < self.restarts
                assert lost, self._errors()
                self._processes[i] = self._begin(i)
                self._restarts_before[i] = self.restarts
                self.fallen += 1

    def wait_for_work(self) -> None:
        """Until one more value is in the storage, or the run has ended, however slow all are."""
        before = self.written.stat().st_size
        self._wait(lambda: self.ended or self.written.stat().st_size > before)

    def join(self) -> None:
        self._wait(lambda: all(process.exitcode == 0 for process in self._processes))

    def _wait(self, condition: Callable[[], bool]) -> None:
        """Fails where nothing at all has happened for long: no value, no end, no fall."""
        seen, deadline = None, math.inf
        while not condition():
            self.replace_fallen()
            codes = [process.exitcode for process in self._processes]
            happened = self.written.stat().st_size, self.fallen, codes
            if happened != seen:
                seen, deadline = happened, time.monotonic() + STUCK_SECONDS
            assert time.monotonic() < deadline, f"stuck: {codes}, {self._errors()}"
            time.sleep(0.02)

    def _errors(self) -> str:
        path = self.written.with_suffix(".errors")
        return path.read_text()[-5000:] if path.exists() else "no error"

    def leave(self) -> None:
        for process in self._processes:
            process.kill()
            process.join()


def assert_end(crew: Crew, make: Make, noise: bool) -> int:
    """What a study must be after its end; the number of its trials.

    A trial killed before it had an address counts as dead at once, for nobody else works any more.
    """
    study = study_on(make(), new_sampler(**crew.limit), crew.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_run, "ORPHAN_SECONDS", 0.0)
        study.optimize(slow_valley if not noise else noisy_valley)
    found = result(study)
    again = result(study_on(make(), new_sampler(**crew.limit), crew.name))
    assert found.status is not zoo.Status.RUNNING
    assert found.x.tobytes() == again.x.tobytes()
    assert found.x.tobytes() == replayed(study, **crew.limit).result().x.tobytes()
    if not noise:
        assert found.x.tobytes() == reference(valley, **crew.limit).result().x.tobytes()
    assert_whole(study)
    answered = set(cells(study, TrialState.COMPLETE))
    assert len(answered) == found.nfev  # no answer beside the run
    trials = study.get_trials(deepcopy=False)
    for line in crew.written.read_text().splitlines():  # none lost
        number, value = line.split()
        assert trials[int(number)].value == float(value)
    return len(trials)


def replayed(study: optuna.Study, **limit: Any) -> zoo.Optimizer:
    """The run without Optuna on the recorded answers: the naive twin of the replay."""
    values = {}
    for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
        claim = claim_of(trial)
        assert claim is not None
        values[claim.query, claim.cell] = trial.value
    optimizer = new_optimizer(**limit)
    while (query := optimizer.ask()) is not None:
        optimizer.tell(query.id, {e.cell: values[query.id, e.cell] for e in query})
    return optimizer


@pytest.mark.parametrize("noise", [False, True], ids=["exact", "noisy"])
def test_processes_are_killed(
    make: Make, tmp_path: Path, noise: bool, record_property: Callable[[str, object], None]
) -> None:
    """The bits of the unbroken run, or of a replay of the recorded answers."""
    generator = random.Random(0)
    function = noisy_valley if noise else slow_valley
    killed, drivers, studies, trials = 0, 0, 0, 0
    while killed < KILLS:
        crew = Crew(make, function, f"s{studies}", tmp_path, LIMIT)
        try:
            while killed < KILLS and not crew.ended:
                time.sleep(generator.uniform(0.02, 0.4))
                driver = generator.random() < DRIVER_SHARE
                victim = WORKERS if driver else generator.randrange(WORKERS)
                alive = crew.kill_one(victim)
                killed, drivers = killed + alive, drivers + (alive and driver)
            crew.join()
        finally:
            crew.leave()
        trials += assert_end(crew, make, noise)
        studies += 1
    tally = f"{killed} kills ({drivers} of a driver), {studies} studies, {trials} trials"
    record_property("tally", tally)


@pytest.mark.parametrize("noise", [False, True], ids=["exact", "noisy"])
def test_the_server_is_killed(
    server: postgresql.Server,
    tmp_path: Path,
    noise: bool,
    record_property: Callable[[str, object], None],
) -> None:
    """Workers end with the server or raise; what it acknowledged is there when it is back.

    The next kill comes after a value at least: a busy machine is slow, and fails no sooner.
    """
    generator = random.Random(1)
    function = noisy_valley if noise else slow_valley
    killed, fallen, studies, trials = 0, 0, 0, 0
    while killed < KILLS:
        crew = Crew(server.storage, function, f"s{studies}", tmp_path, SERVED_LIMIT)
        try:
            while killed < KILLS:
                crew.wait_for_work()
                if crew.ended:
                    break
                time.sleep(generator.uniform(0.0, 0.5))
                server.disconnect()
                server.kill()
                server.start()
                killed, crew.restarts = killed + 1, crew.restarts + 1
            crew.join()
        finally:
            crew.leave()
        trials += assert_end(crew, server.storage, noise)
        fallen, studies = fallen + crew.fallen, studies + 1
        optuna.delete_study(study_name=crew.name, storage=server.storage())
    tally = f"{killed} kills, {fallen} processes fell, {studies} studies, {trials} trials"
    record_property("tally", tally)
