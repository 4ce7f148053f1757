"""Ray and Dask, started here for real: the same bits, and the same answers to the same faults.

`make torture` has the full counts.
"""

from __future__ import annotations

import logging
import os
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from twins.bowl import bowl
from twins.workshop import (
    TORTURE,
    Deadly,
    Hanging,
    Late,
    Refusing,
    Slow,
    assert_kills_leave_no_trace,
    bowls,
    driven,
    optimizer,
    point_of,
    slope,
)
from zooadmm.evaluation import Engine, InProcess

pytestmark = [
    pytest.mark.clusters,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of their own, on the way down
]
KILLS = 20 if TORTURE else 2
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
HERE = ("forward", 6, 5)


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[None]:
    import ray

    with pytest.MonkeyPatch.context() as environment:  # its workers can import what we can
        environment.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=80 * 2**20,
            logging_level=logging.ERROR,
            log_to_driver=False,
        )
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def dask_client() -> Iterator[Any]:
    import dask
    import distributed

    with (
        dask.config.set(
            {  # a worker that dies twice within a while is not given up
                "distributed.deploy.lost-worker-timeout": "1 day",
                "distributed.scheduler.allowed-failures": 3 if TORTURE else 0,
            }
        ),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(params=["Ray", "Dask"])
def engines(request: pytest.FixtureRequest) -> Any:
    """Engines on a cluster that is there, by their arguments."""
    if request.param == "Ray":
        request.getfixturevalue("ray_cluster")
        return zoo.evaluation.Ray
    client = request.getfixturevalue("dask_client")
    return lambda **given: zoo.evaluation.Dask(client, **given)


def test_runs_lead_to_the_same_bits(engines: Any) -> None:
    for engine, loss, labels in (
        (engines(), bowl, ("forward", "hybrid", "auto")),
        (engines(workers=3), zoo.Loss(values=bowls, gradient=slope), ("inside", "gradients")),
    ):
        with engine.evaluator(loss) as evaluate:
            for label in labels:
                here = driven(optimizer(label, 6), InProcess(loss))
                assert driven(optimizer(label, 6), evaluate) == here, label


def test_a_closure_goes_to_the_workers_once(engines: Any, tmp_path: Path) -> None:
    class Careful:
        def __init__(self) -> None:
            self.scratch = np.zeros(12)

        def __call__(self, x: np.ndarray, w: int) -> float:
            self.scratch[:] = x  # writable there too
            return bowl(self.scratch, w)

        def __setstate__(self, state: dict[str, Any]) -> None:
            (tmp_path / f"{os.getpid()} {os.urandom(4).hex()}").touch()
            self.__dict__ = state

    with engines().evaluator(Careful()) as evaluate:
        driven(optimizer("forward", 8), evaluate)
    loaded = [path.name.split()[0] for path in tmp_path.iterdir()]
    assert len(set(loaded)) == len(loaded) >= 1  # once in each process


def test_workers_killed_at_random_moments_leave_no_trace(engines: Any, tmp_path: Path) -> None:
    with engines().evaluator(Slow(tmp_path)) as evaluate:
        assert_kills_leave_no_trace(evaluate, tmp_path, KILLS)


def run(engine: Engine, loss: Any, **given: Any) -> zoo.Result:
    settings = {"observations": np.arange(9), "settings": "paper", "max_iterations": 8, "rng": 4}
    return zoo.minimize(
        loss, np.zeros(12), regularizer=zoo.L1(0.1), evaluator=engine, **{**settings, **given}
    )


def test_an_evaluation_that_always_kills_is_named_and_the_checkpoint_stays(
    engines: Any, tmp_path: Path
) -> None:
    point, path = point_of(*HERE), tmp_path / "run.zoo"
    said = "evaluation 5 of query 6 ended its worker 3 times"
    with pytest.raises(zoo.evaluation.EvaluationFailed, match=said) as caught:
        run(engines(), Deadly(point), checkpoint=path)
    assert np.array_equal(caught.value.point, point)
    resumed = run(zoo.evaluation.Threads(1), bowl, checkpoint=path)
    assert resumed.x.tobytes() == run(zoo.evaluation.Threads(1), bowl).x.tobytes()


def test_an_evaluation_that_hangs_is_made_elsewhere(engines: Any, tmp_path: Path) -> None:
    loss = Hanging(tmp_path, point_of(*HERE), times=1)
    hung = run(engines(timeout=15.0), loss)  # time for a worker of Dask to start anew
    assert hung.x.tobytes() == run(zoo.evaluation.Threads(1), bowl).x.tobytes()
    assert (tmp_path / "hung 0").exists()


def test_a_worker_of_ray_that_starts_slowly_is_waited_for(ray_cluster: None) -> None:
    late = run(zoo.evaluation.Ray(timeout=1.0), Late(3.0), max_iterations=2)
    here = run(zoo.evaluation.Threads(1), bowl, max_iterations=2)
    assert late.x.tobytes() == here.x.tobytes()


def test_workers_of_ray_that_hang_make_room_for_those_that_wait(
    ray_cluster: None, tmp_path: Path
) -> None:
    loss = Hanging(tmp_path, point_of(*HERE), times=2)  # both CPUs, and two tasks that wait
    hung = run(zoo.evaluation.Ray(workers=4, timeout=3.0), loss)
    assert hung.x.tobytes() == run(zoo.evaluation.Threads(1), bowl).x.tobytes()
    assert (tmp_path / "hung 1").exists()


def test_what_the_loss_raises_comes_back_or_is_dropped(engines: Any, tmp_path: Path) -> None:
    loss = Refusing(tmp_path, point_of(*HERE), times=99)
    with pytest.raises(ZeroDivisionError, match="no answer to this") as caught:
        run(engines(), loss)
    notes = "\n".join(caught.value.__notes__)
    assert "raised by the loss at evaluation 5 of query 6" in notes
    assert 'raise ZeroDivisionError("no answer to this")' in notes
    dropped = run(engines(), loss, on_error="drop")
    assert dropped.trace["dropped"].tolist() == [0] * 5 + [1] * 3
    assert dropped.x.tobytes() == run(zoo.evaluation.Threads(1), loss, on_error="drop").x.tobytes()


def test_the_example(ray_cluster: None, capfd: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "on_ray.py"), run_name="__main__")
    assert "success: The budget of 600 evaluations" in capfd.readouterr().out
