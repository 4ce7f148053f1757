"""What goes wrong around a study: storages that fail, copies, other samplers, pruners, timeouts."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.storages import InMemoryStorage, RetryHeartbeatStaleTrialCallback
from optuna.trial import TrialState

import zooadmm as zoo
from integrations.optuna.studies import (
    SPACE,
    assert_whole,
    cells,
    loss,
    new_sampler,
    objective,
    reference,
    running,
    study_on,
)
from zooadmm.integrations.optuna import Sampler, open_cells, point, result, sampler
from zooadmm.integrations.optuna.claim import FAILED, Claim, claim_of, contested


def assert_unbroken(study: optuna.Study) -> None:
    assert result(study).x.tobytes() == reference().result().x.tobytes()
    assert_whole(study)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_storage_that_fails_when_a_value_is_written(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process lives on, and so nobody else can tell that its trial is abandoned."""
    storage = InMemoryStorage()
    study, write, calls = study_on(storage), storage.set_trial_state_values, 0

    def unreliable(*arguments: Any, **named: Any) -> bool:
        nonlocal calls
        calls += 1
        if calls % 9 == 0:
            raise OSError("the connection is gone")
        return bool(write(*arguments, **named))

    monkeypatch.setattr(storage, "set_trial_state_values", unreliable)
    for _ in range(60):
        try:
            study.optimize(objective, n_jobs=threads)
            break
        except (OSError, AssertionError):  # Optuna asserts that the trial has ended
            continue
    monkeypatch.setattr(storage, "set_trial_state_values", write)
    study.optimize(objective, n_trials=1)
    assert calls > 20
    assert_unbroken(study)


def test_a_slow_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that wait read it less often, and do not fill it with measurements."""
    storage = InMemoryStorage()
    read, readings = storage.get_all_trials, 0

    def slow(*arguments: Any, **named: Any) -> Any:
        nonlocal readings
        readings += 1
        time.sleep(0.01)
        return read(*arguments, **named)

    monkeypatch.setattr(storage, "get_all_trials", slow)
    study = study_on(storage, new_sampler(patience=0.05))
    study.optimize(objective, n_jobs=4)
    assert_unbroken(study)
    assert len(study.trials) <= result(study).nfev + 8


def test_a_reading_that_waited_for_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one comes soon after it all the same."""
    storage = InMemoryStorage()
    study, read = study_on(storage), storage.get_all_trials
    for _ in range(open_cells(study) or 0):
        study.ask()

    def blocked(*arguments: Any, **named: Any) -> Any:
        time.sleep(0.25)
        return read(*arguments, **named)

    def paused(seconds: float) -> None:
        raise TimeoutError(seconds)

    longest = SimpleNamespace(SystemRandom=lambda: SimpleNamespace(random=lambda: 1.0))
    monkeypatch.setattr(storage, "get_all_trials", blocked)
    monkeypatch.setattr(sampler, "random", longest)
    monkeypatch.setattr(sampler, "time", SimpleNamespace(monotonic=time.monotonic, sleep=paused))
    with pytest.raises(TimeoutError) as pause:
        study.optimize(objective)
    assert pause.value.args == (2 * sampler.MOST_POLL_SECONDS,)


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize("late", [False, True], ids=["in time", "late"])
def test_a_trial_that_optuna_copies_from_a_dead_one(late: bool) -> None:
    """It has the cell of the dead trial, unless another trial has it by then."""
    study = study_on(InMemoryStorage())
    lost = study.ask()
    point(lost)
    study._storage.set_trial_state_values(lost._trial_id, TrialState.FAIL)
    if late:
        study.optimize(objective, n_trials=3)
    RetryHeartbeatStaleTrialCallback()(study, study.trials[lost.number])
    study.optimize(objective)
    (copy,) = [t for t in study.trials if "failed_trial" in t.system_attrs]
    assert copy.state is TrialState.COMPLETE
    assert (claim_of(copy) is None) == late
    assert_unbroken(study)


def test_a_cell_that_has_failed_for_good_is_not_claimed_late() -> None:
    """Its NaN counts already for those who have read it."""
    study = study_on(InMemoryStorage())
    first, second = study.ask(), study.ask()
    study.tell(first, state=TrialState.FAIL)
    (failed, mine) = study.get_trials()
    claim = claim_of(failed)
    assert claim is not None
    assert FAILED in failed.system_attrs
    assert second.number == mine.number
    assert contested([failed, mine], claim, mine, attempts=1)
    assert not contested([failed, mine], claim, mine, attempts=2)
    assert not contested([failed, mine], Claim(9, 9, None, None), mine, attempts=1)


@pytest.mark.parametrize("error", [NameError("mistyped"), KeyboardInterrupt(), OSError("no disk")])
@pytest.mark.parametrize("threads", [1, 3])
def test_exceptions_that_end_the_worker_are_no_values(error: BaseException, threads: int) -> None:
    """A mistake in the objective, mended after a few trials of it, leaves no NaN at x0."""
    study = study_on(InMemoryStorage(), new_sampler(attempts=2))

    def mistaken(trial: optuna.Trial) -> float:
        raise error

    for _ in range(4):
        with pytest.raises(type(error)):
            study.optimize(mistaken, n_jobs=threads, catch=(ValueError,))
    assert not any(FAILED in t.system_attrs for t in study.trials)
    study.optimize(objective)
    assert_unbroken(study)


def test_exceptions_of_the_storage_are_no_values() -> None:
    """Not even where all are caught: the point has nothing to do with them."""
    study = study_on(InMemoryStorage(), new_sampler(attempts=1))

    def cut_off(trial: optuna.Trial) -> float:
        if trial.number % 3 == 0:
            raise optuna.exceptions.StorageInternalError("the connection is gone")
        return objective(trial)

    study.optimize(cut_off, catch=(Exception,))
    assert_unbroken(study)


def test_an_objective_without_a_value_at_the_start() -> None:
    study = study_on(InMemoryStorage())
    with pytest.raises(ValueError, match=r"not finite at x0.* mend the objective and begin a new"):
        study.optimize(lambda trial: None)


def test_a_trial_that_is_asked_and_never_told() -> None:
    """Workers would measure the answer for ever, and nobody would know why."""
    study = study_on(InMemoryStorage(), new_sampler(patience=0.0))
    study.optimize(objective, n_trials=2)
    study.ask()
    said = r"waits for trials that study\.ask handed out .*: 2\. "
    with pytest.warns(RuntimeWarning, match=said) as warned:
        study.optimize(objective, n_trials=70)
    assert len(warned) == 1
    study.tell(2, loss(np.array(list(study.trials[2].params.values()) or np.full(4, 0.25))))


def test_the_target_is_in_the_direction_of_the_study() -> None:
    """One minus the loss, to be at least a number: the mirror image of the minimization."""
    least = reference(target=1.3)
    assert least.status is zoo.Status.TARGET
    study = optuna.create_study(direction="maximize", sampler=new_sampler(target=-1.3))
    study.optimize(lambda trial: -objective(trial))
    found = result(study)
    assert found.status is zoo.Status.TARGET
    assert found.nfev == least.evaluations
    assert found.x.tobytes() == least.result().x.tobytes()
    assert "negated" in study.user_attrs["answer"]["message"]


@pytest.mark.parametrize("given", [{}, {"v1": 0.2}])
def test_a_trial_that_is_enqueued_without_some_variables(given: dict[str, float]) -> None:
    study = study_on(InMemoryStorage())
    study.enqueue_trial(given)
    with pytest.raises(ValueError, match="trial 0 was enqueued without 'v0'"):
        study.optimize(objective)
    study.optimize(objective)
    assert_unbroken(study)


def test_numbers_of_numpy_are_numbers() -> None:
    assert Sampler(3, observations=np.int64(5), seed=np.int64(2)).space.names == ("x0", "x1", "x2")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (new_sampler(seed=4), "another seed: 3 there, 4 here"),
        (new_sampler(settings="paper", max_evaluations=None), "another settings: Auto"),
        (Sampler(SPACE, seed=3, regularizer=zoo.L1(0.1), attempts=2), "another attempts: 3 there"),
        (
            Sampler(
                {name.upper(): bounds for name, bounds in SPACE.items()},
                seed=3,
                regularizer=zoo.L1(0.1),
            ),
            "another names",
        ),
    ],
)
def test_arguments_that_no_snapshot_has_are_refused_by_name(changed: Sampler, said: str) -> None:
    storage = InMemoryStorage()
    study_on(storage).optimize(objective, n_trials=3)
    with pytest.raises(ValueError, match=said):
        study_on(storage, changed).ask()


def test_a_copy_of_a_study_goes_on_with_the_seed_of_the_first() -> None:
    """Without a seed it comes from the name of the study, and a copy has another name."""
    storage = InMemoryStorage()
    whole = optuna.create_study(study_name="one", storage=storage, sampler=new_sampler(seed=None))
    whole.optimize(objective, n_trials=20)
    optuna.copy_study(
        from_study_name="one", from_storage=storage, to_storage=storage, to_study_name="two"
    )
    whole.optimize(objective)
    copy = optuna.load_study(study_name="two", storage=storage, sampler=new_sampler(seed=None))
    assert len(copy.trials) == 20
    copy.optimize(objective)
    assert result(copy).x.tobytes() == result(whole).x.tobytes()
    assert_whole(copy)


def test_a_study_that_another_sampler_began() -> None:
    storage = InMemoryStorage()
    other = optuna.create_study(
        storage=storage, study_name="s", sampler=optuna.samplers.RandomSampler(seed=0)
    )
    other.optimize(
        lambda trial: loss(np.array([trial.suggest_float(name, -1.0, 1.5) for name in SPACE])), 7
    )
    study = study_on(storage)
    study.optimize(objective)
    assert_unbroken(study)
    assert claim_of(study.trials[6]) is None


def test_trials_that_a_pruner_stops_count_as_failed() -> None:
    study = study_on(InMemoryStorage(), new_sampler(attempts=2))

    def half(trial: optuna.Trial) -> float:
        x = point(trial)
        if x[0] > 0.5:
            raise optuna.TrialPruned
        return loss(x)

    study.optimize(half)
    assert result(study).status is not zoo.Status.RUNNING
    pruned = cells(study, TrialState.PRUNED)
    assert max(pruned.count(cell) for cell in pruned) == 2
    assert_whole(study)


def test_a_timeout_ends_at_a_trial_and_the_next_call_goes_on() -> None:
    study = study_on(InMemoryStorage())
    while result(study).status is zoo.Status.RUNNING:
        study.optimize(objective, timeout=0.02)
    assert_unbroken(study)


def test_several_objectives_are_refused_before_a_trial_runs() -> None:
    study = optuna.create_study(directions=["minimize"] * 2, sampler=new_sampler())
    with pytest.raises(ValueError, match="multi-objective"):
        study.optimize(lambda trial: (0.0, 0.0), n_trials=1)
    for function in (result, open_cells):
        with pytest.raises(ValueError, match="multi-objective"):
            function(study)


def test_open_cells_are_what_can_be_asked() -> None:
    study = study_on(InMemoryStorage())
    while (count := open_cells(study)) is not None:
        assert count > 0
        for trial in [study.ask() for _ in range(count)]:
            study.tell(trial, objective(trial))
    assert running(study) == []
    assert len(study.trials) == result(study).nfev  # nothing measured beside
    assert_unbroken(study)
