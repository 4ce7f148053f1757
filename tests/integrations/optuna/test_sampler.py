"""The sampler in one process: the bits of the run without Optuna, whatever the order of answers."""

from __future__ import annotations

import math
import pickle
import threading
import time
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages import InMemoryStorage
from optuna.trial import TrialState

import zooadmm as zoo
from integrations.optuna.studies import (
    EVALUATIONS,
    SPACE,
    assert_whole,
    cells,
    loss,
    new_optimizer,
    new_sampler,
    noisy_objective,
    objective,
    reference,
    running,
    study_on,
)
from zooadmm.integrations.optuna import Sampler, observation, point, result, study_run
from zooadmm.integrations.optuna.claim import claim_of
from zooadmm.integrations.optuna.study_run import load


def finished(**changes: Any) -> optuna.Study:
    study = study_on(InMemoryStorage(), new_sampler(**changes))
    study.optimize(objective)
    return study


def test_a_study_ends_by_itself_with_the_bits_of_the_run_without_optuna() -> None:
    study, unbroken = finished(), reference()
    found = result(study)
    assert found.status is unbroken.status
    assert found.nfev == unbroken.evaluations <= EVALUATIONS
    assert found.x.tobytes() == unbroken.result().x.tobytes()
    assert len(study.trials) == found.nfev + 1  # the last one measures the answer
    assert_whole(study)


def test_the_answer_is_published() -> None:
    study = finished()
    found, said = result(study), study.user_attrs["answer"]
    assert said["x"] == found.x.tolist()
    assert said["objective"] == found.fun == loss(found.x) + zoo.L1(0.1)(found.y)
    assert said["message"] == found.message
    assert said["status"] == "settled"
    assert said["uncertainty"] is None  # one measurement


def test_two_measurements_show_that_there_is_no_noise() -> None:
    study = finished()
    study.optimize(objective, n_trials=1)
    assert study.user_attrs["answer"]["objective"] is not None
    assert result(study).fun_error == 0.0
    assert result(study).fun_status == "exact"


def test_many_variables_are_one_attribute() -> None:
    center = np.linspace(-1.0, 1.0, 30)
    study = optuna.create_study(sampler=Sampler(30, regularizer=zoo.L1(0.5), seed=0))
    study.optimize(lambda trial: float(np.square(point(trial) - center).sum()))
    x = result(study).x
    np.testing.assert_allclose(x, np.sign(center) * np.maximum(np.abs(center) - 0.25, 0), atol=1e-6)
    assert study.trials[0].params == {}
    assert point(study.trials[0]).shape == (30,)


@pytest.mark.parametrize("together", [3, 7, 25])
def test_answers_in_reverse_order(together: int) -> None:
    """So many trials at once, the newest answered first, also where fewer cells are open."""
    study = study_on(InMemoryStorage())
    for _ in range(400):
        trials = [study.ask() for _ in range(together)]
        for trial in reversed(trials):
            study.tell(trial, objective(trial))
        if result(study).status is not zoo.Status.RUNNING:
            break
    assert result(study).x.tobytes() == reference().result().x.tobytes()
    assert_whole(study)


def test_at_the_barrier_workers_measure_the_answer() -> None:
    study = study_on(InMemoryStorage())
    unbroken = new_optimizer().ask()
    assert unbroken is not None
    first = [study.ask() for _ in range(unbroken.evaluations + 4)]
    claims = [claim_of(t) for t in running(study)]
    query = [c for c in claims if c is not None and c.cell is not None]
    extra = [c for c in claims if c is not None and c.cell is None]
    assert sorted(c.cell for c in query) == list(range(unbroken.evaluations))
    assert len(extra) == 4
    start = np.full(4, 0.25)
    np.testing.assert_array_equal(point(first[-1]), start)


def test_a_worker_waits_for_the_next_query_before_it_measures() -> None:
    sampler = new_sampler(patience=60.0)
    study = study_on(InMemoryStorage(), sampler)
    study.optimize(lambda trial: (time.sleep(0.001), objective(trial))[1], n_jobs=4)
    found = result(study)
    assert found.x.tobytes() == reference().result().x.tobytes()
    measured = len(study.trials) - found.nfev
    assert 1 <= measured <= 4  # each thread one, at the end
    assert_whole(study)


def test_replay_is_exact_with_noise() -> None:
    storage = InMemoryStorage()
    study = study_on(storage)
    study.optimize(noisy_objective, n_trials=50)
    again = optuna.load_study(study_name="s", storage=storage, sampler=new_sampler())
    one, other = result(study), result(again)
    assert one.nfev == other.nfev > 20
    assert one.x.tobytes() == other.x.tobytes()
    again.optimize(noisy_objective)
    assert result(study).x.tobytes() == result(again).x.tobytes()


def test_a_snapshot_is_the_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that starts from the snapshot gets the bits of one that has replayed all."""
    monkeypatch.setattr(study_run, "SNAPSHOT_EVALUATIONS", 50)
    monkeypatch.setattr(study_run, "SNAPSHOT_BYTES", 1000)
    storage = InMemoryStorage()
    study = study_on(storage, new_sampler(max_evaluations=400))
    study.optimize(noisy_objective, n_trials=1)
    first = storage.get_study_system_attrs(study._study_id)["zooadmm:snapshot"]
    study.optimize(noisy_objective, n_trials=300)
    last = storage.get_study_system_attrs(study._study_id)["zooadmm:snapshot"]
    found = []
    for snapshot in (first, last):
        storage.set_study_system_attr(study._study_id, "zooadmm:snapshot", snapshot)
        optimizer = reference(max_evaluations=0)
        load(optimizer, snapshot)
        assert (optimizer.evaluations > 0) == (snapshot == last)
        other = study_on(storage, new_sampler(max_evaluations=400))
        found.append(result(other).x.tobytes())
    assert found == [result(study).x.tobytes()] * 2


def test_other_arguments_are_refused_by_name() -> None:
    storage = InMemoryStorage()
    study_on(storage).optimize(objective, n_trials=3)
    changed = study_on(storage, new_sampler(regularizer=zoo.L1(0.2)))
    with pytest.raises(ValueError, match="The study was written with another regularizer"):
        changed.ask()
    changed = study_on(storage, Sampler(SPACE, seed=4, regularizer=zoo.L1(0.1)))
    with pytest.raises(ValueError, match="another seed"):
        result(changed)


def test_a_sampler_travels_to_other_processes() -> None:
    storage = InMemoryStorage()
    study_on(storage).optimize(objective, n_trials=30)
    study = study_on(storage, pickle.loads(pickle.dumps(new_sampler())))
    study.optimize(objective)
    assert result(study).x.tobytes() == reference().result().x.tobytes()


def test_without_a_seed_workers_of_a_study_agree() -> None:
    storage = InMemoryStorage()
    for _ in range(2):
        study = study_on(storage, Sampler(SPACE, **{"max_evaluations": 60}))
        study.optimize(objective, n_trials=12)
    assert result(study).nfev >= 20


def test_observations_are_indices() -> None:
    rows = np.random.default_rng(0).standard_normal((50, 3))
    outcome = rows @ np.array([1.0, 0.0, -2.0])

    def squares(trial: optuna.Trial) -> float:
        row = observation(trial)
        assert row is not None
        return float((rows[row] @ point(trial) - outcome[row]) ** 2)

    sampler = Sampler(3, observations=50, seed=0, max_evaluations=600)
    study = optuna.create_study(sampler=sampler)
    study.optimize(squares)
    np.testing.assert_allclose(result(study).x, [1.0, 0.0, -2.0], atol=0.05)
    assert {observation(t) for t in study.trials} == set(range(50))


def test_maximize() -> None:
    study = optuna.create_study(direction="maximize", sampler=new_sampler())
    study.optimize(lambda trial: -objective(trial))
    found = result(study)
    assert found.x.tobytes() == reference().result().x.tobytes()
    assert study.user_attrs["answer"]["objective"] == -found.fun  # type: ignore[operator]


def test_a_cell_that_fails_is_evaluated_again() -> None:
    study, calls = study_on(InMemoryStorage()), 0

    def sometimes(trial: optuna.Trial) -> float:
        nonlocal calls
        calls += 1
        if calls % 5 == 0:
            raise RuntimeError("the simulator is down")
        return objective(trial)

    study.optimize(sometimes, catch=(RuntimeError,))
    assert result(study).x.tobytes() == reference().result().x.tobytes()


def test_a_cell_that_always_fails_is_nan() -> None:
    """A region without values: the run goes on and stays out of it."""
    study = study_on(InMemoryStorage(), new_sampler(attempts=2))

    def half(trial: optuna.Trial) -> float:
        x = point(trial)
        return math.nan if x[0] > 0.5 else loss(x)

    study.optimize(half)
    found = result(study)
    assert found.status is not zoo.Status.RUNNING
    assert loss(found.x) < loss(np.full(4, 0.25))
    failed = cells(study, TrialState.FAIL)
    assert failed
    assert max(failed.count(cell) for cell in failed) == 2


def test_a_stale_trial_is_recovered() -> None:
    study = study_on(InMemoryStorage(), new_sampler(stale_seconds=0.2))
    forgotten = study.ask()
    time.sleep(0.3)
    study.optimize(objective)
    assert result(study).x.tobytes() == reference().result().x.tobytes()
    assert study.trials[forgotten.number].state is TrialState.FAIL
    assert_whole(study)


def test_one_sampler_serves_two_studies() -> None:
    sampler = new_sampler()
    for _ in range(2):  # of the same name, on two storages
        study = study_on(InMemoryStorage(), sampler)
        study.optimize(objective)
        assert result(study).x.tobytes() == reference().result().x.tobytes()


def test_a_trial_without_an_address_is_recovered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process killed between the trial and its address leaves such a trial behind."""
    study = study_on(InMemoryStorage())
    study.optimize(objective, n_trials=3)
    study._storage.create_new_trial(study._study_id)
    study.optimize(objective, n_trials=3)
    assert len(running(study)) == 1  # too young to be dead
    monkeypatch.setattr(study_run, "ORPHAN_SECONDS", 0.0)
    study.optimize(objective)
    assert result(study).x.tobytes() == reference().result().x.tobytes()
    assert_whole(study)


def test_a_trial_asked_today_and_answered_by_another_process_tomorrow() -> None:
    storage = InMemoryStorage()
    today = study_on(storage)
    trial = today.ask()
    value = objective(trial)
    tomorrow = study_on(storage)
    tomorrow.optimize(objective, n_trials=1)
    same = optuna.Trial(tomorrow, trial._trial_id)
    assert objective(same) == value
    tomorrow.tell(trial.number, value)
    tomorrow.optimize(objective)
    assert result(tomorrow).x.tobytes() == reference().result().x.tobytes()


def test_enqueued_trials_are_somebody_elses() -> None:
    study = study_on(InMemoryStorage())
    study.enqueue_trial(dict.fromkeys(SPACE, 0.1))
    study.optimize(objective)
    assert claim_of(study.trials[0]) is None
    assert study.trials[0].params == dict.fromkeys(SPACE, 0.1)
    assert result(study).x.tobytes() == reference().result().x.tobytes()


RATES = {"rate": (1e-4, 1.0, "log"), "depth": (0.0, 5.0)}


def of_rates(trial: optuna.Trial) -> float:
    rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
    depth = trial.suggest_float("depth", 0.0, 5.0)
    return float(np.log10(rate / 0.02) ** 2 + (depth - 4) ** 2)


@pytest.mark.parametrize(
    "space",
    [
        zoo.Parameters(RATES),
        {
            "rate": FloatDistribution(1e-4, 1.0, log=True),
            "depth": FloatDistribution(0.0, 5.0),
        },
    ],
    ids=["Parameters", "distributions"],
)
def test_logarithmic_parameters(space: Any) -> None:
    study = optuna.create_study(sampler=Sampler(space, x0=[0.5, 1.0], seed=0))
    study.optimize(of_rates, n_trials=10)
    assert study.trials[0].params == pytest.approx({"rate": 0.5, "depth": 1.0})
    study.sampler = Sampler(space, x0=[0.5, 1.0], seed=0)  # another process
    study.optimize(of_rates)
    found = result(study)
    assert found.named == pytest.approx({"rate": 0.02, "depth": 4.0}, rel=1e-3)
    assert found.status is zoo.Status.SETTLED
    assert found.fun == pytest.approx(0.0, abs=1e-6)  # trials at x are found again
    assert study.user_attrs["answer"]["named"] == found.named


def test_many_logarithmic_parameters_are_one_attribute() -> None:
    names = {f"p{j}": (1e-3, 1e3, "log") for j in range(25)}
    study = optuna.create_study(sampler=Sampler(zoo.Parameters(names), seed=0))
    study.optimize(lambda trial: float(np.log(point(trial) / 2).max()), n_trials=2)
    np.testing.assert_allclose(point(study.trials[0]), 1.0)
    with pytest.raises(ValueError, match="for 25 parameters"):
        Sampler(zoo.Parameters(names), x0=[1.0])


@pytest.mark.parametrize(
    ("space", "said"),
    [
        ({"depth": IntDistribution(1, 5)}, "'depth' is an integer"),
        ({"kind": CategoricalDistribution(["a", "b"])}, "'kind' is categorical"),
        ({"share": FloatDistribution(0.0, 1.0, step=0.1)}, "'share' has a step"),
        ({"fixed": FloatDistribution(1.0, 1.0)}, "'fixed' is constant"),
        ({}, "space is empty"),
        (0, "at least 1"),
        ([1.0], "mapping of names"),
    ],
)
def test_spaces_that_are_refused(space: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        Sampler(space)


@pytest.mark.parametrize(
    ("suggest", "said"),
    [
        (lambda t: t.suggest_int("depth", 1, 5), "'depth' is an integer"),
        (lambda t: t.suggest_categorical("kind", ["a"] * 1 + ["b"]), "'kind' is categorical"),
        (lambda t: t.suggest_float("other", 0.0, 1.0), "'other' is not in the space"),
        (lambda t: t.suggest_float("v0", 0.9, 1.0), "'v0' is suggested within"),
    ],
)
def test_parameters_that_are_refused(suggest: Any, said: str) -> None:
    study = study_on(InMemoryStorage())
    with pytest.raises((TypeError, ValueError), match=said):
        suggest(study.ask())


def test_arguments_that_are_refused() -> None:
    with pytest.raises(ValueError, match="'v0' = 9"):
        Sampler(SPACE, x0=np.full(4, 9.0))
    with pytest.raises(ValueError, match="x0 has shape"):
        Sampler(SPACE, x0=np.zeros(3))
    with pytest.raises(TypeError, match="observations must be their number"):
        Sampler(SPACE, observations=np.zeros(5))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"seed = 1\.5 must be a whole number"):
        Sampler(SPACE, seed=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="seed = -1 must be"):
        Sampler(SPACE, seed=-1)
    with pytest.raises(ValueError, match="attempts"):
        Sampler(SPACE, attempts=0)
    with pytest.raises(ValueError, match="patience"):
        Sampler(SPACE, patience=-1.0)
    with pytest.raises(TypeError, match="TPESampler"):
        result(optuna.create_study(sampler=optuna.samplers.TPESampler()))
    two = optuna.create_study(directions=["minimize", "minimize"], sampler=new_sampler())
    with pytest.raises(ValueError, match="multi-objective"):
        two.ask()
    wide = Sampler({f"v{i}": FloatDistribution(0.0, 1.0) for i in range(21)})
    with pytest.raises(ValueError, match=r"point\(trial\)"):
        optuna.create_study(sampler=wide).ask().suggest_float("v0", 0.0, 1.0)


def test_samplers_that_race_for_cells() -> None:
    """Eight threads with a sampler each, as eight processes have: no cell is evaluated twice."""
    storage = InMemoryStorage()
    study = study_on(storage)

    def work() -> None:
        study_on(storage, new_sampler(patience=60.0)).optimize(objective)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = result(study)
    assert found.x.tobytes() == reference().result().x.tobytes()
    assert len(cells(study, TrialState.COMPLETE)) == found.nfev
    assert_whole(study)
