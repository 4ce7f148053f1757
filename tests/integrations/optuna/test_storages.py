"""Studies on real storages: several processes, kills, heartbeats; `make test-optuna`.

With TORTURE set, `make torture-optuna`, many more kills.
"""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import optuna
import pytest
from optuna.storages import BaseStorage
from optuna.trial import TrialState

import zooadmm as zoo
from integrations.optuna import postgresql, studies
from integrations.optuna.studies import (
    assert_whole,
    begin,
    cells,
    new_sampler,
    noisy_objective,
    objective,
    reference,
    slow_objective,
    study_on,
)
from zooadmm.integrations.optuna import result, study_run

pytestmark = [pytest.mark.optuna, pytest.mark.xdist_group("optuna")]
TORTURE = os.environ.get("TORTURE")
KILLS = int(os.environ.get("KILLS", "200")) if TORTURE else 4
WORKERS = 4
Make = Callable[[], BaseStorage]


@pytest.fixture(scope="module")
def server() -> Iterator[postgresql.Server]:
    programs = postgresql.programs()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed: .ci/run installs it")
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with postgresql.serving(programs) as serving:
        yield serving


@pytest.fixture(params=["sqlite", "journal", "postgresql"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes a storage anew, as each process does; one study a test."""
    if request.param == "postgresql":
        served: postgresql.Server = request.getfixturevalue("server")
        yield served.storage
        optuna.delete_study(study_name="s", storage=served.storage())
        served.disconnect()
    else:
        yield lambda: getattr(studies, request.param)(tmp_path)


def noted(line: str) -> None:
    """A line of the report of `make torture-optuna`."""
    if TORTURE:
        with open(TORTURE, "a") as file:
            file.write(f"    {line}\n")


def finish(make: Make, function: Callable[[optuna.Trial], float]) -> optuna.Study:
    """The study after its end; a trial killed before it had an address counts as dead at once."""
    study = study_on(make())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_run, "ORPHAN_SECONDS", 0.0)
        study.optimize(function)
    return study


def test_four_workers(make: Make) -> None:
    """Their study ends with the bits of the run without Optuna, and no cell was evaluated twice."""
    study_on(make())
    workers = [begin(make, slow_objective, patience=60.0) for _ in range(WORKERS)]
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    study = study_on(make())
    found = result(study)
    assert found.x.tobytes() == reference().result().x.tobytes()
    assert found.status is not zoo.Status.RUNNING
    assert_whole(study)
    claimed = cells(study, TrialState.COMPLETE) + cells(study, TrialState.FAIL)
    assert len(claimed) == len(set(claimed)) == found.nfev
    measured = len(study.trials) - found.nfev
    noted(
        f"{WORKERS} workers, {found.nfev} cells, each once; {measured} trials measured the answer"
    )


@pytest.mark.parametrize("noise", [False, True], ids=["exact", "noisy"])
def test_kill_and_resume(make: Make, noise: bool) -> None:
    """Workers killed again and again: the bits of the unbroken run, or of a replay of answers."""
    function = noisy_objective if noise else slow_objective
    generator = random.Random(0)
    study = study_on(make())
    killed = lost = studies_done = 0
    while killed < KILLS:
        workers = [begin(make, function) for _ in range(2)]
        time.sleep(generator.uniform(0.05, 0.5))
        for worker in workers:
            lost += worker.is_alive()
            worker.kill()
            worker.join()
            killed += 1
        study = study_on(make())
        if result(study).status is not zoo.Status.RUNNING and killed < KILLS:
            _assert_end(finish(make, function), make, noise)
            optuna.delete_study(study_name="s", storage=make())
            study_on(make())
            studies_done += 1
    _assert_end(finish(make, function), make, noise)
    noted(f"{killed} kills, {lost} of them of a live worker, {studies_done + 1} studies")


def _assert_end(study: optuna.Study, make: Make, noise: bool) -> None:
    found, again = result(study), result(study_on(make()))
    assert found.status is not zoo.Status.RUNNING
    assert found.x.tobytes() == again.x.tobytes()
    if not noise:
        assert found.x.tobytes() == reference().result().x.tobytes()
    assert_whole(study)
    answered = set(cells(study, TrialState.COMPLETE))
    assert len(answered) == found.nfev  # no answer lost, none beside the run


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_heartbeats_recover_trials_of_other_machines(tmp_path: Path) -> None:
    """A trial whose process is out of sight is failed by Optuna, and its cell evaluated again."""
    storage = studies.sqlite(tmp_path, heartbeat=1)
    study = study_on(storage)
    elsewhere = study_on(storage)
    with pytest.warns(UserWarning, match="[Hh]eartbeat"):
        trial = elsewhere.ask()  # under ask and tell no process is recorded
    storage.record_heartbeat(trial._trial_id)  # type: ignore[attr-defined]
    time.sleep(3.0)
    study.optimize(objective)
    assert study.trials[trial.number].state is TrialState.FAIL
    assert result(study).x.tobytes() == reference().result().x.tobytes()
    assert_whole(study)


def test_a_password_is_in_no_log(
    server: postgresql.Server, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    optuna.logging.enable_propagation()
    caplog.set_level(logging.DEBUG)
    study = study_on(server.storage())
    study.optimize(objective, n_trials=5)
    stored = [t.system_attrs for t in study.trials], study.user_attrs
    changed = study_on(server.storage(), new_sampler(regularizer=None))
    with pytest.raises(ValueError, match="another regularizer") as refused:
        changed.ask()
    optuna.delete_study(study_name="s", storage=server.storage())
    server.disconnect()
    optuna.logging.disable_propagation()
    printed = "".join(capfd.readouterr())
    everything = f"{caplog.text} {printed} {stored} {refused.value} {study.sampler!r}"
    assert postgresql.PASSWORD not in everything
    assert postgresql.PASSWORD in server.url


@pytest.mark.skipif(not TORTURE, reason="the server is killed by make torture-optuna")
def test_a_server_that_is_killed(server: postgresql.Server) -> None:
    """Workers fail with the server; what was acknowledged is there when it is back."""
    generator, kills = random.Random(1), max(2, KILLS // 10)
    study_on(server.storage())
    done = 0
    for _ in range(kills):
        workers = [begin(server.storage, slow_objective) for _ in range(2)]
        time.sleep(generator.uniform(0.05, 0.5))
        server.disconnect()
        server.kill()
        for worker in workers:
            worker.kill()
            worker.join()
        server.start()
        if result(study_on(server.storage())).status is not zoo.Status.RUNNING:
            _assert_end(finish(server.storage, slow_objective), server.storage, noise=False)
            optuna.delete_study(study_name="s", storage=server.storage())
            done += 1
    _assert_end(finish(server.storage, slow_objective), server.storage, noise=False)
    optuna.delete_study(study_name="s", storage=server.storage())
    server.disconnect()
    noted(f"{kills} kills of the server with two workers, {done + 1} studies")
