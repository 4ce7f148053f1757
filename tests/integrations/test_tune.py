"""The search algorithm for Ray Tune: by itself, and in real experiments that are killed."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import zooadmm as zoo

pytest.importorskip("tensorboardX", reason="ray[tune] is absent: make test-tune")
from ray import tune

from integrations.tune_experiment import SPACE, error, search
from zooadmm.integrations.tune import Search

PROGRAM = Path(__file__).with_name("tune_experiment.py")


def started(**arguments: Any) -> Search:
    found = Search("error", "min", seed=0, **arguments)
    found.set_search_properties(None, None, SPACE)
    return found


def value(config: dict[str, Any]) -> dict[str, float]:
    return {"error": error({**config, "bias": 1.0})}


def twin(budget: int | None = None) -> Any:
    """The same run without Tune."""
    scales = zoo.Parameters({"rate": (1e-4, 1.0, "log"), "body/depth": (0.0, 5.0)})
    run = zoo.Optimizer(scales, max_evaluations=budget, rng=0)
    while (query := run.ask()) is not None:
        rows = [scales.at(x) for x in query.points]
        configs = [{"rate": v["rate"], "body": {"depth": v["body/depth"]}} for v in rows]
        run.tell(query.id, [value(config)["error"] for config in configs])
    return run.result()


@pytest.mark.parametrize("seed", range(3))
def test_saved_and_restored_at_any_time_it_goes_on_bit_for_bit(seed: int, tmp_path: Path) -> None:
    """However often the dice fail one evaluation, it is tried again and never NaN."""
    dice, live, path = random.Random(seed), dict[str, Any](), str(tmp_path / "state.pkl")
    found = started(attempts=1_000)
    for trial in range(3_000):
        config = found.suggest(str(trial))
        if config == Search.FINISHED and not live:
            break
        if isinstance(config, dict):
            live[str(trial)] = config
            assert found.suggest(str(trial)) == config  # the same trial, the same parameters
        if live and dice.random() < 0.7:
            done = dice.choice(sorted(live))
            if dice.random() < 0.1:
                found.on_trial_complete(done, error=True)
                del live[done]
            else:
                found.on_trial_complete(done, value(live.pop(done)))
                found.on_trial_complete(done, {"error": math.pi})  # once more: ignored
        if dice.random() < 0.1:
            found.save(path)
            anew = started(attempts=1_000), Search(seed=0, attempts=1_000)
            found = anew[dice.random() < 0.5]
            found.restore(path)
    assert found.result().x.tobytes() == twin().x.tobytes()
    assert found.result().named["rate"] == pytest.approx(0.02, rel=1e-3)


def test_another_search_is_refused_by_name(tmp_path: Path) -> None:
    path = str(tmp_path / "state.pkl")
    started().save(path)
    with pytest.raises(ValueError, match=r"state.pkl was written with another regularizer"):
        Search("error", "min", seed=0, regularizer=zoo.L1(0.1)).restore(path)


def test_maximize_and_a_target() -> None:
    found = Search(seed=0, target=-1.01)
    found.set_search_properties("gain", "max", SPACE)
    trial = 0
    while isinstance(config := found.suggest(str(trial)), dict):
        found.on_trial_complete(str(trial), {"gain": -value(config)["error"]})
        trial += 1
    assert found.result().status is zoo.Status.TARGET


def test_a_trial_that_keeps_failing_is_nan() -> None:
    found = started(attempts=2, max_evaluations=60)
    trial, failures = 0, 0
    while isinstance(config := found.suggest(str(trial)), dict):
        failed = config["body"]["depth"] > 3.0
        failures += failed
        found.on_trial_complete(str(trial), None if failed else value(config), error=failed)
        trial += 1
    assert failures > 0
    assert found.result().named["body/depth"] <= 3.0


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ({"a": tune.randint(0, 5)}, "'a' is an integer"),
        ({"a": {"b": tune.choice([1, 2])}}, "'a/b' is categorical"),
        ({"a": tune.quniform(0, 1, 0.1)}, "'a' is quantized"),
        ({"a": tune.randn(0, 1)}, "'a' is not tune.uniform"),
        ({"a": tune.grid_search([1, 2])}, "'a' is a grid"),
        ({"a": 1.0}, "no parameters"),
    ],
)
def test_a_space_that_does_not_fit_is_refused_by_name(space: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Search("error", "min").set_search_properties(None, None, space)


def test_wrong_arguments_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="one metric, not several"):
        Search(["a", "b"], ["min", "max"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mode = None"):
        Search("error").set_search_properties(None, None, SPACE)
    with pytest.raises(RuntimeError, match="no space yet"):
        Search("error", "min").suggest("a")
    found = started()
    found.suggest("a")
    with pytest.raises(ValueError, match="reported no 'error'; it has"):
        found.on_trial_complete("a", {"eror": 1.0})
    assert not found.set_search_properties("error", "min", SPACE)


def experiment(folder: Path, how: str, pause: float) -> subprocess.Popen[str]:
    source = os.pathsep.join(path for path in sys.path if path)
    changes = {"PAUSE": str(pause), "PYTHONPATH": source, "TUNE_GLOBAL_CHECKPOINT_S": "0"}
    command = [sys.executable, "-W", "ignore", str(PROGRAM), how]
    environment = {**os.environ, **changes}
    return subprocess.Popen(
        command, cwd=folder, env=environment, text=True, stdout=-1, stderr=-2, process_group=0
    )


def test_an_experiment_that_is_killed_goes_on_bit_for_bit(tmp_path: Path) -> None:
    running = experiment(tmp_path, "new", pause=0.2)
    while True:  # until some trials are in
        time.sleep(0.2)
        assert running.poll() is None, running.communicate()[0]
        states = sorted((tmp_path / "results" / "study").glob("searcher-state-*.pkl"))
        if states and evaluated(states[-1]) >= 4:
            break
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    again = experiment(tmp_path, "restore", pause=0.0)
    said = again.communicate(timeout=400)[0]
    assert again.returncode == 0, said
    answer = next(line for line in said.splitlines() if line.startswith("answer"))
    unbroken = twin(search()._arguments["max_evaluations"])
    assert answer.split()[1:3] == [unbroken.x.tobytes().hex(), str(unbroken.nfev)]


def evaluated(path: Path) -> int:
    """How many answers a saved search has."""
    found = search()
    try:
        found.restore(str(path))
    except (OSError, ValueError):  # replaced in this moment
        return 0
    run = found._at_work[0]
    query = run.query
    assert query is not None
    places = range(query.cells)
    answered = sum(not run.optimizer.needs((query.id, place)) for place in places)
    return run.optimizer.evaluations + answered
