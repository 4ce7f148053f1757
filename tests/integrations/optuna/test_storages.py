"""Studies on real storages: 16 processes at once, heartbeats, passwords; `make test-optuna`."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.storages import BaseStorage
from optuna.trial import TrialState

import zooadmm as zoo
from benchmarks.optuna_studies import postgresql
from integrations.optuna import studies
from integrations.optuna.studies import (
    assert_whole,
    begin,
    cells,
    new_sampler,
    objective,
    reference,
    running,
    slow_objective,
    study_on,
)
from zooadmm.integrations.optuna import claim, result, study_run

pytestmark = [pytest.mark.optuna]
WORKERS = 16
Make = Callable[[], BaseStorage]


def test_sixteen_workers(make: Make, record_property: Callable[[str, object], None]) -> None:
    """They evaluate each cell once, measure the answer at the barrier, and end without an error."""
    study_on(make())
    workers = [begin(make, slow_objective) for _ in range(WORKERS)]
    for worker in workers:
        worker.join(900)
        assert worker.exitcode == 0
    study = study_on(make())
    found = result(study)
    assert found.x.tobytes() == reference().result().x.tobytes()
    assert found.status is not zoo.Status.RUNNING
    assert_whole(study)
    claimed = cells(study, TrialState.COMPLETE) + cells(study, TrialState.FAIL)
    assert len(claimed) == len(set(claimed)) == found.nfev
    measured = len(study.trials) - found.nfev
    assert measured >= WORKERS  # each at least once, at the end
    tally = f"{WORKERS} workers, {found.nfev} cells, each once, {measured} times the answer"
    record_property("tally", tally)


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_heartbeats_recover_trials_of_other_machines(tmp_path: Path) -> None:
    """A trial of a machine that is gone is failed for want of heartbeats, and evaluated again."""

    def make() -> BaseStorage:
        return studies.sqlite(tmp_path, heartbeat=1)

    study = study_on(make())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claim, "_machine", lambda: "elsewhere")
        elsewhere = begin(make, lambda trial: time.sleep(600) or 0.0)
    while not cells(study, TrialState.RUNNING):
        time.sleep(0.05)
    elsewhere.kill()
    elsewhere.join()
    (lost,) = running(study)
    its = claim.claim_of(lost)
    assert its is not None
    assert its.worker is not None
    assert its.worker[0] == "elsewhere"
    study.optimize(objective)
    assert study.trials[lost.number].state is TrialState.FAIL
    assert result(study).x.tobytes() == reference().result().x.tobytes()
    assert_whole(study)


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_a_replay_that_takes_longer_than_a_heartbeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker does not take its own trial for a dead one."""
    study = study_on(studies.sqlite(tmp_path, heartbeat=1))
    update, slept = study_run.Replay.update, False

    def slow(self: study_run.Replay, trials: Any) -> Any:
        nonlocal slept
        if not slept:
            time.sleep(3.5)
        slept = True
        return update(self, trials)

    monkeypatch.setattr(study_run.Replay, "update", slow)
    study.optimize(objective, n_trials=2)
    assert slept
    assert [t.state for t in study.trials] == [TrialState.COMPLETE] * 2


def test_a_password_is_in_no_log(
    server: postgresql.Server, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nor in an attribute or an exception, also where the server is down."""
    optuna.logging.enable_propagation()
    caplog.set_level(logging.DEBUG)
    study = study_on(server.storage())
    study.optimize(objective, n_trials=5)
    attributes = study._storage.get_study_system_attrs(study._study_id)
    stored = [t.system_attrs for t in study.trials], study.user_attrs, attributes
    changed = study_on(server.storage(), new_sampler(regularizer=None))
    with pytest.raises(ValueError, match="another regularizer") as refused:
        changed.ask()
    server.disconnect()
    server.kill()
    with pytest.raises(optuna.exceptions.StorageInternalError) as down:
        result(study)
    server.start()
    optuna.delete_study(study_name="s", storage=server.storage())
    server.disconnect()
    optuna.logging.disable_propagation()
    printed = "".join(capfd.readouterr())
    raised = "".join(traceback.format_exception(down.value))
    everything = f"{caplog.text} {printed} {stored} {refused.value} {study.sampler!r} {raised}"
    assert "refused" in raised
    assert postgresql.PASSWORD not in everything
    assert postgresql.PASSWORD in server.url
